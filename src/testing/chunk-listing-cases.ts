import { systemAuthority } from "../access/gate.ts";
import { IbidError } from "../contracts/errors.ts";
import type { AuthorizedScopes, SystemAuthority } from "../contracts/scope.ts";
import { check, collect, equal, throughJson, throwsCode } from "./assert.ts";
import {
  ada,
  deployment,
  entryOf,
  filterTable,
  filterWorldEntries,
  forgedProofs,
  from,
  into,
  north,
  south,
  wordsOf,
  writeChunks,
} from "./store-fixtures.ts";
import { idsIn } from "./store-case.ts";
import type { StoreCase } from "./store-case.ts";

/** Contract of a store of chunks about listing them. */
export const chunkListingCases: readonly StoreCase[] = [
  [
    "lists-by-scope-then-id",
    "T5",
    async (store) => {
      for (const scope of [south, ada, deployment, north]) {
        await writeChunks(
          store,
          into(scope),
          ["b", "a", "B", "é", "10", "9"].map((id) => wordsOf(id, `${id} in ${scope}`)),
        );
      }
      const stored = await collect(store.chunks(from(south, ada, deployment, north)));
      const keys = stored.map(({ scope, chunk }) => `${scope} ${chunk.id}`);
      const scopes = [deployment, north, south, ada];
      equal(
        keys,
        scopes.flatMap((scope) => ["10", "9", "B", "a", "b", "é"].map((id) => `${scope} ${id}`)),
        "order",
      );
    },
  ],
  [
    "lists-live-scopes",
    "T5 T15",
    async (store) => {
      const authority = systemAuthority();
      for (const scope of [south, "platform", ada, north] as const)
        await writeChunks(store, into(scope), [wordsOf("a", "one")]);
      equal(await store.scopes(authority), ["platform", north, south, ada], "scopes");
      await store.delete(into(north), { documentIds: ["of a"] });
      await store.delete(into(ada), { scope: true });
      equal(await store.scopes(authority), ["platform", south], "scopes that still hold something");
    },
  ],
  [
    "lists-only-what-is-authorised",
    "T26 L3",
    async (store) => {
      for (const scope of [deployment, north, south])
        await writeChunks(store, into(scope), [wordsOf(`of ${scope}`, "text")]);
      equal(await idsIn(store, north), `of ${north}`, "chunks of one scope");
      equal(await idsIn(store), "", "chunks of no scope");
      equal(await idsIn(store, ada), "", "chunks of a scope that does not exist");
    },
  ],
  [
    "lists-by-filter-and-document",
    "W32 W35 W10 E28 E29 B21 B22 B23 L4",
    async (store) => {
      await writeChunks(store, into(deployment), filterWorldEntries());
      for (const [filter, ids] of filterTable) {
        const listed = await collect(store.chunks(from(deployment), { filter: throughJson(filter) }));
        equal(listed.map(({ chunk }) => chunk.id).join(" "), ids, `chunks where ${JSON.stringify(filter)}`);
      }
      await writeChunks(store, into(deployment), [wordsOf("z", "other", { documentId: "other" })]);
      const other = await collect(store.chunks(from(deployment), { documentId: "other" }));
      equal(
        other.map(({ chunk }) => chunk.id),
        ["z"],
        "chunks of one document",
      );
    },
  ],
  [
    "lists-by-id",
    "E21 E53 L3",
    async (store) => {
      const both = ["a", "b", "c", "d"].map((id) =>
        wordsOf(id, `text ${id}`, { documentId: id < "c" ? "one" : "two" }),
      );
      await writeChunks(store, into(deployment), both);
      await writeChunks(store, into(north), both);
      await store.delete(into(deployment), { ids: ["b"] });
      const listed = async (options: { ids: readonly string[]; documentId?: string }): Promise<string> =>
        (await collect(store.chunks(from(deployment, north), options)))
          .map(({ scope, chunk }) => `${scope} ${chunk.id}`)
          .join(", ");
      equal(
        await listed({ ids: ["d", "b", "a", "a", "never"] }),
        "deployment a, deployment d, team:north a, team:north b, team:north d",
        "live chunks of those ids, in every scope that may be read",
      );
      equal(
        await listed({ ids: ["a", "d"], documentId: "two" }),
        "deployment d, team:north d",
        "those of one document",
      );
      equal(await listed({ ids: [] }), "", "chunks of no id");
      const outside = await collect(store.chunks(from(south), { ids: ["a"] }));
      equal(outside, [], "a chunk of a scope that may not be read, by its id");
    },
  ],
  [
    "listing-and-writing-together",
    "B31 L8",
    async (store) => {
      const id = (i: number): string => `k${String(i).padStart(4, "0")}`;
      const before = Array.from({ length: 900 }, (_, i) => wordsOf(id(i * 2), "there all along"));
      await writeChunks(store, into(deployment), before);
      const seen: string[] = [];
      for await (const { chunk } of store.chunks(from(deployment))) {
        if (seen.length % 150 === 0) await writeChunks(store, into(deployment), [wordsOf(id(seen.length + 1), "new")]);
        if (seen.length === 300) await store.delete(into(deployment), { ids: [id(1790)] });
        seen.push(chunk.id);
      }
      equal(seen, seen.toSorted(), "order while somebody writes");
      equal(seen.length, new Set(seen).size, "chunks listed twice while somebody writes");
      const missed = before.map(({ chunk }) => chunk.id).filter((key) => key !== id(1790) && !seen.includes(key));
      equal(missed, [], "chunks that were there all along and were not listed");
    },
  ],
  [
    "listing-may-stop-early",
    "L8",
    async (store) => {
      await writeChunks(
        store,
        into(deployment),
        Array.from({ length: 50 }, (_, i) => wordsOf(`k${i}`, "text")),
      );
      for await (const stored of store.chunks(from(deployment))) {
        check(stored.scope === deployment, "the scope of a chunk");
        break;
      }
      equal(
        (await store.delete(into(deployment), { scope: true })).chunks,
        50,
        "chunks deleted after a listing was left",
      );
    },
  ],
];

/** Contract of a store of chunks about who may do what. */
export const chunkGuardingCases: readonly StoreCase[] = [
  [
    "forged-proofs-refused",
    "T26 L3",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "one")]);
      for (const [i, proof] of forgedProofs("read").entries()) {
        const read = proof as AuthorizedScopes;
        await throwsCode(() => collect(store.chunks(read)), "access-denied", `chunks with forged proof ${i}`);
      }
      for (const [i, proof] of forgedProofs("write").entries()) {
        const write = proof as AuthorizedScopes<"write">;
        const label = `with forged proof ${i}`;
        await throwsCode(() => writeChunks(store, write, [wordsOf("x", "y")]), "access-denied", `a write ${label}`);
        await throwsCode(() => store.delete(write, { ids: ["a"] }), "access-denied", `delete ${label}`);
        await throwsCode(() => store.delete(write, { scope: true }), "access-denied", `reset ${label}`);
        if (!store.trash) continue;
        await throwsCode(() => store.trash!.restore(write, { ids: ["a"] }), "access-denied", `restore ${label}`);
      }
      equal(await idsIn(store, deployment), "a", "chunks after all that");
    },
  ],
  [
    "maintenance-needs-authority",
    "L3 T14",
    async (store) => {
      const fakes: unknown[] = [
        {},
        Object.freeze({}),
        { ...systemAuthority() },
        from(deployment),
        into(deployment),
        undefined,
      ];
      for (const [i, fake] of fakes.entries()) {
        const authority = fake as SystemAuthority;
        await throwsCode(() => store.scopes(authority), "access-denied", `scopes with fake ${i}`);
        if (!store.trash) continue;
        const vacuum = () => store.trash!.vacuum(authority, { olderThanMs: 0 });
        await throwsCode(vacuum, "access-denied", `vacuum with fake ${i}`);
      }
    },
  ],
  [
    "unknown-options-throw",
    "L4",
    async (store) => {
      const options = { purg: true } as object;
      await throwsCode(
        () => store.delete(into(deployment), { ids: [] }, options),
        "invalid-argument",
        "delete, unknown option",
      );
      await throwsCode(
        () => collect(store.chunks(from(deployment), options)),
        "invalid-argument",
        "chunks, unknown option",
      );
      const nowhere = { filter: { op: "near", key: "a", value: 1 } } as unknown as {
        filter: { op: "and"; filters: [] };
      };
      await throwsCode(
        () => collect(store.chunks(from(deployment), nowhere)),
        "invalid-filter",
        "chunks, unknown operator",
      );
      await throwsCode(() => store.delete(into(deployment), nowhere), "invalid-filter", "delete, unknown operator");
    },
  ],
  [
    "errors-say-what-and-how-to-fix",
    "W33 W12 W13",
    async (store) => {
      const error = await throwsCode(
        () => writeChunks(store, into(deployment), [entryOf("the-bad-one", [1, 2, 3])]),
        "dimension-mismatch",
        "a batch with a longer vector",
      );
      check(
        /\b2\b/u.test(error.message) && /\b3\b/u.test(error.message),
        "the message gives both dimensions",
        error.message,
      );
      check(error.name === "IbidError" && error instanceof Error, "the error is an Error", error.name);
      check(IbidError.isInstance(error, "dimension-mismatch"), "the error can be told by its code");
    },
  ],
];
