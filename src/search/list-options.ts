import type { FolderOptions, ListOptions, ListOrder } from "../contracts/knowledge-base.ts";
import { byHand, byOperator, everywhere, inCode, type RulesOf } from "../runtime/plan-options.ts";
import { aScope, asOfOption } from "./search-options.ts";

const aDate = {
  type: "string",
  check: (text: string): boolean => !Number.isNaN(Date.parse(text)),
  expects: "a date in ISO 8601, such as 2026-05-01",
} as const;

const orders = { uri: true, newest: true, oldest: true, largest: true, title: true } as const satisfies Readonly<
  Record<ListOrder, true>
>;

/** Options of `kb.list`, in the order of the manual. */
export const listOptions = {
  under: { doc: "Only uris with this prefix.", kind: { type: "string" }, for: everywhere, flag: "--under <prefix>" },
  scope: { doc: "Only this scope.", kind: aScope, for: everywhere, flag: "--scope <scope>" },
  documentId: {
    doc: "Only the document of this id, in each scope that has one.",
    kind: { type: "string" },
    for: inCode,
  },
  mediaType: {
    doc: "Only this media type, or with a slash at its end, such as `image/`, a family of them.",
    kind: { type: "string" },
    for: everywhere,
    flag: "--type <media-type>",
  },
  since: {
    doc: "Only documents that were ingested then or later: ISO 8601.",
    kind: aDate,
    for: everywhere,
    flag: "--since <date>",
  },
  before: {
    doc: "Only documents that were ingested earlier: ISO 8601.",
    kind: aDate,
    for: everywhere,
    flag: "--before <date>",
  },
  asOf: {
    ...asOfOption,
    doc: "The documents of this time, such as `2026-11-23`, by today's rights. Needs [history](history.md).",
    for: byHand,
    flag: "--as-of <time>",
  },
  sort: {
    doc: "Order; `newest` and `oldest` go by the time of ingestion, `largest` by bytes. In the order of titles A to Z ignore case. A page reads its own rows.",
    kind: { type: "choice", values: orders },
    default: "uri",
    for: everywhere,
    flag: "--sort <order>",
  },
  limit: {
    doc: "At most this many.",
    kind: { type: "integer", min: 1 },
    otherwise: "all",
    for: byOperator,
    flag: "--limit <n>",
  },
  after: {
    doc: "Only documents that follow this one in the order: the last one of the page before.",
    kind: {
      type: "value",
      expects: "an object with uri and scope",
      check: (value: unknown): boolean =>
        typeof value === "object" && value !== null && typeof (value as { uri?: unknown }).uri === "string",
    },
    for: inCode,
  },
} as const satisfies RulesOf<ListOptions>;

const { scope, mediaType, since, before } = listOptions;

/** Options of `kb.folders`. */
export const folderOptions = { scope, mediaType, since, before } as const satisfies RulesOf<FolderOptions>;
