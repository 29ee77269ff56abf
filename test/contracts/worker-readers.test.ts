import { afterAll, describe } from "vitest";

import { createWorkerReaders } from "../../src/readers/worker/worker-readers.ts";
import type { Reader } from "../../src/contracts/reader.ts";
import { createReaders } from "../../src/readers/create-readers.ts";
import { createReaderPack } from "../../src/testing/reader-pack.ts";
import { runPack } from "./run-pack.ts";
import { makePdf } from "../readers/make-pdf.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const program = new URL("../../src/readers/worker/read-worker.ts", import.meta.url);
const worker = createWorkerReaders(createReaders(), { program, readInWorker: true });
afterAll(() => worker.close());

function readerOf(mediaType: string): Reader {
  const reader = worker.readers.find((candidate) => candidate.accepts(mediaType));
  if (reader === undefined) throw new Error(`Nobody reads ${mediaType}.`);
  return reader;
}

describe("Markdown, read in a worker", () => {
  runPack(
    createReaderPack({
      create: () => readerOf("text/markdown"),
      mediaType: "text/markdown",
      wrap: (paragraphs) => encode(paragraphs.join("\n\n")),
      verbatim: true,
      refuses: [
        {
          name: "a binary file",
          bytes: Uint8Array.from({ length: 600 }, (_, i) => (i * 7) % 32),
          code: "binary",
        },
      ],
    }),
  );
});

describe("PDF, read in a worker", () => {
  runPack(
    createReaderPack({
      create: () => readerOf("application/pdf"),
      mediaType: "application/pdf",
      samples: [
        {
          name: "a page",
          bytes: makePdf([[{ text: "The keeper counts ships.", y: 700 }]]),
          words: ["The keeper counts ships."],
        },
      ],
      refuses: [{ name: "not a PDF", bytes: encode("%PDF-1.7\nand then nothing of the kind"), code: "unreadable" }],
    }),
  );
});
