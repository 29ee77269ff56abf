import { createGate, operator } from "../../src/access/gate.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { collect } from "../../src/testing/assert.ts";
import { type Asker, type Known, namesIn, readEverything } from "./public-calls.ts";
import { type Fault, type Opened, open, type Subject } from "./subjects.ts";
import { mayRead, outcome, scopes, take, type World } from "./worlds.ts";

/** What a caller was given, and what they would be given if there were nothing else. */
export interface Comparison {
  readonly given: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
}

/**
 * Lives through a world twice: whole, with everybody's documents, and as the oracle, which holds only what the caller may read and is asked by its operator,
 * for whom no gate is in the way.
 */
export async function compareWorlds(subject: Subject, world: World, fault: Fault = {}): Promise<Comparison> {
  const whole = await open(subject, world.policy, fault);
  // What anybody may choose is chosen in both; only what is wrong is in one.
  const { reranker, chatModel } = fault;
  const oracle = await open(subject, world.policy, { ...(reranker && { reranker }), ...(chatModel && { chatModel }) });
  try {
    const readable = scopes.filter((scope) => mayRead(world, scope));
    for (const step of world.steps) await take(whole.kb, step);
    for (const step of world.steps) if (readable.includes(step.scope)) await take(oracle.kb, step);

    const gate = createGate(world.policy);
    const everyone = gate.read(operator, scopes);
    const known = await namesIn(whole.store, everyone);
    const view = whole.kb.as(world.caller);
    const caller: Asker = { kb: view, store: whole.store, proof: gate.read(world.caller, []) };
    const alone: Asker = {
      kb: oracle.kb,
      store: oracle.store,
      proof: gate.read(operator, readable, readable),
      everywhere: readable,
    };
    await warm(whole, subject, world, known);
    const sees = subject.sees === "given" || (subject.sees === "own" && readable.length > 0);
    const given = [await readEverything(caller, world, known, sees)];
    const expected = [await readEverything(alone, world, known, sees)];

    // Then they write, as themselves in both; what they may not write is there as before.
    const others = async ({ store }: Opened): Promise<unknown> =>
      outcome(() => collect(store.chunks(gate.read(operator, scopes, hidden))));
    const hidden = scopes.filter((scope) => !readable.includes(scope));
    const before = await others(whole);
    given.push(await writeEverything(view, world));
    expected.push(await writeEverything(oracle.kb.as(world.caller), world));
    given.push(await readEverything(caller, world, known, sees), { "what others have": await others(whole) });
    expected.push(await readEverything(alone, world, known, sees), { "what others have": before });
    return { given: numbered(given), expected: numbered(expected) };
  } finally {
    await whole.close();
    await oracle.close();
  }
}

/** Everybody else asks first: whatever is kept of that must not show. */
async function warm(whole: Opened, subject: Subject, world: World, known: Known): Promise<void> {
  const gate = createGate(world.policy);
  const { store } = whole;
  const dense = subject.sees !== "nothing";
  const other = { userId: "nobody", teamId: "south" };
  await readEverything({ kb: whole.kb, store, proof: gate.read(operator, scopes) }, world, known, dense);
  await readEverything({ kb: whole.kb.as(other), store, proof: gate.read(other, []) }, world, known, dense);
}

async function writeEverything(kb: KnowledgeBase, world: World): Promise<Record<string, unknown>> {
  const text = `The ${world.query.replace(" ", " and the ")} are here.`;
  const given: Record<string, unknown> = {};
  const write = async (name: string, call: () => unknown): Promise<void> => {
    given[name] = await outcome(call);
  };
  const ingest = (scope?: Scope) => async () => {
    const run = kb.ingest({ uri: world.uri, text }, { settle: true, ...(scope && { scope }) });
    return [await collect(run), await run];
  };
  await write("ingest at home", ingest());
  for (const scope of scopes) await write(`ingest into ${scope}`, ingest(scope));
  await write("delete", () => kb.delete(world.uri));
  await write("delete what must be there", () => kb.delete("b.md", { onMissing: "error" }));
  await write("delete what is not", () => kb.delete("never.md", { onMissing: "error" }));
  for (const scope of scopes) await write(`delete in ${scope}`, () => kb.delete("a.md", { scope }));
  await write("delete by filter in one scope", () => kb.deleteByFilter({ kind: "odd" }, { scope: world.named }));
  await write("purge by filter", () => kb.deleteByFilter({ kind: "even" }, { purge: true }));
  return given;
}

const numbered = (parts: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown> =>
  Object.fromEntries(parts.flatMap((part, i) => Object.entries(part).map(([name, value]) => [`${i} ${name}`, value])));
