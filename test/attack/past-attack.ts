import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { AccessContext, Scope } from "../../src/contracts/scope.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createMemory } from "../../src/integrations/memory/index.ts";
import { collect } from "../../src/testing/assert.ts";
import { createRandom, type Random } from "../../src/testing/random.ts";
import { outcome } from "../access/worlds.ts";
import { type Compared, scaled, type Tally, tallyCases } from "./tally.ts";

const start = Date.parse("2026-01-01T00:00:00.000Z");
const day = 86_400_000;
const reader: AccessContext = { userId: "ada", teamId: "north" };
const words = ["lantern", "harbour", "oven", "comet", "violin"] as const;

/** A base with a past. The documents of others are in a scope that the reader may not read, or were in a shared one and are purged in the end. */
interface History {
  readonly others: "elsewhere" | "purged";
  readonly store: "memory" | "folder";
  readonly steps: readonly Step[];
}
interface Step {
  readonly isHidden: boolean;
  readonly what: "write" | "delete" | "restore" | "note" | "vacuum";
  readonly document: number;
  readonly words: readonly [number, number];
}

function anyHistory(random: Random, index: number): History {
  const others = random.pick(["elsewhere", "purged"] as const);
  const word = (): number => random.below(words.length);
  const step = (isHidden: boolean, what: Step["what"]): Step => ({
    isHidden,
    what,
    document: random.below(2),
    words: [word(), word()],
  });
  // A vacuum ends the past of a scope: of documents that were purged it tells the end of their deletion.
  const events = [
    "write",
    "write",
    "delete",
    "restore",
    ...(others === "elsewhere" ? (["vacuum"] as const) : []),
  ] as const;
  return {
    others,
    store: index % 4 === 3 ? "folder" : "memory",
    steps: [
      ...[false, true].flatMap((isHidden) => [step(isHidden, "write"), step(isHidden, "note")]),
      ...Array.from({ length: 7 }, () => step(random.below(3) > 0, random.pick(events))),
    ],
  };
}

const uriOf = ({ isHidden, document }: Step): string => `${isHidden ? "paper" : "guide"}-${document}.md`;

async function act(kb: KnowledgeBase, scope: Scope, step: Step, now: () => number): Promise<void> {
  const uri = uriOf(step);
  const [one, other] = step.words.map((word) => words[word]!);
  const secret = step.isHidden ? " It is made of zanzibar copper." : "";
  if (step.what === "write")
    await kb.ingest({ uri, text: `# ${uri}\n\nThe ${one} and the ${other}.${secret}` }, { scope });
  else if (step.what === "note")
    await createMemory(kb, { scope, now }).remember({
      id: `n-${step.isHidden}-${now()}`,
      text: `The ${one} is near.${secret}`,
      key: step.isHidden ? "secret" : "place",
    });
  else if (step.what === "delete") await kb.delete(uri, { scope });
  else if (step.what === "restore") await kb.restore(uri, { scope });
  else await kb.vacuum({ olderThanMs: 2 * day });
}

/** Lives through a history, with or without the documents of others, and looks at each day of it as the reader. */
async function live({ others, store, steps }: History, hides: boolean): Promise<Record<string, unknown>> {
  const folder = store === "folder" ? mkdtempSync(join(tmpdir(), "ibid-attack-past-")) : undefined;
  let now = start;
  const options = {
    history: true,
    models: { embedding: null },
    operations: { now: () => now, events: false },
  } as const;
  const kb = await (folder === undefined ? openKnowledgeBase(options) : openKnowledgeBase(folder, options));
  const away: Scope = others === "elsewhere" ? "team:board" : "deployment";
  const seen: Record<string, unknown> = {};
  try {
    for (const step of steps) {
      now += day;
      if (step.what === "vacuum" || hides || !step.isHidden)
        await act(kb, step.isHidden ? away : "deployment", step, () => now);
    }
    now += day;
    if (hides && others === "purged")
      for (const filter of ["paper-0.md", "paper-1.md"]) await kb.delete(filter, { scope: away, purge: true });
    if (hides && others === "purged") await createMemory(kb, { scope: away }).forget({ key: "secret" });
    await kb.ingest([], { settle: true });

    const view = kb.as(reader);
    const memory = createMemory(view, { scope: "deployment", now: () => now });
    const times = [
      undefined,
      ...Array.from({ length: steps.length + 2 }, (_, i) => new Date(start + i * day + day / 2)),
    ];
    for (const time of times) {
      const at = time === undefined ? {} : { asOf: time.toISOString() };
      const ask = async (name: string, call: () => unknown): Promise<void> => {
        seen[`${name} ${at.asOf ?? "now"}`] = await outcome(call);
      };
      await ask("list", () => collect(view.list(at)));
      for (const query of ["lantern harbour", "zanzibar oven"])
        for (const mode of ["hybrid", "lexical"] as const)
          await ask(`search ${mode} ${query}`, () => view.search(query, { ...at, mode, topK: 20, explain: true }));
      await ask("search regex", () => view.search("zanzibar|comet", { ...at, mode: "regex", topK: 20 }));
      await ask("ask", () => view.ask("Where are the lantern and the harbour?", { ...at }));
      for (const uri of ["guide-0.md", "paper-0.md", "paper-1.md", "never.md"]) {
        await ask(`document ${uri}`, () => view.document(uri, at));
        await ask(`document ${uri} of the board`, () => view.document(uri, { ...at, scope: "team:board" }));
      }
      await ask("recall", () => memory.recall("Where is the lantern?", at));
      await ask("recall by key", () => memory.recall(undefined, { ...at, key: "secret" }));
      await ask("notes", () => collect(memory.list({ ...at, all: true })));
    }
    return seen;
  } finally {
    await kb.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
}

/** The past of documents that a reader may not read, and of purged ones, beside a past in which they never were. */
export async function attackPast(seed: number, size: number): Promise<readonly Tally[]> {
  const random = createRandom(seed);
  const histories = Array.from({ length: scaled(30, size) }, (_, index) => anyHistory(random, index));
  const compare = async (history: History): Promise<Compared> => ({
    given: await live(history, true),
    expected: await live(history, false),
  });
  return [await tallyCases("The past shows nothing of others, and nothing that was purged", histories, compare)];
}
