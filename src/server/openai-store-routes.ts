import { z } from "zod";
import { homeScope } from "../access/scopes.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { ServiceJobs } from "./jobs/service-jobs.ts";
import {
  createOpenAiFileRoutes,
  described,
  fileIdsOf,
  listDocuments,
  openAiId,
  openAiPage,
  openAiPageQuery,
  placeAfter,
  toPage,
  unknownFile,
  withoutFiles,
} from "./openai-file-routes.ts";
import type { OpenAiShelf } from "./openai-shelf.ts";
import { createAttach, createStoreFileRoutes } from "./openai-store-files.ts";
import {
  checkWritable,
  chunking,
  deleted,
  documentOf,
  fileState,
  pendingFiles,
  showResult,
  showStore,
  showStoreFile,
  store,
  storePath,
} from "./openai-store-shapes.ts";
import { findStore, searchWithin, storeFilter, toFilter, type VectorStore } from "./openai-stores.ts";
import { Refusal } from "./refusal.ts";
import { scopeSchema } from "./request-schemas.ts";
import { type Caller, defineRoute, jsonResponse, type Route } from "./route.ts";

const searchBody = z
  .strictObject({
    query: z.union([z.string().regex(/\S/u), z.array(z.string().regex(/\S/u)).min(1).max(10)]),
    max_num_results: z.int().min(1).max(50).default(10),
    filters: storeFilter.optional(),
    rewrite_query: z.literal(false).optional(),
    ranking_options: z.strictObject({ ranker: z.enum(["auto", "none"]).optional() }).optional(),
  })
  .meta({ id: "OpenAIStoreSearch", examples: [{ query: "How long is a key valid?", max_num_results: 3 }] });

const name = z.string().min(1).max(200);
const storeMetadata = z.record(z.string().max(64), z.string().max(512));
const newStoreBody = z
  .strictObject({
    name: name.nullish(),
    description: z.string().max(512).nullish(),
    file_ids: z.array(openAiId).max(500).optional(),
    metadata: storeMetadata.nullish(),
    chunking_strategy: chunking,
    ibid: z.strictObject({ scope: scopeSchema.optional() }).optional().meta({ description: "Settings of ibid." }),
  })
  .meta({ id: "OpenAINewVectorStore", examples: [{ name: "handbook" }] });
const changedStoreBody = z.strictObject({ name: name.nullish(), metadata: storeMetadata.nullish() });
/** Parts of the routes of vector stores. Without a shelf, stores are the scopes alone. */
export interface StoreParts {
  readonly shelf: OpenAiShelf | undefined;
  readonly jobs: ServiceJobs | undefined;
}

/**
 * Files and vector stores in the shape of OpenAI's API. Stores are the scopes that the caller may read, and stores that a writer made in one scope.
 *
 * **Shape** a file that is put into a store becomes a job. **Source** OpenAI's API reference: vector stores.
 */
export function createOpenAiStoreRoutes({ shelf, jobs }: StoreParts): readonly Route[] {
  const show = createShow(jobs);
  const changes = [...createStoreChanges(shelf!, jobs!), ...createStoreFileRoutes(shelf!, jobs!)];
  return [
    ...createOpenAiFileRoutes(shelf),
    defineRoute({
      method: "GET",
      path: "/v1/vector_stores",
      name: "listVectorStores",
      summary: "The scopes that the caller may read, and the stores that were made, in OpenAI's shape.",
      tag: "openai",
      needs: "reader",
      isLight: true,
      query: openAiPageQuery,
      answers: described("The vector stores.", openAiPage),
      async handle({ kb, caller, query: { limit, after } }) {
        const made = (await shelf?.listStores(kb)) ?? [];
        const scopes = (await kb.status()).scopes.map(({ scope }) => scope);
        const all = [
          ...scopes.map((scope): VectorStore => ({ id: scope, scope, under: "" })),
          ...made.map((one): VectorStore => ({ id: one.id, scope: one.scope, under: `${one.id}/`, made: one })),
        ];
        const from = placeAfter(all, after, "GET /v1/vector_stores");
        const page = await Promise.all(all.slice(from, from + limit).map((one) => show(kb, caller!, one)));
        return jsonResponse(toPage(page, from + limit < all.length));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/vector_stores/{store}",
      name: "getVectorStore",
      summary: "A vector store in OpenAI's shape.",
      tag: "openai",
      needs: "reader",
      isLight: true,
      params: storePath,
      answers: described("The vector store.", store),
      handle: async ({ kb, caller, params }) =>
        jsonResponse(await show(kb, caller!, await findStore(kb, shelf, params.store))),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/vector_stores/{store}/files",
      name: "listVectorStoreFiles",
      summary: "The files of a vector store: first those that are not there yet, or failed, then its documents.",
      tag: "openai",
      needs: "reader",
      isLight: true,
      params: storePath,
      query: openAiPageQuery.extend({ filter: fileState.optional() }),
      answers: described("The files.", openAiPage),
      async handle({ kb, caller, params, query: { limit, after, filter } }) {
        const found = await findStore(kb, shelf, params.store);
        const pending = (await pendingFiles(kb, jobs, caller!, found)).filter(
          ({ status }) => filter === undefined || status === filter,
        );
        const place = pending.findIndex(({ id }) => id === after) + 1;
        const isBehind = after !== undefined && place === 0;
        const rest = isBehind ? [] : pending.slice(place);
        const first = rest.slice(0, limit);
        const room = limit - first.length;
        const hasDocuments = filter === undefined || filter === "completed";
        const last = isBehind ? (await documentOf(kb, found, after)).id : undefined;
        const { scope, under } = found;
        const within = { scope, ...(under !== "" && { under }) };
        const page = hasDocuments ? await listDocuments(kb, { limit: room, after: last, ...within }) : [];
        const shown = await Promise.all(page.slice(0, room).map((document) => showStoreFile(kb, found, document)));
        // A job may have ended since.
        const others = first.filter((file) => !shown.some(({ id }) => id === file.id));
        return jsonResponse(toPage([...others, ...shown], rest.length > limit || page.length > room));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/vector_stores/{store}/search",
      name: "searchVectorStore",
      summary: "The chunks of a vector store that match a query, in OpenAI's shape.",
      tag: "openai",
      needs: "reader",
      params: storePath,
      body: searchBody,
      answers: described("The results.", openAiPage),
      asked: ({ body: { query } }) => [query].flat(),
      async handle({ kb, caller, params, body, signal }) {
        const within = searchWithin(
          [await findStore(kb, shelf, params.store)],
          body.filters === undefined ? undefined : toFilter(body.filters),
        );
        const query = [body.query].flat();
        const hits = await kb.search(query.join("\n"), { ...within, topK: body.max_num_results, signal });
        const fileId = await fileIdsOf(
          shelf,
          caller!,
          hits.map(({ source }) => source.uri),
        );
        return jsonResponse({
          object: "vector_store.search_results.page",
          search_query: query,
          data: hits.map((hit) => showResult(hit, fileId)),
          has_more: false,
          next_page: null,
        });
      },
    }),
    ...(shelf === undefined || jobs === undefined ? withoutFiles(changes) : changes),
  ];
}

/** Makes the function that shows a store as the caller sees it, with the files that their jobs bring. */
function createShow(jobs: ServiceJobs | undefined) {
  return async (kb: KnowledgeBase, caller: Caller, found: VectorStore) =>
    showStore(kb, found, await pendingFiles(kb, jobs, caller, found));
}

/** Stores that a caller who may write makes, changes and deletes. */
function createStoreChanges(shelf: OpenAiShelf, jobs: ServiceJobs): readonly Route[] {
  const put = createAttach(shelf, jobs);
  const show = createShow(jobs);
  const madeStore = async (kb: KnowledgeBase, wanted: string) => {
    const found = await findStore(kb, shelf, wanted);
    if (found.made !== undefined) return found.made;
    throw new Refusal(400, "invalid-argument", `The vector store ${wanted} is a scope.`, {
      hint: "Stores that POST /v1/vector_stores made can be changed and deleted.",
    });
  };
  return [
    defineRoute({
      method: "POST",
      path: "/v1/vector_stores",
      name: "createVectorStore",
      summary: "Makes a vector store in a scope that the caller may write, in OpenAI's shape.",
      tag: "openai",
      needs: "writer",
      body: newStoreBody,
      answers: described("The vector store.", store),
      async handle(call) {
        const { kb, caller, body } = call;
        const scope = body.ibid?.scope ?? homeScope(caller!.access === "operator" ? undefined : caller!.access);
        checkWritable(kb, scope);
        // All or none: a store without one of its files is none.
        for (const id of body.file_ids ?? []) if (!(await shelf.file(caller!, id))) unknownFile(id);
        const made = await shelf.addStore({ name: body.name ?? "", scope, metadata: body.metadata ?? {} });
        const found: VectorStore = { id: made.id, scope, under: `${made.id}/`, made };
        await Promise.all((body.file_ids ?? []).map((id) => put(call, found, { file_id: id })));
        return jsonResponse(await show(kb, caller!, found));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/vector_stores/{store}",
      name: "changeVectorStore",
      summary: "Changes the name and the metadata of a vector store.",
      tag: "openai",
      needs: "writer",
      params: storePath,
      body: changedStoreBody,
      answers: described("The vector store.", store),
      async handle({ kb, caller, params, body }) {
        const made = await madeStore(kb, params.store);
        checkWritable(kb, made.scope);
        const changed = { ...made, name: body.name ?? made.name, metadata: body.metadata ?? made.metadata };
        await shelf.saveStore(changed);
        return jsonResponse(await show(kb, caller!, await findStore(kb, shelf, made.id)));
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/vector_stores/{store}",
      name: "deleteVectorStore",
      summary: "Deletes a vector store with its documents; uploaded files stay.",
      tag: "openai",
      needs: "writer",
      params: storePath,
      answers: described("It is gone.", deleted),
      async handle({ kb, params }) {
        const { id, scope } = await madeStore(kb, params.store);
        checkWritable(kb, scope);
        for await (const { uri } of kb.list({ scope, under: `${id}/` })) await kb.delete(uri, { scope });
        await shelf.removeStore(id);
        return jsonResponse({ id, object: "vector_store.deleted", deleted: true });
      },
    }),
  ];
}
