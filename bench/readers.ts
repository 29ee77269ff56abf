// How fast each format is read, and how much memory a large file takes, beside other libraries that are installed here.
//
//   npx node bench/readers.ts [--size 2] [--only md,pdf]          files of about so many megabytes, which this writes
//   npx node bench/readers.ts --data <folder> [--only pdf]        files of your own: all of one ending are one row
//
// Every contestant reads in a process of its own for some seconds. Prints megabytes of content (unpacked, where this
// wrote it) per second of processor time. Also prints the peak of resident memory over that of the process before it
// read. The column "In a worker" is the share of the speed that is left with the way to the worker and back, by the
// clock.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createWorkerReaders } from "../src/readers/worker/worker-readers.ts";
import type { Reader } from "../src/readers/index.node.ts";
import { createReaders } from "../src/readers/index.node.ts";
import { readDocument } from "../src/readers/read-document.ts";
import { packMembers } from "../test/fuzz/archives.ts";
import { docx, epub, pptx, xlsx } from "../test/fuzz/office-seeds.ts";
import { messages, notebooks } from "../test/fuzz/text-seeds.ts";
import { generateText } from "../src/testing/corpus.ts";
import { makePdf } from "../test/readers/make-pdf.ts";
import { loadPeer } from "./peer.ts";

type Read = (bytes: Uint8Array, uri: string) => Promise<unknown>;
interface Figures {
  readonly readsPerSecond: number;
  readonly peakMiB: number;
}

const measuredMs = 2000;
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Other readers of a format. They give text or a tree, without places. */
const peers: Readonly<Record<string, readonly [name: string, make: () => Promise<Read>]>> = {
  md: [
    "markdown-it, tokens",
    async () => {
      const { default: MarkdownIt } = await import("markdown-it");
      const parser = MarkdownIt({ html: true });
      return async (bytes) => parser.parse(text(bytes), {});
    },
  ],
  html: [
    "htmlparser2, tree",
    async () => {
      const { parseDocument } = await import("htmlparser2");
      return async (bytes) => parseDocument(text(bytes));
    },
  ],
  pdf: [
    "unpdf extractText",
    async () => {
      const { extractText } = await import("unpdf");
      return async (bytes) => extractText(bytes.slice());
    },
  ],
  docx: [
    "mammoth, raw text",
    async () => {
      const mammoth = await loadPeer<{ default: { extractRawText(input: { buffer: Buffer }): Promise<unknown> } }>(
        "mammoth",
      );
      if (mammoth === undefined) throw new Error("mammoth is not installed: npm --prefix bench/peers ci");
      return async (bytes) => mammoth.default.extractRawText({ buffer: Buffer.from(bytes) });
    },
  ],
  xlsx: [
    "SheetJS, CSV",
    async () => {
      const { read, utils } = await import("@e965/xlsx");
      return async (bytes) => {
        const book = read(bytes);
        return Object.values(book.Sheets).map((sheet) => utils.sheet_to_csv(sheet));
      };
    },
  ],
  csv: [
    "Papa Parse, rows",
    async () => {
      const { default: papa } = await import("papaparse");
      return async (bytes) => papa.parse(text(bytes));
    },
  ],
  eml: [
    "postal-mime",
    async () => {
      const { default: PostalMime } = await import("postal-mime");
      return async (bytes) => PostalMime.parse(bytes);
    },
  ],
};

const { values } = parseArgs({
  options: {
    size: { type: "string", default: "2" },
    only: { type: "string" },
    data: { type: "string" },
    child: { type: "string" },
    file: { type: "string", multiple: true, default: [] },
  },
});
if (values.child !== undefined) console.log(JSON.stringify(await measure(values.child, values.file)));
else compare();

function compare(): void {
  const folder = mkdtempSync(join(tmpdir(), "ibid-readers-"));
  try {
    const files = values.data === undefined ? writeFiles(folder, Number(values.size)) : findFiles(values.data);
    console.log("| format | MB | MB/s | in a worker | peak, MiB | beside | MB/s | peak, MiB | ours, times as fast |");
    console.log("|---|---|---|---|---|---|---|---|---|");
    for (const [ending, paths] of Object.entries(files)) {
      if (values.only !== undefined && !values.only.split(",").includes(ending)) continue;
      const packed = paths.reduce((sum, path) => sum + readFileSync(path).length, 0) / 1e6;
      const megabytes = values.data === undefined ? Math.max(packed, Number(values.size)) : packed;
      const ours = run<Figures>("here", paths);
      if (ours === undefined) {
        console.log(`| ${ending} | ${megabytes.toFixed(2)} | refused |`);
        continue;
      }
      const share = run<number>("worker", paths);
      const peer = peers[ending];
      const beside = peer === undefined ? undefined : run<Figures>(`peer:${ending}`, paths);
      const speed = (figures: Figures | undefined): string =>
        figures === undefined ? "" : (figures.readsPerSecond * megabytes).toFixed(1);
      const cells = [
        ending,
        megabytes.toFixed(2),
        speed(ours),
        share?.toFixed(2),
        ours.peakMiB.toFixed(0),
        peer?.[0],
        speed(beside),
        beside?.peakMiB.toFixed(0),
        beside === undefined ? "" : (ours.readsPerSecond / beside.readsPerSecond).toFixed(2),
      ];
      console.log(`| ${cells.map((cell) => cell ?? "").join(" | ")} |`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Output of a process of its own; `undefined` when it failed. */
function run<Printed>(contestant: string, paths: readonly string[]): Printed | undefined {
  const args = [fileURLToPath(import.meta.url), "--child", contestant, ...paths.flatMap((path) => ["--file", path])];
  try {
    const printed = execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return JSON.parse(printed) as Printed;
  } catch {
    return undefined;
  }
}

async function measure(contestant: string, paths: readonly string[]): Promise<Figures | number> {
  const files = paths.map((path) => ({ path, bytes: new Uint8Array(readFileSync(path)) }));
  /** **Errors** when every file is refused: then there is nothing to measure. */
  const readAll = async (read: Read): Promise<void> => {
    let refused = 0;
    for (const { path, bytes } of files) {
      await read(bytes, path).catch((error: unknown) => {
        if (++refused === files.length) throw error;
      });
    }
  };
  return contestant === "worker" ? compareWorker(readAll) : measureOne(await choose(contestant), readAll);
}

async function measureOne(read: Read, readAll: (read: Read) => Promise<void>): Promise<Figures> {
  const before = process.memoryUsage.rss();
  await readAll(read);
  const peakMiB = (process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20;
  const [cpu, started] = [process.cpuUsage(), performance.now()];
  let rounds = 0;
  do {
    await readAll(read);
    rounds++;
  } while (performance.now() - started < measuredMs);
  const { user, system } = process.cpuUsage(cpu);
  return { readsPerSecond: rounds / ((user + system) / 1e6), peakMiB };
}

/** How long a round takes here, over how long it takes in the worker. */
async function compareWorker(readAll: (read: Read) => Promise<void>): Promise<number> {
  const program = new URL("../src/readers/worker/read-worker.ts", import.meta.url);
  const worker = createWorkerReaders(createReaders(), { program, readInWorker: true });
  const [here, there] = [readBy(createReaders()), readBy(worker.readers)];
  const spent = { here: 0, there: 0 };
  await readAll(here);
  await readAll(there);
  while (spent.here + spent.there < 2 * measuredMs) {
    const started = performance.now();
    await readAll(here);
    const between = performance.now();
    await readAll(there);
    spent.here += between - started;
    spent.there += performance.now() - between;
  }
  await worker.close();
  return spent.here / spent.there;
}

function readBy(readers: readonly Reader[]): Read {
  return (bytes, uri) => readDocument(readers, { uri, bytes });
}

function choose(contestant: string): Promise<Read> | Read {
  const [kind, ending = ""] = contestant.split(":");
  if (kind === "here") return readBy(createReaders());
  const peer = peers[ending];
  if (peer === undefined) throw new Error(`Nobody else reads ${ending} here.`);
  return peer[1]();
}

function findFiles(folder: string): Record<string, string[]> {
  const files: Record<string, string[]> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const ending = extname(entry.name).slice(1).toLowerCase();
    if (entry.isFile() && ending !== "") (files[ending] ??= []).push(join(entry.parentPath, entry.name));
  }
  return Object.fromEntries(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** One file of each format. The size is of what is written in it; archives come out smaller. */
function writeFiles(folder: string, megabytes: number): Record<string, string[]> {
  const wanted = megabytes * 1e6;
  const prose = generateText(1, 2000);
  const paragraphs = prose.split(/\n\s*\n/u).map((paragraph) => paragraph.replaceAll(/[<&\r\n]/gu, " "));
  const grow = (piece: (i: number) => string, limit = wanted): string => {
    let out = "";
    for (let i = 0; out.length < limit; i++) out += piece(i);
    return out;
  };
  const paragraph = (i: number): string => paragraphs[i % paragraphs.length] ?? "";
  const ascii = (i: number): string => `Line ${i}: the lighthouse keeper counts ${i % 97} ships and writes them down.`;
  const put = (members: Readonly<Record<string, string>>, name: string, mark: string, more: string): Uint8Array =>
    packMembers(Object.entries({ ...members, [name]: (members[name] ?? "").replace(mark, `${more}${mark}`) }));
  const encode = (source: string): Uint8Array => new TextEncoder().encode(source);
  const [message = ""] = messages;
  const [notebook = ""] = notebooks;

  const made: Readonly<Record<string, Uint8Array>> = {
    txt: encode(grow((i) => `${paragraph(i)}\n\n`)),
    md: encode(
      grow((i) =>
        i % 6 === 0
          ? `## Section ${i}\n\n| a | b |\n|---|---|\n| ${i} | x |\n\n`
          : `- ${paragraph(i)}\n\n${paragraph(i + 1)}\n\n`,
      ),
    ),
    html: encode(
      `<!doctype html><title>x</title><main>${grow((i) => `${i % 6 === 0 ? `<h2>Section ${i}</h2><table><tr><td>${i}<td>x</table>` : ""}<p>${paragraph(i)}</p>`)}</main>`,
    ),
    csv: encode(grow((i) => `${i},"${ascii(i)}",${i % 97},shelf\n`)),
    jsonl: encode(grow((i) => `${JSON.stringify({ id: i, text: ascii(i) })}\n`)),
    ts: encode(
      grow(
        (i) =>
          `/** Counts ${i}. */\nexport function count${i}(ships: readonly number[]): number {\n  return ships.reduce((sum, ship) => sum + ship * ${i}, 0);\n}\n\n`,
        Math.min(wanted, 900_000),
      ),
    ),
    eml: encode(
      message.replace(
        "Turn the key=2E",
        grow((i) => `${ascii(i)}\r\n`),
      ),
    ),
    ipynb: encode(
      notebook.replace(
        '"cells":[',
        () =>
          `"cells":[${grow((i) => `${JSON.stringify({ cell_type: "markdown", metadata: {}, source: [paragraph(i)] })},`)}`,
      ),
    ),
    rss: encode(
      `<?xml version="1.0"?><rss version="2.0"><channel><title>x</title>${grow((i) => `<item><title>Item ${i}</title><description>&lt;p&gt;${paragraph(i)}&lt;/p&gt;</description></item>`)}</channel></rss>`,
    ),
    pdf: makePdf(
      Array.from({ length: Math.max(1, Math.round(wanted / 4000)) }, (_, page) =>
        Array.from({ length: 40 }, (__, i) => ({ text: ascii(page * 40 + i), y: 760 - i * 17 })),
      ),
    ),
    docx: put(
      docx,
      "word/document.xml",
      "<w:sectPr/>",
      grow((i) => `<w:p><w:r><w:t>${paragraph(i)}</w:t></w:r></w:p>`),
    ),
    pptx: put(
      pptx,
      "ppt/slides/slide1.xml",
      "</p:spTree>",
      grow((i) => `<p:sp><p:txBody><a:p><a:r><a:t>${paragraph(i)}</a:t></a:r></a:p></p:txBody></p:sp>`),
    ),
    xlsx: put(
      xlsx,
      "xl/worksheets/sheet2.xml",
      "</sheetData>",
      grow(
        (i) =>
          `<row r="${i + 6}"><c r="A${i + 6}"><v>${i}</v></c><c r="B${i + 6}" t="inlineStr"><is><t>${ascii(i)}</t></is></c></row>`,
      ),
    ),
    epub: put(
      epub,
      "OEBPS/b b.xhtml",
      "</section>",
      grow((i) => `<p>${paragraph(i)}</p>`),
    ),
  };
  return Object.fromEntries(
    Object.entries(made).map(([ending, bytes]) => {
      const path = join(folder, `file.${ending}`);
      writeFileSync(path, bytes);
      return [ending, [path]];
    }),
  );
}
