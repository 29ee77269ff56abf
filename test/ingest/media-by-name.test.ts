import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type IngestInput, type KnowledgeBase, openKnowledgeBase } from "ibid";
import { createRecordingReader } from "ibid/readers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const mp3 = Uint8Array.from([0x49, 0x44, 0x33, 3, 0, ...new Uint8Array(200)]);

let base: string;
let kb: KnowledgeBase;
beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "ibid-media-")));
  kb = await openKnowledgeBase();
});
afterEach(async () => {
  await kb.close();
  rmSync(base, { recursive: true, force: true });
});

const put = (name: string, bytes: Uint8Array): string => {
  writeFileSync(join(base, name), bytes);
  return join(base, name);
};
/** Outcomes of an ingestion, as `status name` or `code name`, with the number of notes. */
const ingest = async (input: IngestInput): Promise<readonly (readonly [string, number])[]> => {
  const lines: (readonly [string, number])[] = [];
  const run = kb.ingest(input);
  for await (const { uri, status, error, notes = [] } of run)
    lines.push([`${error?.code ?? status} ${basename(uri)}`, notes.length]);
  return lines;
};

describe("a picture or a recording that no reader accepts", () => {
  it("is kept whole when the caller names its file, and is found by its name", async () => {
    const plan = put("floor plan.png", png);
    const minutes = put("minutes.mp3", mp3);
    expect(await ingest([plan, minutes])).toEqual([
      ["added floor plan.png", 1],
      ["added minutes.mp3", 1],
    ]);
    const [hit] = await kb.search("floor plan");
    expect(hit?.text).toBe("floor plan.png");
    expect(await kb.media(hit!.source.uri)).toMatchObject({ type: "image", mediaType: "image/png", content: png });
    const [heard] = await kb.search("minutes");
    expect(await kb.media(heard!.source.uri)).toMatchObject({ type: "audio", content: mp3 });
    expect(await ingest([plan, minutes])).toEqual([
      ["unchanged floor plan.png", 0],
      ["unchanged minutes.mp3", 0],
    ]);
  });

  it("is passed by in a walk without `media`, and refused as bytes", async () => {
    put("plan.png", png);
    put("a.txt", new TextEncoder().encode("A text."));
    expect(await ingest(base)).toEqual([["added a.txt", 0]]);
    expect((await kb.ingest(base, { folders: { media: true } })).added).toBe(1);
    expect(
      await ingest([
        { uri: "given.png", bytes: png },
        { uri: "b.txt", text: "Another." },
      ]),
    ).toEqual([
      ["unsupported-media given.png", 0],
      ["added b.txt", 0],
    ]);
  });

  it("is kept whole when a provider finds no words in it", async () => {
    const silent = await openKnowledgeBase({
      reading: { ocr: { name: "none/1", isScanned: () => true, extractText: async () => [] }, worker: false },
      readers: [
        createRecordingReader({ transcription: { name: "none/1", transcribe: async () => ({ segments: [] }) } }),
      ],
    });
    const plan = put("floor plan.png", png);
    const minutes = put("minutes.mp3", mp3);
    const { added, failed } = await silent.ingest([plan, minutes]);
    const { unchanged } = await silent.ingest([plan, minutes]);
    expect([added, failed, unchanged]).toEqual([2, 0, 2]);
    const { failures } = await silent.ingest([
      { uri: "given.png", bytes: png },
      { uri: "b.txt", text: "Words." },
    ]);
    expect(failures).toMatchObject([{ uri: "given.png", error: { code: "empty" } }]);
    await silent.close();
  });

  it("leaves other kinds that are not read refused", async () => {
    const program = put("a.exe", Uint8Array.from([0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0, 4, 0, 0, 0, 255, 255]));
    const text = put("a.txt", new TextEncoder().encode("A text."));
    expect((await ingest([program, text]))[0]?.[0]).toMatch(/^(?:binary|unsupported-media) a\.exe$/u);
  });
});
