import type { Origin } from "../contracts/document.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { Hit } from "../contracts/retriever.ts";
import type { Scope } from "../contracts/scope.ts";
import { deployment, north, south } from "./store-fixtures.ts";

/**
 * A short text that the subject must make findable, as one chunk or as those that it names.
 *
 * @experimental
 */
export interface RetrievableText {
  readonly scope: Scope;
  readonly uri: string;
  readonly text: string;
  /** Slices of the text, in order, each to be a chunk of its own. Default: the text is one chunk. */
  readonly chunks?: readonly string[];
  readonly metadata?: Metadata;
  readonly origin?: Origin;
}

/** A document of several chunks, of which the first and the third answer the question. */
export const cutText: RetrievableText = {
  scope: deployment,
  uri: "manual.md",
  text: "Signing keys are rotated in spring. 🔑\n\nTea is served at four o'clock.\n\nWho must rotate signing keys asks first.\n\nThe lift is out of order.",
  chunks: [
    "Signing keys are rotated in spring. 🔑",
    "Tea is served at four o'clock.",
    "Who must rotate signing keys asks first.",
    "The lift is out of order.",
  ],
};

/** Three texts that everybody may read, and two that only their teams may. */
export const texts: readonly RetrievableText[] = [
  {
    scope: deployment,
    uri: "keys.md",
    text: "To rotate the signing keys, revoke the old key first. 🔑",
    metadata: { year: 2024, team: "ops" },
  },
  {
    scope: deployment,
    uri: "backup.md",
    text: "Backups run every night, are kept for thirty days, and need no signing.",
    metadata: { year: 2023 },
  },
  {
    scope: deployment,
    uri: "holiday.md",
    text: "Every employee has twenty five days of holiday a year.",
    metadata: { year: 2024 },
    origin: "note",
  },
  {
    scope: north,
    uri: "north.md",
    text: "The northern team keeps its signing keys in a safe.",
    metadata: { year: 2024 },
  },
  { scope: south, uri: "south.md", text: "The southern team has lost its signing keys.", metadata: { year: 2024 } },
];

/** The question that the first text answers. */
export const question = "rotate signing keys";

/** Facts that distinguish the results of two worlds: hits, scores, order. */
export function facts(hits: readonly Hit[]): unknown {
  return hits.map(({ rank, score, scope, source, text }) => [rank, score, scope, source.uri, text]);
}

/** Uris in the order found. */
export function uris(hits: readonly Hit[]): readonly string[] {
  return hits.map(({ source }) => source.uri);
}
