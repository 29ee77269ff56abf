/**
 * The same door as `index.ts`, on Node: with files and addresses, durable by default. `openKnowledgeBase` here takes the place of the one there.
 */
import { existsSync, statSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createFileBlobStore, type FileBlobStoreOptions } from "./adapters/file-blobs/file-blob-store.ts";
import { openFileSource, toDocumentUri } from "./adapters/files/file-source.ts";
import { makeFolder } from "./adapters/files/make-folder.ts";
import { snowballLanguages } from "./adapters/snowball/snowball-languages.ts";
import { createLateEventStore } from "./adapters/sqlite/late-event-store.ts";
import { openSqliteJobStore } from "./adapters/sqlite/sqlite-job-store.ts";
import { openSqliteStore as openSqliteDirectory } from "./adapters/sqlite/sqlite-store.ts";
import { createTurns } from "./adapters/sqlite/take-turns.ts";
import { type HnswOptions, withHnsw } from "./adapters/usearch/hnsw-store.ts";
import { createWorkerReaders, type WorkerReaders } from "./adapters/worker/worker-readers.ts";
import { readOpenApi } from "./adapters/openapi/read-open-api.ts";
import { isUrl, normalizeUrl } from "./adapters/web/normalize-url.ts";
import type { AllowAddress } from "./adapters/web/public-agent.ts";
import { createRequestSender } from "./adapters/web/send-request.ts";
import { openUrlSource } from "./adapters/web/url-source.ts";
import type { Analyzer } from "./contracts/analyzer.ts";
import type { BlobStore } from "./contracts/blob-store.ts";
import { IbidError } from "./contracts/errors.ts";
import type { IngestionQueue } from "./contracts/ingestion-queue.ts";
import type { FolderRules, KnowledgeBase } from "./contracts/knowledge-base.ts";
import type { KnowledgeStore } from "./contracts/knowledge-store.ts";
import type { TextDocument } from "./contracts/document.ts";
import type { Reader, Source } from "./contracts/reader.ts";
import { checkReadLimits } from "./documents/read-limits.ts";
import {
  type AssembleOptions,
  assembleKnowledgeBase,
  assembleOptions,
  checkEventsOption,
  openMemory,
  storeChoices,
} from "./knowledge-base/assemble.ts";
import type { WalkRules } from "./knowledge-base/ingest-items.ts";
import { joinSources } from "./knowledge-base/join-sources.ts";
import { type ReadRun, readSource, type ReadSourceOptions } from "./knowledge-base/read-source.ts";
import {
  createOpenApiPlugin,
  type OpenApiPlugin,
  type OpenApiPluginOptions,
} from "./memory/openapi/create-open-api-plugin.ts";
import type { OpenApiDocument } from "./memory/openapi/open-api-document.ts";
import { chooseModels, type ModelChoices } from "./models.ts";
import { createReaders } from "./readers.ts";
import { createIngestionQueue } from "./services/ingestion-queue.ts";
import type { IngestionQueueOptions } from "./services/queue-options.ts";
import { createAnalyzer } from "./text/analyzer.ts";
import { checkOptions } from "./text/check-options.ts";

// The one `export *` of the project: two doors with one list of names.
export * from "./index.ts";
export { resolveChatModel } from "./adapters/ai-sdk/resolve-model.ts";
export { createTransformersEmbeddingModel, resolveEmbeddingModel, resolveReranker } from "./models.ts";
export type { TransformersEmbeddingOptions } from "./adapters/transformers/transformers-embedding-model.ts";
export {
  createTransformersReranker,
  type TransformersRerankerOptions,
} from "./adapters/transformers/transformers-reranker.ts";
export type { TransformersOptions } from "./adapters/transformers/load-transformers.ts";
export { type FileSourceOptions, openFileSource } from "./adapters/files/file-source.ts";
export type { FileBlobStoreOptions } from "./adapters/file-blobs/file-blob-store.ts";
export { openSqliteJobStore, type SqliteJobStoreOptions } from "./adapters/sqlite/sqlite-job-store.ts";
export { createCodeReader } from "./adapters/code/code-reader.ts";
export { createFeedReader } from "./adapters/feed/feed-reader.ts";
export { createHtmlReader } from "./adapters/html/html-reader.ts";
export { createMcpServer } from "./adapters/mcp/create-mcp-server.ts";
export type { McpServerOptions } from "./adapters/mcp/mcp-server-options.ts";
export { type AuthorizeMcp, createMcpHandler } from "./adapters/mcp/mcp-handler.ts";
export { createMailReader } from "./adapters/mail/mail-reader.ts";
export { createMboxReader } from "./adapters/mail/mbox-reader.ts";
export { createMarkdownReader } from "./adapters/markdown/markdown-reader.ts";
export { createPdfReader, type PdfReaderOptions } from "./adapters/pdf/pdf-reader.ts";
export { createXlsReader } from "./adapters/sheetjs/xls-reader.ts";
export { createXlsxReader } from "./adapters/office/xlsx-reader.ts";
export { openS3BlobStore, type S3Credentials, type S3Options } from "./adapters/s3/s3-blob-store.ts";
export { snowballLanguages } from "./adapters/snowball/snowball-languages.ts";
export { createOpenTelemetry, type OpenTelemetryOptions } from "./adapters/opentelemetry/open-telemetry.ts";
export type { OpenTelemetryApi } from "./adapters/opentelemetry/load-api.ts";
export { openSqliteEventStore, type SqliteEventStoreOptions } from "./adapters/sqlite/sqlite-event-store.ts";
export { type HnswOptions, withHnsw } from "./adapters/usearch/hnsw-store.ts";
export { createReaders } from "./readers.ts";
export { openSitemapSource, type SitemapSourceOptions } from "./adapters/web/sitemap-source.ts";
export { parseUrlList } from "./adapters/web/url-list.ts";
export { openUrlSource } from "./adapters/web/url-source.ts";
export type { UrlSourceOptions } from "./adapters/web/fetch-page.ts";

/** What knowledge bases on Node are analysed by unless somebody says otherwise: as everywhere, with Snowball's stemmers besides. */
export const languageAnalyzer: Analyzer = createAnalyzer({ languages: snowballLanguages });

/** A store in one SQLite file, analysed like a knowledge base's: each opens what the other wrote. See `adapters/sqlite/sqlite-store.ts`. */
export const openSqliteStore: typeof openSqliteDirectory = (path, options) =>
  openSqliteDirectory(path, { analyzer: languageAnalyzer, ...options });

/** A {@link BlobStore} in a folder, made when something is put into it; of as many processes as have it. See `adapters/file-blobs/file-blob-store.ts`. */
export function openFileBlobStore(folder: string, options: FileBlobStoreOptions = {}): BlobStore {
  checkOptions("openFileBlobStore", options, ["maxBytes"]);
  if (folder.trim() === "" || /^[a-z][a-z0-9+.-]+:\/\//iu.test(folder)) {
    throw new IbidError("invalid-argument", "openFileBlobStore: that is not a folder.", {
      mend: "Name a folder on a local file system; for a bucket there is openS3BlobStore.",
    });
  }
  const place = resolve(folder);
  return createFileBlobStore(place, createTurns(join(place, ".turns")), options);
}

/** What can be chosen when a knowledge base is opened on Node. */
export interface OpenOptions extends Omit<AssembleOptions, keyof ModelChoices>, ModelChoices {
  /** An approximate index for large scopes, by the optional package `usearch`; see {@link withHnsw}. Default: none, every search is exact. */
  readonly hnsw?: Omit<HnswOptions, "folder" | "metric">;
  /** Make it when it is not there. Default true. */
  readonly create?: boolean;
  /** Largest file or page that is read, in bytes. Default: 10 MiB when found in a folder or fetched, more when named outright. */
  readonly maxFileBytes?: number;
  /**
   * Whether files are read in a process of their own, which is stopped when one takes too long or too much (`limits`). Default `"auto"`: what is
   * large or unpacks, where such a process can be started; `true`: every file, else an error; `false`: none. Your own `readers` stay in this process.
   */
  readonly readInWorker?: boolean | "auto";
  /** Which addresses may be fetched from, by IP. Default: public ones only. */
  readonly allowAddress?: (address: string) => boolean;
}

/**
 * Opens a knowledge base: a folder is durable (made when it is not there), nothing at all is memory, of which `snapshots` can be kept.
 *
 * **Shape** documents' uris are relative to the folder that holds the knowledge base.
 * **Errors** `not-found` with `create: false`; `unsupported-runtime` on a Node whose SQLite can lose data; `store-corrupt`, `store-busy`;
 * `configuration-missing` and `dependency-missing` for a model by name.
 * **Cost** opening reads the list of segments, not their contents.
 */
export async function openKnowledgeBase(location?: string, options: OpenOptions = {}): Promise<KnowledgeBase> {
  checkOptions("openKnowledgeBase", options, [...assembleOptions, ...nodeOptions]);
  const { analyzer = languageAnalyzer, hnsw, ...others } = options;
  const { readInWorker = "auto", ...rest } = others;
  checkReadLimits(options.limits);
  checkEventsOption(options.events);
  checkReadInWorker(readInWorker);
  const chosen: AssembleOptions = {
    // Models that are named are loaded before anything is opened.
    ...(rest as Omit<typeof rest, keyof ModelChoices>),
    analyzer,
    ...(await chooseModels(options)),
  };
  const folder = location === undefined ? undefined : resolve(checkLocation(location));
  const base = folder === undefined ? process.cwd() : dirname(folder);
  const exact = await openStore(folder, { ...options, analyzer });
  const store = hnsw === undefined ? exact : await putHnswBefore(exact, folder, hnsw);

  const reading = chooseReaders(options.readers ?? [], readInWorker);
  return assembleKnowledgeBase(store, chosen, {
    readers: reading.readers,
    closeReaders: () => reading.close(),
    ...(folder !== undefined && {
      keepsEvents: true,
      openEvents: (retention) => createLateEventStore(eventFile(folder), retention),
    }),
    openSource: (inputs, rules) => openSource(inputs, { base, folder, options, rules }),
    resolveUri: toUri(base),
  });
}

/** What a person types, to the uri that it is ingested under. */
function toUri(base: string): (uri: string) => string {
  return (uri) => (isUrl(uri) ? normalizeUrl(uri) : toDocumentUri(uri, { base }));
}

/**
 * A queue before a knowledge base that was opened at `location`: its jobs are kept in the same file, and outlive the process; without a location, in memory.
 *
 * **Shape** any number of processes may have one over the same knowledge base. **Errors** as `openSqliteJobStore` and `createIngestionQueue`.
 */
export async function openIngestionQueue(
  kb: KnowledgeBase,
  location?: string,
  options: Omit<IngestionQueueOptions, "jobs" | "resolveUri"> = {},
): Promise<IngestionQueue> {
  if (location === undefined) return createIngestionQueue(kb, options);
  const folder = resolve(checkLocation(location));
  const jobs = await openSqliteJobStore(storeFiles(folder)[0] ?? "");
  try {
    return createIngestionQueue(kb, { ...options, jobs, resolveUri: toUri(dirname(folder)) });
  } catch (error) {
    await jobs.close();
    throw error;
  }
}

const nodeOptions = ["hnsw", "create", "maxFileBytes", "readInWorker", "allowAddress"] as const;

function checkReadInWorker(readInWorker: unknown): void {
  if ([true, false, "auto"].some((known) => known === readInWorker)) return;
  throw new IbidError("invalid-argument", `readInWorker is ${JSON.stringify(readInWorker)}.`, {
    mend: 'Say true, false or "auto".',
  });
}

/** The worker's program: beside this file in the source; in the package where it was built to, for what is built does not lie as deep as its source. */
function workerProgram(): URL | undefined {
  if (import.meta.url.endsWith(".ts")) return new URL("./read-worker.ts", import.meta.url);
  try {
    return new URL("dist/read-worker.js", pathToFileURL(createRequire(import.meta.url).resolve("ibid/package.json")));
  } catch {
    // Bundled, and away from its package.
    return undefined;
  }
}

function chooseReaders(own: readonly Reader[], readInWorker: boolean | "auto"): WorkerReaders {
  const readers = createReaders();
  if (readInWorker === false) return { readers, close: () => Promise.resolve() };
  return createWorkerReaders(readers, { program: workerProgram(), own, readInWorker });
}

function checkLocation(location: string): string {
  if (location.trim() === "") {
    throw new IbidError("invalid-argument", "The knowledge base's location is blank.", {
      mend: "Name a folder, or pass nothing for memory.",
    });
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//iu.test(location)) {
    throw new IbidError(
      "unsupported",
      `A knowledge base cannot be kept at ${location.slice(0, location.indexOf(":"))}://… yet.`,
      {
        mend: "Name a folder on a local file system.",
      },
    );
  }
  return location;
}

async function openStore(folder: string | undefined, options: OpenOptions): Promise<KnowledgeStore> {
  if (folder === undefined) return openMemory(options);
  const choices = storeChoices(options);
  const [file = ""] = storeFiles(folder);
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new IbidError("invalid-argument", `${folder} is a file; a knowledge base is a folder.`, {
      uri: folder,
      mend: "Name a folder.",
    });
  }
  if (!existsSync(file)) {
    if (options.create === false) {
      throw new IbidError("not-found", `There is no knowledge base at ${folder}.`, {
        uri: folder,
        mend: "Make one with: ibid ingest <path>",
      });
    }
    await makeFolder(folder).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new IbidError("store-failed", `The folder ${folder} cannot be made: ${reason}.`, {
        uri: folder,
        mend: "Name a place that can be written to.",
        cause,
      });
    });
    // Derived from documents that have a home elsewhere, it has no place in a repository; but what else is in the folder may have.
    if ((await readdir(folder)).length === 0) await writeFile(join(folder, ".gitignore"), "*\n");
  }
  return openSqliteStore(file, choices);
}

/** Graphs lie beside the database. */
async function putHnswBefore(
  store: KnowledgeStore,
  folder: string | undefined,
  options: HnswOptions,
): Promise<KnowledgeStore> {
  try {
    return await withHnsw(store, folder === undefined ? options : { ...options, folder: hnswFolder(folder) });
  } catch (error) {
    await store.close();
    throw error;
  }
}

function hnswFolder(folder: string): string {
  return join(folder, "hnsw");
}

/** Where the command line remembers which models it was told to use. */
function modelsFile(folder: string): string {
  return join(folder, "models.json");
}

/** The database, its write-ahead log, and the log's index. */
function storeFiles(folder: string): readonly string[] {
  return databaseFiles(join(folder, "ibid.sqlite"));
}

/** Beside the database, not in it: whoever writes documents and whoever searches never wait for one another. */
function eventFile(folder: string): string {
  return join(folder, "events.sqlite");
}

function databaseFiles(path: string): readonly string[] {
  return ["", "-wal", "-shm"].map((suffix) => `${path}${suffix}`);
}

interface SourcePlace {
  readonly base: string;
  /** Of the knowledge base. */
  readonly folder: string | undefined;
  readonly options: OpenOptions;
  readonly rules: WalkRules | undefined;
}

function openSource(inputs: readonly string[], { base, folder, options, rules }: SourcePlace): Source {
  const urls = inputs.filter(isUrl);
  const paths = inputs.filter((input) => !isUrl(input));
  const limit = options.maxFileBytes;
  const sources: Source[] = [];
  if (paths.length > 0) {
    sources.push(
      openFileSource(paths, {
        base,
        ...(limit === undefined ? {} : { maxFileBytes: limit }),
        ...rules,
        ...(folder === undefined
          ? {}
          : {
              ignore: [
                ...storeFiles(folder),
                ...databaseFiles(eventFile(folder)),
                hnswFolder(folder),
                modelsFile(folder),
              ],
            }),
      }),
    );
  }
  if (urls.length > 0) {
    sources.push(
      openUrlSource(urls, {
        ...(limit === undefined ? {} : { maxBytes: limit }),
        ...(options.allowAddress === undefined ? {} : { allowAddress: options.allowAddress }),
      }),
    );
  }
  return joinSources(sources);
}

/**
 * Named files as documents, under Ballerina's name for it: they must be there when it is made, and are read when `load` is called.
 *
 * **Shape** one path gives one document, several an array in their order. Metadata have `fileName`, `mimeType`, `fileSize`, `modifiedAt`. Every format that
 * ibid reads is taken. **Errors** `not-found` at once; the first file that cannot be read fails `load`.
 * **Source** Ballerina `TextDataLoader` (B52).
 */
export function createTextDataLoader(...paths: readonly [string, ...string[]]): {
  load(): Promise<TextDocument | readonly TextDocument[]>;
} {
  for (const path of paths) {
    if (existsSync(path)) continue;
    throw new IbidError("not-found", `File does not exist: ${path}`, { uri: path, mend: "Check the path." });
  }
  const load = async (path: string): Promise<TextDocument> => {
    const run = readSource(openFileSource([path], { base: process.cwd() }), createReaders());
    for await (const { metadata, ...document } of run)
      return { ...document, metadata: { ...metadata, mimeType: document.mediaType } };
    const [failure] = (await run).errors;
    throw failure?.error ?? new IbidError("empty", `${path} holds no document.`, { uri: path });
  };
  return { load: () => (paths.length === 1 ? load(paths[0]) : Promise.all(paths.map(load))) };
}

/**
 * Reads a folder, or what a glob matches, into documents and keeps none of it: `for await` gives the documents, `await` the counts.
 *
 * **Shape** uris relative to the working folder. Rules and errors as for ingesting it. **Source** Embabel `parseDirectory` (E15).
 */
export function readFolder(
  path: string,
  options: FolderRules & ReadSourceOptions & { readonly readers?: readonly Reader[] } = {},
): ReadRun {
  const { limits, signal, readers = [], ...rules } = options;
  let skipped = 0;
  const source = openFileSource([path], {
    base: process.cwd(),
    ...rules,
    onSkip: (_, kind) => {
      if (kind !== "folder") skipped++;
    },
  });
  const reading = { ...(limits && { limits }), ...(signal && { signal }) };
  return readSource(source, [...readers, ...createReaders()], reading, () => skipped);
}

/** As {@link OpenApiPluginOptions}, with a way to the server that is there already. */
export interface ImportOpenApiOptions extends Partial<OpenApiPluginOptions> {
  /** Permits servers that are not on the public internet, by IP: in an intranet, or on this machine. Default: none. */
  readonly allowAddress?: AllowAddress;
}

/**
 * The operations of a server as functions of a template and as tools, by its OpenAPI document: the text of one, in JSON or YAML, one that was read, or its address.
 *
 * **Errors** as {@link createOpenApiPlugin}; `blocked-address` for a server that is not public and not allowed.
 * **Source** Semantic Kernel's `ImportPluginFromOpenApi` (S15).
 */
export async function importOpenApi(
  document: string | URL | OpenApiDocument,
  options: ImportOpenApiOptions = {},
): Promise<OpenApiPlugin> {
  const { allowAddress, send = createRequestSender({ allowAddress }), ...rest } = options;
  if (!(document instanceof URL))
    return createOpenApiPlugin(typeof document === "string" ? await readOpenApi(document) : document, {
      ...rest,
      send,
    });
  const documentUrl = document.href;
  const { status, text } = await send(
    { method: "GET", url: documentUrl, headers: { accept: "application/json, application/yaml, text/yaml" } },
    { maxBytes: 5_000_000, timeoutMs: rest.timeoutMs ?? 30_000 },
  );
  if (status === 200) return createOpenApiPlugin(await readOpenApi(text), { ...rest, send, documentUrl });
  throw new IbidError("fetch-failed", `${documentUrl} answered with status ${status}.`, {
    uri: documentUrl,
    mend: "Check the address, or hand in the document's text.",
    details: { status },
  });
}
