import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase, type AccessContext, type Scope } from "ibid";
import { createRecursiveChunker, createTokenChunker } from "ibid/chunkers";
import { createIngestionQueue } from "ibid/ingest";
import { createMemoryEventStore } from "ibid/operations";
import { createConverterReader } from "ibid/readers";
import { createMemoryStore } from "ibid/stores";
import { openSqliteStore } from "ibid/stores/sqlite";
import { expect, it } from "vitest";
import { collect } from "../../src/testing/assert.ts";
import { root, subpaths } from "../../scripts/subpaths.ts";
import { readTable } from "./table.ts";

/** Types besides options that a program fills in. */
const inputs = [
  "AccessContext",
  "BytesInput",
  "ChunkInput",
  "ChunksInput",
  "DocumentAddress",
  "NewEntity",
  "NewFact",
  "TextInput",
];

/** Optional members of the options and inputs of a module that do not take undefined. */
function refusesOf(text: string, wanted: ReadonlySet<string>): readonly string[] {
  return Array.from(text.matchAll(/^export interface (\w+)[^{]*\{\n(.*?)^\}/gmsu))
    .filter(([, name]) => wanted.has(name!))
    .flatMap(([, name, body]) =>
      Array.from(body!.matchAll(/^ {2}readonly (\w+)\?: ([^\n{]+);$/gmu))
        .filter(([, , type]) => !/undefined|unknown/u.test(type!))
        .map(([, member]) => `${name}.${member}`),
    );
}

it("every option takes undefined, as a strict project hands on what it may not have", () => {
  const names = readTable().map(({ name }) => name);
  const wanted = new Set([...names.filter((name) => name.endsWith("Options")), ...inputs]);
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  expect(files.flatMap((file) => refusesOf(readFileSync(join(root, "src", file), "utf8"), wanted))).toEqual([]);
});

it("the type checker looks at every subpath", () => {
  const checked = readFileSync(new URL("takes-undefined.ts", import.meta.url), "utf8");
  const looked = Array.from(checked.matchAll(/^import type \* as (\w+) from "([^"]+)";$/gmu)).map(([, name, from]) => {
    expect(checked).toContain(`None<RefusedBy<typeof ${name!}>>`);
    return from!;
  });
  expect(looked.toSorted()).toEqual(subpaths.map(({ specifier }) => specifier).toSorted());
});

it("parts take undefined as left out too", async () => {
  const none = (): never => undefined as never;
  const [count, text]: [number | undefined, string | undefined] = [none(), none()];
  const file = join(mkdtempSync(join(tmpdir(), "ibid-strict-")), "kb.sqlite");
  const stores = [
    createMemoryStore({ bm25: { b: count, variant: undefined }, segments: { sealAt: count }, analyzer: undefined }),
    await openSqliteStore(file, { analyzer: undefined, bm25: { k1: count }, busyTimeoutMs: count }),
  ];
  for (const store of stores) {
    const kb = await openKnowledgeBase({ store, chunker: createRecursiveChunker({ maxSize: count, overlap: count }) });
    await kb.ingest({ uri: "a", text: "The herons wait." });
    // Word forms are those of the language: nothing of the analyzer is lost.
    expect(await kb.search("heron waiting", { mode: "lexical" })).toHaveLength(1);
    await kb.close();
  }
  const events = createMemoryEventStore({ maxAgeMs: count, maxEvents: count, now: undefined });
  expect(await collect(events.read())).toEqual([]);
  expect(createConverterReader({ program: text, timeoutMs: count }).name).toBe(createConverterReader().name);
  const queue = createIngestionQueue(await openKnowledgeBase(), { retry: { attempts: count, initialMs: count } });
  await queue.close();
});

it("and means by it what leaving it out means", async () => {
  const none = (): never => undefined as never;
  const [scope, count, text]: [Scope | undefined, number | undefined, string | undefined] = [none(), none(), none()];
  const kb = await openKnowledgeBase({ chunker: createTokenChunker({ maxTokens: count }) });
  await kb.ingest({ uri: "a", text: "The heron waits.", mediaType: text, title: text, embedding: undefined });
  const session: { readonly user?: AccessContext["userId"] } = {};
  expect(await kb.as({ userId: session.user }).search("heron", { topK: count })).toHaveLength(1);
  expect(await kb.find({ topK: count, filter: undefined })).toHaveLength(1);
  expect(await kb.searchVector([1, 0], { minScore: count, metric: undefined })).toEqual([]);
  expect(await kb.document("a", { scope })).toMatchObject({ uri: "a" });
  expect(await kb.info({ filter: undefined })).toMatchObject({ documentCount: 1 });
  const queue = createIngestionQueue(kb, { capacity: count });
  await queue.enqueue({ uri: "b", text: "A day." }, { scope, metadata: { on: new Date(0) } });
  await queue.drained();
  expect((await kb.document("b"))?.metadata["on"]).toBe("1970-01-01T00:00:00.000Z");
  expect(await kb.delete("b", { scope, onMissing: undefined })).toHaveLength(1);
  expect(await kb.vacuum({ scope, olderThanMs: count })).toEqual({ chunks: 0 });
  await queue.close();
  await kb.close();
});
