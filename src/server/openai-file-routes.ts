import { z } from "zod";
import type { DocumentSummary } from "../contracts/document-store.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Scope } from "../contracts/scope.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import { given } from "./given.ts";
import { madeAt, type OpenAiShelf, type UploadedFile } from "./openai-shelf.ts";
import { readForm } from "./read-form.ts";
import { checked } from "./read-request.ts";
import { Refusal } from "./refusal.ts";
import { type Caller, defineRoute, jsonResponse, type Route } from "./route.ts";

export const openAiId = z.string().min(1).max(300);
const filePath = z.strictObject({ file: openAiId });

/** Parameters of a list in OpenAI's shape. */
export const openAiPageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(20),
  after: openAiId.optional().meta({ description: "The last id of the page before." }),
});
const filesQuery = openAiPageQuery.extend({
  limit: z.coerce.number().int().min(1).max(10_000).default(20),
  order: z.enum(["asc", "desc"]).default("desc").meta({ description: "By the time at which a file came." }),
  purpose: z.enum(["assistants", "user_data"]).optional(),
});

const uploadFields = z.strictObject({
  purpose: z.enum(["assistants", "user_data"]),
  "expires_after[anchor]": z.literal("created_at").optional(),
  "expires_after[seconds]": z.coerce.number().int().min(3600).max(2_592_000).optional(),
});

const file = z
  .looseObject({ id: z.string(), object: z.literal("file"), bytes: z.int(), filename: z.string() })
  .meta({ id: "OpenAIFile" });

/** A page of a list in OpenAI's shape. */
export const openAiPage = z
  .looseObject({ object: z.string(), data: z.array(z.looseObject({})), has_more: z.boolean() })
  .meta({ id: "OpenAIPage" });

export const described = (description: string, schema: z.ZodType) => ({
  200: { description, content: { "application/json": schema } },
});

/**
 * Files in the shape of OpenAI's API: the documents, and files that the caller uploaded. No search finds these before they are in a vector store.
 *
 * **Cost** a page reads its own rows of the documents, and the records of all uploaded files. **Source** OpenAI's API reference: files.
 */
export function createOpenAiFileRoutes(shelf: OpenAiShelf | undefined): readonly Route[] {
  const upload = async (caller: Caller, wanted: string): Promise<UploadedFile | undefined> =>
    shelf?.file(caller, wanted);
  return [
    ...(shelf === undefined ? withoutFiles([createUploadRoute(shelf!)]) : [createUploadRoute(shelf)]),
    defineRoute({
      method: "GET",
      path: "/v1/files",
      name: "listFiles",
      summary: "The caller's uploaded files and the documents, as files in OpenAI's shape.",
      tag: "openai",
      needs: "reader",
      isLight: true,
      query: filesQuery,
      answers: described("The files.", openAiPage),
      async handle({ kb, caller, query }) {
        const found = await listFiles(kb, (await shelf?.listFiles(caller!)) ?? [], query);
        return jsonResponse(toPage(found.slice(0, query.limit), found.length > query.limit));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/files/{file}",
      name: "getFile",
      summary: "An uploaded file or a document, in OpenAI's shape.",
      tag: "openai",
      needs: "reader",
      isLight: true,
      params: filePath,
      answers: described("The file.", file),
      async handle({ kb, caller, params }) {
        const uploaded = await upload(caller!, params.file);
        return jsonResponse(uploaded ? showUpload(uploaded) : showDocument(await findDocument(kb, params.file)));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/files/{file}/content",
      name: "getFileContent",
      summary: "The bytes of an uploaded file, or the text of a document.",
      tag: "openai",
      needs: "reader",
      isLight: true,
      params: filePath,
      answers: {
        200: {
          description: "The text or the bytes.",
          content: { "text/plain": undefined, "application/octet-stream": undefined },
        },
      },
      async handle({ kb, caller, params }) {
        const uploaded = await upload(caller!, params.file);
        if (uploaded !== undefined) {
          const bytes = (await shelf!.bytes(uploaded.id)) ?? unknownFile(params.file);
          // Never a type that a browser would show: anybody's HTML may be in it.
          const headers = { "content-type": "application/octet-stream", "content-disposition": "attachment" };
          return new Response(bytes as Uint8Array<ArrayBuffer>, { headers });
        }
        const { uri, scope } = await findDocument(kb, params.file);
        const document = (await kb.document(uri, { scope })) ?? unknownFile(params.file);
        return new Response(document.text, { headers: { "content-type": "text/plain; charset=utf-8" } });
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/files/{file}",
      name: "deleteFile",
      summary: "Deletes an uploaded file with its documents in vector stores, or a document.",
      tag: "openai",
      needs: "writer",
      params: filePath,
      answers: described("It is gone.", z.looseObject({ id: z.string(), deleted: z.literal(true) })),
      async handle({ kb, caller, params }) {
        const uploaded = await upload(caller!, params.file);
        if (uploaded === undefined) {
          const { uri, scope } = await findDocument(kb, params.file);
          await kb.delete(uri, { scope });
        } else {
          for await (const { uri, scope } of documentsOf(kb, shelf!, uploaded.id))
            if (kb.mayWrite(scope)) await kb.delete(uri, { scope });
          await shelf!.removeFile(uploaded.id);
        }
        return jsonResponse({ id: params.file, object: "file", deleted: true });
      },
    }),
  ];
}

/** Routes that need files which the service keeps, in one that keeps none. */
export function withoutFiles(routes: readonly Route[]): readonly Route[] {
  const absent = {
    message: "This service keeps no uploaded files.",
    hint: "Add a document with PUT /document or POST /jobs; GET /v1/files lists it. The operator can give the service files: { files: openFileBlobStore(…) }.",
  };
  return routes.map((route) => ({ ...route, absent }));
}

function createUploadRoute(shelf: OpenAiShelf): Route {
  return defineRoute({
    method: "POST",
    path: "/v1/files",
    name: "createFile",
    summary: "Uploads a file in OpenAI's shape, for a vector store.",
    tag: "openai",
    needs: "writer",
    body: "bytes",
    accepts: { "multipart/form-data": z.looseObject({ ...uploadFields.shape }) },
    answers: described("The file.", file),
    async handle({ caller, request, body }) {
      const type = request.headers.get("content-type") ?? "";
      if (!type.toLowerCase().startsWith("multipart/form-data"))
        throw new Refusal(415, "unsupported-media", "The body is no form.", {
          hint: "Send multipart/form-data with file and purpose.",
        });
      const { files, fields } = await readForm(body as Uint8Array, type);
      const facts = checked(uploadFields, fields);
      const [given] = files;
      if (files.length !== 1 || given!.name === "")
        throw new Refusal(
          400,
          "invalid-argument",
          `The form has ${files.length} files; it must have one, with a name.`,
          {
            hint: "Send each file by a request of its own.",
          },
        );
      const seconds = facts["expires_after[seconds]"];
      const uploaded = await shelf.addFile(
        caller!,
        {
          filename: given!.name.replaceAll(/[\\/]/gu, "_"),
          purpose: facts.purpose,
          ...(given!.type !== "" && given!.type !== "application/octet-stream" && { mediaType: given!.type }),
          ...(seconds !== undefined && { expiresAt: Math.floor(platformNow() / 1000) + seconds }),
        },
        new Uint8Array(await given!.arrayBuffer()),
      );
      return jsonResponse(showUpload(uploaded));
    },
  });
}

/** Uploaded files and documents by the time at which they came, after the one with an id. Uploaded files come before documents of the same time. **Shape** one more than `limit`, where there are so many. */
async function listFiles(
  kb: KnowledgeBase,
  latestFirst: readonly UploadedFile[],
  { limit, after, order, purpose }: z.output<typeof filesQuery>,
): Promise<readonly { readonly id: string }[]> {
  const isUp = order === "asc";
  const all = isUp ? latestFirst.toReversed() : latestFirst;
  const place = all.findIndex(({ id }) => id === after);
  const last = after === undefined || place !== -1 ? undefined : await findDocument(kb, after);
  const follows = (one: UploadedFile): boolean => {
    const turn = last === undefined ? 1 : madeAt(one) - Date.parse(last.ingestedAt);
    return (purpose === undefined || one.purpose === purpose) && (isUp ? turn > 0 : last === undefined || turn < 0);
  };
  const uploads = all.slice(place + 1).filter(follows);
  const time = place === -1 ? undefined : madeAt(all[place]!);
  const range = time === undefined ? {} : isUp ? { since: isoOf(time) } : { before: isoOf(time + 1) };
  const from = last === undefined ? range : { after: { uri: last.uri, scope: last.scope } };
  const documents: DocumentSummary[] = [];
  if (purpose !== "user_data")
    for await (const one of kb.list({ sort: isUp ? "oldest" : "newest", limit: limit + 1, ...from }))
      documents.push(one);
  const files: { readonly id: string }[] = [];
  for (let [u, d] = [0, 0]; files.length <= limit && (u < uploads.length || d < documents.length);) {
    const [upload, document] = [uploads[u], documents[d]];
    const turn = upload && document ? madeAt(upload) - Date.parse(document.ingestedAt) : 0;
    if (upload !== undefined && (document === undefined || (isUp ? turn <= 0 : turn >= 0))) {
      files.push(showUpload(upload));
      u++;
    } else {
      files.push(showDocument(document!));
      d++;
    }
  }
  return files;
}

const isoOf = (time: number): string => new Date(time).toISOString();

/** A page of documents that follow another one. **Shape** one more than `limit`, where there are so many. */
export async function listDocuments(
  kb: KnowledgeBase,
  { limit, after, ...within }: { limit: number; after?: string | undefined; scope?: Scope; under?: string },
): Promise<DocumentSummary[]> {
  const last = after === undefined ? undefined : await findDocument(kb, after);
  const from = last === undefined ? {} : { after: { uri: last.uri, scope: last.scope } };
  const found = [];
  for await (const document of kb.list({ ...within, ...from, limit: limit + 1 })) found.push(document);
  return found;
}

export function toPage(data: readonly { readonly id: string }[], hasMore: boolean): object {
  return { object: "list", data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: hasMore };
}

/** Number of the first entry behind the one with an id. **Errors** 400 for an id that is not in the list. */
export function placeAfter(all: readonly { readonly id: string }[], after: string | undefined, list: string): number {
  const place = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after === undefined || place > 0) return place;
  throw new Refusal(
    400,
    "invalid-argument",
    `after is ${JSON.stringify(after.slice(0, 100))}; the list has no such id.`,
    {
      hint: `See ${list} for the ids, or begin again.`,
    },
  );
}

/** The documents that an uploaded file became, in vector stores and whole scopes. */
async function* documentsOf(kb: KnowledgeBase, shelf: OpenAiShelf, upload: string): AsyncGenerator<DocumentSummary> {
  const stores = (await shelf.listStores(kb)).map(({ id }) => `${id}/`);
  for (const under of ["", ...stores]) yield* kb.list({ under: `${under}${upload}/` });
}

/** **Errors** 404. */
export async function findDocument(kb: KnowledgeBase, wanted: string, scope?: Scope): Promise<DocumentSummary> {
  for await (const document of kb.list({ documentId: wanted, ...given({ scope }) })) return document;
  return unknownFile(wanted);
}

export function unknownFile(wanted: string): never {
  throw new Refusal(404, "not-found", `The file ${JSON.stringify(wanted.slice(0, 100))} is not here.`, {
    hint: "See GET /v1/files for the ids.",
  });
}

/** Seconds since 1970. */
export const secondsOf = (time: string): number => Math.floor(Date.parse(time) / 1000);

/** The uri of a document that was put into a vector store begins with the ids of the store and of the uploaded file. */
const fromUpload = /^(?:vs_[0-9a-f]{32}\/)?(file-[0-9a-f]{32})\//u;

/** The name of a file by its uri. */
export const filenameOf = (uri: string): string => uri.replace(fromUpload, "");

/** The id of the uploaded file that a document was made of; `undefined` for any other document. */
export const uploadIdOf = (uri: string): string | undefined => fromUpload.exec(uri)?.[1];

/** The id under which the caller finds a document among the files: that of their own upload, else the document's. */
export type FileId = (document: { readonly uri: string; readonly documentId: string }) => string;

/** **Cost** a look-up for each uploaded file among the uris. */
export async function fileIdsOf(
  shelf: OpenAiShelf | undefined,
  caller: Caller,
  uris: Iterable<string>,
): Promise<FileId> {
  const uploads = new Set(Array.from(uris, uploadIdOf).filter((id) => id !== undefined));
  const own = new Set<string>();
  for (const id of uploads) if ((await shelf?.file(caller, id)) !== undefined) own.add(id);
  return ({ uri, documentId }) => {
    const upload = uploadIdOf(uri);
    return upload !== undefined && own.has(upload) ? upload : documentId;
  };
}

function showDocument({ id, uri, bytes, ingestedAt }: DocumentSummary) {
  const facts = { bytes, created_at: secondsOf(ingestedAt), filename: filenameOf(uri) };
  return { id, object: "file", ...facts, purpose: "assistants", status: "processed" };
}

function showUpload({ id, bytes, createdAt, filename, purpose, expiresAt }: UploadedFile) {
  const facts = { bytes, created_at: createdAt, filename, purpose, status: "processed" };
  return { id, object: "file", ...facts, ...(expiresAt !== undefined && { expires_at: expiresAt }) };
}
