import type { DocumentSummary } from "../contracts/document-store.ts";
import type { IngestResult, KnowledgeBase } from "../contracts/knowledge-base.ts";
import { ingestOnly } from "../ingest/uploads/ingest-only.ts";
import { compareCodePoints } from "../runtime/compare-text.ts";
import { given } from "./given.ts";
import { Refusal } from "./refusal.ts";
import * as requests from "./request-schemas.ts";
import * as responses from "./response-schemas.ts";
import { defineRoute, jsonResponse, type Route } from "./route.ts";

const ingested = {
  200: { description: "It is there, as before or anew.", content: { "application/json": responses.ingestResponse } },
  201: { description: "It was added.", content: { "application/json": responses.ingestResponse } },
};

/** What clients send who were not told what they send. */
const saysNothing = new Set(["", "application/octet-stream", "application/x-www-form-urlencoded"]);

/** Documents: which there are, one of them, its outline; and for writers, taking them in and out. */
export const documentRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/documents",
    name: "listDocuments",
    summary: "The documents, by uri, then scope.",
    needs: "reader",
    query: requests.listQuery,
    answers: { 200: { description: "A page of them.", content: { "application/json": responses.listResponse } } },
    handle: async ({ kb, query: { limit, after }, signal }) => jsonResponse(await listPage(kb, limit, after, signal)),
  }),
  defineRoute({
    method: "POST",
    path: "/documents",
    name: "addText",
    summary: "Takes in a text, in place of what had its uri.",
    needs: "writer",
    body: requests.textBody,
    answers: ingested,
    async handle({ kb, body: { uri, text, scope, metadata, ...rest }, signal }) {
      const result = await ingestOnly(kb, { uri, text, ...given(rest) }, { ...given({ scope, metadata }), signal });
      return ingestAnswer(result);
    },
  }),
  defineRoute({
    method: "GET",
    path: "/document",
    name: "getDocument",
    summary: "A document's text, or the part of it from start to end (UTF-16).",
    needs: "reader",
    query: requests.documentTextQuery,
    answers: { 200: { description: "The document.", content: { "application/json": responses.documentResponse } } },
    async handle({ kb, query: { uri, scope, start: from = 0, end: to = Infinity } }) {
      const document = (await kb.document(uri, given({ scope }))) ?? notFound();
      const { length } = document.text;
      const start = Math.min(from, length);
      const end = Math.max(start, Math.min(to, length));
      const text = document.text.slice(start, end);
      return jsonResponse({ ...summarise(document), metadata: document.metadata, length, start, end, text });
    },
  }),
  defineRoute({
    method: "PUT",
    path: "/document",
    name: "uploadDocument",
    summary: "Takes in a file, in place of what had its uri; content-type says what it is.",
    needs: "writer",
    query: requests.uploadQuery,
    body: "bytes",
    answers: ingested,
    async handle({ kb, request, query: { uri, scope, title, charset }, body, signal }) {
      const [type = "", ...parameters] = (request.headers.get("content-type") ?? "").split(";");
      const mediaType = saysNothing.has(type.trim().toLowerCase()) ? undefined : type.trim();
      const declared = parameters.map((each) => /^\s*charset="?([\w.:-]+)"?\s*$/iu.exec(each)?.[1]).find(Boolean);
      const facts = given({ title, mediaType, charset: charset ?? declared });
      const input = { uri, bytes: body as Uint8Array, ...facts };
      return ingestAnswer(await ingestOnly(kb, input, { ...given({ scope }), signal }));
    },
  }),
  defineRoute({
    method: "DELETE",
    path: "/document",
    name: "deleteDocument",
    summary: "Takes a document out.",
    needs: "writer",
    query: requests.deleteQuery,
    answers: { 200: { description: "What went.", content: { "application/json": responses.deleteResponse } } },
    async handle({ kb, query: { uri, scope, purge } }) {
      const deleted = await kb.delete(uri, { ...given({ scope }), purge: purge === "true" });
      return deleted.length === 0 ? notFound() : jsonResponse({ deleted });
    },
  }),
  defineRoute({
    method: "GET",
    path: "/outline",
    name: "getOutline",
    summary: "The sections of a document, in reading order.",
    needs: "reader",
    query: requests.documentQuery,
    answers: { 200: { description: "The outline.", content: { "application/json": responses.outlineResponse } } },
    handle: async ({ kb, query: { uri, scope } }) =>
      jsonResponse((await kb.outline(uri, given({ scope }))) ?? notFound()),
  }),
];

/** The same words for what is not there and for what may not be read (law 3). */
function notFound(): never {
  throw new Refusal(404, "not-found", "There is no such document.");
}

function summarise(document: DocumentSummary): object {
  const { uri, scope, id, title, mediaType, chunks, bytes, ingestedAt } = document;
  return { uri, scope, documentId: id, title, mediaType, chunks, bytes, ingestedAt };
}

/** **Cost** the list is walked from its beginning: the page before is passed over, not kept. */
async function listPage(
  kb: KnowledgeBase,
  limit: number,
  after: string | undefined,
  signal: AbortSignal,
): Promise<object> {
  const documents: object[] = [];
  let last: DocumentSummary | undefined;
  let isPassed = after === undefined;
  for await (const document of kb.list()) {
    signal.throwIfAborted();
    if (!isPassed) {
      isPassed = comesAfter(document, after!);
      if (!isPassed) continue;
    }
    if (documents.length === limit) return { documents, next: JSON.stringify([last!.uri, last!.scope]) };
    documents.push(summarise(document));
    last = document;
  }
  return { documents };
}

/** In the list's own order: uri, then scope. What `after` names may have gone meanwhile. */
function comesAfter({ uri, scope }: DocumentSummary, after: string): boolean {
  const [afterUri, afterScope] = readPosition(after);
  return (compareCodePoints(uri, afterUri) || compareCodePoints(scope, afterScope)) > 0;
}

function readPosition(after: string): readonly [string, string] {
  try {
    const [uri, scope] = JSON.parse(after) as unknown[];
    if (typeof uri === "string" && typeof scope === "string") return [uri, scope];
  } catch {
    // Said below.
  }
  throw new Refusal(400, "invalid-argument", "after: give the `next` of the page before.");
}

/** **Errors** those of the document itself: it could not be read, or is no text. */
function ingestAnswer(result: IngestResult): Response {
  if (result.error !== undefined) throw result.error;
  const { uri, scope, status, documentId, chunks, notes } = result;
  return jsonResponse({ uri, scope, status, documentId, chunks, notes }, status === "added" ? 201 : 200);
}
