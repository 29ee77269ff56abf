import { z } from "zod";
import { given } from "../given.ts";
import { readForm } from "../read-form.ts";
import type { ServiceLimits } from "../handler-options.ts";
import { checkEncoding, checked, parseJson, readBytes } from "../read-request.ts";
import { Refusal } from "../refusal.ts";
import { type Call, defineRoute, jsonResponse, type Route } from "../route.ts";
import { createEventResponse, type ServerSentEvent } from "../event-response.ts";
import type { JobChanges, JobRequest } from "./job.ts";
import * as schemas from "./job-schemas.ts";
import type { ServiceJobs } from "./service-jobs.ts";

/** Content types that clients send by default. They say nothing of the file. */
const saysNothing = new Set(["", "application/octet-stream", "application/x-www-form-urlencoded"]);

/** A document to ingest, with its bytes. */
type Wanted = { readonly request: JobRequest } & (
  | { readonly kind: "url" }
  | { readonly kind: "file" | "text"; readonly bytes: Uint8Array }
);

/** Limits of the bodies of new jobs. */
type JobBodyLimits = Pick<Required<ServiceLimits>, "maxJsonBytes" | "maxUploadBytes" | "bodyTimeoutMs">;

/** Ingestion in the background. A caller sees the jobs of its own; operators see all. */
export function createJobRoutes(jobs: ServiceJobs, limits: JobBodyLimits): readonly Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/jobs",
      name: "createJobs",
      summary:
        "Documents that are ingested in the background: an address, a text, several of them; a form with files; or one file.",
      tag: "jobs",
      needs: "writer",
      query: schemas.jobQuery,
      body: "stream",
      pool: "uploads",
      isSlow: true,
      accepts: {
        "application/json": schemas.jobBody,
        "multipart/form-data": z.looseObject({ ...schemas.jobForm.shape }),
        "*/*": undefined,
      },
      answers: { 202: { description: "The jobs.", content: { "application/json": schemas.jobsResponse } } },
      async handle(call) {
        const raw = readRaw(call);
        if (raw !== undefined && raw.size >= 0) return jsonResponse({ jobs: [await receiveRaw(jobs, call, raw)] }, 202);
        const wanted = await readWanted(call, limits);
        const made: object[] = [];
        for (const each of wanted) made.push(await create(jobs, call, each));
        return jsonResponse({ jobs: made }, 202);
      },
    }),
    defineRoute({
      method: "GET",
      path: "/jobs",
      name: "listJobs",
      summary: "The caller's jobs, latest first; for operators those of all callers.",
      tag: "jobs",
      needs: "writer",
      isLight: true,
      query: schemas.jobListQuery,
      answers: { 200: { description: "One page of the list.", content: { "application/json": schemas.jobPage } } },
      async handle({ caller, query: { state, batch, limit, after } }) {
        const all = await jobs.list(caller!, { batch, states: state?.split(",") });
        const from = after === undefined ? 0 : all.findIndex(({ record }) => record.id === after) + 1;
        if (after !== undefined && from === 0)
          throw new Refusal(400, "invalid-argument", "after is no job of this list.", {
            hint: "Give the `next` of the page before, or begin again.",
          });
        const page = all.slice(from, from + limit);
        const hasMore = from + limit < all.length;
        return jsonResponse({
          jobs: page.map((job) => jobs.show(caller!, job)),
          total: all.length,
          ...(hasMore && { next: page.at(-1)!.record.id }),
        });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/job",
      name: "getJob",
      summary: "One job: its state, its progress, and its result or the reason of its failure.",
      tag: "jobs",
      needs: "writer",
      isLight: true,
      query: schemas.jobIdQuery,
      answers: { 200: { description: "The job.", content: { "application/json": schemas.jobSchema } } },
      handle: async ({ caller, query: { id } }) => jsonResponse(jobs.show(caller!, await jobs.find(caller!, id))),
    }),
    defineRoute({
      method: "DELETE",
      path: "/job",
      name: "removeJob",
      summary: "Removes a job from the list; one that is not over is cancelled. An ingested document stays.",
      tag: "jobs",
      needs: "writer",
      isLight: true,
      query: schemas.jobIdQuery,
      answers: { 200: { description: "Its id.", content: { "application/json": schemas.jobIdsResponse } } },
      handle: async ({ caller, query: { id } }) => jsonResponse({ ids: await jobs.remove(caller!, [id]) }),
    }),
    defineRoute({
      method: "POST",
      path: "/jobs/cancel",
      name: "cancelJobs",
      summary: "Ends jobs that are not over.",
      tag: "jobs",
      needs: "writer",
      isLight: true,
      body: schemas.jobIdsBody,
      answers: {
        200: { description: "Those that it ended.", content: { "application/json": schemas.jobIdsResponse } },
      },
      handle: async ({ caller, body: { ids } }) => jsonResponse({ ids: await jobs.cancel(caller!, ids) }),
    }),
    defineRoute({
      method: "POST",
      path: "/jobs/retry",
      name: "retryJobs",
      summary: "Queues failed jobs again, and begins those at once that wait for their next attempt.",
      tag: "jobs",
      needs: "writer",
      isLight: true,
      body: schemas.jobIdsBody,
      answers: {
        200: { description: "Those that it queued.", content: { "application/json": schemas.jobIdsResponse } },
      },
      handle: async ({ caller, body: { ids } }) => jsonResponse({ ids: await jobs.retry(caller!, ids) }),
    }),
    createEventsRoute(jobs),
  ];
}

function createEventsRoute(jobs: ServiceJobs): Route {
  return defineRoute({
    method: "GET",
    path: "/jobs/events",
    name: "watchJobs",
    summary:
      "Changes of the caller's jobs as server-sent events: `job` and `removed`, and `end` at the end. Last-Event-ID resumes.",
    tag: "jobs",
    needs: "writer",
    pool: "events",
    isSlow: true,
    query: schemas.jobEventsQuery,
    answers: {
      200: { description: "The events.", content: {}, events: schemas.jobEvents },
      204: { description: "All jobs of the selection are over, and the client has seen that.", content: {} },
    },
    handle: async (call) => watch(jobs, call),
  });
}

async function create(jobs: ServiceJobs, { caller, signal }: Call, wanted: Wanted): Promise<object> {
  const source = wanted.kind === "url" ? wanted : { kind: wanted.kind, size: wanted.bytes.byteLength };
  const id = await jobs.create(caller!, wanted.request, source);
  if (wanted.kind !== "url" && wanted.bytes.byteLength > 0) await jobs.receive(id, 0, wanted.bytes, signal);
  return jobs.show(caller!, await jobs.find(caller!, id));
}

/** A raw file whose size is announced. */
interface RawFile {
  readonly request: JobRequest;
  readonly size: number;
}

/** **Shape** `undefined` for JSON, for a form, and for a file of an unknown size. **Errors** 400, 415. */
function readRaw({ request, query }: Call<z.output<typeof schemas.jobQuery>>): RawFile | undefined {
  const { uri, charset, ...facts } = query;
  const given = request.headers.get("content-type") ?? "";
  const [type = "", ...parameters] = given.split(";").map((part) => part.trim());
  const kind = type.toLowerCase();
  if (kind === "multipart/form-data" || (kind === "application/json" && uri === undefined)) return undefined;
  if (uri === undefined)
    throw new Refusal(400, "invalid-argument", "The parameter uri is missing.", {
      hint: "Name the file: POST /jobs?uri=manual.pdf, or send JSON or a form.",
    });
  checkEncoding(request);
  const declared = parameters.map((each) => /^charset="?([\w.:-]+)"?$/iu.exec(each)?.[1]).find(Boolean);
  const mediaType = saysNothing.has(kind) ? undefined : type;
  const length = request.headers.get("content-length");
  // A body without a length has a size when it ends, so it is read first.
  return { request: { uri, ...facts, mediaType, charset: charset ?? declared }, size: Number(length ?? -1) };
}

/** Makes a job of a raw file, whose bytes go to the shelf as they arrive. A body that breaks off leaves no job. */
async function receiveRaw(jobs: ServiceJobs, call: Call, { request, size }: RawFile): Promise<object> {
  const { caller, signal, hold, count } = call;
  const id = await jobs.create(caller!, request, { kind: "file", size });
  try {
    if (size > 0) await jobs.receive(id, 0, call.request.body, signal, hold, count);
    const job = await jobs.find(caller!, id);
    if (job.received === size) return jobs.show(caller!, job);
    throw new Refusal(400, "invalid-argument", "The body ends before it is complete.", { hint: "Send it again." });
  } catch (error) {
    await jobs.remove(caller!, [id]).catch(() => {});
    throw error;
  }
}

async function readWanted(
  call: Call<z.output<typeof schemas.jobQuery>>,
  { maxJsonBytes, maxUploadBytes, bodyTimeoutMs }: JobBodyLimits,
): Promise<readonly Wanted[]> {
  const { request, query, hold, count } = call;
  const given = request.headers.get("content-type") ?? "";
  const [type = ""] = given.split(";").map((part) => part.trim().toLowerCase());
  if (query.uri === undefined || type === "multipart/form-data") refuseParameters(query);
  const isJson = type === "application/json" && query.uri === undefined;
  const maxBytes = isJson ? maxJsonBytes : maxUploadBytes;
  const onPart = (bytes: number): void => {
    hold(bytes);
    count(bytes);
  };
  const bytes = await readBytes(request, { maxBytes, timeoutMs: bodyTimeoutMs, onPart });
  if (isJson) return readSources(parseJson(bytes, schemas.jobBody));
  if (type === "multipart/form-data") return readFiles(bytes, given);
  return [{ kind: "file", bytes, request: readRaw(call)!.request }];
}

function refuseParameters(query: object): void {
  const [name] = Object.entries(query).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  throw new Refusal(400, "invalid-argument", `The parameter ${name} stands in the address.`, {
    hint: "Put it into the body: parameters belong to a raw file.",
  });
}

/** Addresses and texts of a JSON body. */
function readSources(body: z.output<typeof schemas.jobBody>): readonly Wanted[] {
  const { jobs, url, uri, text, title, mediaType, webhook, batch, ...facts } = body;
  const own = given({ url, uri, text, title, mediaType });
  if (jobs !== undefined && Object.keys(own).length > 0)
    throw wrong(`The field ${Object.keys(own)[0]} is given beside jobs`, "Put every source into jobs.");
  const name = batch ?? (jobs === undefined ? undefined : crypto.randomUUID());
  return (jobs ?? [{ ...own, metadata: undefined }]).map(({ metadata, ...one }) => {
    const shared = { ...facts, batch: name, batchSize: jobs?.length, webhook };
    const all = metadata === undefined ? shared : { ...shared, metadata: { ...facts.metadata, ...metadata } };
    if (one.url !== undefined) {
      const beside = Object.keys(given({ ...one, url: undefined }))[0];
      if (beside !== undefined)
        throw wrong(`The field ${beside} is given beside url`, "Leave it out: the page has its own.");
      return { kind: "url", request: { ...all, uri: one.url } };
    }
    if (one.text === undefined || one.uri === undefined)
      throw wrong(
        "A source has neither url, nor uri and text",
        'Write {"url": "https://…"} or {"uri": "a.md", "text": "…"}.',
      );
    const { text: content, url: _url, ...rest } = one;
    return { kind: "text", bytes: new TextEncoder().encode(content), request: { ...all, ...rest } as JobRequest };
  });
}

/** Files of a form, with its fields. */
async function readFiles(bytes: Uint8Array, type: string): Promise<readonly Wanted[]> {
  const { files, fields } = await readForm(bytes, type);
  const { uri, batch, ...facts } = checked(schemas.jobForm, fields);
  if (uri !== undefined && files.length > 1)
    throw wrong("The field uri is given for several files", "Leave it out: each file has its name.");
  const name = batch ?? (files.length > 1 ? crypto.randomUUID() : undefined);
  return Promise.all(
    files.map(async (file): Promise<Wanted> => {
      const mediaType = saysNothing.has(file.type) ? undefined : file.type;
      const request = { ...facts, uri: uri ?? file.name, mediaType, batch: name, batchSize: files.length };
      if (request.uri.trim() === "") throw wrong("A file has no name", "Give it one, or the field uri.");
      return { kind: "file", bytes: new Uint8Array(await file.arrayBuffer()), request };
    }),
  );
}

/** Sends the state of every job, then each change. */
async function watch(
  jobs: ServiceJobs,
  { caller, query, request, signal }: Call<z.output<typeof schemas.jobEventsQuery>>,
): Promise<Response> {
  if (query.id !== undefined) await jobs.find(caller!, query.id);
  const isFiltered = query.id !== undefined || query.batch !== undefined;
  const last = /^(\w+)-(\d+)$/u.exec(request.headers.get("last-event-id") ?? "");
  // Numbers of another process say nothing here.
  let after = last?.[1] === jobs.epoch ? Number(last?.[2]) : undefined;
  const first = await jobs.changes(caller!, query, after);
  if (last !== null && isFiltered && first.isOver && !first.isWhole && first.jobs.length === 0)
    return new Response(null, { status: 204 });
  const event = (name: string, revision: number, data: object): ServerSentEvent => ({
    id: `${jobs.epoch}-${revision}`,
    event: name,
    data: JSON.stringify(data),
  });
  async function* events(): AsyncGenerator<ServerSentEvent, void> {
    for (let found: JobChanges = first; ; found = await jobs.changes(caller!, query, after)) {
      after = found.revision;
      if (found.isWhole) yield event("begin", 0, { jobs: found.jobs.length });
      for (const { job, revision } of found.jobs) yield event("job", revision, job);
      for (const id of found.removed) yield event("removed", after, { id });
      const reason =
        isFiltered && found.isOver ? "over" : jobs.isClosed ? "stopping" : signal.aborted ? "time" : undefined;
      if (reason !== undefined) return yield event("end", after, { reason });
      await jobs.changed(caller!, after, signal);
    }
  }
  return createEventResponse(events());
}

function wrong(problem: string, hint: string): Refusal {
  return new Refusal(400, "invalid-argument", `${problem}.`, { hint });
}
