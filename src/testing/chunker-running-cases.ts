import { check, equal, throwsCode } from "./assert.ts";
import { type ChunkerSubject, countCopies } from "./chunker-fixtures.ts";
import type { CaseDefinition } from "./contract-case.ts";
import { generateText } from "./corpus.ts";
import { documentOf } from "./store-fixtures.ts";

/** Contract of a chunker of how it is made and how it goes about its work. */
export function createChunkerRunningCases(subject: ChunkerSubject): readonly CaseDefinition[] {
  return [
    [
      "cuts-lazily",
      "E17",
      async () => {
        if (subject.cuts === false) return;
        const chunker = subject.create();
        const { document, copies } = countCopies(documentOf("huge.md", generateText(5, 3000)));
        let seen = 0;
        for await (const chunk of chunker.chunk(document)) {
          check(chunk.start >= 0, "a chunk has a start");
          seen += 1;
          if (seen === 3) break;
        }
        equal(seen, 3, "chunks taken");
        check(
          copies() <= 20,
          "chunks made when three were taken, by how often the document's metadata were copied",
          copies(),
        );
        for await (const first of chunker.chunk(document)) {
          equal(first.index, 0, "the first chunk of a fresh run after one that was left");
          break;
        }
      },
    ],
    [
      "asks-nothing-before-it-is-asked",
      "E17",
      () => {
        const { document, copies } = countCopies(documentOf("huge.md", generateText(5, 300)));
        check(subject.create().chunk(document) !== undefined, "what can be iterated");
        equal(copies(), 0, "chunks made when none was taken");
      },
    ],
    [
      "fingerprint-tells-settings-apart",
      "L7",
      () => {
        equal(subject.create().fingerprint, subject.create().fingerprint, "fingerprints of equal chunkers");
        check(subject.create().fingerprint.trim() !== "", "it has a fingerprint");
        if (subject.resize === undefined) return;
        const prints = [subject.resize(300, 20), subject.resize(300, 30), subject.resize(400, 20)].map(
          ({ fingerprint }) => fingerprint,
        );
        equal(new Set(prints).size, 3, "fingerprints of chunkers of other sizes");
      },
    ],
    [
      "impossible-sizes-refused",
      "E17 B49 T30",
      async () => {
        const { resize } = subject;
        if (resize === undefined) return;
        for (const [maxSize, overlap] of [
          [0, 0],
          [-1, 0],
          [1.5, 0],
          [Number.NaN, 0],
          [10, 10],
          [10, 11],
          [10, -1],
          [10, 1.5],
        ] as const) {
          await throwsCode(() => resize(maxSize, overlap), "invalid-argument", `size ${maxSize}, overlap ${overlap}`);
        }
      },
    ],
  ];
}
