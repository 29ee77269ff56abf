import { systemAuthority } from "../access/gate.ts";
import type { Store } from "../contracts/store.ts";
import type { Embedding } from "../contracts/embedding.ts";
import type { Query } from "../contracts/leg.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import { check, collect, equal, inAnyOrder, throwsCode } from "./assert.ts";
import { createChunkStorePack } from "./chunk-store-pack.ts";
import { defineCases } from "./contract-case.ts";
import type { CaseDefinition, ContractCase } from "./contract-case.ts";
import { createDocumentStorePack } from "./document-store-pack.ts";
import { withStore } from "./store-case.ts";
import type { StoreCase } from "./store-case.ts";
import {
  deployment,
  documentEntryOf,
  documentOf,
  entryOf,
  forgedProofs,
  from,
  into,
  north,
  plane,
  versionOf,
  wordsOf,
  writeChunks,
} from "./store-fixtures.ts";
import type { StoreSubject } from "./store-fixtures.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * Contract of a {@link Store}: chunks, documents, and the legs together. Each leg has a pack of its own, `createLegPack`.
 *
 * @experimental
 */
export function createStorePack(subject: StoreSubject): readonly ContractCase[] {
  checkSubject("createStorePack", subject);
  return [
    ...createChunkStorePack(subject),
    ...createDocumentStorePack(subject),
    ...defineCases("knowledge-store", [...withStore(subject, together), ...reopening(subject)]),
  ];
}

const story = documentOf("a.md", "the heron waits\n\nthe otter swims");
const storyEntry = documentEntryOf(story, [
  { text: "the heron waits", embedding: [1, 0] },
  { text: "the otter swims", embedding: [0, 1] },
]);

/** The matches of each exact leg that sees commits at once, by its name. The query has words, a vector of {@link plane} and a pattern. */
async function searchLegs(store: Store, text: string, embedding: Embedding, source: string): Promise<object> {
  const { scopes, legs } = await store.session(from(deployment, north));
  const embeddings = [{ embedding, version: plane, scopes }];
  const query: Query = { question: text, text, syntax: "literal", embeddings, pattern: { source, ignoreCase: false } };
  const found: Record<string, unknown> = {};
  for (const leg of legs) {
    if (!leg.capabilities.exact || leg.capabilities.visibility !== "commit" || !leg.accepts(query)) continue;
    const { matches } = await leg.search(query, "all");
    found[leg.name] = matches.map(({ scope, id, score, why }) => ({ scope, id, score, why }));
  }
  return found;
}

/** Ids of the chunks that each leg finds, then of those listed, then uris of the documents, so that they can be compared. */
async function everyLeg(store: Store): Promise<readonly (readonly string[])[]> {
  const found = await searchLegs(store, "heron otter", [1, 0], "heron|otter");
  const scopes = from(deployment, north);
  return [
    ...Object.values(found).map((matches: readonly { readonly id: string }[]) =>
      inAnyOrder(matches.map(({ id }) => id)),
    ),
    (await collect(store.chunks(scopes))).map(({ chunk }) => chunk.id),
    (await collect(store.documents(scopes))).map(({ uri }) => uri),
  ];
}

/** **Errors** a violation unless each way to look shows these chunks, and the documents these uris. */
async function allShow(store: Store, ids: readonly string[], uris: readonly string[], what: string): Promise<void> {
  const shown = await everyLeg(store);
  equal(shown, [...shown.slice(1).map(() => ids), uris], what);
}

const together: readonly StoreCase[] = [
  [
    "every-leg-sees-the-same",
    "L6 L7 L8",
    async (store) => {
      await allShow(store, [], [], "an empty store");
      await store.replace(into(deployment), storyEntry);
      const ids = storyEntry.chunks.map(({ chunk }) => chunk.id);
      await allShow(store, ids, ["a.md"], "after a document was written");
      await store.upkeep?.settle();
      await allShow(store, ids, ["a.md"], "after settling");
      await store.delete(into(deployment), { documentIds: [story.id] });
      await allShow(store, [], [], "after it was deleted");
      if (!store.capabilities.trash) return;
      await store.trash!.restore(into(deployment), { documentIds: [story.id] });
      await allShow(store, ids, ["a.md"], "after it was restored");
      await store.delete(into(deployment), { documentIds: [story.id] }, { purge: true });
      await store.upkeep?.settle();
      await allShow(store, [], [], "after it was purged");
      await store.trash?.vacuum(systemAuthority(), { olderThanMs: 0 });
      await allShow(store, [], [], "after a vacuum");
    },
  ],
  [
    "settling-changes-nothing",
    "L11",
    async (store) => {
      const animals = ["heron", "otter", "newt", "vole"];
      for (let i = 0; i < 60; i++) {
        const words = animals.filter((_, bit) => ((i >> bit) & 1) === 1).join(" ");
        await writeChunks(store, into(i % 3 === 0 ? north : deployment), [
          entryOf(`c${i}`, [i % 7, i % 5], { text: `${words} ${i}` }),
        ]);
      }
      await store.delete(into(deployment), { ids: ["c4", "c5"] });
      const look = (): Promise<object> => searchLegs(store, "otter heron newt", [2, 1], "[on]");
      const before = await look();
      await store.upkeep?.settle();
      equal(await look(), before, "hits and scores after settling");
      await store.trash?.vacuum(systemAuthority(), { olderThanMs: 0 });
      equal(await look(), before, "hits and scores after a vacuum");
    },
  ],
  [
    "status-counts-what-the-asker-may-read",
    "E21 T37 L3",
    async (store) => {
      await store.replace(into(deployment), storyEntry);
      const next = versionOf(3, "next");
      await writeChunks(store, into(north), [entryOf("n", [1, 0, 0], {}, next), wordsOf("w", "no vector")]);
      await writeChunks(store, into(deployment), [wordsOf("gone", "text")]);
      await store.delete(into(deployment), { documentIds: ["of gone"] });
      const own = await store.status(from(deployment));
      equal(
        [own.documents, own.chunks, own.bytes],
        [1, 2, storyEntry.bytes],
        "documents, chunks and bytes of one scope",
      );
      equal(own.scopes, [{ scope: deployment, documents: 1, chunks: 2 }], "its scopes");
      equal(own.embeddingVersions, [{ ...plane, chunks: 2 }], "its versions");
      const all = await store.status(from(deployment, north));
      equal([all.documents, all.chunks], [3, 4], "documents and chunks of both scopes");
      equal(
        all.scopes.map(({ scope, chunks }) => [scope, chunks]),
        [
          [deployment, 2],
          [north, 2],
        ],
        "chunks by scope",
      );
      equal(
        inAnyOrder(all.embeddingVersions.map(({ model, chunks }) => [model, chunks])),
        [
          ["fixed", 2],
          ["next", 1],
        ],
        "versions",
      );
      const none = await store.status(from());
      equal([none.documents, none.chunks, none.scopes], [0, 0, []], "what somebody sees who may read nothing");
      for (const [i, proof] of forgedProofs("read").entries()) {
        await throwsCode(
          () => store.status(proof as AuthorizedScopes),
          "access-denied",
          `status with forged proof ${i}`,
        );
      }
    },
  ],
  [
    "has-a-secret-of-its-own",
    "T52 L10",
    async (store) => {
      equal(store.secret.length, 32, "bytes of the secret");
      check(new Set(store.secret).size > 4, "the secret does not look random");
    },
  ],
  [
    "closed-is-closed",
    "L8",
    async (store) => {
      await store.replace(into(deployment), storyEntry);
      await store.close();
      const scopes = from(deployment);
      const uses: Readonly<Record<string, () => unknown>> = {
        delete: () => store.delete(into(deployment), { ids: ["x"] }),
        replace: () => store.replace(into(deployment), storyEntry),
        session: () => store.session(scopes),
        document: () => store.document(scopes, story.id),
        structure: () => store.structure(scopes, story.id),
        readText: () => store.readText(scopes, story.id, 0, 1),
        find: () => store.find(scopes, "a.md"),
        chunks: () => collect(store.chunks(scopes)),
        documents: () => collect(store.documents(scopes)),
        status: () => store.status(scopes),
      };
      for (const [name, use] of Object.entries(uses)) await throwsCode(use, "store-closed", `${name} after close`);
      await store.close();
    },
  ],
];

function reopening(subject: StoreSubject): readonly CaseDefinition[] {
  const reopen = subject.reopen?.bind(subject);
  const run =
    (body: (store: Store, again: (store: Store) => Promise<Store>) => Promise<Store>) => async (): Promise<void> => {
      const store = await subject.create();
      if (reopen === undefined) {
        equal(store.capabilities.durability, "none", "durability of a store that cannot be reopened");
        await subject.destroy?.(store);
        return;
      }
      check(store.capabilities.durability !== "none", "a store that can be reopened says how durable it is");
      const last = await body(store, reopen);
      await subject.destroy?.(last);
    };

  return [
    [
      "acknowledged-survives",
      "T12 L8",
      run(async (store, again) => {
        await store.replace(into(deployment), storyEntry);
        await writeChunks(store, into(north), [entryOf("n", [3, 4], { text: "heron of the north" })]);
        const before = [await everyLeg(store), await store.status(from(deployment, north))];
        const secret = Uint8Array.from(store.secret);
        const opened = await again(store);
        equal(
          [await everyLeg(opened), await opened.status(from(deployment, north))],
          before,
          "what is found after a restart",
        );
        equal(opened.secret, secret, "the secret after a restart");
        return opened;
      }),
    ],
    [
      "deleted-stays-deleted",
      "T13 T15 L8",
      run(async (store, again) => {
        await store.replace(into(deployment), storyEntry);
        await writeChunks(store, into(north), [wordsOf("n", "heron")]);
        await store.delete(into(deployment), { documentIds: [story.id] });
        await store.delete(into(north), { scope: true });
        let opened = await again(store);
        await allShow(opened, [], [], "what is found after a restart");
        if (opened.capabilities.trash) {
          equal(
            await opened.trash!.restore(into(deployment), { documentIds: [story.id] }),
            2,
            "restored after a restart",
          );
          equal(await opened.trash!.restore(into(north), { ids: ["n"] }), 0, "restored of a scope that was reset");
        }
        // A wiped scope must stay wiped when it is the first thing written to.
        await writeChunks(opened, into(north), [wordsOf("m", "otter")]);
        opened = await again(opened);
        equal(
          (await collect(opened.chunks(from(north)))).map(({ chunk }) => chunk.id),
          ["m"],
          "chunks of the reset scope",
        );
        return opened;
      }),
    ],
    [
      "scores-survive",
      "L11",
      run(async (store, again) => {
        for (let i = 0; i < 40; i++) {
          await writeChunks(store, into(deployment), [
            entryOf(`c${i}`, [i, 9 - i], { text: `heron ${"otter ".repeat(i % 4)}${i}` }),
          ]);
        }
        await store.delete(into(deployment), { ids: ["c3", "c8"] });
        const look = (looked: Store): Promise<object> => searchLegs(looked, "otter heron", [2, 1], "[on]");
        const before = await look(store);
        const opened = await again(store);
        equal(await look(opened), before, "hits and scores after a restart");
        return opened;
      }),
    ],
  ];
}
