import { checkGiven } from "../../runtime/check-options.ts";
import type { Suspicion } from "../../contracts/suspicion.ts";
import { everyMarker } from "./citation-marker.ts";
import { findSuspicious, unseenKinds } from "./find-suspicious.ts";
import { createMarkerScanner } from "./scan-markers.ts";

/**
 * Neutralises a source for a model: invisible text is left out, and marks with a meaning for the machinery lose it.
 *
 * - Comments, hidden elements, characters without a shape, turned directions and tags go.
 * - Models' own tokens, tags of roles, tools and delimiters get other brackets: `‹|im_start|›`. A line that poses as a turn of the conversation is quoted: `> Human:`.
 * - Brackets that would make a citation in an answer become others: `⟦1⟧`. Brackets in code stay.
 *
 * The text that is stored, found and cited stays as it is.
 *
 * **Shape** idempotent. **Cost** linear, once per layer of hidden text.
 *
 * @experimental
 */
export function neutraliseSource(text: string): string {
  checkGiven("neutraliseSource", "text", text, "text");
  let seen = text;
  for (let layers = 0; layers < mostLayers; layers += 1) {
    const found = findSuspicious(seen);
    // Removed text may join its neighbours, so removal comes first.
    const hidden = found.filter(({ kind }) => unseenKinds.has(kind));
    if (found.length === 0) return neutraliseMarkers(seen);
    seen = hidden.length > 0 ? replaceAll(seen, hidden, () => "") : replaceAll(seen, found, disarm);
  }
  // Deeper than anybody would wrap something by accident.
  return neutraliseMarkers(rebracketAll(seen.replaceAll(unseenCharacter, "")));
}

/** The same on one line, so that no source can pass for another line of a prompt. */
export function neutraliseToLine(text: string): string {
  const line = neutraliseSource(text).replaceAll(/\s+/gu, " ").trim();
  // Joined lines may make a token.
  return neutraliseSource(line);
}

/**
 * A text in which spaces stand for comments and hidden elements. **Shape** as long as the text, so that a part of it can be neutralised where the rest of a comment is not at hand.
 */
export function blankHidden(text: string): string {
  return findSuspicious(text, hiddenKinds).reduce(
    (seen, { kind, start, end }) =>
      hiddenKinds.has(kind) ? seen.slice(0, start) + " ".repeat(end - start) + seen.slice(end) : seen,
    text,
  );
}

const hiddenKinds: ReadonlySet<Suspicion["kind"]> = new Set(["comment", "hidden"]);

/** Whatever has no shape, but for line ends and tabs. */
const unseenCharacter = /(?![\n\t])[\p{C}\p{Variation_Selector}\u115F\u1160\u3164\uFFA0]/gu;
const mostLayers = 8;

function disarm(found: string, kind: Suspicion["kind"]): string {
  const isLine = kind === "role" && !/^[<[]/u.test(found);
  return isLine ? `> ${found}` : rebracketAll(found);
}

function rebracketAll(text: string): string {
  return text.replaceAll("<", "‹").replaceAll(">", "›").replaceAll("[", "⟦").replaceAll("]", "⟧");
}

/** Replaces what was found; what lies within something else goes with it. */
function replaceAll(
  text: string,
  found: readonly Suspicion[],
  replacement: (text: string, kind: Suspicion["kind"]) => string,
): string {
  let result = "";
  let position = 0;
  for (const { kind, start, end } of found) {
    if (start < position) {
      if (end <= position) continue;
      // Half within: the rest of it is judged as it is.
      result += replacement(text.slice(position, end), kind);
    } else {
      result += text.slice(position, start) + replacement(text.slice(start, end), kind);
    }
    position = end;
  }
  return result + text.slice(position);
}

function neutraliseMarkers(text: string): string {
  const scanner = createMarkerScanner();
  let result = "";
  for (const pieces of [scanner.push(text), scanner.finish()]) {
    for (const piece of pieces) result += piece.type === "text" ? piece.text : rebracket(piece.raw);
  }
  // An open block of code may be quoted by its end without its beginning.
  return scanner.isInCode() ? result.replaceAll(everyMarker, rebracket) : result;
}

function rebracket(marker: string): string {
  return `⟦${marker.slice(1, -1)}⟧`;
}
