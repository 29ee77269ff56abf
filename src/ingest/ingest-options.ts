import type { FolderRules, IngestOptions } from "../contracts/knowledge-base.ts";
import { findCharsetName } from "../text/charsets/decode-text.ts";
import { aFunction, aSignal, inCode, objectWith, type RulesOf } from "../runtime/plan-options.ts";

const everyOrigin = { "user-content": true, narrative: true, note: true, synthetic: true } as const;
const globs = { type: "list", of: { type: "string", expects: "a glob" } } as const;

/** Rules that choose files of a folder or a glob. */
export const folderRules = {
  include: {
    doc: "Only files that match one of these globs.",
    kind: globs,
    for: ["library", "cli"],
    flag: "--include <glob>",
  },
  exclude: {
    doc: "No files and folders that match one of these globs.",
    kind: globs,
    for: ["library", "cli"],
    flag: "--exclude <glob>",
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
  symlinks: {
    doc: "Symbolic links that are followed: none, those that stay inside the folder, or all.",
    kind: { type: "choice", values: { skip: true, inside: true, anywhere: true } },
    default: "skip",
    for: inCode,
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
    otherwise: "deployment; for a caller, their team, else themselves",
    for: ["library", "http"],
  },
  metadata: {
    doc: "Metadata of every document; they win over those of the source.",
    kind: { type: "object" },
    for: ["library", "http", "cli"],
    flag: "--metadata <k=v>",
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
  },
  charset: {
    doc: "Encoding of texts that do not declare theirs, such as windows-1252 or shift_jis.",
    kind: {
      type: "string",
      check: (name: string) => findCharsetName(name) !== undefined,
      expects: "the name of an encoding, such as utf-8, windows-1252 or shift_jis",
    },
    otherwise: "recognised by their words",
    for: ["library", "http", "cli"],
    flag: "--charset <name>",
  },
  sweep: {
    doc: "Whether documents that are gone from an ingested folder are removed.",
    kind: { type: "boolean" },
    default: true,
    for: ["library", "cli"],
  },
  refresh: {
    doc: "Policy that chooses the stored documents to read again.",
    kind: objectWith("a refresh policy, such as refreshAfter(3_600_000)", "shouldReread"),
    otherwise: "all",
    for: inCode,
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
  signal: { doc: "Stops the ingestion.", kind: aSignal, for: inCode },
  onProgress: { doc: "Receives counts as work proceeds.", kind: aFunction, for: inCode },
  onEmbedding: { doc: "Receives the uri of a document before its chunks are embedded.", kind: aFunction, for: inCode },
  onSkip: { doc: "Receives each path that a rule leaves out of a walk.", kind: aFunction, for: inCode },
} as const satisfies RulesOf<IngestOptions>;
