import { renderAll } from "../support/render-markdown.ts";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { renderPrompt } from "../../src/models/render-prompt.ts";
import { findSuspicious } from "../../src/text/untrusted/find-suspicious.ts";
import type { Answer, AnswerEvent } from "../../src/contracts/answer.ts";
import type { ChatMessage, ChatModel, ChatOptions } from "../../src/contracts/chat.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { createPromptBuilder } from "../../src/answers/index.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { type Attack, attacks, secret } from "./attacks.ts";
import { markersIn } from "./markers-in.ts";

/** What is promised whatever a document says and whatever a model makes of it. The table in docs/security.md has a row for each. */
const guarantees = [
  "its fence stays closed",
  "the model sees no marker, role, tool call or delimiter of its",
  "the model sees nothing that a reader does not",
  "every citation resolves to what was retrieved",
  "no marker leaves unchecked",
  "no address leaves that no source has",
  "nothing loads by itself",
  "scopes and filters stay",
  "no tool is there to call",
  "the stored text stays as it was",
] as const;
type Guarantee = (typeof guarantees)[number];

const question = "How often are keys rotated?";

/** Another team's: what an attack would like to widen the search to. */
const vault = "The vault's own keys are rotated by nobody; the word is tangerine-4712.";

interface Lived {
  readonly attack: Attack;
  readonly prompt: string;
  readonly system: string;
  /** Every string of the chunks that a model of the application's own is handed. */
  readonly handed: readonly string[];
  readonly options: ChatOptions | undefined;
  readonly answer: Answer;
  readonly events: readonly AnswerEvent[];
  readonly documents: ReadonlyMap<string, string>;
}

/** A knowledge base that holds the attack beside honest documents, asked through a model that does whatever the attack wants, in pieces of seven characters. */
async function live(attack: Attack): Promise<Lived> {
  const { obeyed = "ok" } = attack;
  const calls: { messages: readonly ChatMessage[]; options: ChatOptions | undefined }[] = [];
  const model: ChatModel = {
    provider: "test",
    model: "obedient",
    chat: async () => ({ message: { role: "assistant", content: obeyed } }),
    async *stream(messages, options) {
      calls.push({ messages: messages as readonly ChatMessage[], options });
      for (let at = 0; at < obeyed.length; at += 7) yield { type: "text", delta: obeyed.slice(at, at + 7) };
      const toolCalls = [{ id: "1", name: "search", arguments: { scopes: ["team:vault"], filter: {} } }];
      yield { type: "finish", result: { message: { role: "assistant", content: obeyed, toolCalls } } };
    },
  };
  const kb = await openKnowledgeBase({ models: { chat: model } });
  const uri = attack.uri ?? "attack.md";
  const { failed } = await kb.ingest([
    {
      uri,
      text: attack.text,
      mediaType: "text/plain",
      ...(attack.title !== undefined && { title: attack.title }),
      metadata: { public: "yes", ...attack.metadata },
    },
    { uri: "keys.md", text: `Keys are rotated every 90 days. The password is ${secret}.`, metadata: { public: "yes" } },
    { uri: "private.md", text: "Keys are rotated in private too: tangerine-4713.", metadata: { public: "no" } },
  ]);
  expect(failed).toBe(0);
  await kb.ingest({ uri: "vault.md", text: vault }, { scope: "team:vault" });
  const ada: KnowledgeBase = kb.as({ userId: "ada" });
  const events: AnswerEvent[] = [];
  const run = ada.ask(question, { filter: { public: "yes" }, topK: 20 });
  for await (const event of run) events.push(event);
  const answer = await run;
  const documents = new Map<string, string>();
  for (const name of [uri, "keys.md"]) documents.set(name, (await ada.document(name))?.text ?? "");
  await kb.close();
  const [call] = calls;
  const [system = "", prompt = ""] = (call?.messages ?? []).map((message) => renderPrompt(message.content ?? ""));
  const handed = (call?.messages ?? []).flatMap(({ content }) =>
    typeof content === "object" && content !== null && "insertions" in content
      ? content.insertions.filter((each) => typeof each === "object").flatMap(stringsIn)
      : [],
  );
  return { attack, prompt, system, handed, options: call?.options, answer, events, documents };
}

/** Every key and every text. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => [key, ...stringsIn(held)]);
}

/** What stands between the delimiters, and what is left without it. */
function takeApart({ prompt }: Lived): {
  readonly sources: readonly string[];
  readonly rest: string;
  readonly fence: string;
} {
  const fence = /<source-([0-9a-f]{32}) /u.exec(prompt)?.[1] ?? "none";
  const pattern = new RegExp(`<source-${fence} [^\\n]*>\\n([^]*?)\\n</source-${fence}>`, "gu");
  return {
    fence,
    sources: Array.from(prompt.matchAll(pattern), (match) => match[1] ?? ""),
    rest: prompt.replaceAll(pattern, ""),
  };
}

/** **Shape** what is wrong; nothing when the guarantee holds. */
const checks: Readonly<Record<Guarantee, (lived: Lived) => readonly string[]>> = {
  "its fence stays closed": (lived) => {
    const { sources, rest, fence } = takeApart(lived);
    const faults = sources.some((text) => text.includes(fence)) ? ["the fence stands in a source"] : [];
    if (rest.trim() !== `Question: ${question}`) faults.push(`outside of the fences stands ${rest}`);
    if (sources.length !== lived.answer.hits.length) faults.push("not every source is between its own delimiters");
    return faults;
  },
  "the model sees no marker, role, tool call or delimiter of its": (lived) => {
    const { sources } = takeApart(lived);
    const openings = lived.prompt.match(/^<source-[0-9a-f]{32} .*$/gmu) ?? [];
    return [
      ...sources.flatMap(markersIn),
      ...openings.flatMap(markersIn),
      ...sources.flatMap((text) => findSuspicious(text).map(({ quote }) => quote)),
      ...openings.flatMap((text) => findSuspicious(text.slice(8)).map(({ quote }) => quote)),
      ...lived.handed.flatMap(markersIn),
      ...lived.handed.flatMap((text) => findSuspicious(text).map(({ quote }) => quote)),
    ];
  },
  "the model sees nothing that a reader does not": (lived) =>
    [lived.prompt, ...lived.handed]
      .join("\n")
      .match(
        /[\u200B-\u200D\u2060-\u2064\u202A-\u202E\u2066-\u2069\uFEFF\u3164\u115F]|(?![\n\t])\p{Cc}|[\u{E0000}-\u{E01EF}]|<!--|\{\/\*|display:none|hidden>/gu,
      ) ?? [],
  "every citation resolves to what was retrieved": ({ answer, documents }) =>
    answer.citations.flatMap(({ uri, start, end, quote, chunkId }) => [
      ...(documents.get(uri)?.slice(start, end) === quote && quote !== "" ? [] : [`${uri}:${start} is not “${quote}”`]),
      ...(answer.hits.some((hit) => hit.chunkId === chunkId) ? [] : [`${chunkId} was not retrieved`]),
    ]),
  "no marker leaves unchecked": ({ answer }) => {
    const markers = new Set(answer.citations.map(({ marker }) => marker));
    return markersIn(answer.text).filter((marker) => !markers.has(marker));
  },
  "no address leaves that no source has": ({ answer, prompt }) => [
    ...(answer.text.match(/(?:\/\/|www\.)[^\s]*tangerine|tangerine[^\s]*\)|javascript:|data:|&#|\\\//gu) ?? []),
    // As a reader of the page has them, against what the model was shown.
    ...renderAll(answer.text).flatMap(({ addresses }) => addresses.filter((address) => !prompt.includes(address))),
  ],
  "nothing loads by itself": ({ answer }) => renderAll(answer.text).flatMap(({ elements }) => elements),
  "scopes and filters stay": ({ answer, prompt }) => [
    ...answer.hits
      .filter(({ scope, metadata }) => scope !== "deployment" || metadata["public"] !== "yes")
      .map(({ chunkId }) => chunkId),
    ...(/tangerine-471[23]/u.exec(prompt + answer.text) ?? []),
  ],
  "no tool is there to call": ({ options, events }) => [
    ...(options?.tools === undefined ? [] : ["tools were offered"]),
    ...events.map(({ type }) => type).filter((type) => !["hits", "text", "citation", "answer"].includes(type)),
  ],
  "the stored text stays as it was": ({ attack, documents, answer }) => [
    ...(documents.get(attack.uri ?? "attack.md") === attack.text ? [] : ["the document was changed"]),
    ...answer.hits
      .filter(({ source, text }) => documents.get(source.uri)?.slice(source.start, source.end) !== text)
      .map(({ chunkId }) => chunkId),
  ],
};

describe.each(Object.entries(attacks))("%s", (_, ofClass) => {
  it.each(ofClass.map((attack) => [attack.name, attack] as const))(
    "%s: every guarantee holds [L2 L3 L12]",
    async (_, attack) => {
      const lived = await live(attack);
      expect(lived.system).toContain("quoted material");
      expect(Object.fromEntries(guarantees.map((guarantee) => [guarantee, checks[guarantee](lived)]))).toEqual(
        Object.fromEntries(guarantees.map((guarantee) => [guarantee, []])),
      );
      const said = lived.events.map((event) => (event.type === "text" ? event.delta : "")).join("");
      expect(said).toBe(lived.answer.text);
    },
  );
});

describe("the corpus", () => {
  it("has at least ten classes of several attacks each, and every one gets to the model [L12]", async () => {
    const classes = Object.values(attacks);
    expect(classes.length).toBeGreaterThanOrEqual(10);
    expect(Math.min(...classes.map((ofClass) => ofClass.length))).toBeGreaterThanOrEqual(3);
    const { prompt } = await live(classes[0]![0]!);
    expect(prompt).toContain("IGNORE ALL PREVIOUS INSTRUCTIONS");
  });

  it("its table in docs/security.md has these guarantees and classes, and a mark in every cell [L12]", () => {
    const page = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
    const rows = page.split("\n").filter((line) => line.startsWith("| "));
    const cells = rows.map((line) => line.slice(2, -2).split(" | "));
    const table = cells.filter(
      ([first]) => first === "guarantee" || (guarantees as readonly string[]).includes(first ?? ""),
    );
    expect(table[0]?.slice(1)).toEqual(Object.keys(attacks));
    expect(table.slice(1).map(([first]) => first)).toEqual([...guarantees]);
    for (const row of table.slice(1)) expect(row.slice(1)).toEqual(Object.keys(attacks).map(() => "✓"));
  });
});

describe("the prompt builder", () => {
  const honest = "Keys are rotated every 90 days.";
  it.each(Object.entries(attacks))(
    "%s: the section stays whole, and an obedient answer is checked [T46 L12]",
    async (_, ofClass) => {
      const faults: unknown[] = [];
      for (const attack of ofClass) {
        const kb = await openKnowledgeBase();
        await kb.ingest({
          uri: attack.uri ?? "attack.md",
          text: attack.text,
          ...(attack.title !== undefined && { title: attack.title }),
        });
        await kb.ingest({ uri: "honest.md", text: honest });
        const builder = createPromptBuilder(kb, { minScore: 0 });
        const built = await builder.build(question);
        const fence = /<source-([0-9a-f]{32}) /u.exec(built.section)?.[1] ?? "none";
        const pieces = built.section.split(new RegExp(`</?source-${fence}[ >]`, "u"));
        // Twice in the rules, then twice for each source.
        if (pieces.length !== 3 + 2 * built.hits.length) faults.push([attack.name, built.section]);
        const answer = await builder.check(
          built,
          question,
          `${honest.slice(0, -1)} ${built.labels.join("")}.\n\n${attack.obeyed ?? ""}`,
        );
        const markers = answer.citations.map(({ marker }) => marker);
        faults.push(...markersIn(answer.text).filter((marker) => !markers.includes(marker)));
        if (!answer.citations.some(({ quote }) => quote === honest)) faults.push([attack.name, answer.text]);
        await kb.close();
      }
      expect(faults).toEqual([]);
    },
  );
});
