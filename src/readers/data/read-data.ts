import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { buildSections } from "../build-sections.ts";
import { codeBlocks } from "../text/code-blocks.ts";
import { decodeSource } from "../text/decode-source.ts";
import { fileNameOf } from "../file-name.ts";
import { limitsOf } from "../read-limits.ts";
import { dataFormatOf, type DataFormat } from "./data-format.ts";
import { shortTitle, type DataMember } from "./data-member.ts";
import { findJsonMembers } from "./json-members.ts";
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

/** Above this number none is returned: they would need more memory than the text. */
const maxMembers = 200_000;

/**
 * The tables of a TOML text, those below others as deep as their names are long. Comments right before one belong to it.
 *
 * **Cost** linear, line by line.
 */
function findTomlMembers(text: string): DataMember[] | undefined {
  const members: DataMember[] = [];
  let quote = "";
  let lead: number | undefined;
  for (let start = 0; start < text.length && members.length <= maxMembers;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    const table = quote === "" ? /^\s*\[\[?\s*([^[\]]+?)\s*\]?\]\s*(?:#.*)?$/u.exec(line)?.[1] : undefined;
    if (table !== undefined) {
      const level = Math.min(6, countParts(table));
      members.push({ title: shortTitle(table), level, start: lead ?? start, end: text.length });
    }
    lead = quote === "" && /^\s*#/u.test(line) ? (lead ?? start) : undefined;
    quote = quoteAfter(line, quote);
    start = end + 1;
  }
  return members.length > maxMembers ? undefined : members;
}

/** How many names a dotted name has; dots within quotes are of a name. */
function countParts(name: string): number {
  return name.replace(/"[^"]*"|'[^']*'/gu, "x").split(".").length;
}

/** Delimiter of a multi-line string that is open after a line, if any. */
function quoteAfter(line: string, before: string): string {
  let open = before;
  for (const [quote] of line.matchAll(/"""|'''/gu)) {
    if (open === "") open = quote;
    else if (open === quote) open = "";
  }
  return open;
}
