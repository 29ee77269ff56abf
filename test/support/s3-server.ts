import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One object as the bucket has it. */
interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly marks: Readonly<Record<string, string>>;
}

/** What goes wrong with one request, instead of or after doing it. */
export type S3Fault =
  | { readonly kind: "status"; readonly status: number; readonly code?: string }
  /** The connection is cut before anything is done, or after all of it was. */
  | { readonly kind: "cut-before" | "cut-after" }
  /** Half of the answer's bytes, with the length of all of them or with none named. */
  | { readonly kind: "half" | "half-unsaid" }
  /** No answer until the client leaves. */
  | { readonly kind: "silence" }
  | { readonly kind: "body"; readonly body: string };

export interface S3Server {
  readonly endpoint: string;
  /** Method and path of each request, in order. */
  readonly requests: { readonly method: string; readonly url: string; readonly headers: IncomingMessage["headers"] }[];
  /** Faults of the next requests, one each; `undefined` is none. */
  readonly faults: (S3Fault | undefined)[];
  /** As somebody else's program would put it. */
  plant(key: string, text: string): void;
  clear(): void;
  close(): Promise<void>;
}

export const s3Credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "very/secret+Key0123" };

/** A bucket that checks every signature by itself, honours conditions, and lists seven keys a page. */
export async function startS3Server(bucket = "bucket", pageSize = 7): Promise<S3Server> {
  const objects = new Map<string, StoredObject>();
  const requests: S3Server["requests"] = [];
  const faults: (S3Fault | undefined)[] = [];

  const server = createServer((request, response) => {
    void collectBody(request).then((body) => {
      const { method = "", url = "" } = request;
      requests.push({ method, url, headers: request.headers });
      const fault = faults.shift();
      if (fault?.kind === "cut-before") return void request.socket.destroy();
      if (fault?.kind === "silence") return;
      if (fault?.kind === "status") return fail(response, fault.status, fault.code ?? "Fault");
      if (fault?.kind === "body") return void response.writeHead(200).end(fault.body);
      const refusal = checkSignature(request, body);
      if (refusal !== undefined) return fail(response, 403, refusal);
      if (fault?.kind === "cut-after") response.end = () => (request.socket.destroy(), response);
      if (fault?.kind === "half" || fault?.kind === "half-unsaid") halve(response, fault.kind === "half-unsaid");
      answer(request, body, response);
    });
  });

  function answer(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const url = new URL(request.url ?? "", "http://host");
    const [, named = "", ...rest] = url.pathname.split("/");
    if (decodeURIComponent(named) !== bucket) return fail(response, 404, "NoSuchBucket");
    const key = decodeURIComponent(rest.join("/"));
    if (key === "") return list(url.searchParams, response);
    const found = objects.get(key);
    if (request.method === "PUT") {
      const { "if-none-match": none, "if-match": match } = request.headers;
      if (none === "*" && found !== undefined) return fail(response, 412, "PreconditionFailed");
      if (match !== undefined && found === undefined) return fail(response, 404, "NoSuchKey");
      if (match !== undefined && found?.etag !== match) return fail(response, 412, "PreconditionFailed");
      const marks = Object.entries(request.headers).filter(([name]) => name.startsWith("x-amz-meta-"));
      const etag = `"${createHash("md5").update(body).digest("hex")}"`;
      objects.set(key, { bytes: body, etag, marks: Object.fromEntries(marks) as Record<string, string> });
      return void response.writeHead(200, { etag }).end();
    }
    if (request.method === "DELETE") {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (found === undefined) return fail(response, 404, "NoSuchKey");
    response.writeHead(200, { etag: found.etag, "content-length": String(found.bytes.length), ...found.marks });
    response.end(request.method === "HEAD" ? undefined : found.bytes);
  }

  function list(query: URLSearchParams, response: ServerResponse): void {
    const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
    const order = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(query.get("prefix") ?? "") && order(key, after) > 0)
      .toSorted(order);
    const page = keys.slice(0, pageSize);
    const goesOn = keys.length > page.length;
    const contents = page.map(
      (key) =>
        `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${objects.get(key)?.bytes.length}</Size></Contents>`,
    );
    const token = goesOn ? `<NextContinuationToken>${escapeXml(page.at(-1) ?? "")}</NextContinuationToken>` : "";
    response.writeHead(200, { "content-type": "application/xml" });
    response.end(
      `<?xml version="1.0"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name>` +
        `<EncodingType>url</EncodingType><IsTruncated>${goesOn}</IsTruncated>${contents.join("")}${token}</ListBucketResult>`,
    );
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    faults,
    plant: (key, text) => objects.set(key, { bytes: Buffer.from(text), etag: `"planted"`, marks: {} }),
    clear() {
      objects.clear();
      requests.length = 0;
      faults.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Sends half of what it is given. */
function halve(response: ServerResponse, isUnsaid: boolean): void {
  const writeHead = response.writeHead.bind(response) as (status: number, headers: Record<string, string>) => unknown;
  const end = response.end.bind(response);
  response.writeHead = ((status: number, headers: Record<string, string>) => {
    const { "content-length": length, ...rest } = headers;
    return writeHead(status, isUnsaid || length === undefined ? rest : headers);
  }) as never;
  response.end = ((bytes: Buffer) => {
    response.write(bytes.subarray(0, bytes.length / 2));
    if (isUnsaid) return end();
    setImmediate(() => response.destroy());
    return response;
  }) as never;
}

function fail(response: ServerResponse, status: number, code: string): void {
  // As S3 does, the body repeats what no error of ours may.
  const body = `<Error><Code>${code}</Code><AWSAccessKeyId>${s3Credentials.accessKeyId}</AWSAccessKeyId></Error>`;
  response.writeHead(status, { "content-type": "application/xml" }).end(body);
}

/** The name of what is wrong with a request's signature, computed apart from the client's own code. **Source** AWS Signature Version 4. */
function checkSignature(request: IncomingMessage, body: Buffer): string | undefined {
  const { authorization = "", "x-amz-date": time, "x-amz-content-sha256": payload } = request.headers;
  const [, id, day, region, signed = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,SignedHeaders=([^,]+),Signature=([0-9a-f]{64})$/u.exec(
      authorization,
    ) ?? [];
  if (id !== s3Credentials.accessKeyId || typeof time !== "string") return "InvalidAccessKeyId";
  if (payload !== createHash("sha256").update(body).digest("hex")) return "XAmzContentSHA256Mismatch";
  const names = signed.split(";");
  // What is sent and means something must be signed.
  const loose = Object.keys(request.headers).filter(
    (name) => /^(?:host|x-amz-|if-)/u.test(name) && !names.includes(name),
  );
  if (loose.length > 0) return "AccessDenied";
  const [path = "", search = ""] = (request.url ?? "").split("?");
  const query = search.split("&").toSorted().join("&");
  const lines = names.map((name) => `${name}:${String(request.headers[name])}\n`).join("");
  const canonical = [request.method, path, query, lines, signed, payload].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const hashed = createHash("sha256").update(canonical).digest("hex");
  let key: string | Buffer = `AWS4${s3Credentials.secretAccessKey}`;
  for (const part of [day, region, "s3", "aws4_request"])
    key = createHmac("sha256", key)
      .update(part ?? "")
      .digest();
  const expected = createHmac("sha256", key).update(`AWS4-HMAC-SHA256\n${time}\n${scope}\n${hashed}`).digest("hex");
  return expected === signature ? undefined : "SignatureDoesNotMatch";
}

async function collectBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
