import * as z from "zod";
import type { DocumentSummary } from "../contracts/document-store.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Hit } from "../contracts/retriever.ts";
import type { Scope } from "../contracts/scope.ts";
import { Refusal } from "./refusal.ts";
import { scopeSchema } from "./request-schemas.ts";
import { defineRoute, jsonResponse, type Route } from "./route.ts";

const id = z.string().min(1).max(300);
const storePath = z.strictObject({ store: id });
const filePath = z.strictObject({ file: id });
const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(20),
  after: id.optional().meta({ description: "The last id of the page before." }),
  purpose: z.literal("assistants").optional(),
});
const searchBody = z
  .strictObject({
    query: z.union([z.string().regex(/\S/u), z.array(z.string().regex(/\S/u)).min(1).max(10)]),
    max_num_results: z.int().min(1).max(50).default(10),
    rewrite_query: z.literal(false).optional(),
    ranking_options: z.strictObject({ ranker: z.enum(["auto", "none"]).optional() }).optional(),
  })
  .meta({ id: "OpenAIStoreSearch", examples: [{ query: "How long is a key valid?", max_num_results: 3 }] });

const file = z
  .looseObject({ id: z.string(), object: z.literal("file"), bytes: z.int(), filename: z.string() })
  .meta({ id: "OpenAIFile" });
const store = z
  .looseObject({ id: z.string(), object: z.literal("vector_store"), name: z.string() })
  .meta({ id: "OpenAIVectorStore" });
const page = z
  .looseObject({ object: z.string(), data: z.array(z.looseObject({})), has_more: z.boolean() })
  .meta({ id: "OpenAIPage" });
const described = (description: string, schema: z.ZodType) => ({
  200: { description, content: { "application/json": schema } },
});

/**
 * Files and vector stores in the shapes of OpenAI's API. A document is a file; a scope that the caller may read is a vector store.
 *
 * **Shape** a file's id is the document's. **Cost** a file is found by its id in a listing of all documents.
 * **Source** OpenAI's API reference: files, vector stores.
 */
export const openAiStoreRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/v1/files",
    name: "listFiles",
    summary: "The documents, as files in OpenAI's shape.",
    tag: "openai",
    needs: "reader",
    isLight: true,
    query: pageQuery,
    answers: described("The files.", page),
    handle: async ({ kb, query }) => jsonResponse(await listFiles(kb, query, toFile)),
  }),
  defineRoute({
    method: "GET",
    path: "/v1/files/{file}",
    name: "getFile",
    summary: "A document, as a file in OpenAI's shape.",
    tag: "openai",
    needs: "reader",
    isLight: true,
    params: filePath,
    answers: described("The file.", file),
    handle: async ({ kb, params }) => jsonResponse(toFile(await findFile(kb, params.file))),
  }),
  defineRoute({
    method: "GET",
    path: "/v1/files/{file}/content",
    name: "getFileContent",
    summary: "The text of a document.",
    tag: "openai",
    needs: "reader",
    isLight: true,
    params: filePath,
    answers: { 200: { description: "The text.", content: { "text/plain": undefined } } },
    async handle({ kb, params }) {
      const { uri, scope } = await findFile(kb, params.file);
      const document = (await kb.document(uri, { scope })) ?? unknownFile(params.file);
      return new Response(document.text, { headers: { "content-type": "text/plain; charset=utf-8" } });
    },
  }),
  defineRoute({
    method: "DELETE",
    path: "/v1/files/{file}",
    name: "deleteFile",
    summary: "Deletes a document.",
    tag: "openai",
    needs: "writer",
    params: filePath,
    answers: described("It is gone.", z.looseObject({ id: z.string(), deleted: z.literal(true) })),
    async handle({ kb, params }) {
      const { uri, scope } = await findFile(kb, params.file);
      await kb.delete(uri, { scope });
      return jsonResponse({ id: params.file, object: "file", deleted: true });
    },
  }),
  defineRoute({
    method: "GET",
    path: "/v1/vector_stores",
    name: "listVectorStores",
    summary: "The scopes that the caller may read, as vector stores in OpenAI's shape.",
    tag: "openai",
    needs: "reader",
    isLight: true,
    query: pageQuery.omit({ purpose: true }),
    answers: described("The vector stores.", page),
    async handle({ kb, query: { limit, after } }) {
      const { scopes } = await kb.status();
      const from = after === undefined ? 0 : scopes.findIndex(({ scope }) => scope === after) + 1;
      return jsonResponse(toPage(scopes.slice(from, from + limit).map(toStore), from + limit < scopes.length));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/v1/vector_stores/{store}",
    name: "getVectorStore",
    summary: "A scope, as a vector store in OpenAI's shape.",
    tag: "openai",
    needs: "reader",
    isLight: true,
    params: storePath,
    answers: described("The vector store.", store),
    handle: async ({ kb, params }) => jsonResponse(toStore(await findStore(kb, params.store))),
  }),
  defineRoute({
    method: "GET",
    path: "/v1/vector_stores/{store}/files",
    name: "listVectorStoreFiles",
    summary: "The documents of a scope, as files of a vector store.",
    tag: "openai",
    needs: "reader",
    isLight: true,
    params: storePath,
    query: pageQuery.omit({ purpose: true }),
    answers: described("The files.", page),
    async handle({ kb, params, query }) {
      const { scope } = await findStore(kb, params.store);
      return jsonResponse(await listFiles(kb, { ...query, scope }, toStoreFile));
    },
  }),
  defineRoute({
    method: "POST",
    path: "/v1/vector_stores/{store}/search",
    name: "searchVectorStore",
    summary: "The chunks of a scope that match a query, in OpenAI's shape.",
    tag: "openai",
    needs: "reader",
    params: storePath,
    body: searchBody,
    answers: described("The results.", page),
    asked: ({ body: { query } }) => [query].flat(),
    async handle({ kb, params, body, signal }) {
      const { scope } = await findStore(kb, params.store);
      const query = [body.query].flat();
      const hits = await kb.search(query.join("\n"), { scopes: [scope], topK: body.max_num_results, signal });
      const data = hits.map(toResult);
      return jsonResponse({
        object: "vector_store.search_results.page",
        search_query: query,
        data,
        has_more: false,
        next_page: null,
      });
    },
  }),
];

async function listFiles(
  kb: KnowledgeBase,
  { limit, after, scope }: { readonly limit: number; readonly after?: string | undefined; readonly scope?: Scope },
  show: (document: DocumentSummary) => { readonly id: string },
): Promise<object> {
  const last = after === undefined ? undefined : await findFile(kb, after);
  const within = scope === undefined ? {} : { scope };
  const from = last === undefined ? {} : { after: { uri: last.uri, scope: last.scope } };
  const found = [];
  for await (const document of kb.list({ ...within, ...from, limit: limit + 1 })) found.push(show(document));
  return toPage(found.slice(0, limit), found.length > limit);
}

function toPage(data: readonly { readonly id: string }[], hasMore: boolean): object {
  return { object: "list", data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: hasMore };
}

async function findFile(kb: KnowledgeBase, wanted: string): Promise<DocumentSummary> {
  for await (const document of kb.list()) if (document.id === wanted) return document;
  return unknownFile(wanted);
}

function unknownFile(wanted: string): never {
  throw new Refusal(404, "not-found", `The file ${JSON.stringify(wanted.slice(0, 100))} is not here.`, {
    hint: "See GET /v1/files for the ids.",
  });
}

async function findStore(kb: KnowledgeBase, wanted: string): Promise<{ scope: Scope; documents: number }> {
  const read = scopeSchema.safeParse(wanted);
  const found = read.success ? (await kb.status()).scopes.find(({ scope }) => scope === read.data) : undefined;
  if (found !== undefined) return found;
  throw new Refusal(404, "not-found", `The vector store ${JSON.stringify(wanted.slice(0, 100))} is not here.`, {
    hint: "A vector store is a scope that the key may read, such as deployment or team:acme.",
  });
}

const seconds = (time: string): number => Math.floor(Date.parse(time) / 1000);

function toFile({ id: own, uri, bytes, ingestedAt }: DocumentSummary) {
  const facts = { bytes, created_at: seconds(ingestedAt), filename: uri, purpose: "assistants", status: "processed" };
  return { id: own, object: "file", ...facts };
}

function toStoreFile({ id: own, scope, bytes, ingestedAt }: DocumentSummary) {
  return {
    id: own,
    object: "vector_store.file",
    created_at: seconds(ingestedAt),
    usage_bytes: bytes,
    vector_store_id: scope,
    status: "completed",
    last_error: null,
  };
}

function toStore({ scope, documents }: { readonly scope: Scope; readonly documents: number }) {
  const counts = { completed: documents, in_progress: 0, failed: 0, cancelled: 0, total: documents };
  return { id: scope, object: "vector_store", name: scope, created_at: 0, status: "completed", file_counts: counts };
}

function toResult({ documentId, source: { uri, start, end }, score, text, metadata }: Hit): object {
  const attributes = Object.fromEntries(
    Object.entries(metadata).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value)),
  );
  const content = [{ type: "text", text }];
  return { file_id: documentId, filename: uri, score, attributes, content, ibid: { uri, start, end } };
}
