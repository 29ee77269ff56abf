import type { z } from "zod";
import { checked } from "../read-request.ts";
import { Refusal } from "../refusal.ts";
import { type Call, defineRoute, type Route } from "../route.ts";
import { errorResponse } from "../response-schemas.ts";
import type { JobRequest, LiveJob } from "./job.ts";
import { jobIdQuery, tusMetadata } from "./job-schemas.ts";
import type { ServiceJobs } from "./service-jobs.ts";

type TusMetadata = z.output<typeof tusMetadata>;

const version = "1.0.0";
const pieceType = "application/offset+octet-stream";

const wrongVersion = {
  description: "The client speaks another version of tus.",
  content: { "application/json": errorResponse },
};

/** Options of the routes for resumable uploads. */
export interface TusOptions {
  readonly maxUploadBytes: number;
  /** Time after which an upload that does not go on is removed. **Units** hours. */
  readonly jobHours: number;
}

/**
 * Resumable uploads. A file that is complete becomes a job, which has the id of the upload.
 *
 * **Source** tus 1.0.0, with the extensions creation, creation-with-upload, expiration and termination.
 */
export function createTusRoutes(jobs: ServiceJobs, { maxUploadBytes, jobHours }: TusOptions): readonly Route[] {
  const headers = {
    always: { "tus-resumable": version },
    options: {
      "tus-version": version,
      "tus-extension": "creation,creation-with-upload,expiration,termination",
      "tus-max-size": String(maxUploadBytes),
    },
  };
  const describe = ({ record, received }: LiveJob): Record<string, string> => ({
    "upload-offset": String(received),
    ...(record.size !== undefined && { "upload-length": String(record.size) }),
    ...(record.state === "receiving" && {
      "upload-expires": new Date(record.updatedAt + jobHours * 3_600_000).toUTCString(),
    }),
  });
  const empty = (status: number, more: Readonly<Record<string, string>> = {}): Response =>
    new Response(null, { status, headers: more });

  return [
    defineRoute({
      method: "POST",
      path: "/uploads",
      name: "createUpload",
      summary:
        "Begins a resumable upload by tus 1.0.0: Upload-Length, and the facts of the document as Upload-Metadata.",
      tag: "jobs",
      needs: "writer",
      body: "stream",
      pool: "uploads",
      isSlow: true,
      headers,
      answers: {
        412: wrongVersion,
        201: { description: "Location is the address of the upload, and has the id of its job.", content: {} },
      },
      async handle(call) {
        checkVersion(call.request);
        const size = readLength(call.request);
        const metadata = readMetadata(call.request.headers.get("upload-metadata") ?? "");
        const id = await jobs.create(call.caller!, toRequest(metadata), { kind: "file", size });
        const isWithUpload = call.request.headers.get("content-type") === pieceType;
        if (isWithUpload && size > 0) await receive(jobs, call, id, 0);
        const job = await jobs.find(call.caller!, id);
        return empty(201, { location: `upload?id=${id}`, ...describe(job) });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/upload",
      name: "getUpload",
      summary: "The offset of an upload, in headers; HEAD gets the same.",
      tag: "jobs",
      needs: "writer",
      isLight: true,
      query: jobIdQuery,
      headers,
      answers: { 204: { description: "Upload-Offset is the number of bytes that arrived.", content: {} } },
      async handle({ caller, query: { id } }) {
        await jobs.find(caller!, id);
        // A connection that broke may still be open here.
        await jobs.stop(id);
        return empty(204, describe(await jobs.find(caller!, id)));
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/upload",
      name: "continueUpload",
      summary: "Adds bytes to an upload, from Upload-Offset on.",
      tag: "jobs",
      needs: "writer",
      query: jobIdQuery,
      body: "stream",
      pool: "uploads",
      isSlow: true,
      headers,
      accepts: { [pieceType]: undefined },
      answers: {
        412: wrongVersion,
        204: { description: "Upload-Offset is the number of bytes that arrived.", content: {} },
      },
      async handle(call) {
        const { request, caller, query } = call;
        checkVersion(request);
        if (request.headers.get("content-type") !== pieceType)
          throw new Refusal(415, "unsupported-media", `The body's content-type is not ${pieceType}.`, {
            hint: "Send the bytes as tus does.",
          });
        const offset = request.headers.get("upload-offset") ?? "";
        if (!/^\d{1,15}$/u.test(offset))
          throw new Refusal(400, "invalid-argument", "Upload-Offset is missing or not a number.", {
            hint: "Send the offset that HEAD gives.",
          });
        const { record, received } = await jobs.find(caller!, query.id);
        // A client of tus does not try again after this status, as it does after 409.
        if (record.state !== "receiving" && received < (record.size ?? 0))
          throw new Refusal(410, "aborted", "The upload was cancelled: its job takes no more bytes.", {
            hint: "Begin a new upload.",
          });
        await receive(jobs, call, query.id, Number(offset));
        return empty(204, describe(await jobs.find(caller!, query.id)));
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/upload",
      name: "removeUpload",
      summary: "Ends an upload and removes its bytes and its job.",
      tag: "jobs",
      needs: "writer",
      isLight: true,
      query: jobIdQuery,
      headers,
      answers: { 412: wrongVersion, 204: { description: "It is gone.", content: {} } },
      async handle({ caller, request, query: { id } }) {
        checkVersion(request);
        await jobs.remove(caller!, [id]);
        return empty(204);
      },
    }),
  ];
}

/** **Errors** 400 for a file without a name. */
function toRequest({ filename, name, filetype, type, relativePath, uri, ...facts }: TusMetadata): JobRequest {
  const path = relativePath === "null" || relativePath === "" ? undefined : relativePath;
  const named = uri ?? path ?? filename ?? name;
  if (named === undefined)
    throw new Refusal(400, "invalid-argument", "Upload-Metadata has neither filename nor uri.", {
      hint: "Send the name of the file: filename, and its Base64.",
    });
  const kind = filetype ?? type;
  return { ...facts, uri: named, mediaType: kind === "" || kind === "application/octet-stream" ? undefined : kind };
}

async function receive(
  jobs: ServiceJobs,
  { request, signal, hold, count }: Call,
  id: string,
  offset: number,
): Promise<void> {
  await jobs.receive(id, offset, request.body, signal, hold, count);
}

function checkVersion(request: Request): void {
  if (request.headers.get("tus-resumable") === version) return;
  throw new Refusal(412, "invalid-argument", `Tus-Resumable is not ${version}.`, {
    hint: "Use a client of tus 1.0.0.",
    headers: { "tus-version": version },
  });
}

function readLength(request: Request): number {
  const length = request.headers.get("upload-length") ?? "";
  if (/^\d{1,15}$/u.test(length)) return Number(length);
  throw new Refusal(400, "invalid-argument", "Upload-Length is missing or not a number.", {
    hint: "Send the size of the file; uploads of an unknown size are not taken.",
  });
}

/** **Shape** the header has pairs of a name and the Base64 of a text in UTF-8, with commas between them. */
function readMetadata(header: string): TusMetadata {
  const facts: Record<string, string> = {};
  for (const pair of header.split(",")) {
    const [name = "", value = "", ...rest] = pair.trim().split(" ");
    if (name === "") continue;
    if (rest.length > 0 || Object.hasOwn(facts, name)) throw brokenMetadata(name);
    try {
      const bytes = Uint8Array.from(atob(value), (letter) => letter.codePointAt(0)!);
      facts[name] = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      throw brokenMetadata(name);
    }
  }
  return checked(tusMetadata, facts);
}

function brokenMetadata(name: string): Refusal {
  return new Refusal(400, "invalid-argument", `Upload-Metadata has a wrong or second value for ${name.slice(0, 40)}.`, {
    hint: "Write each name once, with the Base64 of its text in UTF-8.",
  });
}
