import { afterAll, describe } from "vitest";
import type { Entities, NamedEntityData, RelationshipDirection } from "../../src/contracts/entity.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openEntities } from "../../src/knowledge-base/entities/open-entities.ts";
import { createEntitiesPack, type EntitiesSubject } from "../../src/testing/entities-pack.ts";
import { createHomes } from "../collections/shop.ts";
import { type Mutant, runMutants } from "./mutants.ts";

const [memory] = createHomes();
afterAll(() => memory!.close());

/** Entities with one thing wrong: what callers hold is changed, or what it stands on. */
const wrong = (
  change: (good: Entities, all: Entities) => Partial<Entities>,
  beneath: (view: KnowledgeBase, kb: KnowledgeBase) => KnowledgeBase = (view) => view,
): EntitiesSubject => ({
  async open(options) {
    const kb = await memory!.open();
    const all = openEntities(kb, "company", options);
    return (who) => {
      const good = openEntities(beneath(who === undefined ? kb : kb.as(who), kb), "company", options);
      return { ...good, ...change(good, all) };
    };
  },
});

/** A navigator that hands out something else than what is related. */
const leading = (
  change: (
    good: Entities,
    args: [string, string, RelationshipDirection | undefined],
    all: Entities,
  ) => AsyncIterable<NamedEntityData>,
) =>
  wrong((good, all) => ({
    findRelated: (source, name, direction) =>
      change(good, [typeof source === "string" ? source : source.id, name, direction], all),
  }));

/** Collections of which one verb is another. */
const keeping = (change: (name: string, verbs: Record<string, unknown>, all: Record<string, unknown>) => object) =>
  wrong(
    () => ({}),
    (view, kb) => ({
      ...view,
      collection: ((name: never, definition: never) => {
        const good = view.collection(name, definition) as never as Record<string, unknown>;
        return { ...good, ...change(name, good, kb.collection(name, definition) as never) };
      }) as never,
    }),
  );

const isEnds = (name: string): boolean => name.endsWith("/relationships");

const mutants: readonly Mutant<EntitiesSubject>[] = [
  [
    "navigates as the operator",
    "entities/only-to-what-may-be-read",
    leading((_, args, all) => all.findRelated(...args)),
  ],
  [
    "shows entities of every scope",
    "entities/only-to-what-may-be-read",
    keeping((name, _, all) => (isEnds(name) ? {} : { get: all["get"], scopesOf: all["scopesOf"] })),
  ],
  [
    "leads on from what may not be read",
    "entities/only-to-what-may-be-read",
    keeping((name, { scopesOf }) =>
      isEnds(name)
        ? {}
        : {
            // Whether it is there is answered by what one remembers of it.
            scopesOf: async (id: string) => {
              const scopes = await (scopesOf as (id: string) => Promise<readonly string[]>)(id);
              return scopes.length === 0 && id === "ada" ? ["deployment"] : scopes;
            },
          },
    ),
  ],
  [
    "puts relationships where all read",
    "entities/only-to-what-may-be-read",
    wrong((good) => ({ relate: (given, where) => good.relate(given, { scope: "deployment", ...where }) })),
  ],
  [
    "looks the other way",
    "entities/led-on-by-name-and-direction",
    leading((good, [id, name, direction]) =>
      good.findRelated(id, name, direction === "incoming" ? "outgoing" : (direction ?? "incoming")),
    ),
  ],
  [
    "leads on by any name",
    "entities/led-on-by-name-and-direction",
    leading((good, [id, , direction]) => good.findRelated(id, "TO", direction)),
  ],
  [
    "leads to one twice",
    "entities/led-on-by-name-and-direction",
    leading(async function* (good, [id, name, direction]) {
      if (direction !== "both") return yield* good.findRelated(id, name, direction);
      yield* good.findRelated(id, name, "outgoing");
      yield* good.findRelated(id, name, "incoming");
    }),
  ],
  [
    "takes back both ways",
    "entities/led-on-by-name-and-direction",
    wrong((good) => ({
      async unrelate(given, where) {
        const all = [given].flat();
        await good.unrelate([...all, ...all.map(({ from, name, to }) => ({ from: to, name, to: from }))], where);
      },
    })),
  ],
  [
    "takes an entity and leaves what led to it",
    "entities/gone-with-its-relationships",
    keeping((name, { keys }) =>
      isEnds(name)
        ? {
            keys: async function* (options: { keyPrefix?: string }) {
              // A relationship is looked for by direction and name; what leads to an entity, by the entity alone.
              if (options.keyPrefix?.split(" ").length === 2) return;
              yield* (keys as (given: object) => AsyncIterable<object>)(options);
            },
          }
        : {},
    ),
  ],
  [
    "forgets what was deleted, purged or not",
    "entities/gone-with-its-relationships",
    wrong(() => ({ restore: async () => false })),
  ],
  [
    "purges the entity alone",
    "entities/gone-with-its-relationships",
    keeping((name, { delete: remove }) =>
      isEnds(name)
        ? {
            delete: (keys: never, options: object) =>
              (remove as (keys: never, options: object) => unknown)(keys, { ...options, purge: false }),
          }
        : {},
    ),
  ],
  [
    "takes every label",
    "entities/found-by-label-and-filter",
    wrong((good) => ({ search: (query, options) => good.search(query, { ...options, labels: ["__Entity__"] }) })),
  ],
  [
    "asks for all labels",
    "entities/found-by-label-and-filter",
    wrong((good) => ({
      async search(query, options = {}) {
        const hits = await good.search(query, options);
        return hits.filter(({ entity }) => (options.labels ?? []).every((label) => entity.labels.includes(label)));
      },
    })),
  ],
  [
    "reads labels in capitals",
    "entities/found-by-label-and-filter",
    wrong((good) => ({
      async search(query, { labels, ...rest } = {}) {
        const wanted = labels?.map((label) => label.toLowerCase());
        const hits = await good.search(query, labels?.length === 0 ? { ...rest, labels } : rest);
        return hits.filter(
          ({ entity }) => wanted?.some((label) => entity.labels.join("\n").toLowerCase().includes(label)) ?? true,
        );
      },
    })),
  ],
  [
    "makes objects of whatever fits, labelled or not",
    "entities/objects-of-their-types",
    wrong((good) => ({
      toInstance: async (given, ...types) => {
        const data = typeof given === "string" ? await good.get(given) : given;
        const labels = types.map(({ label }) => label);
        return data && good.toInstance({ ...data, labels, properties: { budget: "", ...data.properties } }, ...types);
      },
    })),
  ],
  [
    "takes the first type alone",
    "entities/objects-of-their-types",
    wrong((good) => ({ toInstance: (given, ...types) => good.toInstance(given, types[0]) as never })),
  ],
  [
    "embeds the name alone",
    "entities/kept-as-given",
    wrong((good) => ({
      async search(query, options) {
        const hits = await good.search(query, options);
        return hits.map((one) => ({ ...one, hit: { ...one.hit, text: one.entity.name } }));
      },
    })),
  ],
  [
    "hides that it is an entity",
    "entities/kept-as-given",
    wrong((good) => ({
      async get(id, address) {
        const found = await good.get(id, address);
        return found && { ...found, labels: found.labels.filter((label) => label !== "__Entity__") };
      },
    })),
  ],
];

describe("entities with a fault are noticed by the pack [E30 E33 E34 E35 L3]", () => {
  runMutants(createEntitiesPack, mutants);
});
