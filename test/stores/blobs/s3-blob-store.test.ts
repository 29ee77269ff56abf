import { openS3BlobStore } from "ibid/stores";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { readListing } from "../../../src/stores/blobs/read-listing.ts";
import type { S3Options } from "../../../src/stores/blobs/s3-blob-store.ts";
import { encodePath, hexHash, signRequest } from "../../../src/stores/blobs/sign-request.ts";
import type { BlobStore } from "../../../src/contracts/blob-store.ts";
import { IbidError } from "../../../src/contracts/errors.ts";
import { collect } from "../../../src/testing/assert.ts";
import { s3Credentials, type S3Server, startS3Server } from "../../support/s3-server.ts";

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
});
afterAll(() => server.close());
beforeEach(() => server.clear());

const open = (options: Partial<S3Options> = {}): BlobStore =>
  openS3BlobStore({
    bucket: "bucket",
    endpoint: server.endpoint,
    credentials: s3Credentials,
    retryDelayMs: 1,
    ...options,
  });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (blob: { bytes: Uint8Array } | undefined): string => new TextDecoder().decode(blob?.bytes);
const failure = async (promise: Promise<unknown>): Promise<IbidError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(IbidError);
  return error as IbidError;
};
/** Everything that an error shows, its causes included. */
const shown = (error: unknown): string =>
  error instanceof Error
    ? `${error.message} ${error.stack ?? ""} ${JSON.stringify(error)} ${shown(error.cause)}`
    : JSON.stringify(error ?? "");

describe("a signature", () => {
  // The examples that AWS publishes with "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)".
  const place = {
    region: "us-east-1",
    credentials: {
      accessKeyId: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    },
    now: new Date("2013-05-24T00:00:00Z"),
  };
  const host = "examplebucket.s3.amazonaws.com";
  it.each([
    [
      "GET an object",
      { method: "GET", path: "/test.txt", headers: { range: "bytes=0-9" }, body: "" },
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ],
    [
      "PUT an object",
      {
        method: "PUT",
        path: encodePath("/test$file.text"),
        headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
        body: "Welcome to Amazon S3.",
      },
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ],
    [
      "GET a bucket's lifecycle",
      { method: "GET", path: "/", query: { lifecycle: "" }, body: "" },
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ],
    [
      "list a bucket",
      { method: "GET", path: "/", query: { "max-keys": "2", prefix: "J" }, body: "" },
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ],
  ])("is the published one: %s", async (_, { body, ...parts }, expected) => {
    const signed = await signRequest({ ...parts, host, payloadHash: await hexHash(bytes(body)) }, place);
    expect(signed["authorization"]).toMatch(new RegExp(`Signature=${expected}$`, "u"));
  });

  it("covers the token of credentials that end", async () => {
    const store = open({ credentials: () => ({ ...s3Credentials, sessionToken: "the-session" }) });
    await store.put("a", bytes("x"));
    expect(server.requests[0]?.headers["x-amz-security-token"]).toBe("the-session");
    expect(server.requests[0]?.headers.authorization).toContain("x-amz-security-token");
  });
});

describe("a server that has trouble", () => {
  it.each([500, 502, 503, 504, 429])("is asked again after status %i [T2]", async (status) => {
    server.faults.push({ kind: "status", status }, { kind: "status", status });
    expect((await open().put("a", bytes("x"))).status).toBe("written");
    expect(server.requests.length).toBe(3);
  });

  it("is asked no more than it was agreed", async () => {
    server.faults.push(
      ...Array.from({ length: 9 }, () => ({ kind: "status", status: 503, code: "SlowDown" }) as const),
    );
    const error = await failure(open({ attempts: 3 }).get("a"));
    expect([error.code, error.details["code"], server.requests.length]).toEqual(["store-busy", "SlowDown", 3]);
  });

  it("is asked again when the connection breaks, before or after it did as it was asked", async () => {
    server.faults.push({ kind: "cut-before" }, { kind: "cut-after" });
    expect((await open().put("a", bytes("x"))).status).toBe("written");
    expect(textOf(await open().get("a"))).toBe("x");
  });

  it("did as it was asked before the connection broke: the write is ours, and no conflict", async () => {
    server.faults.push({ kind: "cut-after" });
    const created = await open().put("a", bytes("1"), { ifNoneMatch: "*" });
    expect(created.status).toBe("written");
    server.faults.push({ kind: "cut-after" });
    const replaced = await open().put("a", bytes("2"), { ifMatch: created.etag ?? "" });
    expect([replaced.status, textOf(await open().get("a"))]).toEqual(["written", "2"]);
  });

  it("is not taken at its word for somebody else's write of the same bytes", async () => {
    await open().put("a", bytes("1"));
    server.faults.push({ kind: "cut-before" });
    expect(await open().put("a", bytes("1"), { ifNoneMatch: "*" })).toEqual({ status: "conflict" });
  });

  it("has written on two conditions at once: asked again", async () => {
    server.faults.push({ kind: "status", status: 409, code: "ConditionalRequestConflict" });
    expect((await open().put("a", bytes("x"), { ifNoneMatch: "*" })).status).toBe("written");
  });

  it("sends half of a blob: read again, or refused", async () => {
    await open().put("a", bytes("0123456789"));
    server.faults.push({ kind: "half" });
    expect(textOf(await open().get("a"))).toBe("0123456789");
    server.faults.push({ kind: "half" });
    expect((await failure(open({ attempts: 1 }).get("a"))).code).toBe("store-failed");
    server.faults.push({ kind: "half-unsaid" });
    expect((await failure(open().get("a"))).code).toBe("store-corrupt");
  });

  it("does not answer: given up, by its own time or the caller's", async () => {
    // A server of its own: a request may arrive after it was given up.
    const silent = await startS3Server();
    onTestFinished(() => silent.close());
    silent.faults.push({ kind: "silence" }, { kind: "silence" });
    const impatient = open({ endpoint: silent.endpoint, timeoutMs: 30, attempts: 2 });
    expect((await failure(impatient.get("a"))).code).toBe("timeout");
    const stop = new AbortController();
    server.faults.push({ kind: "silence" });
    const getting = failure(open().get("a", { signal: stop.signal }));
    // A request that is stopped before it is sent would leave its fault to the next one.
    await vi.waitFor(() => expect(server.faults).toEqual([]), 30_000);
    stop.abort();
    expect((await getting).code).toBe("aborted");
    const before = server.requests.length;
    server.faults.push({ kind: "status", status: 503 });
    const time = new AbortController();
    const late = failure(open({ retryDelayMs: 60_000 }).get("a", { signal: time.signal }));
    // The answer 503 is there: the caller's time ends in the pause before the next attempt.
    await vi.waitFor(() => expect(server.faults).toEqual([]), 30_000);
    time.abort(new DOMException("The time is over.", "TimeoutError"));
    expect([(await late).code, server.requests.length]).toEqual(["timeout", before + 1]);
  });

  it("answers a list with something else, half of one, or one that turns in a circle", async () => {
    const page =
      "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>";
    for (const body of ["<html>", page.slice(0, 40), page.replace(/<Next.*Token>/u, "")]) {
      server.faults.push({ kind: "body", body });
      expect((await failure(collect(open().list()))).code).toBe("store-failed");
    }
    server.faults.push({ kind: "body", body: page }, { kind: "body", body: page });
    expect((await failure(collect(open().list()))).code).toBe("store-failed");
  });

  it("sends more than was agreed: read no further", async () => {
    server.plant("large", "x".repeat(1000));
    expect((await failure(open({ maxBytes: 999 }).get("large"))).code).toBe("too-large");
    expect((await failure(open({ maxBytes: 999 }).head("large"))).code).toBe("too-large");
    expect((await open({ maxBytes: 1000 }).get("large"))?.size).toBe(1000);
  });
});

describe("a bucket of somebody else's", () => {
  it("is read without our marks, and lists what can be a key [T2]", async () => {
    for (const key of ["a folder/", "a//b", "plain", "/rooted", "x/../y"]) server.plant(key, "text");
    const store = open();
    expect(await collect(store.list())).toEqual([{ key: "plain", size: 4 }]);
    expect(textOf(await store.get("plain"))).toBe("text");
  });

  it("is left alone outside of the prefix", async () => {
    server.plant("outside", "text");
    const store = open({ prefix: "in/" });
    await store.put("a", bytes("x"));
    expect(await collect(store.list())).toEqual([{ key: "a", size: 1 }]);
    expect(await store.get("outside")).toBeUndefined();
    expect(textOf(await open().get("in/a"))).toBe("x");
  });

  it("lists keys as another server writes them: not encoded, with entities", () => {
    const xml = (key: string, more = ""): string =>
      `<ListBucketResult>${more}<IsTruncated>false</IsTruncated><Contents><Key>${key}</Key><Size>3</Size></Contents></ListBucketResult>`;
    const keyIn = (text: string): string | undefined => readListing(text)?.blobs[0]?.key;
    expect(keyIn(xml("a&amp;b&lt;c&#33;&#x1F9A6;+%20"))).toBe("a&b<c!🦦+%20");
    expect(keyIn(xml("a+b%2Bc%26", "<EncodingType>url</EncodingType>"))).toBe("a b+c&");
    expect(keyIn(xml("%zz", "<EncodingType>url</EncodingType>"))).toBeUndefined();
  });

  it("that is not there says so, and is not as good as empty", async () => {
    const store = open({ bucket: "other" });
    const calls = [
      () => store.get("a"),
      () => store.put("a", bytes("x")),
      () => store.delete("a"),
      () => collect(store.list()),
    ];
    for (const call of calls) expect((await failure(call())).message).toContain("other");
    const put = store.put("a", bytes("x"), { ifMatch: '"1"' });
    expect((await failure(put)).details).toEqual({ status: 404, code: "NoSuchBucket" });
  });
});

describe("secrets", () => {
  const { accessKeyId, secretAccessKey } = s3Credentials;

  it("stand in no error, whatever goes wrong", async () => {
    const refusedBody = `<Error><Code>SignatureDoesNotMatch</Code><StringToSign>${secretAccessKey}</StringToSign></Error>`;
    const errors = [
      await failure(open({ credentials: { accessKeyId, secretAccessKey: "wrong/secretKey" } }).put("a", bytes("x"))),
      await failure(open({ credentials: { accessKeyId: "", secretAccessKey } }).get("a")),
      await failure(open({ credentials: { accessKeyId, secretAccessKey: `${secretAccessKey}\r\n` } }).get("a")),
      await failure(open({ endpoint: "http://127.0.0.1:1", attempts: 1 }).get("a")),
    ];
    server.faults.push({ kind: "body", body: refusedBody });
    errors.push(await failure(collect(open().list())));
    expect(errors.map(({ code }) => code)).toEqual([
      "store-failed",
      "configuration-missing",
      "configuration-missing",
      "store-failed",
      "store-failed",
    ]);
    expect(errors[0]?.details["code"]).toBe("SignatureDoesNotMatch");
    for (const error of errors) {
      for (const secret of [secretAccessKey, accessKeyId, "wrong/secretKey"])
        expect(shown(error)).not.toContain(secret);
    }
  });

  it("that cannot be had are not asked for again and again", async () => {
    const cause = new Error("the vault is closed");
    const error = await failure(open({ credentials: () => Promise.reject(cause) }).get("a"));
    expect([error.code, error.cause, server.requests.length]).toEqual(["configuration-missing", cause, 0]);
  });

  it("in an endpoint are refused, unseen", async () => {
    const error = await failure(
      Promise.resolve().then(() => open({ endpoint: "https://user:hunter2@s3.example.org" })),
    );
    expect(error.code).toBe("invalid-argument");
    expect(shown(error)).not.toContain("hunter2");
  });
});

describe("what cannot be opened", () => {
  it.each([
    { bucket: "a/b" },
    { region: "eu central" },
    { prefix: "../" },
    { prefix: "/" },
    { endpoint: "ftp://example.org" },
    { endpoint: "s3.example.org" },
    { attempts: 0 },
    { timeoutMs: Number.NaN },
    { maxBytes: 0 },
    { buckets: "x" } as object,
  ])("%j", (options) => {
    expect(() => open(options)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});
