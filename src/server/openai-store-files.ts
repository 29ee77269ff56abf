import { z } from "zod";
import {
  toPage,
  described,
  openAiPage,
  openAiPageQuery,
  openAiId,
  placeAfter,
  unknownFile,
} from "./openai-file-routes.ts";
import type { LiveJob } from "./jobs/job.ts";
import type { ServiceJobs } from "./jobs/service-jobs.ts";
import type { OpenAiShelf } from "./openai-shelf.ts";
import {
  batchPath,
  checkWritable,
  chunking,
  deleted,
  documentOf,
  fileBatch,
  filePath,
  fileState,
  isWithin,
  latestJob,
  pendingFiles,
  showBatch,
  showJob,
  showStoreFile,
  storeFile,
  storePath,
  uploadOf,
} from "./openai-store-shapes.ts";
import { findStore, storeAttributes, storeKey, type VectorStore } from "./openai-stores.ts";
import { Refusal } from "./refusal.ts";
import { type Call, type Caller, defineRoute, jsonResponse, type Route } from "./route.ts";

const attachBody = z
  .strictObject({ file_id: openAiId, attributes: storeAttributes.nullish(), chunking_strategy: chunking })
  .meta({ id: "OpenAINewStoreFile" });
const attributesBody = z.strictObject({ attributes: storeAttributes.nullable() });
const batchBody = z
  .strictObject({
    file_ids: z.array(openAiId).min(1).max(500).optional(),
    files: z.array(attachBody).min(1).max(500).optional(),
    attributes: storeAttributes.nullish(),
    chunking_strategy: chunking,
  })
  .refine((given) => (given.file_ids === undefined) !== (given.files === undefined), {
    error: "must have file_ids or files, one of them",
  })
  .meta({ id: "OpenAINewFileBatch" });

/** Files of vector stores, which a caller who may write puts in, changes and takes out; a job ingests each. */
export function createStoreFileRoutes(shelf: OpenAiShelf, jobs: ServiceJobs): readonly Route[] {
  const put = createAttach(shelf, jobs);
  return [
    defineRoute({
      method: "POST",
      path: "/v1/vector_stores/{store}/files",
      name: "createVectorStoreFile",
      summary: "Puts an uploaded file into a vector store: a job ingests it.",
      tag: "openai",
      needs: "writer",
      params: storePath,
      body: attachBody,
      answers: described("The file of the store.", storeFile),
      async handle(call) {
        const found = await findStore(call.kb, shelf, call.params.store);
        return jsonResponse(showJob(found, call.body.file_id, await put(call, found, call.body)));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/vector_stores/{store}/files/{file}",
      name: "getVectorStoreFile",
      summary: "A file of a vector store, with its state.",
      tag: "openai",
      needs: "reader",
      isLight: true,
      params: filePath,
      answers: described("The file of the store.", storeFile),
      async handle({ kb, caller, params }) {
        const found = await findStore(kb, shelf, params.store);
        const job = await latestJob(jobs, caller!, found, params.file);
        if (job !== undefined && job.record.state !== "indexed" && job.record.state !== "unchanged")
          return jsonResponse(showJob(found, params.file, job));
        return jsonResponse(await showStoreFile(kb, found, await documentOf(kb, found, params.file)));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/vector_stores/{store}/files/{file}",
      name: "changeVectorStoreFile",
      summary: "Changes the attributes of a file of a vector store: a job ingests it again.",
      tag: "openai",
      needs: "writer",
      params: filePath,
      body: attributesBody,
      answers: described("The file of the store.", storeFile),
      async handle(call) {
        const { kb, params, body } = call;
        const found = await findStore(kb, shelf, params.store);
        await documentOf(kb, found, params.file);
        const job = await put(call, found, { file_id: params.file, attributes: body.attributes });
        return jsonResponse(showJob(found, params.file, job));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/vector_stores/{store}/files/{file}/content",
      name: "getVectorStoreFileContent",
      summary: "The text of a file of a vector store.",
      tag: "openai",
      needs: "reader",
      isLight: true,
      params: filePath,
      answers: described("The text.", openAiPage),
      async handle({ kb, params }) {
        const found = await findStore(kb, shelf, params.store);
        const { uri, scope } = await documentOf(kb, found, params.file);
        const { text } = (await kb.document(uri, { scope })) ?? unknownFile(params.file);
        const data = [{ type: "text", text }];
        return jsonResponse({ object: "vector_store.file_content.page", data, has_more: false, next_page: null });
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/vector_stores/{store}/files/{file}",
      name: "deleteVectorStoreFile",
      summary: "Takes a file out of a vector store; the uploaded file stays.",
      tag: "openai",
      needs: "writer",
      params: filePath,
      answers: described("It is gone.", deleted),
      async handle({ kb, caller, params }) {
        const found = await findStore(kb, shelf, params.store);
        const pending = (await pendingFiles(kb, jobs, caller!, found)).some(({ id }) => id === params.file);
        if (pending) await jobs.remove(caller!, [(await latestJob(jobs, caller!, found, params.file))!.record.id]);
        else {
          const { uri, scope } = await documentOf(kb, found, params.file);
          await kb.delete(uri, { scope });
        }
        return jsonResponse({ id: params.file, object: "vector_store.file.deleted", deleted: true });
      },
    }),
    ...createBatchRoutes(shelf, jobs, put),
  ];
}

function createBatchRoutes(shelf: OpenAiShelf, jobs: ServiceJobs, put: Attach): readonly Route[] {
  const jobsOf = async (caller: Caller, found: VectorStore, batch: string): Promise<readonly LiveJob[]> => {
    const all = (await jobs.list(caller, { batch })).filter(({ record }) => isWithin(found, record));
    if (all.length > 0) return all;
    throw new Refusal(404, "not-found", `The batch ${JSON.stringify(batch.slice(0, 100))} is not here.`, {
      hint: "A batch is kept as long as its jobs.",
    });
  };
  return [
    defineRoute({
      method: "POST",
      path: "/v1/vector_stores/{store}/file_batches",
      name: "createFileBatch",
      summary: "Puts several uploaded files into a vector store.",
      tag: "openai",
      needs: "writer",
      params: storePath,
      body: batchBody,
      answers: described("The batch.", fileBatch),
      async handle(call) {
        const { kb, caller, body } = call;
        const found = await findStore(kb, shelf, call.params.store);
        const wanted: readonly Attached[] = body.files ?? body.file_ids!.map((id) => ({ file_id: id }));
        // All or none: a batch without one of its files is none.
        for (const { file_id } of wanted) if (!(await shelf.file(caller!, file_id))) unknownFile(file_id);
        const batch = `vsfb_${crypto.randomUUID().replaceAll("-", "")}`;
        for (const one of wanted) await put(call, found, { attributes: body.attributes, ...one }, batch);
        return jsonResponse(showBatch(found, batch, await jobsOf(caller!, found, batch)));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/vector_stores/{store}/file_batches/{batch}",
      name: "getFileBatch",
      summary: "A batch of files of a vector store, with its counts.",
      tag: "openai",
      needs: "writer",
      isLight: true,
      params: batchPath,
      answers: described("The batch.", fileBatch),
      async handle({ kb, caller, params }) {
        const found = await findStore(kb, shelf, params.store);
        return jsonResponse(showBatch(found, params.batch, await jobsOf(caller!, found, params.batch)));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/vector_stores/{store}/file_batches/{batch}/cancel",
      name: "cancelFileBatch",
      summary: "Ends the jobs of a batch that are not over.",
      tag: "openai",
      needs: "writer",
      params: batchPath,
      answers: described("The batch.", fileBatch),
      async handle({ kb, caller, params }) {
        const found = await findStore(kb, shelf, params.store);
        const ids = (await jobsOf(caller!, found, params.batch)).map(({ record }) => record.id);
        await jobs.cancel(caller!, ids);
        return jsonResponse(showBatch(found, params.batch, await jobsOf(caller!, found, params.batch)));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/vector_stores/{store}/file_batches/{batch}/files",
      name: "listFileBatchFiles",
      summary: "The files of a batch, with their states.",
      tag: "openai",
      needs: "writer",
      isLight: true,
      params: batchPath,
      query: openAiPageQuery.extend({ filter: fileState.optional() }),
      answers: described("The files.", openAiPage),
      async handle({ kb, caller, params, query: { limit, after, filter } }) {
        const found = await findStore(kb, shelf, params.store);
        const all = (await jobsOf(caller!, found, params.batch))
          .map((job) => showJob(found, uploadOf(job), job))
          .filter(({ status }) => filter === undefined || status === filter);
        const from = placeAfter(all, after, "the list without after");
        return jsonResponse(toPage(all.slice(from, from + limit), from + limit < all.length));
      },
    }),
  ];
}

/** A file to put into a store. */
interface Attached {
  readonly file_id: string;
  readonly attributes?: z.output<typeof storeAttributes> | null | undefined;
}

type Attach = (call: Call, found: VectorStore, wanted: Attached, batch?: string) => Promise<LiveJob>;

/** Makes the function that puts an uploaded file into a store by a job. **Errors** 404 for an unknown file, 403 for a scope that the caller may not write. */
export function createAttach(shelf: OpenAiShelf, jobs: ServiceJobs): Attach {
  return async ({ kb, caller, signal }, found, { file_id, attributes }, batch) => {
    checkWritable(kb, found.scope);
    const file = (await shelf.file(caller!, file_id)) ?? unknownFile(file_id);
    const bytes = (await shelf.bytes(file_id)) ?? unknownFile(file_id);
    const { filename, mediaType } = file;
    const request = {
      uri: `${found.under}${file_id}/${filename}`,
      scope: found.scope,
      mediaType,
      metadata: { ...attributes, ...(found.made !== undefined && { [storeKey]: found.id }) },
      batch,
    };
    const id = await jobs.create(caller!, request, { kind: "file", size: bytes.byteLength });
    if (bytes.byteLength > 0) await jobs.receive(id, 0, bytes, signal);
    await shelf.attach(file);
    return jobs.find(caller!, id);
  };
}
