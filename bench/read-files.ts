/**
 * Whether files give what a manifest says that a reader must find in them: one line a file, exit code 1 when one does not.
 *
 *     npx node bench/read-files.ts <folder> [--text <file name>]
 *
 * The folder holds files and `manifest.json`: a list of `{ "file", "expect" }`; what can be expected are the keys of `checks` below. With `--text` the text that was read of
 * one file is printed, with its place every so often.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import type { ReadResult } from "../src/readers/index.node.ts";
import { IbidError } from "../src/index.node.ts";
import { createReaders } from "../src/readers/index.node.ts";
import { readDocument } from "../src/readers/read-document.ts";
import { locate } from "../src/text/locate.ts";
import { describePlaceLabels } from "../src/text/place-labels.ts";
import { checkBlocks, checkSourceMap, checkTree } from "../src/testing/tree-checks.ts";

type Read = ReadResult & { readonly mediaType: string };
type Expectations = Readonly<Record<string, unknown>>;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { text: { type: "string" } } });
const [folder] = positionals;
if (folder === undefined) throw new Error("usage: npx node bench/read-files.ts <folder> [--text <file name>]");
const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as readonly {
  readonly file: string;
  readonly expect: Expectations;
}[];
const readers = createReaders();

const tables = ({ blocks }: Read): number => (blocks ?? []).filter(({ kind }) => kind === "table").length;
const cellsOf = (line: string): number => line.split(/[,;\t]/u).length;

/** Other names of what the Encoding Standard calls by one. */
const encodings: Readonly<Record<string, string>> = { cp932: "shift_jis" };

/** Claims of a manifest, each with its check: `true`, or the text found instead. */
const checks: Readonly<Record<string, (read: Read, expected: never) => unknown>> = {
  contains: ({ text }, words: readonly string[]) => missing(text, words),
  contains_decoded: ({ text }, words: readonly string[]) => missing(text, words),
  contains_via_reader: ({ text }, words: readonly string[]) => missing(text, words),
  image_alt_contains: ({ text }, words: readonly string[]) => missing(text, words),
  must_not_in_main_text: ({ text }, words: readonly string[]) => {
    const there = words.filter((word) => text.includes(word));
    return there.length === 0 || there;
  },
  pages: ({ sourceMap, metadata }, count: number) =>
    metadata["pageCount"] === count || [metadata["pageCount"], sourceMap.pages?.length],
  slides: ({ sourceMap }, count: number) => sourceMap.slides?.length === count || sourceMap.slides?.length,
  sheets: ({ sourceMap }, names: readonly string[]) => {
    const found = (sourceMap.sheets ?? []).map(({ name }) => name);
    return JSON.stringify(found) === JSON.stringify(names) || found;
  },
  spine: ({ sourceMap }, count: number) => (sourceMap.parts?.length ?? 0) <= count || sourceMap.parts?.length,
  title: ({ title }, expected: string) => title === expected || title,
  subject: ({ title }, expected: string) => title === expected || title,
  creator: ({ metadata }, expected: string) => JSON.stringify(metadata).includes(expected) || metadata,
  language: ({ metadata }, expected: string) => metadata["language"] === expected || metadata["language"],
  tables: (read, count: number) => tables(read) === count || tables(read),
  attachments: ({ text, sourceMap }, names: readonly string[]) =>
    names.every((name) => text.includes(name) || sourceMap.parts?.some((part) => part.name === name)),
  delimiter: ({ metadata }, expected: string) => metadata["delimiter"] === expected || metadata["delimiter"],
  encoding: ({ metadata }, expected: string) =>
    metadata["encoding"] === (encodings[expected] ?? expected) || (metadata["encoding"] ?? "none"),
  header_cells: ({ text }, count: number) => cellsOf(text.split("\n")[0] ?? "") === count,
  row3_cells: ({ text }, count: number) => text.split("\n").some((line) => cellsOf(line) === count),
};

function missing(text: string, words: readonly string[]): true | readonly string[] {
  const gone = words.filter((word) => !text.includes(word));
  return gone.length === 0 || gone;
}

async function read(file: string, password?: string): Promise<Read | IbidError> {
  const bytes = readFileSync(join(folder!, file));
  try {
    return await readDocument(readers, { uri: file, bytes, password });
  } catch (error) {
    if (IbidError.isInstance(error)) return error;
    throw error;
  }
}

function describe(error: IbidError): string {
  return `${error.code}: ${error.message} ${error.hint ?? ""}`;
}

async function check(file: string, expect: Expectations): Promise<readonly string[]> {
  const { password, owner_password: owner, without_password: without } = expect as Record<string, string | undefined>;
  const found = await read(file, password);
  const faults: string[] = [];
  if (expect["text_layer"] === "none" || expect["bytes"] !== undefined || expect["refused"] !== undefined) {
    return found instanceof Error ? [] : ["it was read, and should have been refused"];
  }
  if (found instanceof Error) return [describe(found)];
  checkTree(found.root, found.text);
  checkBlocks(found.blocks, found.text);
  checkSourceMap(found.sourceMap, found.text);
  for (const [name, expected] of Object.entries(expect)) {
    const result = checks[name]?.(found, expected as never);
    if (result === undefined && checks[name] === undefined) continue;
    if (result !== true) faults.push(`${name} should be ${JSON.stringify(expected)}: ${JSON.stringify(result)}`);
  }
  if (without !== undefined) {
    const refused = await read(file);
    if (!IbidError.isInstance(refused, "encrypted")) faults.push("it opens without its password");
  }
  if (owner !== undefined) {
    const opened = await read(file, owner);
    if (opened instanceof Error) faults.push(`its owner cannot open it: ${describe(opened)}`);
  }
  return faults;
}

if (values.text === undefined) {
  let failed = 0;
  for (const { file, expect } of manifest) {
    const unknown = Object.keys(expect)
      .filter((key) => !(key in checks))
      .join(", ");
    const faults = await check(file, expect);
    if (faults.length > 0) failed++;
    console.log(`${faults.length === 0 ? "good" : "BAD "} ${file}${unknown === "" ? "" : `  (${unknown})`}`);
    for (const fault of faults) console.log(`     ${fault}`);
  }
  console.log(`${manifest.length - failed} of ${manifest.length} as expected`);
  process.exitCode = failed === 0 ? 0 : 1;
} else {
  const { expect } = manifest.find(({ file }) => file === values.text) ?? { expect: {} };
  const found = await read(values.text, (expect as Record<string, string | undefined>)["password"]);
  if (found instanceof Error) {
    console.log(describe(found));
  } else {
    console.log(JSON.stringify({ title: found.title, metadata: found.metadata, notes: found.notes }));
    for (const block of found.blocks ?? [{ kind: "text", start: 0, end: found.text.length }]) {
      const place = locate(found, block.start, block.end);
      console.log(`--- ${block.kind} ${describePlaceLabels(values.text, place)} [${place.headings.join(" › ")}]`);
      console.log(found.text.slice(block.start, block.end));
    }
  }
}
