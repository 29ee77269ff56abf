import { createRandom } from "./random.ts";

/**
 * Sentences in many scripts, each with marks, digits or joins that tend to break offsets.
 *
 * **Shape** none holds a line break or begins with a space.
 *
 * @experimental
 */
export const scripts: Readonly<Record<string, readonly string[]>> = {
  latin: [
    "The lighthouse keeper counts 27 ships a day.",
    "Dr. Vane arrived at 3.15 p.m. and left at once.",
    "Ça coûte 12,50 € à l’entrée, n’est-ce pas ?",
    "Trời hôm nay đẹp quá, phải không?",
  ],
  combining: [
    "e\u0301te\u0301 and a\u030Angstro\u0308m are written with joined marks.",
    "Z\u0351\u036B\u0343a\u0300lgo is not.",
  ],
  greek: ["Η θάλασσα είναι ήρεμη σήμερα.", "Πού είναι ο σταθμός;"],
  cyrillic: ["Маяк виден за двадцать миль.", "Кто зажёг огонь?"],
  hebrew: ["המגדלור נראה ממרחק.", "כמה עולה הכרטיס?"],
  arabic: ["المنارة تُرى من بعيد.", "كم ثمن التذكرة؟"],
  devanagari: ["समुद्र आज शांत है।", "टिकट कितने का है?"],
  thai: ["ประภาคารมองเห็นได้จากที่ไกล", "ตั๋วราคาเท่าไร"],
  han: ["灯塔在二十海里外就能看见。", "今天的海很平静！"],
  kana: ["灯台は遠くから見えます。", "きっぷはいくらですか？"],
  hangul: ["등대는 멀리서도 보입니다.", "표는 얼마입니까?"],
  emoji: [
    "The family 👨‍👩‍👧‍👦 waved 👋🏽 from the boat 🚤.",
    "Flags 🇳🇴🇯🇵 and keycaps 1️⃣ are sequences.",
    "𝔘𝔫𝔲𝔰𝔲𝔞𝔩 𐐷 letters lie beyond the basic plane: 𠮷野家.",
  ],
};

/**
 * Generated texts: paragraphs of sentences in changing scripts, with headings, long unbroken runs and repeated paragraphs.
 *
 * **Shape** the same seed gives the same text; lines end in `\n`; about `paragraphs` blocks separated by blank lines.
 *
 * @experimental
 */
export function generateText(seed: number, paragraphs: number): string {
  const random = createRandom(seed);
  const names = Object.keys(scripts);
  const blocks: string[] = [];
  for (let i = 0; i < paragraphs; i++) {
    const kind = random.below(10);
    if (kind === 0) blocks.push(`${"#".repeat(1 + random.below(3))} ${random.pick(scripts["latin"] ?? [])}`);
    else if (kind === 1 && blocks.length > 0) blocks.push(random.pick(blocks));
    else if (kind === 2) blocks.push(random.pick(["x", "無", "👍🏽", "é"]).repeat(1 + random.below(400)));
    else blocks.push(paragraph());
  }
  return `${blocks.join(random.pick(["\n\n", "\n\n\n", "\n \n"]))}${random.pick(["", "\n", "\n\n"])}`;

  function paragraph(): string {
    const sentences = scripts[random.pick(names)] ?? [];
    const length = 1 + random.below(8);
    return Array.from({ length }, () => random.pick(sentences)).join(random.pick([" ", " ", "\n", "  "]));
  }
}

/**
 * Short, hostile and ordinary texts that every reader and chunker of text must survive.
 *
 * @experimental
 */
export const edgeTexts: readonly string[] = [
  "a",
  "👩‍🚀",
  "one line without an end",
  "two\nlines",
  "\n\n\nleading blank lines",
  "trailing blank lines\n\n\n",
  "tab\tand\u00A0no-break space\u2003em space",
  "\u200Bzero\u200Bwidth\u200B",
  "# Heading only",
  "# A\n## B\n### C\n\nDeep.\n\n# D\n\n### E\n\nA level was skipped.",
  "Same paragraph.\n\nSame paragraph.\n\nSame paragraph.",
  "x".repeat(5000),
  "😀".repeat(1500),
  "word ".repeat(1200).trim(),
  "。".repeat(900),
  "a\n".repeat(800),
];
