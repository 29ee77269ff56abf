import { describe, expect, it } from "vitest";

import type { Answer, AnswerEvent, Grounding } from "../../src/contracts/answer.ts";
import type { ChatModel } from "../../src/contracts/chat.ts";
import type { Hit } from "../../src/contracts/retriever.ts";
import { fewer } from "../support/runs.ts";
import { collect, slicesOf } from "./support.ts";

/** Generated answers. `IBID_FULL=1 npx vitest run test/answers/strict-law.test.ts` makes 10,000 of them. */
const runs = fewer(100, 10_000);

const facts = [
  [
    "Signing keys are rotated every 90 days by the operator.",
    "Old keys stay valid for 24 hours after a rotation.",
    "The help desk of Acme answers at ext. 42 on weekdays.",
  ],
  [
    "Backups of the ledger run every night at two.",
    "They are kept for 30 days in the vault of Geneva.",
    "A restore of the ledger takes about an hour.",
  ],
  [
    "Invoices are sent on the first Monday of each month.",
    "A customer has 14 days to pay an invoice.",
    "Unpaid invoices go to Dr. Meier in the legal department.",
  ],
] as const;
const documents = new Map(
  facts.map((sentences, index) => [`doc-${index}`, `# Part ${index}\n\n${sentences.join(" ")}\n`]),
);
const hits: readonly Hit[] = Array.from(documents, ([documentId, text], index) => ({
  rank: index + 1,
  score: 1 / (index + 1),
  chunkId: `${documentId}-0`,
  documentId,
  scope: "deployment",
  text,
  snippet: "",
  source: { uri: `${documentId}.md`, title: documentId, headings: [], start: 0, end: text.length, language: "en" },
  metadata: {},
  origin: "user-content",
}));

type Random = (below: number) => number;

/** **Source** mulberry32, by Tommy Ettinger, in the public domain. */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Written {
  readonly text: string;
  /** Numbers that stand in no document: none may stand in a strict answer. */
  readonly invented: readonly string[];
}

/** Sentences that a model might write: true, false, uncited and leaning sentences, courtesies, lists, code, markers everywhere. */
function writeText(random: Random): Written {
  const invented: string[] = [];
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;
  const invent = (): string => {
    invented.push(String(7000 + invented.length));
    return invented.at(-1)!;
  };
  const marker = (right: number): string =>
    pick([
      ` [${right}]`,
      ` [${right}]`,
      ` [${right}]`,
      `[${right}]`,
      ` [${pick([1, 2, 3])}]`,
      ` [9]`,
      ` [${right}][2]`,
      ` [1, ${right}]`,
      "",
      ` [0]`,
    ]);
  const place = (sentence: string, right: number): string =>
    random(3) === 0
      ? `${sentence}${marker(right)}`
      : sentence.replace(/([.!?])$/u, `${marker(right).replaceAll("$", "")}$1`);
  const sentence = (): string => {
    const document = random(facts.length);
    const fact: string = pick(facts[document]!);
    switch (random(16)) {
      case 0:
        return place(fact.replace(/\d+|every|about|first/u, invent()), document + 1);
      case 1:
        return place(
          fact.replace(/ (?:are|is|has|go|answers|run|takes|stay) /u, (verb) => `${verb}not ${invent()} times `),
          document + 1,
        );
      case 2:
        return place(`${fact.slice(0, -1)} for Ada Lovelace and ${invent()} others.`, document + 1);
      case 3:
        return `Nobody wrote down the number ${invent()}.`;
      case 4:
        return place(
          pick(["It", "They", "However, it", "This", "Therefore it", "If it fails, it"]) +
            ` also ${pick(["runs", "stays valid", "is kept"])} for ${pick(["30 days", "24 hours", `${invent()} hours`])}.`,
          document + 1,
        );
      case 5:
        return pick([
          "Hello!",
          "Sure!",
          "Here is what I found:",
          "Let me know if you need more help.",
          "I hope this helps!",
          "Of course.",
        ]);
      case 6:
        return pick(["What about the backups?", "Do you want to know more [1]?", "Is it 90 days?"]);
      case 7:
        return `\n\n## ${pick(["Answer", "Backups", "Part 7"])}\n\n`;
      case 8:
        return `\n\n\`\`\`sh\nrotate --keys ${invent()} [77]\n\`\`\`\n\n`;
      case 9:
        return place(`Run \`rotate [2]\` for ${invent()} keys.`, 1);
      case 10:
        return place(`The page says “${fact.slice(0, 30)}” and https://evil.example/${invent()} too.`, document + 1);
      case 11:
        return `${pick(["The following never happens:", "To rotate keys:", `There are ${invent()} rules:`])}\n- ${place(fact, document + 1)}\n- ${place(pick(facts[1]), 2)}\n`;
      default:
        return place(fact, document + 1);
    }
  };
  const parts = Array.from(
    { length: 1 + random(7) },
    () => sentence() + pick([" ", " ", "\n", "\n\n", "\n- ", "\n2. ", "  "]),
  );
  return { text: parts.join(""), invented };
}

function cutText(text: string, random: Random): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const length = 1 + random(random(4) === 0 ? 60 : 7);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

const judges = {
  none: undefined,
  liar: (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}: supported`).join("\n"),
  doubter: (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}: unsupported`).join("\n"),
  half: (count: number) =>
    Array.from({ length: count }, (_, index) => `${index + 1}: ${index % 2 === 0 ? "supported" : "partly"}`).join("\n"),
  contradictor: (count: number) => Array.from({ length: count }, () => "1: supported\n1: unsupported").join("\n"),
  rambler: () => '{"verdicts": ["supported"]}',
  broken: () => {
    throw new Error("502");
  },
} satisfies Readonly<Record<string, undefined | ((count: number) => string)>>;

function createJudge(name: keyof typeof judges): ChatModel | undefined {
  const reply = judges[name];
  if (reply === undefined) return undefined;
  return {
    provider: "test",
    model: name,
    chat: async (messages) => {
      const count = JSON.stringify(messages).match(/<claim-/gu)?.length ?? 0;
      return { message: { role: "assistant", content: reply(count) } };
    },
    // oxlint-disable-next-line require-yield -- a judge does not stream
    async *stream() {
      throw new Error("A judge does not stream.");
    },
  };
}

function createWriter(pieces: readonly string[]): ChatModel {
  return {
    provider: "test",
    model: "writer",
    chat: async () => ({ message: { role: "assistant", content: pieces.join("") } }),
    async *stream() {
      for (const delta of pieces) yield { type: "text", delta };
      yield { type: "finish", result: { message: { role: "assistant", content: pieces.join("") } } };
    },
  };
}

/** **Shape** what is wrong; nothing when the law holds. */
function findFaults(
  answer: Answer,
  events: readonly AnswerEvent[],
  grounding: Grounding,
  { invented }: Written,
): string[] {
  const faults: string[] = [];
  const { kind, text, sentences, citations, withheld } = answer;
  const fault = (isWrong: boolean, what: string): void => void (isWrong && faults.push(what));

  fault(
    events.map((event) => (event.type === "text" ? event.delta : "")).join("") !== text,
    "the deltas are not the text",
  );
  let at = 0;
  for (const sentence of sentences) {
    const { start, end, claims, verdict, support, by, quotes, unsupportedWords } = sentence;
    fault(
      text.slice(start, end) !== sentence.text || sentence.text.trim() !== sentence.text || end <= start,
      `a sentence is not where it says: ${sentence.text}`,
    );
    fault(start < at, "sentences overlap");
    fault(saysSomething(text.slice(at, start)), `no sentence holds ${JSON.stringify(text.slice(at, start))}`);
    at = end;
    fault(
      claims !== (verdict !== undefined) || claims !== (support !== undefined) || claims !== (by !== undefined),
      "a claim has a verdict, and nothing else has",
    );
    fault(quotes.length > 2 || !quotes.every((quote) => citations.includes(quote)), "a quote is no citation");
    fault(
      verdict === "supported" && (quotes.length === 0 || unsupportedWords.length > 0),
      "nothing carries a supported sentence",
    );
    fault(
      verdict === "supported" && !quotes.some(({ marker }) => sentence.text.includes(marker)),
      "a supported sentence does not cite what carries it",
    );
    fault(
      (verdict === "unsupported" || verdict === "uncited") && /\[[1-9]\]/u.test(withoutCode(sentence.text)),
      `a marker stands behind ${verdict}`,
    );
    fault(
      unsupportedWords.some(([from, to]) => from < start || to > end || to <= from),
      "unsupported words stand elsewhere",
    );
  }
  fault(kind !== "refused" && saysSomething(text.slice(at)), `no sentence holds ${JSON.stringify(text.slice(at))}`);

  for (const { documentId, start, end, quote, marker } of citations) {
    fault(
      documents.get(documentId)?.slice(start, end) !== quote || quote === "",
      "a citation is not what its document says",
    );
    fault(!text.includes(marker), `${marker} is not in the text`);
  }
  const claims = sentences.filter((sentence) => sentence.claims);
  const isGrounded = claims.length > 0 && claims.every(({ verdict }) => verdict === "supported");
  fault(kind === "written" && answer.grounded !== isGrounded, "grounded is not what the sentences say");
  fault(
    kind === "refused" && (citations.length > 0 || sentences.length > 0 || answer.refusal === undefined),
    "a refusal claims something",
  );

  if (grounding === "strict") {
    fault(
      sentences.some(({ verdict }) => verdict !== "supported"),
      "strict shows what is not supported",
    );
    fault(kind === "written" && answer.grounded !== true, "a strict answer is not grounded");
    fault(
      invented.some((number) => text.includes(number)),
      "what was withheld is in the text",
    );
    fault(
      withheld.some((sentence) => sentence.text.includes("https:")),
      "a withheld sentence has its address",
    );
    fault(
      withheld.some((sentence) => /\[\d\]/u.test(withoutCode(sentence.text))),
      "a withheld sentence has its marker",
    );
  } else fault(withheld.length > 0, "something is withheld without strict");
  return faults;
}

const withoutCode = (text: string): string => text.replaceAll(/```[^]*?(?:```|$)|`[^`\n]*`/gu, "");

/** Whether a stretch between sentences says anything: list signs, fences and rules do not. */
function saysSomething(gap: string): boolean {
  return /[\p{L}\p{N}]/u.test(gap.replaceAll(/^[ \t]*(?:```\w*|\d+[.)](?=\s|$))/gmu, ""));
}

async function answerFor(seed: number): Promise<readonly string[]> {
  const random = createRandom(seed);
  const written = writeText(random);
  const names = Object.keys(judges) as readonly (keyof typeof judges)[];
  // Half of the answers are judged by words.
  const name = random(2) === 0 ? "none" : names[random(names.length)]!;
  const grounding = (["strict", "strict", "preferred", "permissive"] as const)[random(4)]!;
  const ask = async (pieces: readonly string[]) =>
    await collect({
      question: "How often are keys rotated?",
      hits,
      model: createWriter(pieces),
      judge: createJudge(name),
      grounding,
      documents: slicesOf((id) => documents.get(id)),
    });
  const { answer, events } = await ask(cutText(written.text, random));
  const faults = findFaults(answer, events, grounding, written);
  const other = await ask(cutText(written.text, random));
  const same = ({ text, sentences, withheld, citations, removedMarkers, refusal }: Answer): string =>
    JSON.stringify({ text, sentences, withheld, citations, removedMarkers, refusal });
  if (same(answer) !== same(other.answer))
    faults.push(`another cut gives another answer: ${same(answer)} ${same(other.answer)}`);
  return faults.map(
    (fault) =>
      `${seed} ${grounding} ${name}: ${fault} in ${JSON.stringify(written.text)} → ${JSON.stringify(answer.text)}`,
  );
}

describe("strict is a law", () => {
  it(
    `no sentence stands that is not supported, whatever a model writes and however it arrives: ${runs} answers [L2 T48]`,
    { timeout: 120_000 + runs * 60 },
    async () => {
      const faults: string[] = [];
      for (let seed = 0; seed < runs && faults.length < 8; seed += 1) faults.push(...(await answerFor(seed)));
      expect(faults).toEqual([]);
    },
  );

  it("is met by answers, not by refusals alone [T48]", async () => {
    const kinds = new Map<string, number>();
    for (let seed = 0; seed < 60; seed += 1) {
      const { answer } = await collect({
        hits,
        model: createWriter([writeText(createRandom(seed)).text]),
        grounding: "strict",
        documents: slicesOf((id) => documents.get(id)),
      });
      kinds.set(answer.kind, (kinds.get(answer.kind) ?? 0) + 1);
    }
    expect(kinds.get("written")).toBeGreaterThan(20);
    expect(kinds.get("refused")).toBeGreaterThan(3);
  });
});
