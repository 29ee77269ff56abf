/**
 * How much of each format is read: words, their order, headings, cells of tables, values of forms.
 *
 *     npm run bench:reading                                        the files beside this, of `reading/make-fixtures.ts`
 *     npm run bench:reading -- --data <folder>                     files of your own: against its `expected.json`, else words against a plain look at the file
 *     npm run bench:reading -- --only pdf,docx [--misses]          some formats; with each word, heading and cell that is missing
 *
 * A word counts as often as it stands there. `order` is the share of found words that stand in the expected order.
 * A cell is found when a row of a table holds it together with most others of its row. Exit code 1 below a bar.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";

import { IbidError } from "../src/index.node.ts";
import { createReaders, type ReadResult } from "../src/readers/index.node.ts";
import { readDocument } from "../src/readers/read-document.ts";
import { checkBlocks, checkSourceMap, checkTree } from "../src/testing/tree-checks.ts";
import { walkSections } from "../src/text/walk-sections.ts";
import type { Expected } from "./reading/make-fixtures.ts";
import { plainWords } from "./reading/plain-words.ts";

const { values } = parseArgs({
  options: { data: { type: "string" }, only: { type: "string" }, misses: { type: "boolean", default: false } },
});
/** Files of LibreOffice, and pages by other programs. */
const folders = values.data === undefined ? ["files", "pages"].map(beside) : [values.data];
const readers = createReaders();

/** Least values of the project, by format. Absent where none is set. */
const markup = new Set(["html", "md", "rst", "adoc", "org", "tex", "wiki", "docbook.xml", "jats.xml"]);
const cellBars: Readonly<Record<string, number>> = {
  ...Object.fromEntries(["docx", "html", "xlsx", "pptx", "odt", "ods", "odp"].map((name) => [name, 0.9])),
  pdf: 0.7,
};

interface Tally {
  files: number;
  refused: string[];
  words: [found: number, expected: number, read: number];
  order: number[];
  headings: [found: number, expected: number, read: number];
  cells: [found: number, expected: number];
  values: [found: number, expected: number];
}

const tallies = new Map<string, Tally>();
for (const { file, name, expected } of folders.flatMap(listFiles)) {
  const format = /\.((?:docbook\.|jats\.)?[^.]+)$/u.exec(name)?.[1]?.toLowerCase() ?? "";
  if (values.only !== undefined && !values.only.split(",").includes(format)) continue;
  const tally = tallies.get(format) ?? {
    files: 0,
    refused: [],
    words: [0, 0, 0],
    order: [],
    headings: [0, 0, 0],
    cells: [0, 0],
    values: [0, 0],
  };
  tallies.set(format, tally);
  tally.files++;
  const packed = readFileSync(file);
  const bytes = new Uint8Array(file.endsWith(name) ? packed : gunzipSync(packed));
  try {
    const read = await readDocument(readers, { uri: name, bytes });
    checkTree(read.root, read.text);
    checkBlocks(read.blocks, read.text);
    checkSourceMap(read.sourceMap, read.text);
    count(name, tally, read, expected ?? { text: await plainWords(name, bytes) });
  } catch (error) {
    if (!IbidError.isInstance(error)) throw error;
    tally.refused.push(`${name}: ${error.code}: ${error.message}`);
    // A refused file counts with all that it holds.
    if (expected !== undefined) count(name, tally, undefined, expected);
  }
}
report();

function beside(name: string): string {
  return new URL(`reading/${name}/`, import.meta.url).pathname;
}

function listFiles(folder: string): { file: string; name: string; expected?: Omit<Expected, "files"> }[] {
  if (existsSync(join(folder, "expected.json"))) {
    const all = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as Expected[];
    return all.flatMap(({ files, ...expected }) =>
      files.map((file) => ({ file: join(folder, file), name: file.replace(/\.gz$/u, ""), expected })),
    );
  }
  return readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(?:LICENSE|manifest\.json|random\.bin)/u.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, name: file.slice(folder.replace(/\/*$/u, "/").length) }));
}

function count(name: string, tally: Tally, read: ReadResult | undefined, expected: Omit<Expected, "files">): void {
  const say = (what: string, missing: readonly string[]): void => {
    if (values.misses && missing.length > 0) console.log(`  ${name}: ${what}: ${missing.slice(0, 12).join(" · ")}`);
  };
  const wanted = splitWords(expected.text);
  const got = splitWords(read?.text ?? "");
  const { places, missing } = matchWords(wanted, got);
  say("words missing", missing);
  add(tally.words, [places.length, wanted.length, got.length]);
  if (places.length > 0) tally.order.push(longestRise(places) / places.length);
  if (expected.headings !== undefined) {
    const titles = read === undefined ? [] : [...walkSections(read.root)].slice(1).map(({ title }) => fold(title));
    const left = [...titles];
    const lost = expected.headings.filter((title) => {
      const at = left.indexOf(fold(title));
      if (at !== -1) left.splice(at, 1);
      return at === -1;
    });
    say("headings missing", lost);
    say("headings too many", left);
    add(tally.headings, [expected.headings.length - lost.length, expected.headings.length, titles.length]);
  }
  if (expected.rows !== undefined) {
    const [found, lost] = matchRows(expected.rows, read === undefined ? [] : rowsOf(read));
    say("cells missing", lost);
    add(tally.cells, [found, found + lost.length]);
  }
  const fields = expected.values ?? [];
  const lost = fields.filter((value) => read?.text.includes(value) !== true);
  say("values missing", lost);
  add(tally.values, [fields.length - lost.length, fields.length]);
}

function add(sums: number[], more: readonly number[]): void {
  for (const [index, value] of more.entries()) sums[index] = (sums[index] ?? 0) + value;
}

function fold(text: string): string {
  return text.replace(/\s+/gu, " ").trim().toLowerCase();
}

function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

/** Where in the text each expected word stands, the n-th one where its n-th one stands. */
function matchWords(wanted: readonly string[], got: readonly string[]): { places: number[]; missing: string[] } {
  const at = new Map<string, number[]>();
  for (const [index, word] of got.entries()) at.set(word, [...(at.get(word) ?? []), index]);
  for (const list of at.values()) list.reverse();
  const places: number[] = [];
  const missing: string[] = [];
  for (const word of wanted) {
    const place = at.get(word)?.pop();
    if (place === undefined) missing.push(word);
    else places.push(place);
  }
  return { places, missing };
}

/** Length of the longest rising row of numbers among others. */
function longestRise(numbers: readonly number[]): number {
  const ends: number[] = [];
  for (const number of numbers) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ends[middle]! < number) low = middle + 1;
      else high = middle;
    }
    ends[low] = number;
  }
  return ends.length;
}

/** Rows of the tables of a result, as their cells. */
function rowsOf({ text, blocks = [] }: ReadResult): string[][] {
  return blocks
    .filter(({ kind }) => kind === "table")
    .flatMap(({ start, end, delimiter, columns = [] }) =>
      text
        .slice(start, end)
        .split("\n")
        .map((line) => {
          if (delimiter !== undefined)
            return [...line.matchAll(/"([^"]*)"|[^,;\t]+/gu)].map(([cell, quoted]) => quoted ?? cell);
          const cells = line.replace(/^\|\s?|\s?\|$/gu, "").split(/\s?(?<!\\)\|\s?/u);
          // A row of a sheet names its columns.
          return cells.map((cell) => {
            const label = columns.find((name) => cell.startsWith(`${name}: `));
            return label === undefined ? cell : cell.slice(label.length + 2);
          });
        }),
    )
    .map((cells) => cells.map(fold));
}

/** Expected cells that stand in one row together; each row that is found serves one expected row. */
function matchRows(
  wanted: readonly (readonly string[])[],
  found: readonly (readonly string[])[],
): [found: number, lost: string[]] {
  const used = new Set<number>();
  let total = 0;
  const lost: string[] = [];
  for (const row of wanted) {
    const cells = row.map(fold).filter((cell) => cell !== "");
    let best = -1;
    let most: string[] = [];
    for (const [index, candidate] of found.entries()) {
      if (used.has(index)) continue;
      const left = [...candidate];
      const shared = cells.filter((cell) => {
        const at = left.indexOf(cell);
        if (at !== -1) left.splice(at, 1);
        return at !== -1;
      });
      if (shared.length > most.length) [best, most] = [index, shared];
    }
    if (best !== -1) used.add(best);
    total += most.length;
    lost.push(...cells.filter((cell) => !most.includes(cell)));
  }
  return [total, lost];
}

function report(): void {
  const share = (found: number, all: number): string => (all === 0 ? "" : (found / all).toFixed(3));
  const below: string[] = [];
  const refused: string[] = [];
  console.log(
    "| format | files | refused | word recall | precision | order | headings recall | precision | cells | values |",
  );
  console.log("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
  for (const [format, tally] of [...tallies].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const { words, order, headings, cells, values: fields } = tally;
    const row = [
      format,
      tally.files,
      tally.refused.length,
      share(words[0], words[1]),
      share(words[0], words[2]),
      order.length === 0 ? "" : (order.reduce((sum, each) => sum + each, 0) / order.length).toFixed(3),
      share(headings[0], headings[1]),
      share(headings[0], headings[2]),
      share(...cells),
      share(...fields),
    ];
    console.log(`| ${row.join(" | ")} |`);
    refused.push(...tally.refused);
    const check = (what: string, [found, all]: readonly number[], bar: number | undefined): void => {
      if (bar !== undefined && all! > 0 && found! / all! < bar)
        below.push(`${format}: ${what} ${share(found!, all!)}, below ${bar}`);
    };
    check("headings", headings, markup.has(format) ? 0.95 : format === "pdf" ? 0.75 : undefined);
    check("precision of headings", [headings[0], headings[2]], format === "pdf" ? 0.75 : undefined);
    check("cells", cells, cellBars[format]);
    check("values", fields, 1);
  }
  for (const line of refused) console.log(`refused ${line}`);
  for (const line of below) console.log(`below its bar: ${line}`);
  if (values.data === undefined && (below.length > 0 || refused.length > 0)) process.exitCode = 1;
}
