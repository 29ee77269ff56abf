import { systemAuthority } from "../../src/access/gate.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { check, equal, inAnyOrder } from "../../src/testing/assert.ts";
import { defineCases } from "../../src/testing/contract-case.ts";
import type { CaseDefinition, ContractCase } from "../../src/testing/contract-case.ts";
import { idsIn } from "../../src/testing/store-case.ts";
import {
  deployment,
  documentEntryOf,
  documentOf,
  into,
  north,
  wordsOf,
  writeChunks,
} from "../../src/testing/store-fixtures.ts";

/** How the pack opens stores, and what it does to what they leave behind. */
export interface RestartSubject {
  /** Opens what is kept at a place; at one that was never named before there is nothing. */
  open(place: string): Promise<Store>;
  /** Lets the time pass after which a store keeps what was changed without being closed. */
  wait(store: Store): Promise<void>;
  /** Makes what is kept at a place unreadable. **Shape** what makes it readable again. */
  damage(place: string): Promise<() => Promise<void>>;
}

const story = documentEntryOf(documentOf("a.md", "the heron waits"), [{ text: "the heron waits", embedding: [1, 0] }]);

/** What a store promises that outlives its process, of the moment between two lives. */
export function createRestartPack(subject: RestartSubject): readonly ContractCase[] {
  let places = 0;
  const place = (): string => `place-${places++}`;

  /** A place where somebody kept two chunks and a deleted one. */
  async function filled(): Promise<string> {
    const at = place();
    const store = await subject.open(at);
    await writeChunks(store, into(deployment), [wordsOf("a", "heron"), wordsOf("b", "otter"), wordsOf("gone", "newt")]);
    await store.delete(into(deployment), { ids: ["gone"] });
    await store.close();
    return at;
  }

  async function kept(at: string, scope: Scope = deployment): Promise<string> {
    const store = await subject.open(at);
    const ids = await idsIn(store, scope);
    await store.close();
    return ids;
  }

  const firstAct = ([what, act, expected]: (typeof acts)[number]): CaseDefinition => [
    `first-act-${what}`,
    "T11 T12 L8",
    async () => {
      const at = await filled();
      const store = await subject.open(at);
      await act(store);
      await store.close();
      equal(await kept(at), expected, "what is kept after it");
    },
  ];

  return defineCases("restart", [
    ...acts.map(firstAct),
    [
      "closing-keeps",
      "T12 L8",
      async () => {
        equal(await kept(await filled()), "a b", "what was written before it was closed");
      },
    ],
    [
      "keeps-by-itself",
      "T11 L8",
      async () => {
        const at = await filled();
        const store = await subject.open(at);
        await writeChunks(store, into(deployment), [wordsOf("c", "vole")]);
        await subject.wait(store);
        equal(await kept(at), "a b c", "what another process sees while the first one lives");
        await store.close();
      },
    ],
    [
      "deleted-can-be-restored",
      "T13 L8",
      async () => {
        const at = await filled();
        const store = await subject.open(at);
        equal(await store.trash!.restore(into(deployment), { ids: ["gone"] }), 1, "restored after a restart");
        await store.close();
        equal(await kept(at), "a b gone", "what is kept after it");
      },
    ],
    [
      "vacuumed-cannot",
      "T14 L8",
      async () => {
        const at = await filled();
        const first = await subject.open(at);
        equal(await first.trash!.vacuum(systemAuthority(), { olderThanMs: 0 }), 1, "vacuumed after a restart");
        await first.close();
        const store = await subject.open(at);
        equal(
          await store.trash!.restore(into(deployment), { ids: ["gone"] }),
          0,
          "restored after a vacuum and a restart",
        );
        await store.close();
      },
    ],
    [
      "reset-stays-empty",
      "T15 L8",
      async () => {
        const at = await filled();
        const first = await subject.open(at);
        await first.delete(into(deployment), { scope: true });
        equal(await idsIn(first, deployment), "", "the scope after it was reset");
        equal(await idsIn(first, deployment), "", "the scope when it is looked at again");
        await first.close();
        equal(await kept(at), "", "the scope after a restart");
        const store = await subject.open(at);
        equal(
          await store.trash!.restore(into(deployment), { ids: ["a", "b", "gone"] }),
          0,
          "restored of what was reset",
        );
        await writeChunks(store, into(deployment), [wordsOf("new", "vole")]);
        await store.close();
        equal(await kept(at), "new", "the scope after it was written to again");
      },
    ],
    [
      "unreadable-is-left-alone",
      "T18 L8 L9",
      async () => {
        const at = await filled();
        const repair = await subject.damage(at);
        for (const [what, act] of acts) {
          const error = await tryAct(() => subject.open(at), act);
          check(
            IbidError.isInstance(error, "store-corrupt"),
            `${what} on what cannot be read is refused as store-corrupt`,
            error,
          );
          check(error.hint !== undefined, `the refusal of ${what} says what to do`, error);
        }
        await repair();
        equal(await kept(at), "a b", "what is there once it can be read again");
      },
    ],
    [
      "nobody-is-overwritten",
      "L8 L9",
      async () => {
        const at = await filled();
        const [first, second] = [await subject.open(at), await subject.open(at)];
        await writeChunks(first, into(deployment), [wordsOf("c", "vole")]);
        await subject.wait(first);
        const told = await tryAct(
          async () => second,
          (store) => writeChunks(store, into(deployment), [wordsOf("d", "newt")]),
        );
        await first.close();
        equal(await kept(at), told === undefined ? "a b c d" : "a b c", "what is kept of two who were told so");
      },
    ],
  ]);
}

/** Everything that writes, what it does, and what is live of `a`, `b` and the deleted `gone` after it. */
const acts: readonly (readonly [name: string, act: (store: Store) => Promise<unknown>, live: string])[] = [
  ["upsert", (store) => writeChunks(store, into(deployment), [wordsOf("c", "vole")]), "a b c"],
  [
    "replace",
    (store) => store.replace(into(deployment), story),
    inAnyOrder(["a", "b", story.chunks[0]!.chunk.id]).join(" "),
  ],
  ["delete", (store) => store.delete(into(deployment), { ids: ["a"] }), "b"],
  ["purge", (store) => store.delete(into(deployment), { ids: ["a"] }, { purge: true }), "b"],
  ["restore", (store) => store.trash!.restore(into(deployment), { ids: ["gone"] }), "a b gone"],
  ["vacuum", (store) => store.trash!.vacuum(systemAuthority(), { olderThanMs: 0 }), "a b"],
  ["reset", (store) => store.delete(into(deployment), { scope: true }), ""],
  ["reset-of-another", (store) => store.delete(into(north), { scope: true }), "a b"],
];

/** **Shape** what one who opens, acts and closes is told went wrong, if anything. */
async function tryAct(open: () => Promise<Store>, act: (store: Store) => Promise<unknown>): Promise<unknown> {
  let store: Store | undefined;
  try {
    store = await open();
    await act(store);
    await store.close();
    return undefined;
  } catch (error) {
    await store?.close().catch(() => {});
    return error;
  }
}
