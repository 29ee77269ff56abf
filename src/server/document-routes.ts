import type { z } from "zod";
import type { DocumentSummary } from "../contracts/document-store.ts";
import type { Scope } from "../contracts/scope.ts";
import type { IngestResult, KnowledgeBase, ListOptions } from "../contracts/knowledge-base.ts";
import { ingestOnly } from "../ingest/uploads/ingest-only.ts";
import { notePrefix } from "../integrations/memory/note.ts";
import { compareCodePoints } from "../runtime/compare-text.ts";
import { given } from "./given.ts";
import { Refusal } from "./refusal.ts";
import * as requests from "./request-schemas.ts";
import * as responses from "./response-schemas.ts";
import { defineRoute, jsonResponse, type Route } from "./route.ts";

const ingested = {
  200: {
    description: "The document was updated, or is unchanged.",
    content: { "application/json": responses.ingestResponse },
  },
  201: { description: "The document is new.", content: { "application/json": responses.ingestResponse } },
};

/** Content types that clients send by default. They say nothing of the file. */
const saysNothing = new Set(["", "application/octet-stream", "application/x-www-form-urlencoded"]);

/** Documents: the list, one of them, its outline; for writers also uploads and deletions. */
export const documentRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/documents",
    name: "listDocuments",
    summary: "The documents, by uri, then scope.",
    tag: "documents",
    needs: "reader",
    isLight: true,
    query: requests.listQuery,
    answers: { 200: { description: "One page of the list.", content: { "application/json": responses.listResponse } } },
    handle: async ({ kb, query, signal }) => jsonResponse(await listPage(kb, query, signal)),
  }),
  defineRoute({
    method: "POST",
    path: "/documents",
    name: "addText",
    summary: "Adds a text, or replaces the document with its uri.",
    tag: "documents",
    needs: "writer",
    body: requests.textBody,
    answers: ingested,
    async handle({ kb, body: { uri, text, mediaType, title, ...options }, signal }) {
      const input = { uri, text, ...given({ mediaType, title }) };
      return ingestAnswer(await ingestOnly(kb, input, { ...given(options), signal }));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/document",
    name: "getDocument",
    summary: "A document's text, or the part of it from start to end (UTF-16).",
    tag: "documents",
    needs: "reader",
    isLight: true,
    query: requests.documentTextQuery,
    answers: { 200: { description: "The document.", content: { "application/json": responses.documentResponse } } },
    async handle({ kb, query: { uri, scope, asOf, start: from = 0, end: to } }) {
      const address = given({ scope, asOf, end: to === undefined ? undefined : Math.max(from, to) });
      const document = (await kb.document(uri, { ...address, start: from })) ?? notFound(uri);
      const { metadata, length, start, end, text } = document;
      return jsonResponse({ ...summarise(document), metadata, length, start, end, text });
    },
  }),
  defineRoute({
    method: "PUT",
    path: "/document",
    name: "uploadDocument",
    summary: "Adds a file, or replaces the document with its uri; content-type is its kind.",
    tag: "documents",
    needs: "writer",
    query: requests.uploadQuery,
    body: "bytes",
    answers: ingested,
    async handle({ kb, request, query: { uri, title, charset, ...options }, body, signal }) {
      const [type = "", ...parameters] = (request.headers.get("content-type") ?? "").split(";");
      const mediaType = saysNothing.has(type.trim().toLowerCase()) ? undefined : type.trim();
      const declared = parameters.map((each) => /^\s*charset="?([\w.:-]+)"?\s*$/iu.exec(each)?.[1]).find(Boolean);
      const facts = given({ title, mediaType, charset: charset ?? declared });
      const input = { uri, bytes: body as Uint8Array, keepsMedia: true, ...facts };
      return ingestAnswer(await ingestOnly(kb, input, { ...given(options), signal }));
    },
  }),
  defineRoute({
    method: "DELETE",
    path: "/document",
    name: "deleteDocument",
    summary: "Deletes a document.",
    tag: "documents",
    needs: "writer",
    query: requests.deleteQuery,
    answers: {
      200: { description: "The deleted documents.", content: { "application/json": responses.deleteResponse } },
    },
    async handle({ kb, query: { uri, scope, purge } }) {
      const deleted = await kb.delete(uri, { ...given({ scope }), purge: purge === "true" });
      return deleted.length === 0 ? notFound(uri) : jsonResponse({ deleted });
    },
  }),
  defineRoute({
    method: "GET",
    path: "/folders",
    name: "listFolders",
    summary:
      "The folders of the documents, by name, and the kinds of files with their counts; `under` of a search or a question narrows it to one.",
    tag: "documents",
    needs: "reader",
    query: requests.foldersQuery,
    answers: { 200: { description: "The folders.", content: { "application/json": responses.foldersResponse } } },
    handle: async ({ kb, query: { under } }) => jsonResponse(await listFolders(kb, under)),
  }),
  defineRoute({
    method: "GET",
    path: "/outline",
    name: "getOutline",
    summary: "The sections of a document, in reading order.",
    tag: "documents",
    needs: "reader",
    isLight: true,
    query: requests.documentQuery,
    answers: { 200: { description: "The outline.", content: { "application/json": responses.outlineResponse } } },
    handle: async ({ kb, query: { uri, scope } }) =>
      jsonResponse((await kb.outline(uri, given({ scope }))) ?? notFound(uri)),
  }),
  defineRoute({
    method: "GET",
    path: "/chunks",
    name: "listChunks",
    summary: "The chunks of a document, in reading order: where each one stands, and by what it is embedded.",
    tag: "documents",
    needs: "reader",
    query: requests.chunksQuery,
    answers: {
      200: { description: "One page of the chunks.", content: { "application/json": responses.chunksResponse } },
    },
    handle: async ({ kb, query, signal }) => jsonResponse(await listChunks(kb, query, signal)),
  }),
];

/** One page of a document's chunks. **Cost** reads all chunks of the document, with their vectors. */
async function listChunks(
  kb: KnowledgeBase,
  { uri, scope: named, after = 0, limit }: z.output<typeof requests.chunksQuery>,
  signal: AbortSignal,
): Promise<object> {
  const document = (await kb.document(uri, { ...given({ scope: named }), start: 0, end: 0 })) ?? notFound(uri);
  const { scope } = document;
  // The store's own model gives every chunk a vector, and stamps none.
  const own = (await kb.status()).embeddingVersions.find(({ provider }) => provider === "ibid");
  const all: { readonly index: number; readonly start: number }[] = [];
  for await (const { chunk } of kb.chunks({ uri: document.uri, scope, stamps: true })) {
    signal.throwIfAborted();
    const { id, index, start, end, headings, page, lastPage, line, slide, time, sheet, cells, part, metadata } = chunk;
    const embeddedBy = metadata._embedModel ?? own?.model;
    const place = given({ page, lastPage, line, slide, time, sheet, cells, part });
    const span = { id, index, start, end, headings, ...place, ...given({ embeddedBy }) };
    all.push(span);
  }
  all.sort((one, other) => one.index - other.index || one.start - other.start);
  const chunks = all.slice(after, after + limit);
  const next = after + chunks.length;
  return {
    uri: document.uri,
    scope,
    documentId: document.id,
    total: all.length,
    chunks,
    ...(next < all.length && chunks.length > 0 && { next }),
  };
}

/** Folders that a page offers to narrow a search by, at most. */
const mostFolders = 1000;

/** The folders of the documents, by name, and the endings of their names. A folder has other numbers for each caller: a document counts where the caller may read it. */
async function listFolders(kb: KnowledgeBase, prefix = ""): Promise<object> {
  const folders = new Map<string, { readonly name: string; documents: number }>();
  const kinds = new Map<string, number>();
  for (const { uri, rootLabel = "", path = "", ending, documents } of await kb.folders()) {
    if (uri.startsWith(notePrefix)) continue;
    if (ending !== "" && uri.startsWith(prefix)) kinds.set(ending, (kinds.get(ending) ?? 0) + documents);
    const [places, names] = [uri.split("/").slice(0, -1), path.split("/").slice(0, -1)];
    const root = places.length - names.length;
    if (root < 0) continue;
    for (let depth = rootLabel === "" ? 1 : 0; depth <= names.length; depth++) {
      const under = `${places.slice(0, root + depth).join("/")}/`;
      const name = [rootLabel, ...names.slice(0, depth)].filter((part) => part !== "").join("/");
      folders.set(under, { name, documents: (folders.get(under)?.documents ?? 0) + documents });
    }
  }
  const named = Array.from(folders, ([under, facts]) => ({ under, ...facts }));
  named.sort((one, other) => compareCodePoints(one.name, other.name));
  const counted = Array.from(kinds, ([kind, documents]) => ({ kind, documents }));
  counted.sort((one, other) => compareCodePoints(one.kind, other.kind));
  return { folders: named.slice(0, mostFolders), total: named.length, kinds: counted.slice(0, mostFolders) };
}

/** One refusal for documents that do not exist and for those that the caller may not read. */
export function notFound(uri: string): never {
  throw new Refusal(404, "not-found", "No document that you may read has this uri.", {
    uri,
    hint: "See GET /documents for the uris.",
  });
}

function summarise(document: DocumentSummary): object {
  const { uri, rootLabel, path, scope, id, title, mediaType, chunks, bytes, ingestedAt } = document;
  return { uri, rootLabel, path, scope, documentId: id, title, mediaType, chunks, bytes, ingestedAt };
}

/** **Cost** the rows of the page and one more; see `countAll` for a total. */
async function listPage(
  kb: KnowledgeBase,
  { limit, after, total, ...selection }: z.output<typeof requests.listQuery>,
  signal: AbortSignal,
): Promise<object> {
  const chosen = given(selection);
  const page: DocumentSummary[] = [];
  const position = after === undefined ? {} : { after: readPosition(after) };
  for await (const document of kb.list({ ...chosen, ...position, limit: limit + 1 })) {
    signal.throwIfAborted();
    page.push(document);
  }
  const documents = page.slice(0, limit).map(summarise);
  const { uri, scope } = page[limit - 1] ?? {};
  return {
    documents,
    ...(page.length > limit && { next: JSON.stringify([uri, scope]) }),
    ...(total === "true" && { total: await countAll(kb, chosen, signal) }),
  };
}

/** **Cost** a row for each folder and kind. A prefix that ends within a name, and a time in the past, read the rows of the list. */
async function countAll(kb: KnowledgeBase, chosen: ListOptions, signal: AbortSignal): Promise<number> {
  const { under = "", asOf, sort: _, ...narrowing } = chosen;
  if (asOf !== undefined || (under !== "" && !under.endsWith("/"))) return count(kb.list(chosen), signal);
  const counts = (await kb.folders(narrowing)).filter(({ uri }) => uri.startsWith(under));
  return counts.reduce((sum, { documents }) => sum + documents, 0);
}

async function count(documents: AsyncIterable<unknown>, signal: AbortSignal): Promise<number> {
  let found = 0;
  for await (const _ of documents) {
    signal.throwIfAborted();
    found++;
  }
  return found;
}

function readPosition(after: string): { readonly uri: string; readonly scope: Scope } {
  try {
    const [uri, scope] = JSON.parse(after) as unknown[];
    const read = requests.scopeSchema.safeParse(scope);
    if (typeof uri === "string" && read.success) return { uri, scope: read.data };
  } catch {
    // Refused below.
  }
  throw new Refusal(400, "invalid-argument", "after is not a position in the list.", {
    hint: "Give the `next` of the page before, URL-encoded.",
  });
}

/** **Errors** the document's own error, such as `unreadable`, `binary` or `too-large`. */
function ingestAnswer(result: IngestResult): Response {
  if (result.error !== undefined) throw result.error;
  const { uri, scope, status, documentId, chunks, notes } = result;
  return jsonResponse({ uri, scope, status, documentId, chunks, notes }, status === "added" ? 201 : 200);
}
