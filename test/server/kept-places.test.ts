import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { createPdfReader } from "ibid/readers";
import { openFileBlobStore } from "ibid/stores";
import { expect, onTestFinished, test } from "vitest";
import type { CustomReader } from "../../src/contracts/reader.ts";
import { keepPlaces } from "../../src/ingest/keep-places.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { makePdf } from "../readers/make-pdf.ts";
import { startWorld } from "./service.ts";

const words = "Signing keys are rotated every ninety days.";
const pdf = makePdf([[{ text: words, x: 50, y: 700 }]]);

/** A knowledge base in a folder with one document, `keys.pdf`, and the files that are kept beside it. */
async function makeKept(readers: readonly CustomReader[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "ibid-kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const location = join(folder, "kb");
  const kb = await openKnowledgeBase(location, { reading: { worker: false }, readers });
  onTestFinished(() => kb.close());
  await kb.ingest({ uri: "keys.pdf", bytes: pdf }, { scope: "user:ada" });
  const files = join(location, "files");
  const own = join(files, "places+");
  const places = (): readonly string[] => (existsSync(own) ? readdirSync(own).map((name) => join(own, name)) : []);
  return { kb, files, places };
}

const rotated = words.indexOf("rotated");
const geometry = `/geometry?uri=keys.pdf&start=${rotated}&end=${rotated + 7}`;

test("[page 21.1] places of a PDF are kept when it is ingested, and nobody reads its file for them", async () => {
  const { kb, files, places } = await makeKept();
  expect(places().map((file) => statSync(file).size < 400)).toEqual([true]);
  const { as } = await startWorld({ files: openFileBlobStore(files) }, kb);
  // No file of it is kept or lies at a path, and no process has read it for a reader before.
  expect((await as("ada", "/original?uri=keys.pdf")).status).toBe(404);
  const { status, json } = await as("ada", geometry);
  expect([status, json.pageCount, json.pages[0].number, json.pages[0].boxes.length]).toEqual([200, 1, 1, 1]);
  expect((await as("bob", geometry)).status).toBe(404);
});

test("[page 21.1] kept places that are damaged or of another version are read from the file again", async () => {
  const { kb, files, places } = await makeKept();
  const [kept] = places();
  const whole = statSync(kept!).size;
  for (const damage of [() => truncateSync(kept!, whole - 5), () => writeFileSync(kept!, "{}")]) {
    damage();
    const { as } = await startWorld({ files: openFileBlobStore(files) }, kb);
    // Without the file there is nothing to read them from, and a mark that may be wrong is not given.
    expect((await as("ada", geometry)).status).toBe(404);
  }
  await openFileBlobStore(files).put(`originals/${kept!.split("/").at(-1)!}`, pdf);
  const { as } = await startWorld({ files: openFileBlobStore(files) }, kb);
  expect((await as("ada", geometry)).json.pages[0].boxes).toHaveLength(1);
  expect(statSync(kept!).size).toBe(whole);
});

test("[page 21.1] a purge and a vacuum take kept places along; the trash keeps them, and so does another document of the same file", async () => {
  const { kb, places } = await makeKept();
  await kb.ingest({ uri: "copy.pdf", bytes: pdf }, { scope: "user:bob" });
  expect(places()).toHaveLength(1);
  await kb.delete("keys.pdf", { purge: true });
  expect(places()).toHaveLength(1);
  await kb.delete("copy.pdf");
  expect(places()).toHaveLength(1);
  await kb.vacuum({ olderThanMs: 0 });
  expect(places()).toHaveLength(0);
});

test("[page 21.1] places go again where a purge took their document while they were written", async () => {
  const files = createMemoryBlobStore();
  await keepPlaces(files, "gone", new Uint8Array(3), async () => false);
  await keepPlaces(files, "held", new Uint8Array(3), async () => true);
  const keys: string[] = [];
  for await (const { key } of files.list()) keys.push(key);
  expect(keys).toEqual(["places/held"]);
});

test("[page 21.1] a reader of the caller's own hands on the places of the PDF reader", async () => {
  const own = createPdfReader();
  const { places } = await makeKept([
    {
      name: "own-pdf/1",
      accepts: (mediaType) => own.accepts(mediaType),
      read: async (input) => ({ ...(await own.read(input)), title: "Keys" }),
    },
  ]);
  expect(places()).toHaveLength(1);
});
