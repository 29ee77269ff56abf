import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../build-sections.ts";
import { codeBlocks } from "../text/code-blocks.ts";
import { decodeSource } from "../text/decode-source.ts";
import { fileNameOf } from "../file-name.ts";
import { throwIfAborted } from "../../runtime/abort.ts";

import { findDefinitions } from "./find-definitions.ts";
import { grammarOf } from "./grammars.ts";
import { maxCodeLength, parseCode } from "./parse-code.ts";

/** Implements {@link createCodeReader}; loaded with its parser when the first file is read. */
export async function readCode({ uri, bytes, mediaType, charset, signal }: ReadInput): Promise<ReadResult> {
  const text = decodeSource(bytes, uri, charset);
  const grammar = grammarOf(mediaType, uri);
  if (grammar === undefined) {
    throw new IbidError("unsupported-media", `${uri} is of media type ${mediaType}, for which there is no grammar.`, {
      hint: "Read it as plain text.",
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
    blocks: codeBlocks(
      text,
      definitions.flatMap(({ start, end }) => [start, end]),
      language,
    ),
    metadata: { programmingLanguage: language },
    ...(found === undefined ? { notes: [whyPlain(text.length, language)] } : {}),
  };
}

function whyPlain(length: number, language: string): string {
  return length > maxCodeLength
    ? `It is longer than ${maxCodeLength.toLocaleString("en")} characters and was read as plain text, without a section for each definition.`
    : `The ${language} parser gave it up, so it was read as plain text, without a section for each definition.`;
}
