/** Bounds of a row's cosine: `middle` plus or minus `reach`. */
export interface CosineBounds {
  readonly middle: number;
  readonly reach: number;
}

/** How a row's codes relate to it, as shares of its length. */
export interface CodedShare {
  /** Length of the row that the codes give. */
  readonly coded: number;
  /** Length of the part that they leave out: at least that, and no more than 2^-19 of itself above. */
  readonly residual: number;
}

/** Covers all rounding that is listed below. */
const slack = 2 ** -18;

/** By how much, besides ω, the cosine of codes and query is off. */
const turned = 2 ** -20;

/**
 * Narrows the bounds of a row, by the angle between its codes and the query. `omega` is the share of the query that its codes leave out.
 *
 * Let x be the row and q the query, both divided by their lengths. Then x = c + r, with c the row that the codes give and r the rest. With N = ‖c‖ and g = c/N,
 * let G = g·q, a = g·r, and q = G·g + v with v at right angles to g. Then
 *
 *     x·q = c·q + r·q = c·q + a·G + r·v,  |r·v| ≤ ‖r‖·√(1 - G²).
 *
 * As ‖x‖ = 1 = N² + 2N·a + ‖r‖², a is known: (1 - N² - ‖r‖²)/2N. It is almost 0 where codes are rounded. So the reach falls with the angle, while Cauchy and
 * Schwarz alone give ‖r‖. `middle` is c·q but for N·ω and 2^-22.
 *
 * **Rounding** for N and ‖r‖ of certified-scan.ts, N ≥ 1/2 and ‖r‖ ≤ 1/2. Then N² is off by 2^-20.8 and ‖r‖² by 2^-20, so a by 2^-19.2 and a·G by |a|·(ω + 2^-20)
 * more. G is off by ω + .9·2^-20. √(1 - G²) is taken at the least |G| that this allows. All that is left is below 2·2^-20; {@link slack} is twice that.
 *
 * **Shape** the bounds `given`, where those are narrower or the codes say little of the row.
 * **Source** the orthogonal remainder of product quantisers, as in Gao and Long, RaBitQ (2024), with a bound in place of an estimate.
 */
export function tightenBounds(given: CosineBounds, { coded, residual }: CodedShare, omega: number): CosineBounds {
  if (!(coded >= 0.5 && residual <= 0.5)) return given;
  const cosine = given.middle / coded;
  const least = Math.min(1, Math.max(0, Math.abs(cosine) - omega - turned));
  const along = (1 - coded * coded - residual * residual) / (2 * coded);
  const reach =
    residual * Math.sqrt(1 - least * least) + (1 + residual) * omega + Math.abs(along) * (omega + turned) + slack;
  return reach < given.reach ? { middle: given.middle + along * cosine, reach } : given;
}
