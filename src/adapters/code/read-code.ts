import { IbidError } from "../../contracts/errors.ts";
import type { Block } from "../../contracts/document.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../../documents/build-sections.ts";
import { decodeSource } from "../../documents/decode-source.ts";
import { fileNameOf } from "../../documents/file-name.ts";
import { throwIfAborted } from "../../text/abort.ts";

import { type Definition, findDefinitions } from "./find-definitions.ts";
import { grammarOf } from "./grammars.ts";
import { maxCodeLength, parseCode } from "./parse-code.ts";

/** What {@link createCodeReader} promises, with the parser that it loads when the first file is read. */
export async function readCode({ uri, bytes, mediaType, charset, signal }: ReadInput): Promise<ReadResult> {
  const text = decodeSource(bytes, uri, charset);
  const grammar = grammarOf(mediaType, uri);
  if (grammar === undefined) {
    throw new IbidError("unsupported-media", `${uri} is of media type ${mediaType}, for which there is no grammar.`, {
      mend: "Read it as plain text.",
      uri,
    });
  }
  const { name, language } = grammar;
  const found = await parseCode(text, name, signal, ({ rootNode }) => findDefinitions(rootNode, text, name));
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
    blocks: codeBlocks(text, definitions, language),
    metadata: { programmingLanguage: language },
    ...(found === undefined ? { notes: [whyPlain(text.length, language)] } : {}),
  };
}

function whyPlain(length: number, language: string): string {
  return length > maxCodeLength
    ? `It is longer than ${maxCodeLength.toLocaleString("en")} characters and was read as plain text, without a section for each definition.`
    : `The ${language} parser gave it up, so it was read as plain text, without a section for each definition.`;
}

/** A block for each stretch between two places where a definition begins or ends. Indentation belongs to its line. */
function codeBlocks(text: string, definitions: readonly Definition[], language: string): Block[] {
  const edges = new Set([0, text.length]);
  for (const { start, end } of definitions) edges.add(text.lastIndexOf("\n", start - 1) + 1).add(end);
  const cuts = [...edges].sort((a, b) => a - b);
  const blocks: Block[] = [];
  for (const [i, from] of cuts.entries()) {
    const stretch = text.slice(from, cuts[i + 1] ?? from);
    const words = stretch.trimEnd();
    const firstWord = words.length - words.trimStart().length;
    const start = firstWord === 0 ? 0 : words.lastIndexOf("\n", firstWord - 1) + 1;
    if (words.trim() !== "") blocks.push({ kind: "code", start: from + start, end: from + words.length, language });
  }
  return blocks;
}
