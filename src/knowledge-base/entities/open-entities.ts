import type { CollectionHit } from "../../contracts/collection.ts";
import type { EmbeddingModel } from "../../contracts/embedding-model.ts";
import type {
  Entities,
  EntityHit,
  EntityType,
  NamedEntityData,
  NewEntity,
  Relationship,
  RelationshipDirection,
} from "../../contracts/entity.ts";
import type { Enhancer } from "../../contracts/enhancer.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { FilterInput } from "../../contracts/filter.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { StandardSchema } from "../../contracts/schema.ts";
import type { Scope } from "../../contracts/scope.ts";
import { enhanceMetadata } from "../../ingest/enhance.ts";
import { describeEntity } from "../../readers/describe-element.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { createEntitySchema, type KeptEntity, toEntityData } from "./entity-schema.ts";
import { anyOfLabels } from "./has-any-label.ts";
import { isShared, lookFrom } from "./look-from.ts";
import { createLiveInstances, createTypedInstances } from "./live-instance.ts";
import { toInstance } from "./to-instance.ts";

/**
 * Options of entities; everything has a default.
 *
 * @experimental
 */
export interface EntitiesOptions {
  /** Properties of what is labelled as one of these are checked when they are written. Default: any properties. */
  readonly types?: readonly EntityType[] | undefined;
  /** Properties, or else metadata, that filters can name. Labels can be filtered by always. Default: none. */
  readonly filterable?: readonly string[] | undefined;
  /** Embeds entities, beside the knowledge base's own model. Default: that one alone. */
  readonly embeddingModel?: EmbeddingModel | undefined;
  /** Add to the metadata of each entity on its way in. Default: none. */
  readonly enhancers?: readonly Enhancer[] | undefined;
}

/** From a direction to the ends of relationships that it looks from. */
const endsOf: Readonly<Record<RelationshipDirection, readonly RelationshipEnd[]>> = {
  outgoing: [">"],
  incoming: ["<"],
  both: [">", "<"],
};

const searches = { dense: "search", hybrid: "hybridSearch", lexical: "textSearch", regex: "regexSearch" } as const;

/**
 * Opens entities under a name, over a view of a knowledge base. They are two of its collections, and all reads and writes go through them.
 *
 * **Errors** `invalid-argument` for a blank name, an unknown option and a filterable name with another meaning in filters.
 * @experimental
 */
export function openEntities(
  kb: Pick<KnowledgeBase, "as" | "collection" | "collections" | "restore">,
  name: string,
  options: EntitiesOptions = {},
): Entities {
  checkGiven("openEntities", "kb", kb, "object", { collection: "function" });
  checkOptions("openEntities", options, { types: true, filterable: true, embeddingModel: true, enhancers: true });
  const { types = [], filterable = [], embeddingModel, enhancers = [] } = options;
  const nodes = kb.collection(name, {
    schema: createEntitySchema(types, filterable),
    key: "id",
    text: ["about"],
    // No type lists the properties, so any name passes.
    filterable: ["labels", ...(filterable as "labels"[])],
    ...(embeddingModel && { embeddingModel }),
  });
  const ends = kb.collection(`${name}/relationships`, { schema: endSchema, key: "key", text: ["text"] });

  const filterOf = (labels: readonly string[] | undefined, filter: FilterInput | undefined) => {
    const filters = [...(labels === undefined ? [] : [anyOfLabels(labels)]), ...(filter === undefined ? [] : [filter])];
    return { filter: { and: filters } as never };
  };

  /**
   * The relationships of an entity, or those that were deleted, in each scope whose readers read `of` too. A change of an entity that they cannot read changes
   * nothing for them.
   */
  async function relationshipsAround(id: string, of: Scope | undefined, deleted: boolean) {
    const found = new Map<Scope, Map<string, NonNullable<ReturnType<typeof readKey>>>>();
    // A scope of which everything was deleted is looked at when it is named.
    for (const address of of === undefined || !deleted ? [{}] : [{}, { scope: of }]) {
      for await (const { key, scope } of ends.keys({ ...address, keyPrefix: startOf(id), deleted })) {
        const read = readKey(key);
        if (read !== undefined) found.set(scope, (found.get(scope) ?? new Map()).set(key, read));
      }
    }
    const looked = [];
    for (const [scope, keys] of found) {
      const outlook = await lookFrom(kb, scope, nodes);
      if (of === undefined || outlook.reads(of)) looked.push({ scope, outlook, relationships: [...keys.values()] });
    }
    return looked;
  }

  /** Where nobody learns of an end who may not read it. */
  async function narrowestScope({ from, name: called, to }: Relationship): Promise<Scope | undefined> {
    const narrow = new Set<Scope>();
    for (const id of [from, to]) {
      const scopes = await nodes.scopesOf(id);
      if (!scopes.some(isShared)) for (const scope of scopes) narrow.add(scope);
    }
    const [only, ...others] = narrow;
    if (others.length === 0) return only;
    throw new IbidError("invalid-argument", `${name}: the ends of ${called} lie in ${[...narrow].join(" and ")}.`, {
      hint: "Say in which scope the relationship may be known.",
      details: { scopes: [...narrow] },
    });
  }

  function checkRelationship({ from, name: called, to }: Relationship): void {
    for (const id of [from, called, to]) {
      // Numbers would be found again as texts.
      if (typeof id === "string" && nodes.uriOf(id) !== "") continue;
      throw new IbidError("invalid-id", `${name}: ${typeof id} is no id, and no name of a relationship.`, {
        hint: 'Both are texts: { from: "ada", name: "WORKS_ON", to: "engine" }.',
      });
    }
  }

  async function* findRelated(id: string, called: string, direction: RelationshipDirection) {
    if ((await nodes.scopesOf(id)).length === 0) return;
    const seen = new Set<string>();
    for (const end of endsOf[direction]) {
      for await (const { key, scope } of ends.keys({ keyPrefix: startOf(id, end, called) })) {
        const read = readKey(key);
        if (read === undefined || seen.has(read.other)) continue;
        const both = await Promise.all(keysOf(read.relationship).map((one) => ends.scopesOf(one)));
        if (!both.every((scopes) => scopes.includes(scope))) continue;
        seen.add(read.other);
        for (const its of await nodes.scopesOf(read.other)) {
          const found = await nodes.get(read.other, { scope: its });
          if (found !== undefined) yield toEntityData(found);
        }
      }
    }
  }

  /** The relationships of what is gone, in every scope that the caller may write: in others, they lead nowhere. */
  async function deleteRelationships(id: string, of: Scope | undefined, purge: boolean): Promise<void> {
    for (const deleted of purge ? [false, true] : [false]) {
      for (const { scope, outlook, relationships } of await relationshipsAround(id, of, deleted)) {
        if (await outlook.sees(id)) continue;
        try {
          for (const { relationship } of relationships) {
            // The far end first: from the near one the rest is found again, if this is stopped.
            const [start, end] = keysOf(relationship);
            const keys = relationship.from === id ? [end, start] : [start, end];
            for (const key of keys) await ends.delete(key, { scope, purge });
          }
        } catch (error) {
          if (!IbidError.isInstance(error, "access-denied")) throw error;
        }
      }
    }
  }

  const live = createLiveInstances();
  const entities: Entities = {
    name,
    uriOf: (id) => nodes.uriOf(id),
    async upsert(given, where) {
      const written = await nodes.upsert(await enhanceEntities(enhancers, given), where);
      await live.renew(written.keys);
      return written;
    },

    async get(id, address) {
      const found = await nodes.get(id, address);
      return found && toEntityData(found);
    },

    async *list(given = {}) {
      checkOptions("list", given, { labels: true, filter: true, scope: true });
      const { labels, filter, ...address } = given;
      for await (const one of nodes.list({ ...address, ...filterOf(labels, filter) })) yield toEntityData(one);
    },

    async search(query, { mode = "hybrid", labels, filter, ...rest } = {}) {
      if (!Object.hasOwn(searches, mode)) {
        throw new IbidError("invalid-argument", `Entities cannot be searched by mode "${mode}".`, {
          hint: `Choose from ${Object.keys(searches).join(", ")}.`,
        });
      }
      const hits = await nodes[searches[mode]](query, { ...rest, ...filterOf(labels, filter) });
      return hits.map(toEntityHit);
    },

    async delete(given, how = {}) {
      const ids = new Set(typeof given === "string" ? [given] : given);
      const held = new Map<string, Scope | undefined>();
      for (const id of ids) held.set(id, how.scope ?? (await nodes.scopesOf(id))[0]);
      const gone = await nodes.delete([...ids], how);
      for (const [id, scope] of held) await deleteRelationships(id, scope, how.purge ?? false);
      await live.renew(ids);
      return gone;
    },

    async restore(id, address = {}) {
      const [restored] = await kb.restore(nodes.uriOf(id), address);
      if (restored === undefined) return false;
      for (const { scope, outlook, relationships } of await relationshipsAround(id, restored.scope, true)) {
        for (const { relationship, other } of relationships) {
          // To what is not there, it comes back with that.
          if (await outlook.sees(other))
            for (const key of keysOf(relationship)) await kb.restore(ends.uriOf(key), { scope });
        }
      }
      await live.renew([id]);
      return true;
    },

    async relate(given, where = {}) {
      checkOptions("relate", where, { scope: true, signal: true });
      const relationships = asList(given);
      for (const one of relationships) checkRelationship(one);
      const keys = new Map<Scope | undefined, Set<string>>();
      for (const one of relationships) {
        const scope = where.scope ?? (await narrowestScope(one));
        const together = keys.get(scope) ?? new Set();
        keys.set(scope, together);
        for (const key of keysOf(one)) together.add(key);
      }
      for (const [scope, together] of keys) {
        const into = { ...where, ...(scope !== undefined && { scope }) };
        const records = Array.from(together, (key) => ({ key }));
        await ends.upsert(records, into);
      }
    },

    async unrelate(given, address = {}) {
      checkOptions("unrelate", address, { scope: true });
      for (const one of asList(given)) {
        checkRelationship(one);
        for (const key of keysOf(one)) await ends.delete(key, { ...address, purge: true });
      }
    },

    findRelated(source, called, direction = "outgoing") {
      const id = typeof source === "string" ? source : source.id;
      checkRelationship({ from: id, name: called, to: id });
      if (Object.hasOwn(endsOf, direction)) return findRelated(id, called, direction);
      throw new IbidError("invalid-argument", `There is no direction "${direction as string}".`, {
        hint: `Choose from ${Object.keys(endsOf).join(", ")}.`,
      });
    },

    async toInstance(given, ...asked) {
      const entity: NamedEntityData | undefined = typeof given === "string" ? await entities.get(given) : given;
      return entity && toInstance(entities, entity, asked);
    },

    ...createTypedInstances(() => entities, types, live),

    rebuild: (where) => nodes.rebuild(where),

    async drop(given = {}) {
      await ends.drop(given);
      const gone = await nodes.drop(given);
      await live.renew();
      return gone;
    },
  };
  return entities;
}

function toEntityHit({ rank, score, scope, hit, record }: CollectionHit<KeptEntity, unknown>): EntityHit {
  return { rank, score, scope, hit, entity: toEntityData(record) };
}

/** Entities with what enhancers add to their metadata. The schema refuses an invalid one after this. */
async function enhanceEntities(
  enhancers: readonly Enhancer[],
  given: NewEntity | readonly NewEntity[],
): Promise<NewEntity | readonly NewEntity[]> {
  if (enhancers.length === 0) return given;
  const entities = Array.isArray(given) ? (given as readonly NewEntity[]) : [given as NewEntity];
  const isWhole = ({ id, name, metadata = {} }: Partial<NewEntity>): boolean =>
    typeof id === "string" && typeof name === "string" && typeof metadata === "object";
  return Promise.all(
    entities.map(async (entity) => {
      if (!isWhole(entity ?? {})) return entity;
      const { description = "", labels = [], properties = {}, metadata = {}, uri, ...rest } = entity;
      const said = { description, labels, properties: properties as NamedEntityData["properties"] };
      const whole = { ...rest, ...said, ...(uri !== undefined && { uri }) };
      const added = await enhanceMetadata(enhancers, (more) =>
        describeEntity({ ...whole, metadata: { ...metadata, ...more } }),
      );
      return { ...entity, metadata: { ...metadata, ...added } };
    }),
  );
}

/** An end of a relationship says nothing but its key, so that no search finds it. */
const endSchema: StandardSchema<{ readonly key: string; readonly text?: string }> = {
  "~standard": { version: 1, vendor: "ibid", validate: (value) => ({ value: value as { readonly key: string } }) },
};

function asList(given: Relationship | readonly Relationship[]): readonly Relationship[] {
  return Array.isArray(given) ? (given as readonly Relationship[]) : [given as Relationship];
}

/**
 * A relationship is two records without text, one for each end, so that it is found from either without looking at others: `ada > WORKS_ON > engine` and
 * `engine < WORKS_ON < ada`. It is there while both are; a process killed between the two leaves nothing that shows.
 */
type RelationshipEnd = ">" | "<";

/** Ids and names hold no blank once they are encoded. */
const encode = encodeURIComponent;

/** The end that the relationship starts from, then the other. */
function keysOf({ from, name, to }: Relationship): readonly [string, string] {
  return [`${startOf(from, ">", name)}${encode(to)}`, `${startOf(to, "<", name)}${encode(from)}`];
}

/** The start of the keys of an entity's relationships: all, or those of one direction and name. */
function startOf(id: string, end?: RelationshipEnd, name = ""): string {
  return end === undefined ? `${encode(id)} ` : `${encode(id)} ${end} ${encode(name)} ${end} `;
}

/** The relationship that a key is an end of, and the id of the other end; `undefined` for any other key. */
function readKey(key: string): { readonly relationship: Relationship; readonly other: string } | undefined {
  const [one, end, name, again, two, ...more] = key.split(" ");
  if (two === undefined || more.length > 0 || end !== again || (end !== ">" && end !== "<")) return undefined;
  const [id, called, other] = [one!, name!, two].map(decodeURIComponent) as [string, string, string];
  const relationship = end === ">" ? { from: id, name: called, to: other } : { from: other, name: called, to: id };
  return { relationship, other };
}
