import type { Suspicion } from "../../contracts/suspicion.ts";
import { findSuspicious } from "../../text/untrusted/find-suspicious.ts";
import { neutraliseSource } from "../../text/untrusted/neutralise-source.ts";

/** Text for a model of which every line is the document's own, but for those that were neutralised. */
export interface VerbatimText {
  readonly text: string;
  /** The whole lines that were neutralised, by their place in the document. **Units** UTF-16. */
  readonly neutralised: readonly { readonly kind: Suspicion["kind"]; readonly start: number; readonly end: number }[];
}

/**
 * Shows text so that its lines can be quoted: a line in which nothing poses as an order stays as it is, character for character.
 *
 * Other lines are neutralised, and `neutralised` lists them. A marker such as `[1]` stays: the text is a value of JSON and no prompt.
 * `offset` is where the text begins in its document. **Cost** linear.
 */
export function showVerbatim(text: string, offset: number): VerbatimText {
  const found = findSuspicious(text);
  const neutralised: { kind: Suspicion["kind"]; start: number; end: number }[] = [];
  for (const { kind, start, end } of found) {
    const from = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
    const next = text.indexOf("\n", Math.max(start, end - 1));
    const lines = { kind, start: from, end: next < 0 ? text.length : next };
    const last = neutralised.at(-1);
    if (last !== undefined && lines.start <= last.end) last.end = Math.max(last.end, lines.end);
    else neutralised.push(lines);
  }
  let shown = "";
  let at = 0;
  for (const { start, end } of neutralised) {
    shown += text.slice(at, start) + neutraliseSource(text.slice(start, end));
    at = end;
  }
  shown += text.slice(at);
  const place = (one: (typeof neutralised)[number]) => ({ ...one, start: one.start + offset, end: one.end + offset });
  // Lines that are harmless one by one may not be so together.
  if (neutralised.length > 0 && findSuspicious(shown).length > 0) {
    const [first] = found;
    return {
      text: neutraliseSource(text),
      neutralised: [{ kind: first!.kind, start: offset, end: offset + text.length }],
    };
  }
  return { text: shown, neutralised: neutralised.map(place) };
}
