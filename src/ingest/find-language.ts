import type { Analyzer } from "../contracts/analyzer.ts";
import type { TextDocument } from "../contracts/document.ts";
import type { Metadata } from "../contracts/metadata.ts";
import { languageOfTag } from "../text/languages/language-tag.ts";

type LanguageSource = Pick<Analyzer, "languageOf"> | undefined;

/**
 * A document with the language that it is written in. The document's own `language` comes first, then its metadata's (front matter, HTML's `lang`).
 * Without either, the analyzer finds it from the words.
 *
 * **Shape** `language` is one of the forms of `languageOfTag`; absent when nobody knows.
 */
export function withLanguage(document: TextDocument, analyzer: LanguageSource): TextDocument {
  const { language: said, ...rest } = document;
  const language = namedLanguage(said, document.metadata) || (analyzer?.languageOf?.(document.text) ?? "");
  return language === "" ? rest : { ...rest, language };
}

/** The language that a document or chunk names, or its metadata; `""` when it names none. */
export function namedLanguage(said: string | undefined, metadata: Metadata): string {
  const named = said ?? metadata.language;
  return typeof named === "string" ? languageOfTag(named) : "";
}
