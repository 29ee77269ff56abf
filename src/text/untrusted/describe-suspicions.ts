import type { Suspicion, SuspicionKind } from "../../contracts/suspicion.ts";
import { inTurns } from "../../runtime/next-turn.ts";
import { findSuspiciousInSteps, unseenKinds } from "./find-suspicious.ts";

const names: Readonly<Record<SuspicionKind, readonly [one: string, many: string]>> = {
  comment: ["comment", "comments"],
  hidden: ["hidden element", "hidden elements"],
  invisible: ["run of invisible characters", "runs of invisible characters"],
  direction: ["turn of the writing direction", "turns of the writing direction"],
  tags: ["run of tag characters", "runs of tag characters"],
  role: ["turn or token of a conversation", "turns or tokens of a conversation"],
  "tool-call": ["tool call", "tool calls"],
  delimiter: ["delimiter", "delimiters"],
};

/** Findings by kind, counted, in words: `2 comments, 1 tool call`. */
export function countSuspicions(found: readonly Pick<Suspicion, "kind">[]): string {
  const counts = new Map<SuspicionKind, number>();
  for (const { kind } of found) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Array.from(counts, ([kind, count]) => `${count} ${names[kind][count === 1 ? 0 : 1]}`).join(", ");
}

/** A finding as a line can show it: words as they are, what has no shape by its code points. **Shape** one line, cut. */
export function showSuspicion({ quote, says }: Pick<Suspicion, "quote" | "says">): string {
  if (says !== undefined && says !== "") return shorten(says);
  const shown = shorten(quote.replaceAll(/\s+/gu, " ").trim());
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(shown.replaceAll(withoutShape, ""))) return shown;
  const codes = Array.from(
    quote,
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
  return `${codes.slice(0, 8).join(" ")}${codes.length > 8 ? " …" : ""}`;
}

/**
 * Returns a note for the ingestion of a document with text that its readers do not see; `undefined` without such text.
 *
 * Others have their turn on the way: a book has some megabytes.
 *
 * Comments of a few words are marks for programs; scripts and styles are parts of a page. In files other than pages comments are visible.
 */
export async function noteUnseen(text: string, mediaType: string): Promise<string | undefined> {
  const isPage = /^text\/(?:markdown|mdx|html|plain)\b|^application\/xhtml/u.test(mediaType);
  const found = (await inTurns(findSuspiciousInSteps(text, unseenKinds, lookedThroughAtOnce))).filter(
    ({ kind, quote }) =>
      (kind === "comment" ? isPage && (quote.match(/\p{L}{2,}/gu)?.length ?? 0) >= fewWords : true) &&
      (kind === "hidden" ? isPage && !/^<(?:script|style|template)\b/iu.test(quote) : true),
  );
  const [first] = found;
  if (!first) return undefined;
  return `It holds what its readers do not see: ${countSuspicions(found)}. The first, at ${first.start}: ${showSuspicion(first)}`;
}

/** Some milliseconds of the slowest pattern. **Units** UTF-16. */
const lookedThroughAtOnce = 2 ** 19;

/** Fewer say nothing to a model. **Source** our own choice: `prettier-ignore`, `TOC`, `eslint-disable next line`. */
const fewWords = 4;
const longestShown = 80;
const withoutShape = /[\u115F\u1160\u3164\uFFA0]/gu;

function shorten(text: string): string {
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
