import { z } from "zod";
import type { Entities, NamedEntityData, NewEntity } from "../contracts/entity.ts";
import type { FilterInput } from "../contracts/filter.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { readCollection } from "../integrations/tools/read-collection.ts";
import type { EntitiesOptions } from "../knowledge-base/entities/open-entities.ts";
import { given } from "./given.ts";
import { Refusal } from "./refusal.ts";
import { notBlank, scopeSchema } from "./request-schemas.ts";
import { defineRoute, jsonResponse, type Route } from "./route.ts";

const name = notBlank.max(512);
/** Any JSON: a body holds nothing else. */
const json = z.unknown();
const scope = scopeSchema.optional();
const properties = z.record(z.string(), json);
const record = z.strictObject({ key: z.string(), scope: scopeSchema, record: json }).meta({ id: "Record" });
const entity = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    uri: z.string().optional(),
    metadata: properties,
    labels: z.array(z.string()),
    properties,
  })
  .meta({ id: "Entity" });
const newEntity = z
  .strictObject({
    id: name,
    name,
    description: z.string().optional(),
    uri: z.string().optional(),
    metadata: properties.optional(),
    labels: z.array(notBlank).optional(),
    properties: properties.optional(),
  })
  .meta({ id: "NewEntity" });
const relationship = z.strictObject({ from: name, name, to: name }).meta({ id: "Relationship" });

const limit = z.coerce.number().int().min(1).max(1000).default(100);
const searched = {
  query: notBlank.max(8192),
  mode: z.enum(["hybrid", "dense", "lexical", "regex"]).optional(),
  topK: z.number().int().min(1).max(1000).optional(),
  filter: z.record(z.string(), json).optional(),
};
const counts = z.strictObject({ added: z.number(), updated: z.number(), unchanged: z.number() });

const answer = (description: string, schema: z.ZodType) => ({
  200: { description, content: { "application/json": schema } },
});

type OpenEntities = (kb: KnowledgeBase, name: string) => Promise<Entities>;

/**
 * Collections without their schemas, and entities: read by everybody, as far as their scopes go; entities are written by writers.
 *
 * @param entities Types and filterable properties, by the name of the entities. Others are opened without.
 */
export function createRecordRoutes(entities: Readonly<Record<string, EntitiesOptions>>): readonly Route[] {
  const open: OpenEntities = async (kb, called) => {
    const { openEntities } = await import("../knowledge-base/entities/open-entities.ts");
    return openEntities(kb, called, Object.hasOwn(entities, called) ? entities[called] : {});
  };
  return [...collectionRoutes, ...createReadingRoutes(open), ...createWritingRoutes(open)];
}

const collectionRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/collections",
    name: "listCollections",
    summary: "Collections of records, by name, then scope.",
    tag: "records",
    needs: "reader",
    isLight: true,
    answers: answer(
      "The collections.",
      z.strictObject({ collections: z.array(z.strictObject({ name: z.string(), scope: scopeSchema })) }),
    ),
    handle: async ({ kb }) => jsonResponse({ collections: await kb.collections() }),
  }),
  defineRoute({
    method: "GET",
    path: "/records",
    name: "listRecords",
    summary: "A page of a collection's records, by key, after a key.",
    tag: "records",
    needs: "reader",
    isLight: true,
    query: z.strictObject({ collection: name, limit, after: name.optional() }),
    answers: answer("The records.", z.strictObject({ records: z.array(record) })),
    async handle({ kb, query: { collection, ...page } }) {
      return jsonResponse({ records: await (await readCollection(kb, collection)).list(page) });
    },
  }),
  defineRoute({
    method: "GET",
    path: "/record",
    name: "getRecord",
    summary: "A record by its key.",
    tag: "records",
    needs: "reader",
    isLight: true,
    query: z.strictObject({ collection: name, key: name, scope }),
    answers: answer("The record.", record),
    async handle({ kb, query: { collection, key, scope: where } }) {
      const found = await (await readCollection(kb, collection)).get(key, where);
      return found === undefined ? missing(`record ${key}`) : jsonResponse(found);
    },
  }),
  defineRoute({
    method: "POST",
    path: "/records/search",
    name: "searchRecords",
    summary: "Searches the records of a collection.",
    tag: "records",
    needs: "reader",
    body: z.strictObject({ collection: name, ...searched }),
    asked: ({ body }) => [body.query],
    answers: answer(
      "The records, best first.",
      z.strictObject({ records: z.array(record.extend({ score: z.number() })) }),
    ),
    async handle({ kb, body: { collection, query, filter, ...rest }, signal }) {
      const how = { ...rest, ...given({ filter: filter as FilterInput | undefined }) };
      const found = await (await readCollection(kb, collection)).search(query, how, signal);
      return jsonResponse({
        records: found.map(({ key, scope: at, record: value, score }) => ({ key, scope: at, record: value, score })),
      });
    },
  }),
];

function createReadingRoutes(open: OpenEntities): readonly Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/entities",
      name: "listEntities",
      summary: "Entities, by id; with label, only those that have it.",
      tag: "records",
      needs: "reader",
      isLight: true,
      query: z.strictObject({ collection: name, label: name.optional(), limit, scope }),
      answers: answer("The entities.", z.strictObject({ entities: z.array(entity) })),
      async handle({ kb, query: { collection, label, limit: most, scope: where } }) {
        const listed = (await open(kb, collection)).list(
          given({ labels: label === undefined ? undefined : [label], scope: where }),
        );
        return jsonResponse({ entities: await take(listed, most) });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/entity",
      name: "getEntity",
      summary: "An entity by its id.",
      tag: "records",
      needs: "reader",
      isLight: true,
      query: z.strictObject({ collection: name, id: name, scope }),
      answers: answer("The entity.", entity),
      async handle({ kb, query: { collection, id, scope: where } }) {
        const found = await (await open(kb, collection)).get(id, given({ scope: where }));
        return found === undefined ? missing(`entity ${id}`) : jsonResponse(found);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/entities/search",
      name: "searchEntities",
      summary: "Searches entities by name and description.",
      tag: "records",
      needs: "reader",
      body: z.strictObject({ collection: name, ...searched, labels: z.array(notBlank).min(1).optional() }),
      asked: ({ body }) => [body.query],
      answers: answer(
        "The entities, best first.",
        z.strictObject({ entities: z.array(z.strictObject({ entity, score: z.number(), scope: scopeSchema })) }),
      ),
      async handle({ kb, body: { collection, query, filter, ...rest }, signal }) {
        const how = { ...given(rest), ...given({ filter: filter as FilterInput | undefined }), signal };
        const found = await (await open(kb, collection)).search(query, how);
        return jsonResponse({
          entities: found.map(({ entity: one, score, scope: at }) => ({ entity: one, score, scope: at })),
        });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/related",
      name: "relatedEntities",
      summary: "Entities to which a relationship leads from one entity.",
      tag: "records",
      needs: "reader",
      isLight: true,
      query: z.strictObject({
        collection: name,
        id: name,
        relationship: name,
        direction: z.enum(["outgoing", "incoming", "both"]).optional(),
        limit,
      }),
      answers: answer("The entities.", z.strictObject({ entities: z.array(entity) })),
      async handle({ kb, query: { collection, id, relationship: called, direction, limit: most } }) {
        const related = (await open(kb, collection)).findRelated(id, called, direction);
        return jsonResponse({ entities: await take(related, most) });
      },
    }),
  ];
}

function createWritingRoutes(open: OpenEntities): readonly Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/entities",
      name: "addEntities",
      summary: "Adds entities, or replaces those with their ids.",
      tag: "records",
      needs: "writer",
      body: z.strictObject({ collection: name, entities: z.array(newEntity).min(1).max(1000), scope }),
      answers: answer("Counts.", counts),
      async handle({ kb, body: { collection, entities: all, scope: where }, signal }) {
        const opened = await open(kb, collection);
        const written = await opened.upsert(all as NewEntity[], { ...given({ scope: where }), signal });
        const { added, updated, unchanged } = written;
        return jsonResponse({ added, updated, unchanged });
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/entity",
      name: "deleteEntity",
      summary: "Deletes an entity, and its relationships.",
      tag: "records",
      needs: "writer",
      query: z.strictObject({ collection: name, id: name, scope, purge: z.enum(["true", "false"]).optional() }),
      answers: answer("How many entities went.", z.strictObject({ deleted: z.number() })),
      async handle({ kb, query: { collection, id, scope: where, purge } }) {
        const opened = await open(kb, collection);
        const deleted = await opened.delete(id, { ...given({ scope: where }), purge: purge === "true" });
        return deleted === 0 ? missing(`entity ${id}`) : jsonResponse({ deleted });
      },
    }),
    defineRoute({
      method: "POST",
      path: "/relationships",
      name: "relateEntities",
      summary: "Relates entities, or with remove ends their relationships.",
      tag: "records",
      needs: "writer",
      body: z.strictObject({
        collection: name,
        relationships: z.array(relationship).min(1).max(1000),
        remove: z.boolean().optional(),
        scope,
      }),
      answers: answer("How many were given.", z.strictObject({ relationships: z.number() })),
      async handle({ kb, body: { collection, relationships, remove = false, scope: where } }) {
        const opened = await open(kb, collection);
        const at = given({ scope: where });
        await (remove ? opened.unrelate(relationships, at) : opened.relate(relationships, at));
        return jsonResponse({ relationships: relationships.length });
      },
    }),
  ];
}

async function take(entities: AsyncIterable<NamedEntityData>, most: number): Promise<readonly NamedEntityData[]> {
  const taken: NamedEntityData[] = [];
  for await (const one of entities) {
    taken.push(one);
    if (taken.length === most) break;
  }
  return taken;
}

function missing(what: string): never {
  throw new Refusal(404, "not-found", `There is no ${what}.`, { hint: "See GET /collections for what there is." });
}
