import { describe, expect, it, onTestFinished } from "vitest";
import type { IngestProgress } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { makeEpub, makePptx, slideParagraph, slideShape } from "../readers/make-office.ts";
import { makePdf } from "../readers/make-pdf.ts";

const pdf = makePdf(Array.from({ length: 7 }, (_, at) => [{ text: `Page ${at + 1} speaks of herons.`, y: 700 }]));
const slides = makePptx(
  Array.from({ length: 3 }, (_, at) => ({ shapes: slideShape(slideParagraph(`Slide ${at + 1} of herons`)) })),
);
const book = makeEpub(
  Array.from({ length: 4 }, (_, at) => ({
    path: `c${at}.xhtml`,
    body: `<h1>Chapter ${at + 1}</h1><p>Herons wade.</p>`,
  })),
);

async function pagesOf(uri: string, bytes: Uint8Array, worker: boolean) {
  const kb = await openKnowledgeBase({ reading: { worker } });
  onTestFinished(() => kb.close());
  const reports: IngestProgress[] = [];
  const summary = await kb.ingest({ uri, bytes }, { onProgress: (progress) => reports.push(progress) });
  expect(summary).toMatchObject({ added: 1, failed: 0 });
  // Only what is being read has pages: the report at the end has none.
  expect(reports.at(-1)).not.toHaveProperty("pages");
  return reports.flatMap(({ pages }) => pages ?? []);
}

describe("pages of a file that is read [20]", () => {
  it.each<[string, Uint8Array, number]>([
    ["herons.pdf", pdf, 7],
    ["herons.pptx", slides, 3],
    ["herons.epub", book, 4],
  ])("are counted for %s, in this process and in another", async (uri, bytes, of) => {
    for (const worker of [false, true]) {
      const pages = await pagesOf(uri, bytes, worker);
      const first = uri.endsWith(".epub") ? 0 : 1;
      expect(pages).toEqual(Array.from({ length: of - first + 1 }, (_, at) => ({ uri, done: first + at, of })));
    }
  });

  it("of a custom reader are those that it tells, and a display that fails stops nothing", async () => {
    const kb = await openKnowledgeBase({
      readers: [
        {
          name: "scroll/1",
          accepts: (mediaType) => mediaType === "application/x-scroll",
          read({ onPage }) {
            for (let done = 1; done <= 3; done++) onPage?.(done, 3);
            return "Herons wade.";
          },
        },
      ],
    });
    onTestFinished(() => kb.close());
    const told: unknown[] = [];
    const scroll = { uri: "a.scroll", bytes: new Uint8Array([1]), mediaType: "application/x-scroll" };
    const summary = await kb.ingest(scroll, {
      onProgress({ pages }) {
        if (pages !== undefined) told.push(pages);
        throw new Error("The display is gone.");
      },
    });
    expect(summary.added).toBe(1);
    expect(told).toEqual([1, 2, 3].map((done) => ({ uri: "a.scroll", done, of: 3 })));
  });
});
