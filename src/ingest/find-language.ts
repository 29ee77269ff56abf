import type { Analyzer } from "../contracts/analyzer.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { TextDocument } from "../contracts/document.ts";
import type { Metadata } from "../contracts/metadata.ts";
import { languageOfTag } from "../text/languages/language-tag.ts";

type LanguageSource = Pick<Analyzer, "languageOf"> | undefined;

/**
 * A document with the language that it is written in: what it says itself, what its metadata say (`language`: front matter, HTML's `lang`), or what its
 * words show to the analyzer.
 *
 * **Shape** `language` is one of the forms of `languageOfTag`; absent when nobody knows.
 */
export function withLanguage(document: TextDocument, analyzer: LanguageSource): TextDocument {
  const { language: said, ...rest } = document;
  const language = namedLanguage(said, document.metadata) || (analyzer?.languageOf?.(document.text) ?? "");
  return language === "" ? rest : { ...rest, language };
}

/** The same for chunks that somebody else has cut: those of one document that say nothing share what their words show together. */
export function withLanguages(chunks: readonly Chunk[], analyzer: LanguageSource): readonly Chunk[] {
  const shown = new Map<string, string>();
  for (const [documentId, own] of Map.groupBy(chunks, (chunk) => chunk.documentId)) {
    const silent = own.filter(({ language, metadata }) => namedLanguage(language, metadata) === "");
    if (silent.length > 0) {
      const text = silent.map((chunk) => chunk.text).join("\n");
      shown.set(documentId, analyzer?.languageOf?.(text) ?? "");
    }
  }
  return chunks.map((chunk) => {
    const { language: said, ...rest } = chunk;
    const language = namedLanguage(said, chunk.metadata) || (shown.get(chunk.documentId) ?? "");
    return language === "" ? rest : { ...rest, language };
  });
}

function namedLanguage(said: string | undefined, metadata: Metadata): string {
  const named = said ?? metadata.language;
  return typeof named === "string" ? languageOfTag(named) : "";
}
