import type { EnqueueOptions } from "../contracts/ingestion-queue.ts";
import type { FolderRules, IngestOptions } from "../contracts/knowledge-base.ts";
import { findCharsetName } from "../text/charsets/decode-text.ts";
import { aFunction, aSignal, byHand, inCode, objectWith, type RulesOf } from "../runtime/plan-options.ts";
import { readRefreshPolicy } from "./refresh-policy.ts";

const everyOrigin = { "user-content": true, narrative: true, note: true, synthetic: true } as const;
const globs = { type: "list", of: { type: "string", expects: "a glob" } } as const;

/** Rules that choose files of a folder or a glob. */
export const folderRules = {
  include: {
    doc: "Only files that match one of these globs.",
    kind: globs,
    for: ["library", "cli"],
    flag: "--include <glob>",
    spelling: { each: "item" },
  },
  exclude: {
    doc: "No files and folders that match one of these globs.",
    kind: globs,
    for: ["library", "cli"],
    flag: "--exclude <glob>",
    spelling: { each: "item" },
  },
  maxDepth: {
    doc: "Folders below the named one; 0 for none.",
    kind: { type: "integer", min: 0 },
    otherwise: "no limit",
    for: ["library", "cli"],
    flag: "--max-depth <n>",
  },
  maxFiles: { doc: "Most files of one walk.", kind: { type: "integer", min: 1 }, default: 1_000_000, for: inCode },
  maxFileBytes: { doc: "Largest file, in bytes.", kind: { type: "integer", min: 1 }, otherwise: "10 MiB", for: inCode },
  oversized: {
    doc: "Effect of a file beyond that limit: it fails, or it is skipped and counted.",
    kind: { type: "choice", values: { error: true, skip: true } },
    default: "error",
    for: inCode,
  },
  symlinks: {
    doc: "Symbolic links that are followed: none, those that stay inside the folder, or all.",
    kind: { type: "choice", values: { skip: true, inside: true, anywhere: true } },
    default: "skip",
    for: ["library", "cli"],
    flag: "--symlinks <which>",
    spelling: {
      shorthands: [
        {
          flag: "--follow-symlinks",
          doc: "Follow symbolic links that stay inside their folder.",
          value: () => "inside",
        },
      ],
    },
  },
  junk: {
    doc: "Whether to read lock files, source maps, search indexes of sites and minified code too.",
    kind: { type: "boolean" },
    default: false,
    for: ["library", "cli"],
  },
  media: {
    doc: "Whether to keep pictures and recordings that no reader accepts too, found by their names.",
    kind: { type: "boolean" },
    default: false,
    for: ["library", "cli"],
  },
} as const satisfies RulesOf<FolderRules>;

/** Options of `kb.ingest`, in the order of the manual. */
export const ingestOptions = {
  scope: {
    doc: "Scope of the documents.",
    kind: {
      type: "string",
      pattern: /^(?:platform|deployment|(?:team|user):.*\S.*)$/su,
      expects: "platform, deployment, team:<id> or user:<id>",
    },
    otherwise: "deployment; in the library and over HTTP, a caller's team, else the caller",
    for: byHand,
    spelling: {
      shorthands: [
        { flag: "--team <team>", doc: "Put the documents in the scope of this team.", value: (team) => `team:${team}` },
        { flag: "--user <user>", doc: "Put the documents in the scope of this user.", value: (user) => `user:${user}` },
        { flag: "--platform", doc: "Put the documents in the platform scope.", value: () => "platform" },
      ],
    },
  },
  metadata: {
    doc: "Metadata of every document; they win over those of the source.",
    kind: { type: "object" },
    for: byHand,
    flag: "--metadata <k=v>",
    spelling: {
      each: "pair",
      expects: "key=value; numbers, true and false keep their type, and more pairs may follow",
    },
  },
  origin: {
    doc: "Origin of the documents.",
    kind: { type: "choice", values: everyOrigin },
    default: "user-content",
    for: inCode,
  },
  password: {
    doc: "Password of protected files; never stored.",
    kind: { type: "string", pattern: /[^]/u, expects: "a string that is not empty" },
    for: ["library", "cli"],
    flag: "--password <password>",
    spelling: { env: "IBID_PASSWORD" },
  },
  charset: {
    doc: "Encoding of texts that do not declare theirs, such as windows-1252 or shift_jis.",
    kind: {
      type: "string",
      check: (name: string) => findCharsetName(name) !== undefined,
      expects: "the name of an encoding, such as utf-8, windows-1252 or shift_jis",
    },
    otherwise: "recognised by their words",
    for: byHand,
    flag: "--charset <name>",
  },
  sweep: {
    doc: "Whether documents that are gone from an ingested folder are removed.",
    kind: { type: "boolean" },
    default: true,
    for: ["library", "cli"],
  },
  refresh: {
    doc: "Policy that chooses the stored documents to read again; `lastmod` goes by the dates of a sitemap.",
    kind: objectWith("a refresh policy, such as refreshAfter(3_600_000)", "shouldReread"),
    otherwise: "all",
    for: ["library", "cli"],
    flag: "--refresh <when>",
    spelling: {
      read: readRefreshPolicy,
      expects: "always, never, lastmod, or a time such as 30m, 12h or 7d",
    },
  },
  folders: {
    doc: "Rules for the files below paths and globs.",
    kind: { type: "group", options: folderRules },
    for: ["library", "cli"],
  },
  settle: {
    doc: "Whether to wait until the store has sealed, merged and fitted.",
    kind: { type: "boolean" },
    default: false,
    for: inCode,
  },
  ids: {
    doc: "Blank and missing names of texts and ids of chunks: an error, or one is made of the content.",
    kind: { type: "choice", values: { require: true, generate: true } },
    default: "require",
    for: inCode,
  },
  onInvalid: {
    doc: "Effect of a given chunk with an invalid vector: an error that stores nothing, or the chunk is left out and listed.",
    kind: { type: "choice", values: { error: true, skip: true } },
    default: "error",
    for: inCode,
  },
  onFailedBatch: {
    doc: "Effect of a batch whose embedding fails: an error, or its chunks are stored without vectors, counted as `unembedded`, and embedded by the next ingestion.",
    kind: { type: "choice", values: { error: true, skip: true } },
    default: "error",
    for: inCode,
  },
  signal: { doc: "Stops the ingestion.", kind: aSignal, for: inCode },
  onProgress: { doc: "Receives counts as work proceeds.", kind: aFunction, for: inCode },
  onEmbedding: { doc: "Receives the uri of a document before its chunks are embedded.", kind: aFunction, for: inCode },
  onSkip: { doc: "Receives each path that a rule leaves out of a walk.", kind: aFunction, for: inCode },
} as const satisfies RulesOf<IngestOptions>;

const { scope, metadata, origin, sweep, folders } = ingestOptions;

/** Options of `queue.enqueue`, in the order of the manual. */
export const enqueueOptions = {
  scope,
  metadata,
  origin,
  sweep,
  folders,
  changed: {
    doc: "Only these uris of a folder are read again, and new files.",
    kind: { type: "list", of: { type: "string", expects: "a uri" } },
    otherwise: "everything",
    for: inCode,
  },
  signal: { doc: "Stops the queueing.", kind: aSignal, for: inCode },
} as const satisfies RulesOf<EnqueueOptions>;
