import type { BlobFacts, BlobStore } from "../../contracts/blob-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import {
  checkBlobKey,
  checkBlobList,
  checkBlobPut,
  checkBlobSize,
  checkMaxBlobBytes,
  isBlobKey,
  isListed,
} from "./check-blob.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { readListing } from "./read-listing.ts";
import { type S3Answer, type S3Place, type S3Request, sendS3Request } from "./send-request.ts";
import { hexHash, type S3Credentials } from "./sign-request.ts";

export type { S3Credentials } from "./sign-request.ts";

/**
 * Bucket and credentials.
 *
 * @experimental
 */
export interface S3Options {
  readonly bucket: string;
  /** As the signature names it. Default `"us-east-1"`, which most servers that are not Amazon's take. */
  readonly region?: string | undefined;
  /** Default: Amazon's of that region. The bucket is the first part of the path. */
  readonly endpoint?: string | undefined;
  /** Or what gives them, asked before each request: for those that end by themselves. */
  readonly credentials: S3Credentials | (() => S3Credentials | Promise<S3Credentials>);
  /** Put before every key, as it is: `"ibid/"`. Lists show what lies below it alone. */
  readonly prefix?: string | undefined;
  /** Limit for one blob. **Units** bytes. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** How often a request is sent at most, while its failure may pass. Default 4. */
  readonly attempts?: number | undefined;
  /** Limit for one attempt. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Before the second attempt; then twice as long each time, and less by chance. Default 200. */
  readonly retryDelayMs?: number | undefined;
}

/** Marks that a write carries, to recognise later whether it arrived and whether it came back unchanged. */
const writeMark = "x-amz-meta-ibid-write";
const hashMark = "x-amz-meta-ibid-sha256";

/**
 * Opens a {@link BlobStore} in a bucket of Amazon S3, or of a compatible server that honours `If-Match` and `If-None-Match` on `PUT`.
 *
 * A write whose connection broke may have arrived. When its second attempt fails on the condition, the store checks whether the stored blob is its own.
 * Bytes read are checked against the hash that was written with them. Objects with invalid keys are not listed.
 *
 * **Errors** as the contract; `configuration-missing` for blank credentials. **Cost** one request each; a list one for each 1,000 keys.
 * **Source** S3's REST interface; conditional writes as of 2024.
 *
 * @experimental
 */
export function openS3BlobStore(options: S3Options): BlobStore {
  checkGiven("openS3BlobStore", "options", options, "object");
  const place = checkPlace(options);
  const { prefix = "" } = options;
  const maxBytes = checkMaxBlobBytes("openS3BlobStore", options.maxBytes);
  const send = (request: Omit<S3Request, "maxBytes"> & { readonly maxBytes?: number }): Promise<S3Answer> =>
    sendS3Request(place, { maxBytes: maxPageBytes, ...request });

  const look = async (key: string, signal?: AbortSignal): Promise<S3Answer | undefined> => {
    const answer = await send({ method: "HEAD", key: prefix + key, expects: [404], signal });
    return answer.status === 404 ? undefined : answer;
  };

  return {
    async head(key, asked = {}) {
      checkBlobKey(key, "head", asked);
      const answer = await look(key, asked.signal);
      if (answer === undefined) return undefined;
      const size = answer.headers.get("content-length");
      if (size === null) throw strange(key, "the size");
      return factsOf(key, answer, Number(size));
    },
    async get(key, asked = {}) {
      checkBlobKey(key, "get", asked);
      const answer = await send({ method: "GET", key: prefix + key, maxBytes, expects: [404], signal: asked.signal });
      if (answer.status === 404) {
        if (answer.code === "NoSuchBucket") throw noBucket(place);
        return undefined;
      }
      const { bytes, headers } = answer;
      const expected = headers.get(hashMark);
      if (expected !== null && expected !== (await hexHash(bytes))) {
        throw new IbidError("store-corrupt", `The blob ${key} is not what was written: its hash is another.`, {
          uri: key,
          hint: "Read it again; if that gives the same, write it again.",
        });
      }
      return { ...factsOf(key, answer, bytes.length), bytes };
    },
    async put(key, bytes, asked = {}) {
      checkBlobPut(key, bytes, asked, maxBytes);
      const { ifNoneMatch, ifMatch, signal } = asked;
      const body = new Uint8Array(bytes);
      const mark = crypto.randomUUID();
      const answer = await send({
        method: "PUT",
        key: prefix + key,
        body,
        headers: {
          [writeMark]: mark,
          [hashMark]: await hexHash(body),
          ...(ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch }),
          ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
        },
        // With If-Match, 404 says that there is nothing to match.
        expects: ifMatch === undefined ? [412] : [412, 404],
        signal,
      });
      if (answer.status !== 412 && answer.status !== 404) return { status: "written", etag: etagOf(key, answer) };
      if (answer.code === "NoSuchBucket") throw noBucket(place);
      const there = answer.repeated ? await look(key, signal) : undefined;
      if (there?.headers.get(writeMark) === mark) return { status: "written", etag: etagOf(key, there) };
      return { status: "conflict" };
    },
    async delete(key, asked = {}) {
      checkBlobKey(key, "delete", asked);
      const answer = await send({ method: "DELETE", key: prefix + key, expects: [404], signal: asked.signal });
      if (answer.code === "NoSuchBucket") throw noBucket(place);
    },
    async *list(asked = {}) {
      checkBlobList(asked);
      let token: string | undefined;
      do {
        const query = {
          "list-type": "2",
          "encoding-type": "url",
          ...(prefix + (asked.prefix ?? "") === "" ? {} : { prefix: prefix + (asked.prefix ?? "") }),
          ...(token === undefined ? {} : { "continuation-token": token }),
          ...(token !== undefined || asked.after === undefined ? {} : { "start-after": prefix + asked.after }),
        };
        const answer = await send({ method: "GET", key: "", query, expects: [], signal: asked.signal });
        const page = readListing(new TextDecoder().decode(answer.bytes));
        if (page === undefined || (page.next !== undefined && page.next === token)) throw noListing(place);
        for (const { key, size } of page.blobs) {
          const own = key.slice(prefix.length);
          if (key.startsWith(prefix) && isBlobKey(own) && isListed(own, asked)) yield { key: own, size };
        }
        token = page.next;
      } while (token !== undefined);
    },
  };

  function factsOf(key: string, answer: S3Answer, size: number): BlobFacts {
    checkBlobSize(key, size, maxBytes);
    return { key, size, etag: etagOf(key, answer) };
  }
}

/** A page of a list has at most 1,000 keys of 1,024 bytes, each of them written as three characters. **Units** bytes. */
const maxPageBytes = 8 * 1024 * 1024;

function etagOf(key: string, { headers }: S3Answer): string {
  const etag = headers.get("etag");
  if (etag === null) throw strange(key, "the version");
  return etag;
}

const strange = (key: string, what: string): IbidError =>
  new IbidError("store-failed", `The server does not return ${what} of ${key}.`, {
    uri: key,
    hint: "Use a server that sends Content-Length and ETag, as S3 does.",
  });

const noBucket = ({ endpoint, bucket }: S3Place): IbidError =>
  new IbidError("store-failed", `${endpoint.origin} has no bucket ${bucket}.`, {
    uri: `${endpoint.origin}/${bucket}`,
    hint: "Check the bucket's name, and make it where it is not there.",
    details: { status: 404, code: "NoSuchBucket" },
  });

const noListing = ({ endpoint, bucket }: S3Place): IbidError =>
  new IbidError("store-failed", `${endpoint.origin} answered with something that is no list of ${bucket}.`, {
    uri: `${endpoint.origin}/${bucket}`,
    hint: "Use a server that speaks S3's ListObjectsV2.",
  });

const optionNames = {
  bucket: true,
  region: true,
  endpoint: true,
  credentials: true,
  prefix: true,
  maxBytes: true,
  attempts: true,
  timeoutMs: true,
  retryDelayMs: true,
} as const;

function checkPlace(options: S3Options): S3Place {
  checkOptions("openS3BlobStore", options, optionNames);
  const { bucket, region = "us-east-1", credentials, prefix = "" } = options;
  const { attempts = 4, timeoutMs = 60_000, retryDelayMs = 200 } = options;
  const refuse = (what: string, hint: string): never => {
    throw new IbidError("invalid-argument", `openS3BlobStore: ${what}`, { hint });
  };
  if (!/^[a-z0-9][a-z0-9._-]{1,62}$/iu.test(bucket)) refuse("that is not a bucket's name.", "Name the bucket alone.");
  if (!/^[a-z0-9-]{1,64}$/iu.test(region)) refuse("that is not a region.", 'Say it like "eu-central-1".');
  if (prefix !== "" && !isBlobKey(`${prefix}x`)) refuse("no key can begin with that prefix.", 'Say it like "ibid/".');
  for (const [name, value] of Object.entries({ attempts, timeoutMs, retryDelayMs })) {
    if (!Number.isFinite(value) || value < (name === "retryDelayMs" ? 0 : 1))
      refuse(`${name} is ${String(value)}.`, "Leave it out for the default.");
  }
  const endpoint = readEndpoint(options.endpoint ?? `https://s3.${region}.amazonaws.com`);
  // Not quoted: what stands before the @ is a secret.
  if (endpoint === undefined) {
    return refuse("the endpoint is no address, or says more than one.", "Say it like https://s3.example.org.");
  }
  const ask = async (): Promise<S3Credentials> => {
    const given = typeof credentials === "function" ? await askFor(credentials) : credentials;
    if (isLine(given?.accessKeyId) && isLine(given?.secretAccessKey)) return given;
    throw new IbidError("configuration-missing", "openS3BlobStore has no credentials to sign with.", {
      hint: "Give credentials: { accessKeyId, secretAccessKey }, or a function that does.",
    });
  };
  return { endpoint, bucket, region, credentials: ask, attempts, timeoutMs, retryDelayMs };
}

async function askFor(credentials: () => S3Credentials | Promise<S3Credentials>): Promise<S3Credentials> {
  try {
    return await credentials();
  } catch (cause) {
    throw new IbidError("configuration-missing", "openS3BlobStore was given no credentials by what should give them.", {
      hint: "Look at the cause: it is what your function threw.",
      cause,
    });
  }
}

const isLine = (value: unknown): boolean => typeof value === "string" && /^[\x21-\x7e]+$/u.test(value);

function readEndpoint(address: string): URL | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const plain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return plain && (url.protocol === "https:" || url.protocol === "http:") ? url : undefined;
}
