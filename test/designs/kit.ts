import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type ChunkInput,
  IbidError,
  type IbidErrorCode,
  type KnowledgeBase,
  type Metadata,
  openKnowledgeBase,
  type OpenOptions,
  type TextDocument,
} from "ibid";
import { createGate, operator, type AuthorizedScopes } from "ibid/access";
import { createChunkFactory } from "ibid/chunkers";
import type { Embedding } from "ibid/models";
import type { Store } from "ibid/stores";

export const equal = (actual: unknown, expected: unknown): void => assert.deepEqual(actual, expected);
export const holds = (condition: unknown, message?: string): void => assert(condition, message);
export const matches = (text: string | undefined, pattern: RegExp): void => assert.match(text ?? "", pattern);
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The error of a call that must fail, with that code. */
export async function refuses(code: IbidErrorCode, call: () => unknown): Promise<IbidError> {
  try {
    await call();
  } catch (error) {
    if (!IbidError.isInstance(error)) throw error;
    assert.equal(error.code, code, error.message);
    return error;
  }
  throw new Error(`No error ${code} was thrown.`);
}

/** All of an asynchronous sequence. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Rows in the order of their JSON, for comparisons. */
export const sorted = <Row>(rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** A knowledge base in memory with some texts, closed after use. */
export async function withTexts<Result>(
  texts: Readonly<
    Record<
      string,
      string | { readonly text: string; readonly metadata?: Metadata; readonly chunks?: readonly ChunkInput[] }
    >
  >,
  use: (kb: KnowledgeBase) => Promise<Result>,
  options: OpenOptions = {},
): Promise<Result> {
  const kb = await openKnowledgeBase(options);
  try {
    const documents = Object.entries(texts).map(([uri, given]) => ({
      uri,
      ...(typeof given === "string" ? { text: given } : given),
    }));
    if (documents.length > 0) equal((await kb.ingest(documents)).failures, []);
    return await use(kb);
  } finally {
    await kb.close();
  }
}

export const uris = (hits: readonly { readonly source: { readonly uri: string } }[]): readonly string[] =>
  hits.map(({ source }) => source.uri);

/** The version of the vectors that {@link putVectors} writes. */
export const version = { provider: "own", model: "given", dimensions: 2, fingerprint: "" };

/** Proofs of the operator. */
export const reading: AuthorizedScopes = createGate().read(operator, ["deployment"]);
export const writing: AuthorizedScopes<"write"> = createGate().write(operator, "deployment");

/** A document of plain text, as a reader would give it. */
export function plain(uri: string, text: string, metadata: Metadata = {}): TextDocument {
  const span = { start: 0, end: text.length };
  const root = { id: "0", title: "", level: 0, ...span, contentStart: 0, children: [] };
  const fixed = {
    type: "text",
    mediaType: "text/plain",
    origin: "user-content",
    sourceMap: { lines: "text" },
  } as const;
  return { ...fixed, id: `id of ${uri}`, uri, title: "", text, metadata, root };
}

/** Writes texts with vectors of their own into a store, each as a document: the id is its text. */
export async function putVectors(
  store: Store,
  entries: readonly { readonly id: string; readonly vector: Embedding; readonly metadata?: Metadata }[],
): Promise<void> {
  for (const { id, vector, metadata = {} } of entries) {
    const document = plain(id, id, metadata);
    const chunk = { ...createChunkFactory(document)(0, id.length), id };
    await store.replace(writing, {
      document,
      chunks: [{ chunk, embeddings: [{ version: { ...version, dimensions: lengthOf(vector) }, embedding: vector }] }],
      contentHash: id,
      metadataHash: "",
      fingerprint: "given",
      bytes: id.length,
      folder: null,
    });
  }
}

function lengthOf(vector: Embedding): number {
  if ("dense" in vector) return vector.dense.length;
  return "indices" in vector ? 0 : vector.length;
}

/** A server on this machine that answers JSON, stopped after use. */
export async function withServer<Result>(
  answer: (path: string, body: never, headers: IncomingHttpHeaders) => unknown,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request.setEncoding("utf8")) text += String(part);
    const given = answer(request.url ?? "", (text === "" ? undefined : JSON.parse(text)) as never, request.headers);
    const { status = 200, headers = {} } = (given ?? {}) as { status?: number; headers?: Record<string, string> };
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(given ?? {}));
  });
  // On a busy machine a connection rests longer than the usual five seconds, and is used again as it ends.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Answers of an embedding endpoint as OpenAI shapes them: a vector of the number of letters e and t. */
export const countLetters = (_: string, body: { readonly input: readonly string[] }): unknown => ({
  object: "list",
  model: "letters",
  data: body.input.map((text, index) => ({
    object: "embedding",
    index,
    embedding: [text.split("e").length, text.split("t").length],
  })),
  usage: { prompt_tokens: 1, total_tokens: 1 },
});

/** Sections of an array of chunks, for comparisons. */
export const textsOf = (chunks: Iterable<{ readonly text: string }>): readonly string[] =>
  Array.from(chunks, ({ text }) => text);
