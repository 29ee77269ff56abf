import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";
import { check, equal, scribble, throwsCode } from "./assert.ts";
import { createRandom } from "./random.ts";
import type { StoreCase } from "./store-case.ts";
import {
  deployment,
  documentEntryOf,
  documentOf,
  forgedProofs,
  from,
  into,
  north,
  south,
  wordsOf,
  writeChunks,
} from "./store-fixtures.ts";

/** Longer than one part of a stored text, with a pair of surrogates on each border of a power of two. **Units** UTF-16 code units. */
function writeLongText(): string {
  const parts: string[] = [];
  for (let power = 14, length = 0; power <= 21; power++) {
    const filler = "0123456789 – é\n".repeat(2 ** 18).slice(0, 2 ** power - 1 - length);
    parts.push(filler, "👍");
    length += filler.length + 2;
  }
  return `${parts.join("")} the end`;
}

async function checkSlice(store: Store, text: string, id: string, start: number, end: number): Promise<void> {
  const slice = await store.readText(from(deployment), id, start, end);
  check(slice === text.slice(start, end), `the slice from ${start} to ${end}`, slice?.slice(0, 80));
}

/** Contract of every {@link Store} about documents that are read in slices. */
export const documentSliceCases: readonly StoreCase[] = [
  [
    "slices-are-the-texts",
    "L1 B3",
    async (store) => {
      const text = "# One 👩‍🚀\n\nFirst e\u0301.\n\nשלום a\u0000b 🜁🜂 last \u2028 line";
      const document = documentOf("a.md", text);
      await store.replace(into(deployment), documentEntryOf(document, [{ text: "First e\u0301." }]));
      for (let start = 0; start <= text.length + 1; start++) {
        for (let end = start; end <= text.length + 2; end++) await checkSlice(store, text, document.id, start, end);
      }
      await checkSlice(store, text, document.id, 3, Number.MAX_SAFE_INTEGER);
      await store.replace(into(deployment), documentEntryOf(documentOf("a.md", "other"), [{ text: "other" }]));
      await checkSlice(store, "other", document.id, 1, 99);
      const blank = documentOf("blank.md", "");
      await store.replace(into(deployment), documentEntryOf(blank, []));
      await checkSlice(store, "", blank.id, 0, 5);
    },
  ],
  [
    "slices-of-a-long-text",
    "L1",
    async (store) => {
      const text = writeLongText();
      const document = documentOf("long.txt", text);
      await store.replace(into(deployment), documentEntryOf(document, [{ text: "0123456789" }]));
      for (let power = 14; power <= 21; power++) {
        for (const [before, after] of [
          [2, 2],
          [1, 0],
          [0, 1],
          [1000, 3],
        ] as const) {
          await checkSlice(store, text, document.id, 2 ** power - before, 2 ** power + after);
        }
      }
      const random = createRandom(7);
      for (let round = 0; round < 60; round++) {
        const start = random.below(text.length);
        const length = random.below(random.pick([3, 500, 100_000]));
        await checkSlice(store, text, document.id, start, start + length);
      }
      await checkSlice(store, text, document.id, 2 ** 20 - 5, text.length);
      await checkSlice(store, text, document.id, text.length - 3, text.length + 3);
    },
  ],
  [
    "structures-are-the-documents",
    "E2 E3 E13 L1",
    async (store) => {
      const text = "# One\n\nfirst\n\n## Two\n\nsecond\n\nthird";
      const document = documentOf("a.md", text, {
        language: "en",
        metadata: { list: [1] },
        sourceMap: { lines: "text", pages: [{ number: 2, start: 0 }] },
      });
      const pieces = ["first", "second", "third"].map((word) => ({ text: word }));
      const entry = documentEntryOf(document, pieces);
      await store.replace(into(deployment), entry);
      const stored = await store.document(from(deployment), document.id);
      check(stored !== undefined, "the document is there");
      const { text: _, ...bare } = stored.document;
      const structure = await store.structure(from(deployment), document.id);
      equal(structure, { summary: stored.summary, document: bare }, "the document without its text");
      const spans = entry.chunks.map(({ chunk: { id, index, start, end } }) => ({ id, index, start, end }));
      const look = async () => (await store.structure(from(deployment), document.id, { chunks: true }))?.chunks;
      equal(await look(), spans, "its chunks, in order of their index");
      await store.delete(into(deployment), { ids: [spans[1]!.id] });
      equal(await look(), [spans[0], spans[2]], "its chunks after one was deleted");
      scribble(structure);
      equal((await store.structure(from(deployment), document.id))?.document, bare, "after a reader changed theirs");
      const none: object = { text: true };
      await throwsCode(
        () => store.structure(from(deployment), document.id, none),
        "invalid-argument",
        "another option",
      );
    },
  ],
  [
    "slices-of-the-unreadable-do-not-exist",
    "T25 T26 L3",
    async (store) => {
      const document = documentOf("secret.md", "northern words");
      const entry = documentEntryOf(document, [{ text: "northern words" }]);
      await store.replace(into(north), entry);
      await writeChunks(store, into(north), [wordsOf("a", "text")]);
      const looks = [
        [from(south), document.id],
        [from(deployment, south), document.id],
        [from(), document.id],
        [from(north), "unknown"],
        [from(north), "a"],
        [from(north), entry.chunks[0]!.chunk.id],
      ] as const;
      for (const [proof, id] of looks) {
        equal(await store.readText(proof, id, 0, 8), undefined, `a slice of ${id}`);
        equal(await store.structure(proof, id, { chunks: true }), undefined, `the structure of ${id}`);
      }
      const other = documentOf("secret.md", "southern words");
      await store.replace(into(south), documentEntryOf(other, [{ text: "southern words" }]));
      equal(await store.readText(from(north), document.id, 0, 8), "northern", "the northern text");
      equal(await store.readText(from(south), document.id, 0, 8), "southern", "the southern text");
      for (const [i, fake] of forgedProofs("read").entries()) {
        const proof = fake as AuthorizedScopes;
        await throwsCode(() => store.readText(proof, document.id, 0, 8), "access-denied", `a slice with forgery ${i}`);
        await throwsCode(() => store.structure(proof, document.id), "access-denied", `a structure with forgery ${i}`);
      }
      await store.delete(into(north), { documentIds: [document.id] });
      equal(await store.readText(from(north), document.id, 0, 8), undefined, "a slice of a deleted document");
      equal(await store.structure(from(north), document.id), undefined, "the structure of a deleted document");
    },
  ],
  [
    "slices-that-are-none-refused",
    "L1",
    async (store) => {
      const document = documentOf("a.md", "words");
      await store.replace(into(deployment), documentEntryOf(document, [{ text: "words" }]));
      for (const [start, end] of [
        [-1, 2],
        [3, 2],
        [0.5, 2],
        [0, NaN],
        [0, Infinity],
      ] as const) {
        const look = (): Promise<unknown> => store.readText(from(deployment), document.id, start, end);
        await throwsCode(look, "invalid-argument", `a slice from ${start} to ${end}`);
      }
    },
  ],
];
