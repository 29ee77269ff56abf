import fc from "fast-check";
import type { CollectionSearchOptions } from "../../src/contracts/collection.ts";
import type { Entities } from "../../src/contracts/entity.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { StandardSchema } from "../../src/contracts/schema.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { hasAnyLabel } from "../../src/knowledge-base/entities/has-any-label.ts";
import { openEntities } from "../../src/knowledge-base/entities/open-entities.ts";
import { collect } from "../../src/testing/assert.ts";
import type { Calls } from "./compare-worlds.ts";
import { type Asker, createAsk, type Known } from "./public-calls.ts";
import { anyScope, anyWorld, outcome, take, type World } from "./worlds.ts";

/** What somebody does to entities; `near` may be anywhere, or nowhere. */
type EntityStep =
  | { readonly kind: "entity" | "record"; readonly id: string; readonly name: string; readonly scope: Scope }
  | { readonly kind: "relate" | "unrelate"; readonly id: string; readonly near: string; readonly scope: Scope }
  | { readonly kind: "forget" | "purge" | "recall"; readonly id: string; readonly scope: Scope };

type PeopledWorld = World & { readonly entitySteps: readonly EntityStep[] };

const ids = ["a", "b", "c"] as const;
const names = ["lantern", "harbour", "oven", "comet"] as const;
const anyId = fc.constantFrom(...ids);

const anyEntityStep: fc.Arbitrary<EntityStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom("entity" as const, "entity" as const, "record" as const),
      id: anyId,
      name: fc.constantFrom(...names),
      scope: anyScope,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom("relate" as const, "relate" as const, "relate" as const, "unrelate" as const),
      id: anyId,
      near: anyId,
      scope: anyScope,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("forget" as const, "purge" as const, "recall" as const),
      id: anyId,
      scope: anyScope,
    }),
  },
);

/** A few texts, and after them entities. */
export const anyPeopledWorld: fc.Arbitrary<PeopledWorld> = fc
  .tuple(anyWorld, fc.array(anyEntityStep, { minLength: 8, maxLength: 20 }))
  .map(([world, entitySteps]) => ({
    ...world,
    steps: world.steps.filter(({ kind }) => kind === "text").slice(0, 4),
    query: "lantern harbour",
    entitySteps,
  }));

const thingsOf = (kb: KnowledgeBase): Entities => openEntities(kb, "things", { filterable: ["kind"] });

/** Whatever is kept. */
function anything<Shape>(): StandardSchema<Shape> {
  return { "~standard": { version: 1, vendor: "ibid", validate: (value) => ({ value: value as Shape }) } };
}
const goods = {
  schema: anything<{ sku: string; words: string; kind: string }>(),
  key: "sku",
  text: ["words"],
  filterable: ["kind"],
} as const;
const relationships = { schema: anything<{ key: string; text: string }>(), key: "key", text: ["text"] } as const;

async function perform(kb: KnowledgeBase, step: EntityStep): Promise<void> {
  const { kind, id, scope } = step;
  const things = thingsOf(kb);
  if (kind === "entity") {
    const odd = step.name.length % 2 === 1 ? "odd" : "even";
    const description = `The ${step.name} and the harbour are here.`;
    await things.upsert({ id, name: step.name, description, labels: [odd], properties: { kind: odd } }, { scope });
  } else if (kind === "record")
    await kb.collection("goods", goods).upsert({ sku: id, words: `A ${step.name} for sale.`, kind: "even" }, { scope });
  else if (kind === "relate" || kind === "unrelate")
    await things[kind]({ from: id, name: "NEAR", to: step.near }, { scope });
  else if (kind === "recall") await things.restore(id, { scope });
  else await things.delete(id, { scope, purge: kind === "purge" });
}

/** Every call about entities and collections. */
export const entityCalls: Calls<PeopledWorld> = {
  read: readEntities,
  warm: readEntities,

  async live(kb, world, isTaken) {
    for (const step of world.steps) if (isTaken(step.scope)) await take(kb, step);
    for (const step of world.entitySteps) if (isTaken(step.scope)) await perform(kb, step);
    // What the store puts off is done before anybody asks.
    await kb.ingest([], { settle: true });
  },

  async write(kb, { named: scope }) {
    const given: Record<string, unknown> = {};
    const write = async (name: string, call: () => unknown): Promise<void> => {
      given[name] = await outcome(call);
    };
    const [things, records] = [thingsOf(kb), kb.collection("goods", goods)];
    const thing = { id: "a", name: "lantern", labels: ["odd"], properties: { kind: "odd" } };
    await write("entity at home", () => things.upsert(thing));
    await write("relate where ends lie", () => things.relate({ from: "a", name: "NEAR", to: "b" }));
    await write("record at home", () => records.upsert({ sku: "b", words: "An oven.", kind: "odd" }));
    for (const into of ["deployment", scope] as const) {
      await write(`entity into ${into}`, () => things.upsert(thing, { scope: into }));
      await write(`relate in ${into}`, () => things.relate({ from: "b", name: "NEAR", to: "a" }, { scope: into }));
      await write(`forget in ${into}`, () => things.delete("b", { scope: into }));
      await write(`recall in ${into}`, () => things.restore("b", { scope: into }));
      await write(`rebuild in ${into}`, () => records.rebuild({ scope: into }));
    }
    await write("unsay", () => things.unrelate({ from: "b", name: "NEAR", to: "a" }));
    await write("forget", () => things.delete(["a", "c"], { purge: true }));
    await write("keys of what was deleted", () => collect(records.keys({ deleted: true })));
    await write("drop", () => records.drop());
    return given;
  },
};

async function readEntities(
  { kb, everywhere, only }: Asker,
  { named: scope, query }: PeopledWorld,
  _known: Known,
  dense: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const given: Record<string, unknown> = {};
  const ask = createAsk(given, only);
  const scopes = everywhere && { scopes: everywhere };
  const things = thingsOf(kb);
  await ask("collections", () => kb.collections());
  await ask("entities", () => collect(things.list()));
  await ask("entities of a kind", () => collect(things.list({ labels: ["even"], filter: { kind: "even" }, scope })));
  for (const id of [...ids, "never"]) {
    await ask(`entity ${id}`, () => things.get(id));
    await ask(`entity ${id} of ${scope}`, () => things.get(id, { scope }));
    await ask(`scopes of ${id}`, () => kb.collection("goods", goods).scopesOf(id));
    for (const direction of ["outgoing", "incoming", "both"] as const)
      await ask(`related ${direction} to ${id}`, () => collect(things.findRelated(id, "NEAR", direction)));
  }
  const records = kb.collection("goods", goods);
  const found: CollectionSearchOptions<{ kind: string }, never> = { topK: 2, ...scopes };
  for (const mode of ["hybrid", "lexical", ...(dense ? (["dense"] as const) : [])] as const) {
    await ask(`find by ${mode}`, () => things.search(query, { mode, topK: 2, ...scopes }));
    await ask(`find by label and ${mode}`, () =>
      things.search(query, { mode, topK: "all", labels: ["odd"], ...scopes }),
    );
    const verb = ({ hybrid: "hybridSearch", lexical: "textSearch", dense: "search" } as const)[mode];
    await ask(`sought by ${mode}`, () => records[verb](query, found));
    await ask(`sought in ${scope} by ${mode}`, () => records[verb](query, { scopes: [scope], topK: "all" }));
  }
  await ask("search among all", () => kb.search(query, { topK: "all", explain: true, ...scopes }));
  await ask("search among entities", () => kb.search(query, { filter: hasAnyLabel("odd", "even"), ...scopes }));
  await ask("records", () => collect(records.list({ filter: { kind: "even" } })));
  await ask("record a", () => records.get("a"));
  await ask("record at once", () => records.get([...ids], { scope }));
  await ask("keys", () => collect(records.keys()));
  await ask("keys under a", () => collect(records.keys({ keyPrefix: "a", scope })));
  await ask("whether there are", () => Promise.all([records.exists(), records.exists({ scope })]));
  await ask("relationships", () => collect(kb.collection("things/relationships", relationships).keys()));
  await ask("list", () => collect(kb.list()));
  await ask("folders", () => kb.folders());
  return given;
}
