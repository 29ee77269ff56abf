/**
 * How often the encoding of a text is recognised, by encoding and by length. A text counts when it is decoded
 * correctly.
 *
 *     npx node bench/charset.ts [folder]
 *
 * On the first article of the Universal Declaration of Human Rights in 31 languages, each in the encodings that its
 * texts still come in. With a folder, also on its collections in BEIR's layout whose names end in a language
 * (`xquad-de`). Beside chardet 2.2 after `npm --prefix bench/peers ci`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { detectCharset } from "../src/text/charsets/detect-charset.ts";
import { encodeAs } from "../test/support/encode-as.ts";
import { worldTexts } from "../test/support/world-texts.ts";
import { loadPeer } from "./peer.ts";

const lengths = [8, 16, 32, 64, 128];
const [folder] = process.argv.slice(2);
const chardet = (await loadPeer<{ default: { detect(bytes: Uint8Array): string | null } }>("chardet"))?.default;

interface Tally {
  all: number;
  ours: number;
  theirs: number;
}

const totals = new Map<number, Tally>(lengths.map((length) => [length, { all: 0, ours: 0, theirs: 0 }]));
console.log(`| language | encoding | ${lengths.map((length) => `${length} characters`).join(" | ")} |`);
console.log(`|---|---|${lengths.map(() => "--:").join("|")}|`);
for (const [language, encoding, texts] of listTexts()) {
  const cells = lengths.map((length) => {
    const tally = { all: 0, ours: 0, theirs: 0 };
    for (const text of texts) countPieces(Array.from(text), encoding, length, tally);
    const total = totals.get(length)!;
    total.all += tally.all;
    total.ours += tally.ours;
    total.theirs += tally.theirs;
    return show(tally);
  });
  console.log(`| ${language} | ${encoding} | ${cells.join(" | ")} |`);
}
console.log(`| all | | ${lengths.map((length) => show(totals.get(length)!)).join(" | ")} |`);

function listTexts(): (readonly [language: string, encoding: string, texts: readonly string[]])[] {
  const found = Object.entries(worldTexts).flatMap(([language, { text, encodings }]) =>
    encodings.map((encoding) => [language, encoding, [text]] as const),
  );
  if (folder === undefined) return found;
  return readdirSync(folder).flatMap((name) => {
    const language = name.replace(/^.*-/, "");
    const file = join(folder, name, "corpus.jsonl");
    const encodings = worldTexts[language]?.encodings;
    if (encodings === undefined || !existsSync(file)) return [];
    const texts = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .slice(0, 100)
      .map((line) => (JSON.parse(line) as { text: string }).text);
    return encodings.map((encoding) => [language, encoding, texts] as const);
  });
}

function countPieces(characters: readonly string[], encoding: string, length: number, tally: Tally): void {
  for (let start = 0; start + length <= characters.length; start += Math.max(5, length / 2)) {
    const piece = characters.slice(start, start + length).join("");
    const bytes = /[^\0-\x7F]/.test(piece) ? encodeAs(piece, encoding) : undefined;
    if (bytes === undefined) continue;
    tally.all++;
    if (read(bytes, detectCharset(bytes)) === piece) tally.ours++;
    if (read(bytes, chardet?.detect(bytes) ?? undefined) === piece) tally.theirs++;
  }
}

function read(bytes: Uint8Array, encoding: string | undefined): string | undefined {
  try {
    return encoding === undefined ? undefined : new TextDecoder(encoding).decode(bytes);
  } catch {
    return undefined;
  }
}

function show({ all, ours, theirs }: Tally): string {
  if (all === 0) return "";
  const share = (count: number): string => (count / all).toFixed(2);
  return chardet === undefined ? share(ours) : `${share(ours)} (${share(theirs)})`;
}
