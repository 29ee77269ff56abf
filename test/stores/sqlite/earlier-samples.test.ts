import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { deleted, look } from "../../fixtures/earlier/content.ts";

const read = (name: string): Buffer => readFileSync(new URL(`../../fixtures/earlier/${name}`, import.meta.url));

it.each([3, 4])("a knowledge base of format %i opens, shows what it showed, and can be written", async (format) => {
  const folder = mkdtempSync(join(tmpdir(), "ibid-earlier-"));
  const file = join(folder, "kb", "ibid.sqlite");
  mkdirSync(join(folder, "kb"));
  writeFileSync(file, gunzipSync(read(`format-${format}.sqlite.gz`)));
  const db = new DatabaseSync(file);
  expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: format });
  db.close();
  const seen = JSON.parse(read(`format-${format}.json`).toString()) as unknown;
  const first = await openKnowledgeBase(join(folder, "kb"));
  expect(await look(first)).toEqual(seen);
  await first.close();
  const kb = await openKnowledgeBase(join(folder, "kb"));
  expect(await look(kb)).toEqual(seen);
  expect((await kb.doctor()).findings).toEqual([]);
  expect(await kb.restore(deleted.uri)).toHaveLength(1);
  expect((await kb.search("wren", { mode: "lexical" })).map(({ text }) => text)).toEqual([deleted.text]);
  await kb.ingest({ uri: "kites.txt", text: "The kite circles." });
  expect(await kb.search("kite circles", { mode: "lexical", topK: 1 })).toHaveLength(1);
  await kb.close();
  rmSync(folder, { recursive: true });
});
