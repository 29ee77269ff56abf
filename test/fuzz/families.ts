import { createRandom, type Random } from "../../src/testing/random.ts";
import { makeMsg } from "../readers/make-msg.ts";
import { makePdf } from "../readers/make-pdf.ts";
import { damageMember, type Members, mutateArchive, packMembers } from "./archives.ts";
import * as languages from "./languages.ts";
import { mutateBytes } from "./mutate-bytes.ts";
import { type Language, mutateTokens } from "./mutate-tokens.ts";
import { docx, epub, pptx, xlsx } from "./office-seeds.ts";
import { mutatePdf } from "./pdf-objects.ts";
import * as seeds from "./text-seeds.ts";

/** One file to try a reader on. */
export interface FuzzFile {
  readonly uri: string;
  readonly bytes: Uint8Array;
}

/** Formats that are read and broken alike. */
export interface FuzzFamily {
  readonly name: string;
  /** File number `index` of a run: the same for the same seed. Odd ones are changed in their structure, even ones in their bytes. */
  file(seed: number, index: number): FuzzFile;
}

interface FuzzSeed {
  readonly uri: string;
  readonly bytes: Uint8Array;
  /** Damages its bytes. */
  readonly damage?: (random: Random) => Uint8Array;
  /** Changes what the file is made of, and writes it again whole. */
  readonly restructure: (random: Random) => Uint8Array;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function textSeed(uri: string, source: string, language: Language): FuzzSeed {
  return { uri, bytes: encode(source), restructure: (random) => encode(mutateTokens(source, language, random)) };
}

function archiveSeed(uri: string, members: Members): FuzzSeed {
  const bytes = packMembers(Object.entries(members));
  return {
    uri,
    bytes,
    // A damaged archive fails its checksum nearly always; half of the damage is done before it is packed.
    damage: (random) => (random.below(2) === 0 ? mutateBytes(bytes, random) : damageMember(members, random)),
    restructure: (random) => mutateArchive(members, random),
  };
}

const outline = [{ title: "Keys", page: 0, items: [{ title: "Spare", page: 1 }] }];
const pdfs = [
  makePdf(
    [
      [
        { text: "Keys", y: 740, size: 20 },
        { text: "Turn the key and wait a mo-", y: 700 },
        { text: "ment.", y: 688 },
      ],
      [
        { text: "Spare", y: 740, size: 16 },
        { text: "left", y: 700 },
        { text: "right", x: 320, y: 700 },
      ],
    ],
    { outline, info: "/Title (Keys) /Author (Ada) /CreationDate (D:20240101120000Z)" },
  ),
  makePdf([[{ text: "one page", y: 700 }]]),
];

const message = makeMsg({
  texts: { "0037": "Keys", "1000": "Turn the key and wait.", "0042": "Ada", "5D02": "ada@example.com" },
  to: [{ name: "Grace", smtp: "grace@example.com" }],
  attachments: [{ name: "a.md", content: encode("# Spare\n\nleft") }],
});

function family(name: string, list: readonly FuzzSeed[]): FuzzFamily {
  return {
    name,
    file(seed, index) {
      const random = createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
      const { uri, bytes, restructure, damage } = random.pick(list);
      return { uri, bytes: index % 2 === 1 ? restructure(random) : (damage?.(random) ?? mutateBytes(bytes, random)) };
    },
  };
}

/** Every family of formats that is read, with files that this code wrote. */
export const families: readonly FuzzFamily[] = [
  family("text", [
    ...seeds.plainTexts.map((text) => textSeed("a.txt", text, languages.plain)),
    ...seeds.legacyTexts.map((bytes) => ({
      uri: "a.txt",
      bytes,
      restructure: (random: Random) => mutateBytes(bytes, random),
    })),
  ]),
  family(
    "markdown",
    seeds.markdowns.map((text, i) => textSeed(i === 0 ? "a.md" : "a.mdx", text, languages.markdown)),
  ),
  family(
    "html",
    seeds.pages.map((text) => textSeed("a.html", text, languages.html)),
  ),
  family(
    "pdf",
    pdfs.map((bytes) => ({ uri: "a.pdf", bytes, restructure: (random) => mutatePdf(bytes, random) })),
  ),
  family("docx", [archiveSeed("a.docx", docx)]),
  family("pptx", [archiveSeed("a.pptx", pptx)]),
  family("xlsx", [archiveSeed("a.xlsx", xlsx)]),
  family("epub", [archiveSeed("a.epub", epub)]),
  family(
    "csv",
    seeds.tables.map((text, i) => textSeed(i === 2 ? "a.tsv" : "a.csv", text, languages.csv)),
  ),
  family(
    "mail",
    seeds.messages.map((text) => textSeed("a.eml", text, languages.mail)),
  ),
  family("outlook", [{ uri: "a.msg", bytes: message, restructure: (random: Random) => mutateBytes(message, random) }]),
  family("data", [
    ...seeds.notebooks.map((text) => textSeed("a.ipynb", text, languages.json)),
    ...seeds.jsons.map((text) => textSeed("a.json", text, languages.json)),
    ...seeds.jsonLines.map((text) => textSeed("a.jsonl", text, languages.json)),
    ...seeds.yamls.map((text) => textSeed("a.yaml", text, languages.yaml)),
  ]),
  family(
    "feed",
    seeds.feeds.map((text, i) => textSeed(i === 0 ? "a.rss" : "a.atom", text, languages.xml)),
  ),
  family(
    "code",
    Object.entries(seeds.codes).map(([uri, text]) => textSeed(uri, text, languages.code)),
  ),
];
