import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { IbidError } from "ibid";
import { describe, expect, it } from "vitest";
import { decompressRtf } from "../../src/readers/compound/decompress-rtf.ts";
import { detectMediaType } from "../../src/readers/media-type.ts";
import { isUnreadKind } from "../../src/readers/unread-kind.ts";
import { createRandom } from "../../src/testing/random.ts";
import { mutateBytes } from "../fuzz/mutate-bytes.ts";
import { makeCompound, makeMsg } from "./make-msg.ts";
import { readAny } from "./read-any.ts";
import { refusalOf, showBlocks, showOutline } from "./read-with.ts";
import { fewer } from "../support/runs.ts";

const folder = new URL("../../bench/reading/files/", import.meta.url);
const fixture = (name: string): Uint8Array => Uint8Array.from(readFileSync(new URL(name, folder)));
const presentation = (name: string): Uint8Array => Uint8Array.from(gunzipSync(fixture(`${name}.gz`)));
const old = (name: string): Uint8Array =>
  Uint8Array.from(gunzipSync(readFileSync(new URL(`../fixtures/old-office/${name}.gz`, import.meta.url))));
const tables = (blocks: readonly string[]): readonly string[] => blocks.filter((block) => block.startsWith("table"));
const lists = (blocks: readonly string[]): readonly string[] =>
  blocks.filter((block) => block.startsWith("list")).map((block) => block.replace(/^ +/gmu, ""));
const words = (text: string): readonly string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

describe("Word before 2007", () => {
  it.each(["agreement", "article", "manual", "minutes", "report"])(
    "shows of %s the headings, tables, words and title of the same document in DOCX",
    async (name) => {
      const doc = await readAny(`${name}.doc`, fixture(`${name}.doc`));
      const docx = await readAny(`${name}.docx`, fixture(`${name}.docx`));
      expect(showOutline(doc.root)).toEqual(showOutline(docx.root));
      expect(tables(showBlocks(doc))).toEqual(tables(showBlocks(docx)));
      expect(lists(showBlocks(doc))).toEqual(lists(showBlocks(docx)));
      expect(doc.title).toBe(docx.title);
      const list = /^[-•0-9a-z]+[.)]? /gimu;
      expect(words(doc.text.replace(list, "")).toSorted()).toEqual(words(docx.text.replace(list, "")).toSorted());
    },
  );

  it("counts its lists, also those that styles bring", async () => {
    const counted = await readAny("lists.doc", old("lists.doc"));
    expect(showBlocks(counted).slice(1)).toEqual([
      "list: 1. First rule\n2. Second rule\n3. Third rule\n- A bullet\n- Another",
      "paragraph: Text between.",
      "list: 1. Deep one\n2. Deep two",
    ]);
  });

  // LibreOffice 7.4 wrote them.
  it("gives ticked boxes and chosen entries of a form", async () => {
    const { text } = await readAny("form.doc", old("form.doc"));
    expect(text).toBe("Licensed: ☒ Insured: ☐.\n\nGrade: Fine tar");
  });

  it("has tables in cells as tables of their own, and shows the signs under a reading", async () => {
    const nested = await readAny("nested.doc", old("nested.doc"));
    expect(showBlocks(nested)).toEqual([
      "heading: Crew plan",
      "paragraph: Before the table.",
      "table: | Outer one | Outer two |",
      "paragraph: Left words",
      "paragraph: Above inner",
      "table: | inner 00 | inner 01 |\n| inner 10 | inner 11 |",
      "paragraph: Below inner",
      "paragraph: After the table.",
    ]);
    expect((await readAny("ruby.doc", old("ruby.doc"))).text).toBe("Word 東京 is large.");
  });

  it("is known by its content under any name", () => {
    expect(detectMediaType(fixture("report.doc"), { name: "report" })).toBe("application/msword");
    expect(detectMediaType(fixture("report.doc"), { name: "report.xls" })).toBe("application/msword");
    expect(detectMediaType(presentation("report-slides.ppt"), { name: "x.doc" })).toBe("application/vnd.ms-powerpoint");
  });
});

describe("PowerPoint before 2007", () => {
  it("says how many charts and other objects it does not read [L9]", async () => {
    const { text, notes } = await readAny("chart.ppt", old("chart.ppt"));
    expect(text).toBe("Herring landed");
    expect(notes).toEqual(["Not read: its charts and other embedded objects (1)."]);
  });

  it("says how many comments it leaves out [L9]", async () => {
    const { text, notes } = await readAny("comments.ppt", old("comments.ppt"));
    expect(text).toBe("Slide 1\n\nTides of the harbour");
    expect(notes).toEqual(["Left out: its comments (2)."]);
  });

  it.each(["agreement", "article", "manual", "minutes", "report"])(
    "shows the slides, titles and notes of %s as the same slides in PPTX",
    async (name) => {
      const ppt = await readAny(`${name}.ppt`, presentation(`${name}-slides.ppt`));
      const pptx = await readAny(`${name}.pptx`, fixture(`${name}-slides.pptx`));
      expect(showOutline(ppt.root)).toEqual(showOutline(pptx.root));
      expect(ppt.metadata["slideCount"]).toBe(pptx.metadata["slideCount"]);
      const titles = ({ text, sourceMap }: typeof ppt): readonly string[] =>
        (sourceMap.slides ?? []).map(({ start }) => text.slice(start).split("\n", 1)[0]!);
      expect(titles(ppt)).toEqual(titles(pptx));
    },
  );
});

describe("Outlook messages", () => {
  const inner = {
    texts: { "0037": "Inside", "1000": "The inner words.", "0C1A": "Bob", "0C1F": "bob@example.com" },
  };
  const message = makeMsg({
    texts: {
      "0037": "Größe der Fähre",
      "1000": "Hello,\r\n\r\nthe ferry is 40 m long.\r\n",
      "0042": "Ada Lovelace",
      "5D02": "ada@example.com",
      "1035": "<1@example.com>",
    },
    sent: new Date("2024-03-01T10:20:30Z"),
    to: [
      { name: "Grace Hopper", smtp: "grace@example.com" },
      { name: "Édith", smtp: "edith@example.com", type: 2 },
    ],
    attachments: [
      { name: "notes.md", content: new TextEncoder().encode("# Plan\n\nSail at dawn.") },
      { name: "", content: inner },
      { name: "locked.zip", content: Uint8Array.from([0x50, 0x4b, 3, 4, 9, 9]) },
    ],
  });

  it("are read as the mail that they were", async () => {
    const { text, title, metadata, notes, root, sourceMap } = await readAny("a.msg", message);
    expect(title).toBe("Größe der Fähre");
    expect(text).toContain(
      "From: Ada Lovelace <ada@example.com>\nTo: Grace Hopper <grace@example.com>\nCc: Édith <edith@example.com>\nDate: Fri, 01 Mar 2024 10:20:30 +0000",
    );
    expect(text).toContain("the ferry is 40 m long.");
    expect(metadata).toMatchObject({ createdAt: "2024-03-01T10:20:30.000Z", messageId: "<1@example.com>" });
    expect(showOutline(root)).toEqual([
      "# Größe der Fähre",
      "## notes.md",
      "### Plan",
      "## message 2.eml",
      "### Inside",
    ]);
    expect(sourceMap.parts?.map(({ name }) => name)).toEqual(["notes.md", "message 2.eml"]);
    expect(text).toContain("From: Bob <bob@example.com>");
    expect(notes?.join(" ")).toContain("locked.zip was not read");
  });

  it("in rich text alone show its words", async () => {
    const rtf = Buffer.from("{\\rtf1\\ansi The rich words.\\par}");
    const stored = Buffer.concat([Buffer.alloc(16), rtf]);
    stored.writeUInt32LE(rtf.length, 4);
    stored.writeUInt32LE(0x414c454d, 8);
    const { text } = await readAny("a.msg", makeMsg({ texts: { "0037": "Rich" }, bytes: { "1009": stored } }));
    expect(text).toContain("The rich words.");
  });

  it("unpack the rich text of the specification's own example", () => {
    // MS-OXRTFCP, 4.1.1.
    const packed = Buffer.from(
      "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0",
      "hex",
    );
    expect(new TextDecoder().decode(decompressRtf(packed))).toBe("{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
  });

  it("are refused when they are encrypted", async () => {
    const locked = makeMsg({ texts: { "001A": "IPM.Note.SMIME", "0037": "Secret" } });
    expect(await refusalOf(readAny("a.msg", locked))).toMatchObject({ code: "encrypted" });
  });
});

describe("versions that are older than what is read", () => {
  const word = (mark: number, version: number): Uint8Array =>
    makeCompound((add) => {
      const stream = Buffer.alloc(4096);
      stream.writeUInt16LE(mark, 0);
      stream.writeUInt16LE(version, 2);
      add("/WordDocument", stream);
    });
  const text = new TextEncoder().encode("the words ".repeat(500));

  it.each([
    ["a.doc", word(0xa5dc, 104), "a document of Word 6 or 95", "DOCX"],
    ["a.doc", word(0xa699, 104), "a document of Word 6 or 95", "DOCX"],
    ["a.doc", Uint8Array.from([0xdb, 0xa5, 0x2d, 0, ...text]), "a document of Word 2 or older", "DOCX"],
    ["a.ppt", makeCompound((add) => add("/PP40", text)), "a presentation of PowerPoint 95 or older", "PPTX"],
    [
      "a.ppt",
      makeCompound((add) => {
        add("/PowerPoint Document", text);
        add("/Current User", text);
        add("/PersistentStorage Directory", text);
      }),
      "a presentation of PowerPoint 95 or older",
      "PPTX",
    ],
  ])("are named, with what to do, as a kind that is not read: %s", async (uri, bytes, what, newer) => {
    const refusal = await refusalOf(readAny(uri, bytes));
    expect(refusal).toMatchObject({
      message: `${uri} is ${what}, and no reader accepts it.`,
      hint: `Save it as ${newer} in LibreOffice or Microsoft Office.`,
    });
    expect(isUnreadKind(refusal, uri)).toBe(true);
  });
});

describe("damaged compound files", () => {
  it.each([
    ["a.doc", fixture("minutes.doc")],
    ["a.ppt", presentation("minutes-slides.ppt")],
    ["a.msg", makeMsg({ texts: { "0037": "Subject", "1000": "Body of the message." }, sent: new Date(0) })],
  ])("of %s are read or refused by name, and end", async (uri, bytes) => {
    const outcomes: unknown[] = [];
    for (let run = 0; run < fewer(20, 60); run++) {
      const damaged = mutateBytes(bytes, createRandom(run));
      outcomes.push(await readAny(uri, damaged).catch((error: unknown) => error));
    }
    const refusals = outcomes.filter((outcome) => outcome instanceof Error);
    expect(refusals.filter((error) => !IbidError.isInstance(error) || !error.message.includes(uri))).toEqual([]);
    expect(refusals.length).toBeGreaterThan(0);
  });
});
