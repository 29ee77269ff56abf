import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../build-sections.ts";
import { codeBlocks } from "../text/code-blocks.ts";
import { decodeSource } from "../text/decode-source.ts";
import { fileNameOf } from "../file-name.ts";
import { throwIfAborted } from "../../runtime/abort.ts";

import { type Definition, findDefinitions } from "./find-definitions.ts";
import { grammarOf, type OutlinedLanguage, outlinedLanguage } from "./grammars.ts";
import { outlineCode, scriptsOf } from "./outline-code.ts";
import { maxCodeLength, parseCode } from "./parse-code.ts";

/** Implements {@link createCodeReader}; loaded with its parser when the first file is read. */
export async function readCode({ uri, bytes, mediaType, charset, signal }: ReadInput): Promise<ReadResult> {
  const text = decodeSource(bytes, uri, charset);
  const outlined = outlinedLanguage(mediaType);
  const grammar = grammarOf(mediaType, uri);
  if (outlined === undefined && grammar === undefined) {
    throw new IbidError("unsupported-media", `${uri} is of media type ${mediaType}, for which there is no grammar.`, {
      hint: "Read it as plain text.",
      uri,
    });
  }
  const language = outlined ?? grammar!.language;
  const found =
    outlined === undefined
      ? await parseCode(text, grammar!.name, signal, ({ rootNode }) => findDefinitions(rootNode, text, grammar!.name))
      : await outline(text, outlined, signal);
  throwIfAborted(signal, `Reading ${uri}`, { uri });
  const title = fileNameOf(uri);
  const definitions = found ?? [];
  return {
    text,
    title,
    root: buildSections(
      text,
      title,
      definitions.map((definition) => ({ ...definition, contentStart: definition.start })),
    ),
    sourceMap: { lines: "text" },
    blocks: codeBlocks(
      text,
      definitions.flatMap(({ start, end }) => [start, end]),
      language,
    ),
    metadata: { programmingLanguage: language },
    ...(found === undefined ? { notes: [whyPlain(text.length, language)] } : {}),
  };
}

/** Definitions of a language without a grammar; those of a component's scripts stand below their script. */
async function outline(
  text: string,
  language: OutlinedLanguage,
  signal: ReadInput["signal"],
): Promise<Definition[] | undefined> {
  if (text.length > maxCodeLength) return undefined;
  const definitions = outlineCode(language, text);
  const scripts = language === "vue" || language === "svelte" ? scriptsOf(text) : [];
  for (const { start, end } of scripts) {
    // The rest of the file as spaces, so that positions in the script are positions in the file.
    const blank = (part: string): string => part.replace(/[^\n]/gu, (char) => " ".repeat(char.length));
    const script = blank(text.slice(0, start)) + text.slice(start, end);
    const inner = await parseCode(script, "typescript", signal, ({ rootNode }) =>
      findDefinitions(rootNode, script, "typescript", 2),
    );
    const at = definitions.findIndex((each) => each.start <= start && each.end >= end);
    definitions.splice(at + 1, 0, ...(inner ?? []));
  }
  return definitions;
}

function whyPlain(length: number, language: string): string {
  return length > maxCodeLength
    ? `It is longer than ${maxCodeLength.toLocaleString("en")} characters and was read as plain text, without a section for each definition.`
    : `The ${language} parser gave it up, so it was read as plain text, without a section for each definition.`;
}
