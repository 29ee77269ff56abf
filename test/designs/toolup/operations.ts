import assert from "node:assert/strict";
import { openKnowledgeBase } from "ibid";
import { createGate, operator, systemAuthority } from "ibid/access";
import { createPromptBuilder } from "ibid/answers";
import { createEventStoreTracer, createMemoryEventStore, type MissCause } from "ibid/operations";
import { createMemoryStore } from "ibid/stores";
import { createFixedEmbeddingModel } from "ibid/testing";
import { all, bytes, equal, holds, matches, plain, putVectors, refuses, withTexts, writing } from "../kit.ts";
import { prove } from "../prove.ts";

const plainText = (uri: string) => ({ uri, text: "Bees hum." });

const one = () => createFixedEmbeddingModel({}, { dimensions: 2, otherwise: () => [1, 0] });
const two = () => createFixedEmbeddingModel({}, { model: "two", dimensions: 3, otherwise: () => [0, 1, 0] });

export const operations = [
  prove("T5", "an operator lists the scopes, vacuums one of them, and deletes one chunk", async () => {
    const store = createMemoryStore();
    const authority = systemAuthority();
    await putVectors(store, [
      { id: "a", vector: [1, 0] },
      { id: "b", vector: [0, 1] },
    ]);
    const team = createGate().write(operator, "team:t");
    const document = plain("c", "c");
    await store.replace(team, {
      document,
      chunks: [],
      contentHash: "c",
      metadataHash: "",
      fingerprint: "given",
      bytes: 1,
      folder: null,
    });
    equal(await store.scopes(authority), ["deployment", "team:t"]);
    equal((await store.delete(writing, { ids: ["a"] })).chunks, 1);
    const rest = await all(store.chunks(createGate().read(operator, ["deployment"])));
    equal(
      rest.map(({ chunk }) => chunk.id),
      ["b"],
    );
    equal(await store.trash!.vacuum(authority, { olderThanMs: 0, scope: "team:t" }), 0);
    equal(await store.trash!.vacuum(authority, { olderThanMs: 0, scope: "deployment" }), 1);
    await refuses("access-denied", () => store.scopes({} as never));
  }),
  prove("T5", "the same on a knowledge base: one chunk goes, and comes back until its scope is vacuumed", async () => {
    const chunks = [
      { text: "Bees hum.", id: "1" },
      { text: "Wasps sting.", id: "2" },
    ];
    await withTexts({}, async (kb) => {
      await kb.ingest({ uri: "insects", chunks });
      equal(await kb.delete({ chunks: ["2"] }), [{ uri: "insects", scope: "deployment", chunks: 1 }]);
      const listed = async (of: typeof kb, options = {}) =>
        (await all(of.chunks({ includeDeleted: true, ...options }))).map(
          ({ chunk, deletedAt }) => `${chunk.id} ${deletedAt === undefined ? "live" : "deleted"}`,
        );
      equal(await listed(kb), ["1 live", "2 deleted"]);
      equal(await listed(kb, { includeDeleted: false }), ["1 live"]);
      equal(await listed(kb.as({ userId: "u" })), ["1 live"]);
      equal(await kb.search("sting"), []);
      equal((await kb.search("hum")).length, 1);
      await refuses("not-found", () => kb.delete({ chunks: ["2"] }, { onMissing: "error" }));
      equal(await kb.as({ userId: "u" }).restore({ chunks: ["2"] }), []);
      equal(await kb.restore({ chunks: ["1", "2"] }), [{ uri: "insects", scope: "deployment", chunks: 1 }]);
      equal((await kb.search("sting")).length, 1);
      equal(await kb.restore({ chunks: ["2"] }), []);
      await kb.delete({ chunks: ["2"] });
      await refuses("access-denied", () => kb.as({ userId: "u" }).vacuum());
      equal((await kb.vacuum({ olderThanMs: 0, scope: "team:t" })).chunks, 0);
      equal((await kb.vacuum({ olderThanMs: 0, scope: "deployment" })).chunks, 1);
      equal((await kb.status()).scopes, [{ scope: "deployment", documents: 1, chunks: 1 }]);
    });
  }),
  prove("T9", "four origins, and a foreign word is refused at every door", async () => {
    await withTexts({ a: "Bees hum." }, async (kb) => {
      const alien = "alien" as never;
      for (const origin of ["user-content", "narrative", "note", "synthetic"] as const)
        equal((await kb.ingest({ uri: origin, text: `Bees of ${origin}.` }, { origin })).added, 1);
      await refuses("invalid-argument", () => kb.ingest({ uri: "b", text: "Bees." }, { origin: alien }));
      await refuses("invalid-argument", () => kb.search("bees", { origins: [alien] }));
      await refuses("invalid-argument", () => kb.find({ origins: [alien] }));
      const document = await kb.ingest({ ...plain("d", "Bees."), origin: alien });
      matches(document.failures[0]?.error.message, /origin of d is "alien"/u);
      const chunk = (await all(kb.chunks()))[0]!.chunk;
      await refuses("invalid-argument", () => kb.ingest([{ ...chunk, id: "x", uri: "e", origin: alien }]));
      equal(
        (await all(kb.chunks())).filter(({ chunk: { origin } }) => origin === alien),
        [],
      );
    });
  }),
  prove("T41", "the event of a failed document has the document's id, by an option", async () => {
    for (const documentIds of ["keyed", "plain"] as const)
      await withTexts(
        {},
        async (kb) => {
          const results = await all(kb.ingest([plainText("a"), { ...plainText("b"), mediaType: "application/pdf" }]));
          const events = await all(kb.events({ names: ["KnowledgeChunkIndexed", "KnowledgeChunkFailed"] }));
          equal(
            events.map(({ name }) => name),
            ["KnowledgeChunkIndexed", "KnowledgeChunkFailed"],
          );
          const named = events.map(
            ({ data }, i) => (data as { documentId: string }).documentId === results[i]!.documentId,
          );
          equal(named, [documentIds === "plain", documentIds === "plain"]);
        },
        { operations: { documentIds } },
      );
  }),
  prove("T41", "a failed document has its event; a batch that failed has one for each document", async () => {
    await withTexts({}, async (kb) => {
      const failed = async (): Promise<readonly { documentId: string; code: string }[]> =>
        (await all(kb.events({ names: ["KnowledgeChunkFailed"] }))).map(({ data }) => data as never);
      const ids: string[] = [];
      for await (const { documentId } of kb.ingest({
        uri: "b.pdf",
        bytes: bytes("none"),
        mediaType: "application/pdf",
      }))
        ids.push(documentId);
      holds(ids[0] !== "");
      const [alone] = await failed();
      matches(alone?.documentId, /^[0-9a-f]{64}$/u);
      const batch = [
        { uri: "a", chunks: [{ text: "Bees.", embedding: [1, 0] }] },
        { uri: "b", chunks: [{ text: "Wasps.", embedding: [Number.NaN, 0] }] },
      ];
      await refuses("invalid-response", () => kb.ingest(batch));
      const events = await failed();
      equal(events.map(({ code }) => code).slice(1), ["invalid-response", "invalid-response"]);
      equal(new Set(events.map(({ documentId }) => documentId)).size, 3);
    });
  }),
  prove("T44", "a batch that the new model refuses has its event, and the old vectors stand", async () => {
    const store = createMemoryStore();
    const first = await openKnowledgeBase({ store, models: { embedding: one() } });
    await first.ingest([
      { uri: "a", text: "Bees hum." },
      { uri: "b", text: "Wasps sting." },
    ]);
    const broken = {
      ...two(),
      embed: () => Promise.reject(new Error("The service is gone.")),
    };
    const kb = await openKnowledgeBase({ store, models: { embedding: broken, formerEmbeddings: [one()] } });
    await assert.rejects(async () => kb.reembed());
    const [event] = await all(kb.events({ names: ["KnowledgeChunkReembedFailed"] }));
    const { chunks, code } = event!.data as { readonly chunks: number; readonly code: string };
    equal([chunks, code], [2, "embedding-failed"]);
    equal((await kb.search("hum", { mode: "dense" })).length, 2);
    await kb.close();
  }),
  prove("T45", "a prompt builder refuses words and numbers that it does not know", async () => {
    await withTexts({ a: "Bees hum." }, async (kb) => {
      await refuses("invalid-argument", () => createPromptBuilder(kb, { grounding: "alien" as never }));
      await refuses("invalid-argument", () => createPromptBuilder(kb, { topK: 101 }));
      await refuses("invalid-argument", () => createPromptBuilder(kb, { minScore: 2 }));
      await refuses("invalid-argument", () => createPromptBuilder(kb, { snippetLimit: 31 }));
      await refuses("invalid-argument", () =>
        createPromptBuilder(kb, { search: { strategy: "alien" as never } }).build("hum"),
      );
      const built = await createPromptBuilder(kb).build("What do bees do?");
      equal([built.hits.length, built.grounding], [1, "preferred"]);
    });
  }),
  prove("T46", "a source is cited by its document and its place among that document's chunks", async () => {
    const chunks = ["Ants march.", "Bees hum.", "Wasps sting."].map((text) => ({ text }));
    await withTexts({}, async (kb) => {
      await kb.ingest({ uri: "insects", chunks });
      const { labels, section } = await createPromptBuilder(kb).build("sting");
      equal(labels.length, 1);
      matches(labels[0], /^\[Doc [0-9a-f]{3,}, Chunk 3 of 3\]$/u);
      holds(section.includes(labels[0]!.slice(1, -1)));
    });
  }),
  prove("T53", "retrievals are events of _platform.retrieval, kept in memory unless that is switched off", async () => {
    await withTexts({ a: "Bees hum." }, async (kb) => {
      await kb.search("hum");
      const events = await all(kb.events({ stream: "_platform.retrieval" }));
      equal(
        events.map(({ name, stream }) => [name, stream]),
        [
          ["KnowledgeRetrieved", "_platform.retrieval"],
          ["KnowledgeRetrievalMiss", "_platform.retrieval"],
        ],
      );
      const indexed = await all(kb.events({ names: ["KnowledgeChunkIndexed"] }));
      equal(indexed[0]?.stream, undefined);
      await refuses("access-denied", () => all(kb.as({ userId: "u" }).events()));
    });
    await withTexts({}, (kb) => refuses("configuration-missing", () => all(kb.events())), {
      operations: { events: false },
    });
    const kept = createMemoryEventStore();
    await withTexts({ a: "Bees hum." }, async (kb) => kb.search("hum"), {
      operations: { tracer: createEventStoreTracer(kept) },
    });
    equal((await all(kept.read({ stream: "_platform.retrieval" }))).length, 2);
  }),
  prove("T50", "an operator sees which searches found nothing, by the query's hash, and why", async () => {
    const causes = async (
      events: AsyncIterable<{ readonly data: unknown }>,
    ): Promise<readonly (MissCause | undefined)[]> =>
      (await all(events)).map(({ data }) => (data as { cause?: MissCause }).cause);
    const store = createMemoryStore();
    const kb = await openKnowledgeBase({ store, models: { embedding: one() } });
    const misses = { names: ["KnowledgeRetrievalMiss"] } as const;
    await kb.search("hum");
    await kb.ingest({ uri: "a", text: "Bees hum." });
    await kb.search("quarterly", { mode: "lexical" });
    await kb.search("hum", { mode: "lexical" });
    equal(await causes(kb.events(misses)), ["empty", "no-match", "weak"]);
    const [event] = await all(kb.events(misses));
    matches((event!.data as { queryHash: string }).queryHash, /^[0-9a-f]{64}$/u);
    const other = await openKnowledgeBase({ store, models: { embedding: two() } });
    await other.search("quarterly");
    equal(await causes(other.events(misses)), ["other-model"]);
    await other.close();
  }),
];
