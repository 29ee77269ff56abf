import { createGate, operator } from "../../src/access/gate.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { collect } from "../../src/testing/assert.ts";
import { type Asker, type Known, namesIn, readDirectly, readEverything } from "./public-calls.ts";
import { type Fault, type Opened, open, type Subject } from "./subjects.ts";
import { documentOf, mayRead, outcome, scopes, take, type World } from "./worlds.ts";

/** What a caller was given, and what they would be given if there were nothing else. */
export interface Comparison {
  readonly given: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
}

/** What is done to a knowledge base, and asked of it. */
export interface Calls<Some extends World> {
  /** What happens in the scopes that are there. */
  live(kb: KnowledgeBase, world: Some, isTaken: (scope: Scope) => boolean): Promise<void>;
  /** What each call gives that only reads, by what was asked. */
  read(asker: Asker, world: Some, known: Known, dense: boolean): Promise<Readonly<Record<string, unknown>>>;
  /** Those among them that what is kept could come from. */
  warm(asker: Asker, world: Some, known: Known, dense: boolean): Promise<unknown>;
  /** What each call gives that writes. */
  write(kb: KnowledgeBase, world: Some): Promise<Readonly<Record<string, unknown>>>;
}

const documentCalls: Calls<World> = {
  async live(kb, { steps }, isTaken) {
    for (const step of steps) if (isTaken(step.scope)) await take(kb, step);
  },
  read: readEverything,
  warm: readDirectly,
  write: writeEverything,
};

/**
 * Lives through a world twice: whole, with everybody's documents, and as the oracle, which holds only what the caller may read and is asked by its operator,
 * for whom no gate is in the way.
 */
export async function compareWorlds<Some extends World>(
  subject: Subject,
  world: Some,
  fault: Fault = {},
  calls: Calls<Some> = documentCalls,
  only?: Asker["only"],
): Promise<Comparison> {
  const whole = await open(subject, world.policy, fault);
  // What anybody may choose is chosen in both; only what is wrong is in one.
  const { reranker, chatModel } = fault;
  const oracle = await open(subject, world.policy, { ...(reranker && { reranker }), ...(chatModel && { chatModel }) });
  try {
    const readable = scopes.filter((scope) => mayRead(world, scope));
    await calls.live(whole.kb, world, () => true);
    await calls.live(oracle.kb, world, (scope) => readable.includes(scope));
    await settle(whole, oracle);

    const gate = createGate(world.policy);
    const everyone = gate.read(operator, scopes);
    const known = await namesIn(whole.store, everyone);
    const view = whole.kb.as(world.caller);
    const caller: Asker = { kb: view, store: whole.store, proof: gate.read(world.caller, []), only };
    const alone: Asker = {
      kb: oracle.kb,
      store: oracle.store,
      proof: gate.read(operator, readable, readable),
      everywhere: readable,
      only,
    };
    await warm(whole, subject, (asker, dense) => calls.warm({ ...asker, only }, world, known, dense), world);
    const sees = subject.sees === "given" || (subject.sees === "own" && readable.length > 0);
    const given = [await calls.read(caller, world, known, sees)];
    const expected = [await calls.read(alone, world, known, sees)];

    // Then they write, as themselves in both; what they may not write is there as before.
    const others = async ({ store }: Opened): Promise<unknown> =>
      outcome(() => collect(store.chunks(gate.read(operator, scopes, hidden))));
    const hidden = scopes.filter((scope) => !readable.includes(scope));
    const before = await others(whole);
    given.push(await calls.write(view, world));
    expected.push(await calls.write(oracle.kb.as(world.caller), world));
    await settle(whole, oracle);
    given.push(await calls.read(caller, world, known, sees), { "what others have": await others(whole) });
    expected.push(await calls.read(alone, world, known, sees), { "what others have": before });
    return { given: numbered(given), expected: numbered(expected) };
  } finally {
    await whole.close();
    await oracle.close();
  }
}

/** Nobody waits for what a delete asks for: after it, one of two worlds could have settled and the other not. */
async function settle(...worlds: readonly Opened[]): Promise<void> {
  for (const { kb } of worlds) await kb.ingest([], { settle: true });
}

/** Everybody else asks first: whatever is kept of that must not show. */
async function warm(
  whole: Opened,
  subject: Subject,
  read: (asker: Asker, dense: boolean) => Promise<unknown>,
  world: World,
): Promise<void> {
  const gate = createGate(world.policy);
  const { store } = whole;
  const dense = subject.sees !== "nothing";
  const other = { userId: "nobody", teamId: "south" };
  await read({ kb: whole.kb, store, proof: gate.read(operator, scopes) }, dense);
  await read({ kb: whole.kb.as(other), store, proof: gate.read(other, []) }, dense);
}

async function writeEverything(kb: KnowledgeBase, world: World): Promise<Record<string, unknown>> {
  const text = `The ${world.query.replace(" ", " and the ")} are here.`;
  const given: Record<string, unknown> = {};
  const write = async (name: string, call: () => unknown): Promise<void> => {
    given[name] = await outcome(call);
  };
  const ingestOf =
    (...given: Parameters<KnowledgeBase["ingest"]>) =>
    async () => {
      const run = kb.ingest(...given);
      return [await collect(run), await run];
    };
  const ingest = (scope?: Scope) => ingestOf({ uri: world.uri, text }, { settle: true, ...(scope && { scope }) });
  await write("ingest at home", ingest());
  for (const scope of scopes) await write(`ingest into ${scope}`, ingest(scope));
  // The very documents that somebody, perhaps elsewhere, handed in.
  for (const [i, step] of world.steps.entries()) {
    if (step.kind !== "document") continue;
    await write(`ingest what step ${i} handed in`, ingestOf(documentOf(step.uri, step.words), { settle: true }));
  }
  await write("delete", () => kb.delete(world.uri));
  await write("delete what must be there", () => kb.delete("lantern.md", { onMissing: "error" }));
  await write("delete what is not", () => kb.delete("never.md", { onMissing: "error" }));
  for (const scope of scopes) await write(`delete in ${scope}`, () => kb.delete("a.md", { scope }));
  await write("delete by filter in one scope", () => kb.delete({ filter: { kind: "odd" } }, { scope: world.named }));
  await write("purge by filter", () => kb.delete({ filter: { kind: "even" } }, { purge: true }));
  return given;
}

const numbered = (parts: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown> =>
  Object.fromEntries(parts.flatMap((part, i) => Object.entries(part).map(([name, value]) => [`${i} ${name}`, value])));
