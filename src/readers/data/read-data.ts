import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../build-sections.ts";
import { codeBlocks } from "../text/code-blocks.ts";
import { decodeSource } from "../text/decode-source.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf } from "../read-limits.ts";
import { type DataFormat, dataFormatOf } from "./data-format.ts";
import type { DataMember } from "./data-member.ts";
import { findJsonMembers } from "./json-members.ts";
import { findTomlMembers } from "./toml-members.ts";
import { findYamlMembers } from "./yaml-members.ts";

/** More lines than this are cut between by the chunker alone. */
const maxLines = 100_000;

/** More records than this are blocks without sections: nobody looks for one by its heading. */
const maxSections = 50_000;
const noSections = `It holds more than ${maxSections.toLocaleString("en")} records, and none has a section of its own. All of it is read.`;

const findMembers: Readonly<Record<DataFormat, (text: string) => readonly DataMember[] | undefined>> = {
  json: findJsonMembers,
  jsonl: () => [],
  yaml: findYamlMembers,
  toml: findTomlMembers,
};

/** Implements {@link dataReader}. */
export function readData({ uri, bytes, mediaType, charset, limits }: ReadInput): ReadResult {
  const text = decodeSource(bytes, uri, charset, limitsOf({ ...(limits && { limits }) }).maxTextLength);
  const format = dataFormatOf(mediaType) ?? "json";
  const found = findMembers[format](text);
  const members = found ?? [];
  const isTooMany = found === undefined || found.length > maxSections;
  const title = fileNameOf(uri);
  const named = isTooMany ? [] : members;
  const headings = named.map((member) => ({ ...member, contentStart: member.start }));
  const edges = format === "jsonl" ? lineStarts(text) : members.flatMap(({ start, end }) => [start, end]);
  return {
    text,
    title,
    root: buildSections(text, title, headings),
    sourceMap: { lines: "text" },
    blocks: codeBlocks(text, edges, format === "jsonl" ? "json" : format),
    metadata: {},
    ...(isTooMany ? { notes: [noSections] } : {}),
  };
}

function lineStarts(text: string): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf("\n"); at !== -1 && starts.length < maxLines; at = text.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  return starts.length < maxLines ? starts : [];
}
