import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openKnowledgeBase, type AccessContext, type Scope } from "ibid";
import { createTokenChunker } from "ibid/chunkers";
import { createIngestionQueue } from "ibid/ingest";
import { expect, it } from "vitest";
import { root } from "../../scripts/subpaths.ts";
import { readTable } from "./table.ts";

/** Options that are used with every member set, so that none of them is ever undefined. */
const complete = new Set([
  "Bm25Options",
  "ConverterOptions",
  "HandlerOptions",
  "OpenTelemetryOptions",
  "PublishedStoreOptions",
  "ServiceOptions",
  "SnapshotOptions",
]);

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
  const wanted = new Set([...names.filter((name) => name.endsWith("Options") && !complete.has(name)), ...inputs]);
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  expect(files.flatMap((file) => refusesOf(readFileSync(join(root, "src", file), "utf8"), wanted))).toEqual([]);
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
