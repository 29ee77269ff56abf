import type { Complete } from "../../../src/contracts/complete.ts";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { hasAnyLabel, openEntities } from "../../../src/knowledge-base/records/index.ts";
import type { AccessContext, AccessPolicy, KnowledgeBase, Scope } from "ibid";
import type { Entities, RelationshipDirection } from "ibid/records";
import * as z from "zod";
import { collect } from "../../../src/testing/assert.ts";

/** Which of the shared scopes are read. */
type Shared = Pick<Complete<AccessPolicy>, "platform" | "deployment">;

const ids = ["a", "b", "c / ä", "d"] as const;
const scopes: readonly Scope[] = ["deployment", "platform", "team:north", "team:south", "user:ada"];
const names = ["TO", "OF"] as const;
const callers: readonly (AccessContext | undefined)[] = [
  undefined,
  {},
  { userId: "ada", teamId: "north" },
  { teams: ["south"] },
  { userId: "nils", teams: ["north", "south"] },
];

type Step = { readonly scope: Scope; readonly id: string } & (
  | { readonly kind: "write" | "delete" | "purge" }
  | { readonly kind: "relate" | "unrelate"; readonly name: string; readonly to: string }
);

const anyScope = fc.constantFrom(...scopes, "deployment" as const, "team:north" as const);
const anyId = fc.constantFrom(...ids);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("write" as const), scope: anyScope, id: anyId }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom("relate" as const, "relate" as const, "relate" as const, "unrelate" as const),
      scope: anyScope,
      id: anyId,
      name: fc.constantFrom(...names),
      to: anyId,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("delete" as const, "purge" as const), scope: anyScope, id: anyId }),
  },
);

/** The oracle: a list of nodes and a list of edges, each in a scope, and what a delete leaves of them, said once more and differently. */
function draw(steps: readonly Step[], policy: Shared) {
  const nodes = new Set<string>();
  const known = new Set<Scope>();
  const edges = new Map<string, { scope: Scope; from: string; name: string; to: string }>();
  const readBy = (reader: Scope, scope: Scope): boolean =>
    scope === reader ||
    (scope === "deployment" && policy.deployment) ||
    (scope === "platform" && policy.platform && reader !== "deployment");
  for (const step of steps) {
    const { kind, scope, id } = step;
    if (kind === "write") {
      nodes.add(`${scope} ${id}`);
      known.add(scope);
    } else if (kind === "relate" || kind === "unrelate") {
      const key = JSON.stringify([scope, id, step.name, step.to]);
      if (kind === "relate") edges.set(key, { scope, from: id, name: step.name, to: step.to });
      else edges.delete(key);
    } else {
      nodes.delete(`${scope} ${id}`);
      for (const [key, edge] of edges) {
        const tells = scope === edge.scope || (known.has(scope) && readBy(edge.scope, scope));
        const around = [edge.from, edge.to].includes(id) && tells;
        const stays = scopes.some((other) => readBy(edge.scope, other) && nodes.has(`${other} ${id}`));
        if (around && !stays) edges.delete(key);
      }
    }
  }
  return { nodes, edges: [...edges.values()] };
}

const readableBy = (who: AccessContext | undefined, { platform, deployment }: Shared) => {
  if (who === undefined) return scopes;
  const teams = [...(who.teams ?? []), ...(who.teamId === undefined ? [] : [who.teamId])];
  const own = [...teams.map((team) => `team:${team}`), ...(who.userId === undefined ? [] : [`user:${who.userId}`])];
  return scopes.filter(
    (scope) =>
      own.includes(scope) ||
      (scope === "deployment" && deployment) ||
      (scope === "platform" && platform && own.length > 0),
  );
};

async function perform(all: Entities, step: Step): Promise<void> {
  const { kind, scope, id } = step;
  if (kind === "write") await all.upsert({ id, name: `${id} of ${scope}`, labels: ["Thing"] }, { scope });
  else if (kind === "relate" || kind === "unrelate")
    await all[kind]({ from: id, name: step.name, to: step.to }, { scope });
  else await all.delete(id, { scope, purge: kind === "purge" });
}

const byText = (a: string, b: string): number => (encodeURIComponent(a) < encodeURIComponent(b) ? -1 : 1);

describe("a graph of entities, beside lists of nodes and edges", () => {
  let open: KnowledgeBase[] = [];
  afterEach(async () => {
    for (const kb of open) await kb.close();
    open = [];
  });

  it("leads everybody where they may read, by name and direction, whatever was deleted [E34 E35 L3 L8]", async () => {
    const world = fc.record({
      steps: fc.array(anyStep, { minLength: 8, maxLength: 24 }),
      policy: fc.record({ platform: fc.boolean(), deployment: fc.boolean() }),
    });
    await fc.assert(
      fc.asyncProperty(world, async ({ steps, policy }) => {
        const kb = await openKnowledgeBase({ access: policy, models: { embedding: null } });
        open.push(kb);
        const all = openEntities(kb, "things");
        for (const step of steps) await perform(all, step);
        const { nodes, edges } = draw(steps, policy);
        for (const who of callers) {
          const readable = readableBy(who, policy);
          const entities = openEntities(who === undefined ? kb : kb.as(who), "things");
          const held = (id: string): readonly string[] =>
            readable.filter((scope) => nodes.has(`${scope} ${id}`)).map((scope) => `${id} of ${scope}`);
          const listed = (await collect(entities.list())).map(({ name }) => name).toSorted();
          expect(listed).toEqual(ids.flatMap(held).toSorted());
          for (const id of ids)
            for (const name of names)
              for (const direction of ["outgoing", "incoming", "both"] as const) {
                const met = (await collect(entities.findRelated(id, name, direction))).map((one) => one.name);
                const seen = edges.filter((edge) => edge.name === name && readable.includes(edge.scope));
                const to = seen.filter(({ from }) => from === id).map((edge) => edge.to);
                const from = seen.filter((edge) => edge.to === id).map((edge) => edge.from);
                const sides: Record<RelationshipDirection, readonly string[]> = {
                  outgoing: to.toSorted(byText),
                  incoming: from.toSorted(byText),
                  both: [...to.toSorted(byText), ...from.toSorted(byText)],
                };
                const expected = held(id).length === 0 ? [] : [...new Set(sides[direction])].flatMap(held).toSorted();
                expect(met.toSorted(), `${JSON.stringify(who)}: ${id} ${name} ${direction}`).toEqual(expected);
              }
        }
        // What told of an entity that is gone for its readers is gone as well, id and all.
        const kept = (await collect(kb.list())).filter(({ uri }) => uri.includes("relationships/"));
        expect(kept).toHaveLength(2 * edges.length);
      }),
      { numRuns: 25 },
    );
  });

  it("is read as far as it is followed [E35]", async () => {
    const kb = await openKnowledgeBase();
    open.push(kb);
    let read = 0;
    const counted = {
      ...kb,
      collection: ((name: never, definition: never) => {
        const good = kb.collection(name, definition);
        return { ...good, get: (...given: Parameters<typeof good.get>) => (read++, good.get(...given)) };
      }) as never as KnowledgeBase["collection"],
    };
    const entities = openEntities(counted, "things");
    await entities.upsert(Array.from({ length: 30 }, (_, i) => ({ id: `${i}`, name: `${i}` })));
    await entities.relate(Array.from({ length: 29 }, (_, i) => ({ from: "0", name: "TO", to: `${i + 1}` })));
    const way = entities.findRelated("0", "TO");
    expect(read).toBe(0);
    for await (const { id } of way) {
      expect(id).toBe("1");
      break;
    }
    expect(read).toBe(1);
  });

  it("is the same when it is written again, and writes nothing then [E34 L7]", async () => {
    const kb = await openKnowledgeBase();
    open.push(kb);
    const entities = openEntities(kb, "things");
    const edge = { from: "a", name: "TO", to: "b" };
    await entities.relate(edge);
    // Ends need not be there yet; what there is of them shows as soon as it is.
    const before = await collect(kb.list());
    await entities.relate([edge, edge]);
    expect(await collect(kb.list())).toEqual(before);
    await entities.upsert([
      { id: "a", name: "A" },
      { id: "b", name: "B" },
    ]);
    expect((await collect(entities.findRelated("b", "TO", "incoming"))).map(({ id }) => id)).toEqual(["a"]);
    expect((await kb.status()).chunks).toBe(2);
  });

  it("shows no relationship of which a killed process wrote one end alone [E35 L7]", async () => {
    const kb = await openKnowledgeBase();
    open.push(kb);
    const entities = openEntities(kb, "things");
    await entities.upsert([
      { id: "a", name: "A" },
      { id: "b", name: "B" },
    ]);
    await entities.relate({ from: "a", name: "TO", to: "b" });
    const ends = (await collect(kb.list())).map(({ uri }) => uri).filter((uri) => uri.includes("relationships/"));
    expect(ends).toHaveLength(2);
    for (const uri of ends) {
      await kb.delete(uri);
      expect(await collect(entities.findRelated("a", "TO", "both"))).toEqual([]);
      expect(await collect(entities.findRelated("b", "TO", "both"))).toEqual([]);
      await kb.restore(uri);
      expect(await collect(entities.findRelated("a", "TO", "both"))).toHaveLength(1);
    }
  });
});

describe("labels as a filter", () => {
  const labels = ["Project", "project", "Employee", "Pro", "__Entity__"] as const;

  it("gives entities that have one of them at least, and nothing that is no entity [E30 L4]", async () => {
    const anyLabels = fc.subarray([...labels].slice(0, 4));
    const world = fc.record({
      entities: fc.array(anyLabels, { minLength: 1, maxLength: 6 }),
      asked: fc.subarray([...labels], { minLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(world, async ({ entities: given, asked }) => {
        const kb = await openKnowledgeBase({ models: { embedding: null } });
        const entities = openEntities(kb, "things");
        await entities.upsert(given.map((own, i) => ({ id: `${i}`, name: `lantern ${i}`, labels: own })));
        // Neither is one: a document that speaks of labels, and a record of which a field is called so.
        await kb.ingest({ uri: "doc", text: "A lantern.", metadata: { labels: [...labels] } });
        const things = kb.collection("plain", {
          schema: z.object({ key: z.string(), text: z.string(), labels: z.array(z.string()) }),
          key: "key",
          text: ["text"],
          filterable: ["labels"],
        });
        await things.upsert({ key: "1", text: "A lantern.", labels: [...labels].slice(0, 4) });

        const expected = given
          .flatMap((own, i) => ([...own, "__Entity__"].some((label) => asked.includes(label as never)) ? [`${i}`] : []))
          .toSorted();
        const hits = await kb.search("lantern", { topK: "all", filter: hasAnyLabel(...asked) });
        expect(hits.map(({ source }) => source.title).toSorted()).toEqual(expected);
        const found = await entities.search("lantern", { topK: "all", labels: asked });
        expect(found.map(({ entity }) => entity.id).toSorted()).toEqual(expected);
        const listed = await collect(entities.list({ labels: asked }));
        expect(listed.map(({ id }) => id)).toEqual(expected);
        await kb.close();
      }),
      { numRuns: 20 },
    );
  });

  it("needs one, and none that is blank [E30]", () => {
    for (const wrong of [[], [" "], ["Project", ""], [7 as never]])
      expect(() => hasAnyLabel(...wrong)).toThrow("not blank, one at least");
  });
});
