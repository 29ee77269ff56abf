import type { RankedQuotable } from "./rank-passages.ts";

/** **Units** UTF-16 code units. */
const mostText = 700;
const mostQuotations = 2;
const longestQuotation = 500;
/** A second quotation has at least this share of the first one's score. */
const secondScore = 0.6;
/** A neighbour with a smaller share of the first one's score is not joined. */
const relativeScore = 0.5;

/**
 * Chooses what to quote: the best passage that may lead, and one more. Neighbours are joined while they fit into one quotation.
 *
 * **Shape** best first, apart; at most {@link mostQuotations} and {@link mostText} together. Nothing where no term of the question stands in any, unless `anything`.
 */
export function choosePassages(ranked: readonly RankedQuotable[], anything = false): readonly RankedQuotable[] {
  const leading = ranked.find(({ mayLead, coverage }) => mayLead && (anything || coverage > 0));
  const first = leading ?? (anything ? ranked[0] : undefined);
  if (first === undefined) return [];
  const said = new Set([comparable(first)]);
  const whole = first.row === undefined ? first : withRowsBeside(first, ranked, said);
  const chosen: RankedQuotable[] = [whole];
  let length = whole.end - whole.start;
  for (const passage of ranked) {
    if (said.has(comparable(passage)) || isLesserRow(passage, first)) continue;
    const at = chosen.findIndex((one) => join(one, passage) !== undefined);
    const quote = chosen[at];
    const joined = quote && join(quote, passage);
    const grown = joined && length - (quote.end - quote.start) + joined.end - joined.start;
    if (
      joined &&
      passage.score >= relativeScore * first.score &&
      joined.end - joined.start <= longestQuotation &&
      grown! <= mostText
    ) {
      chosen[at] = joined;
      length = grown!;
    } else if (
      chosen.length < mostQuotations &&
      !passage.isOpposite &&
      passage.score >= secondScore * first.score &&
      length + passage.end - passage.start <= mostText
    ) {
      chosen.push(passage);
      length += passage.end - passage.start;
    } else continue;
    said.add(comparable(passage));
  }
  return chosen;
}

/** A row, joined with those around it that hold as much of the question, whatever their order. **Cost** a look at all passages for each row that is joined. */
function withRowsBeside(first: RankedQuotable, ranked: readonly RankedQuotable[], said: Set<string>): RankedQuotable {
  const isAlike = (one: RankedQuotable): boolean =>
    one.row !== undefined && one.score >= relativeScore * first.score && !isLesserRow(one, first);
  let whole = first;
  for (;;) {
    const next = ranked.find((one) => isAlike(one) && !said.has(comparable(one)) && join(whole, one) !== undefined);
    const joined = next && join(whole, next);
    if (joined === undefined || joined.end - joined.start > longestQuotation) return whole;
    said.add(comparable(next!));
    whole = joined;
  }
}

/**
 * Rows are many and alike: one that holds less of the question than the first quotation is another's answer. Below the same headings, words of the row itself count: the
 * "1" of "Slide 1" is no row's.
 */
function isLesserRow(one: RankedQuotable, first: RankedQuotable): boolean {
  if (one.row === undefined) return false;
  const areBeside =
    one.hit.documentId === first.hit.documentId && one.headings.join("\n") === first.headings.join("\n");
  return one.coverage < first.coverage - 1e-9 || (areBeside && one.held < first.held - 1e-9);
}

/** Two passages of prose, or rows, as one, where nothing but white space parts them, and the first is no opposite of the question. */
function join(a: RankedQuotable, b: RankedQuotable): RankedQuotable | undefined {
  if (a.hit.documentId !== b.hit.documentId || a.hit.scope !== b.hit.scope) return undefined;
  const [before, after] = a.start < b.start ? [a, b] : [b, a];
  if ((a.row === undefined) !== (b.row === undefined)) return undefined;
  if (before.isOpposite || after.gap === undefined || after.order[0] !== before.order[1] + 1) return undefined;
  return {
    ...a,
    ...(a.isInHit ? {} : { hit: b.hit, isInHit: b.isInHit }),
    start: before.start,
    end: after.end,
    order: [before.order[0], after.order[1]],
    kinds: new Set([...before.kinds, ...after.kinds]),
    context: before.context,
    fence: before.fence,
    gap: before.gap,
    isOpposite: false,
    lead: before.lead,
    text: before.text + after.gap + after.text,
  };
}

function comparable({ text }: RankedQuotable): string {
  return text.toLowerCase().replaceAll(/\s+/gu, " ");
}
