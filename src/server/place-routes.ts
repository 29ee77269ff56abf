import type { z } from "zod";
import type { DocumentView, KnowledgeBase } from "../contracts/knowledge-base.ts";
import { findOnPages, showDocument } from "../knowledge-base/operations/show-document.ts";
import { notFound } from "./document-routes.ts";
import { given } from "./given.ts";
import type { Originals } from "./originals.ts";
import { readEnd } from "./note-routes.ts";
import { Refusal } from "./refusal.ts";
import * as requests from "./request-schemas.ts";
import { geometryResponse, viewResponse } from "./view-schemas.ts";
import { defineRoute, jsonResponse, type Route } from "./route.ts";

/** A stretch of this length is shown where none is asked for. **Units** UTF-16 code units. */
const usualStretch = 12_000;

const file = { "application/pdf": undefined, "application/octet-stream": undefined };

/** A document as it is shown: its blocks, the places of its text on pages, and the bytes that it was read from. */
export function createPlaceRoutes(originals: Originals): readonly Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/view",
      name: "viewDocument",
      summary: "A document's blocks around a stretch: headings, paragraphs, tables and code, as runs of its text.",
      tag: "documents",
      needs: "reader",
      query: requests.viewQuery,
      answers: { 200: { description: "The blocks.", content: { "application/json": viewResponse } } },
      async handle({ kb, query: { uri, scope, around, asOf, start = 0, end = start + usualStretch } }) {
        const shown = (await showDocument(kb, uri, given({ scope, start, end, around, asOf }))) ?? notFound(uri);
        const { document, place, ...rest } = shown;
        const { id: documentId, title, mediaType, length, contentHash, rootLabel, path, metadata } = document;
        const { page, lastPage, line, slide, time, sheet, cells, part, headings } = place;
        return jsonResponse({
          uri: document.uri,
          ...given({ rootLabel, path }),
          scope: document.scope,
          documentId,
          title,
          mediaType,
          contentHash,
          length,
          ...(typeof metadata["pageCount"] === "number" && { pages: metadata["pageCount"] }),
          ...given({ language: typeof metadata["language"] === "string" ? metadata["language"] : undefined }),
          place: { headings, ...given({ page, lastPage, line, slide, time, sheet, cells, part }) },
          ...(await readEnd(kb, document)),
          ...rest,
        });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/geometry",
      name: "getGeometry",
      summary:
        "The pages of a PDF or a recognised picture on which a stretch of its text stands, with the boxes that cover it.",
      tag: "documents",
      needs: "reader",
      query: requests.geometryQuery,
      answers: { 200: { description: "The pages.", content: { "application/json": geometryResponse } } },
      async handle({ kb, query: { uri, scope, start = 0, end } }) {
        const document = await documentOf(kb, uri, scope);
        if (!hasPages(document))
          throw new Refusal(422, "unsupported", "Only pages of a PDF and pictures with recognised text have places.", {
            uri,
            hint: "See GET /view for the text and for its slide, time, sheet, cells or line.",
          });
        const places = await originals.places(document);
        if (places === undefined) throw withoutOriginal(uri);
        const pages = await findOnPages(places, start, Math.max(start, end ?? document.text.length));
        return jsonResponse({
          uri: document.uri,
          documentId: document.id,
          pageCount: places.pages.length,
          sizes: places.pages,
          pages,
        });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/original",
      name: "getOriginal",
      summary: "The file that a document was read from, whole or in ranges.",
      tag: "documents",
      needs: "reader",
      query: requests.documentQuery,
      answers: {
        200: { description: "The file.", content: file },
        206: { description: "A range of it.", content: file },
      },
      async handle({ kb, request, query: { uri, scope } }) {
        const document = await documentOf(kb, uri, scope);
        const bytes = await originals.find(document);
        if (bytes === undefined) throw withoutOriginal(uri);
        return fileResponse(request, bytes, document);
      },
    }),
  ];
}

const isPdf = ({ mediaType }: DocumentView): boolean => /^application\/(?:x-)?pdf$/u.test(mediaType);

const hasPages = (document: DocumentView): boolean =>
  isPdf(document) || (document.mediaType.startsWith("image/") && document.sourceMap.recognised !== undefined);

async function documentOf(
  kb: KnowledgeBase,
  uri: string,
  scope: z.output<typeof requests.documentQuery>["scope"],
): Promise<DocumentView> {
  return (await kb.document(uri, given({ scope }))) ?? notFound(uri);
}

function withoutOriginal(uri: string): Refusal {
  return new Refusal(404, "not-found", "The file of this version is not kept, and no longer lies where it was read.", {
    uri,
    hint: "Read the text with GET /view, or upload the file again.",
  });
}

/** A file for download: never shown by a browser as a page of this service. **Source** RFC 9110, 14. */
function fileResponse(request: Request, bytes: Uint8Array, document: DocumentView): Response {
  const etag = `"${document.contentHash}"`;
  const name = (document.path ?? document.uri)
    .split("/")
    .at(-1)!
    .replace(/[^\w. -]/gu, "_");
  const headers = {
    "content-type": isPdf(document) ? "application/pdf" : "application/octet-stream",
    "content-disposition": `attachment; filename="${name}"; filename*=UTF-8''${encodeURIComponent((document.path ?? document.uri).split("/").at(-1)!)}`,
    "content-security-policy": "sandbox; default-src 'none'",
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    etag,
  };
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  const asked = /^bytes=(\d*)-(\d*)$/u.exec(request.headers.get("range") ?? "");
  const [, first = "", last = ""] = asked ?? [];
  const size = bytes.length;
  const isWhole = asked === null || (first === "" && last === "") || (request.headers.get("if-range") ?? etag) !== etag;
  if (isWhole)
    return new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { ...headers, "content-length": String(size) } });
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end || start >= size) {
    throw new Refusal(416, "invalid-argument", `The file has ${size} bytes; the range begins after them.`, {
      hint: "Ask for bytes within the file.",
      headers: { "content-range": `bytes */${size}` },
    });
  }
  const part = bytes.slice(start, end + 1);
  return new Response(part, {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${start}-${end}/${size}`, "content-length": String(part.length) },
  });
}
