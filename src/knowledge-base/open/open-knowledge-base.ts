import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { IbidError } from "../../contracts/errors.ts";
import { createEventFile } from "../../stores/sqlite/sqlite-event-store.ts";
import type { FolderRules, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import {
  assembleKnowledgeBase,
  completeReaders,
  openMemory,
  readOpenArguments,
  type RuntimeParts,
  storeChoices,
  takeStore,
} from "./assemble.ts";
import type { AnyChatModel, AnyEmbeddingModel, AnyReranker, ChosenModels } from "../../models/choose-models.ts";
import { aFunction, inCode, type RulesOf } from "../../runtime/plan-options.ts";
import type { DownloadProgress } from "../../contracts/download-progress.ts";
import { isPostgresAddress } from "../../stores/postgres/postgres-address.ts";
import { checkNode } from "../../stores/sqlite/sqlite-runtime.ts";
import { checkLocation, eventFile } from "../../stores/sqlite/knowledge-base-folder.ts";
import { openInputs, type OpenSources, sourceOptions } from "./open-inputs.ts";
import {
  checkOpenOptions,
  openOptions,
  type QualityOptions,
  qualityOptions,
  readingOptions,
  type OpenModels,
  type OpenOptions as AnyRuntimeOptions,
  type OpenReading,
} from "./open-options.ts";
import { findRecordedName } from "./remembered-models.ts";
import { openStoreInFolder } from "./open-store-in-folder.ts";
import type { Engine } from "../../contracts/engine.ts";
import { type NamedEngine, openEngine, placeNamedStore } from "./open-engine.ts";
import type { Store } from "../../contracts/store.ts";
import type { PostgresStoreOptions } from "../../stores/postgres/postgres-store.ts";
import { type OcrOption, openOcr } from "./open-ocr.ts";
import { type ReplicaOptions, replicaOptions } from "../../stores/postgres/replica-options.ts";
import { createReaders } from "../../readers/create-readers.ts";
import { startReaders } from "../../readers/worker/start-readers.ts";
import { languageAnalyzer } from "../../text/languages/snowball/language-analyzer.ts";
import { folderRules } from "../../ingest/ingest-options.ts";
import type { WalkRules } from "../../ingest/to-arrivals.ts";
import { toUri } from "../../ingest/to-uri.ts";

/** Models of your own, of the AI SDK, or by name: `"provider/model"`, `"local"`. */
interface NodeModels extends OpenModels<AnyChatModel, AnyEmbeddingModel, AnyReranker> {
  /** Receives the state of a local model's download: `{ model, received, total }`, in bytes. */
  readonly onDownload?: ((progress: DownloadProgress) => void) | undefined;
}

/** Options of {@link openKnowledgeBase} on Node. Everything has a default. */
export interface OpenOptions
  extends Omit<AnyRuntimeOptions, "models" | "reading" | "engine" | "store">, QualityOptions {
  /**
   * Store that keeps everything, in place of one that is made for the location. The knowledge base closes it; relative paths still follow the location.
   * The name of an engine with its options is the same here as in `engine`.
   */
  readonly store?: Store | NamedEngine | undefined;
  /** Vector engine that proposes candidates: your own, or one of ibid's by name with its options, such as `{ name: "qdrant", url }`. Default: none. */
  readonly engine?: Engine | NamedEngine | undefined;
  /** Models for embeddings, answers and ranking: your own, of the AI SDK, or by name, such as `"ollama/qwen3:8b"`. */
  readonly models?: NodeModels | undefined;
  /** How files become documents. */
  readonly reading?: NodeReading | undefined;
  /** Files and pages that may be read. */
  readonly sources?: OpenSources | undefined;
  /** This node's copy of a base in Postgres. */
  readonly replica?: ReplicaOptions | undefined;
  /** Whether to make a folder that does not exist. Default true. */
  readonly create?: boolean | undefined;
}

interface NodeReading extends OpenReading {
  /**
   * Whether files are read in a process of their own, which is stopped when a file exceeds `limits`. Default `"auto"`: large files and archives, where
   * such a process can be started; `true`: every file, else an error; `false`: none. Your own `readers` stay in this process.
   */
  readonly worker?: boolean | "auto" | undefined;
  /**
   * Recognises the text of scanned pages and of pictures: languages for Tesseract (`"eng+deu"`), its options, or a provider of your own. Default: none.
   *
   * **Errors** when opening: `dependency-missing` without Tesseract or its languages.
   */
  readonly ocr?: OcrOption | undefined;
  /** Rules for the files below paths and globs, where an ingestion gives none of its own. Default: those of `kb.ingest`. */
  readonly folders?: FolderRules | undefined;
}

/** Options of {@link openKnowledgeBase} on Node, in the order of the manual. */
export const nodeOptions = {
  ...qualityOptions,
  ...openOptions,
  models: {
    ...openOptions.models,
    kind: {
      type: "group",
      options: {
        ...openOptions.models.kind.options,
        onDownload: {
          doc: "Receives the state of a local model's download: `{ model, received, total }`, in bytes.",
          kind: aFunction,
          for: inCode,
        },
      } satisfies RulesOf<NodeModels>,
    },
  },
  reading: {
    ...openOptions.reading,
    kind: {
      type: "group",
      options: {
        ...readingOptions,
        worker: {
          doc: "Whether files are read in a process of their own: all, none, or large files and archives.",
          kind: {
            type: "value",
            expects: 'true, false or "auto"',
            check: (value: unknown) => typeof value === "boolean" || value === "auto",
          },
          default: "auto",
          for: inCode,
        },
        ocr: {
          doc: 'Recognises scanned pages and pictures: languages for Tesseract (`"eng+deu"`), its options, or a provider.',
          kind: {
            type: "value",
            expects: 'languages such as "eng+deu", options of openTesseractOcr, or a provider',
            check: (value: unknown) =>
              (typeof value === "string" && value !== "") || (typeof value === "object" && value !== null),
          },
          otherwise: "none",
          for: inCode,
        },
        folders: {
          doc: "Rules for the files below paths and globs, where an ingestion gives none of its own.",
          kind: { type: "group", options: folderRules },
          for: inCode,
        },
      } satisfies RulesOf<NodeReading>,
    },
  },
  sources: {
    doc: "Files and pages that may be read.",
    kind: { type: "group", options: sourceOptions },
    for: inCode,
  },
  replica: {
    doc: "This node's copy of a base in Postgres.",
    kind: { type: "group", options: replicaOptions },
    for: inCode,
  },
  create: {
    doc: "Whether to make a folder that does not exist; otherwise it is an error.",
    kind: { type: "boolean" },
    default: true,
    for: inCode,
  },
} as const satisfies RulesOf<OpenOptions>;

/** Name of the list of synonyms in the folder of a knowledge base. */
const synonymsFile = "synonyms.txt";

function readSynonyms(folder: string): string | undefined {
  const path = join(folder, synonymsFile);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/**
 * Opens a knowledge base. A location is a folder, which is durable, or the address of a Postgres database, which several machines may share. Without one, the knowledge base is in memory, and `snapshots` can keep it; `store` is
 * one that is open already.
 *
 * **Shape** uris of documents are relative to the parent of the folder; in a database and in memory, to the working directory. A database is opened as
 * `openPostgresStore` of `ibid/stores/postgres` opens it.
 * **Errors** `not-found` with `create: false`; `unsupported-runtime` on a Node before 22.23.3, and for a folder on one whose SQLite can lose data; `store-corrupt`, `store-busy`;
 * `configuration-missing` and `dependency-missing` for a model by name.
 * **Cost** opening reads the list of segments, not their contents.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { models: { chat: "ollama/qwen3:8b" } });
 */
export async function openKnowledgeBase(
  // One signature: of two, the compiler reports the last, which takes no options first, and names no wrong one.
  locationOrOptions?: string | OpenOptions,
  optionsOfLocation?: OpenOptions,
): Promise<KnowledgeBase> {
  checkNode(process.versions);
  const { location, options: given } = readOpenArguments(locationOrOptions, optionsOfLocation);
  const options = placeNamedStore(given);
  const { models: named = {}, quality, engine: _engine, ...withoutEngine } = options;
  checkOpenOptions(options as AnyRuntimeOptions, nodeOptions);
  const models = {
    ...named,
    embedding: named.embedding === undefined ? quality : named.embedding,
    reranker: named.reranker ?? quality,
  };
  const { prices, cache, batch, limits, image, embedNames } = models;
  const address = isPostgresAddress(location) ? location : undefined;
  if (options.replica !== undefined && address === undefined) {
    throw new IbidError("invalid-argument", "The option replica is for a base in Postgres.", {
      hint: "Give postgres://user@host/database as the location, or leave replica out.",
    });
  }
  const place = address === undefined ? location : undefined;
  const { worker = "auto" } = options.reading ?? {};
  let chosen: AnyRuntimeOptions = {
    ...withoutEngine,
    search: {
      ...options.search,
      analyzer: options.search?.analyzer ?? languageAnalyzer,
      synonyms: options.search?.synonyms ?? (place === undefined ? undefined : readSynonyms(checkLocation(place))),
    },
    // Models that are named are loaded before anything is opened.
    models: { prices, cache, batch, limits, image, embedNames, ...(await chooseModels(models)) },
  };
  const folder = place === undefined ? undefined : resolve(checkLocation(place));
  const base = folder === undefined ? process.cwd() : dirname(folder);
  const engine = options.engine === undefined ? undefined : await openEngine(options.engine, options.snapshots);
  chosen = { ...chosen, ...(engine && { engine }) };
  const store =
    (await takeStore(chosen)) ??
    (address !== undefined
      ? await openInPostgres(address, { ...storeChoices(chosen), ...options.replica, create: options.create })
      : folder === undefined
        ? await openMemory(chosen)
        : await openStoreInFolder(folder, storeChoices(chosen), options.create));

  const ocr = await openOcr(options.reading?.ocr);
  const own = [...(await completeReaders(options.readers ?? [])), ...ocr.readers];
  const reading = startReaders(own, worker, createReaders());
  return assembleKnowledgeBase(store, chosen, {
    readers: [...ocr.readers, ...reading.readers],
    async closeReaders() {
      await Promise.all([reading.close(), ocr.close()]);
    },
    async *unpack(input) {
      yield* (await import("../../readers/archives/unpack-archive.ts")).unpackArchive(input);
    },
    ...(folder !== undefined &&
      options.store === undefined && {
        findName: (model) => findRecordedName(folder, model),
        openEvents: (retention) => createEventFile(eventFile(folder), retention),
        openBlobs: async () =>
          (await import("../../stores/blobs/open-file-blob-store.ts")).openFileBlobStore(join(folder, "media")),
        mayHoldMedia: () => existsSync(join(folder, "media")),
        openKept: async (isWritten = false) =>
          isWritten || existsSync(join(folder, "files"))
            ? (await import("./open-files.ts")).openFiles(folder)
            : undefined,
      }),
    ...(address !== undefined && options.store === undefined && (await besidePostgres(address))),
    openSource: (inputs, rules) =>
      openInputs(inputs, {
        base,
        folder,
        options: options.sources ?? {},
        rules: { ...options.reading?.folders, ...givenRules(rules) },
      }),
    resolveUri: toUri(base),
  });
}

/** Loads the code for Postgres only where it is used. */
async function openInPostgres(address: string, options: PostgresStoreOptions): Promise<Store> {
  const { openPostgresStore } = await import("../../stores/postgres/postgres-store.ts");
  return openPostgresStore(address, options);
}

/** Events, media and kept files of all nodes are in the database. */
async function besidePostgres(address: string): Promise<Partial<RuntimeParts>> {
  const { openBesidePostgres } = await import("../../stores/postgres/beside-postgres.ts");
  const beside = openBesidePostgres(address);
  return {
    openEvents: (retention) => beside.openEvents(retention),
    openBlobs: async () => beside.media,
    mayHoldMedia: () => true,
    openKept: async () => beside.files,
  };
}

/** Loads what providers and the AI SDK need, unless no model is chosen. */
async function chooseModels(models: NodeModels): Promise<ChosenModels> {
  const { chat, judge, embedding, formerEmbeddings = [], reranker } = models;
  const isNone = (model: unknown): boolean => model === undefined || model === null;
  if ([chat, judge, embedding, reranker, ...formerEmbeddings].every(isNone))
    return { embedding: embedding === null ? null : undefined };
  return (await import("../../models/choose-models.ts")).chooseModels(models);
}

/** The rules that an ingestion gives. */
function givenRules(rules: WalkRules = {}): WalkRules {
  return Object.fromEntries(Object.entries(rules).filter(([, rule]) => rule !== undefined));
}
