import type { NumberedTerms, TermSpace } from "../../contracts/corpus-model.ts";
import { formDimensions, joinParts } from "./embed-terms.ts";
import { differences, hashGrams } from "./hash-forms.ts";
import { unseenWeight } from "./latent-basis.ts";
import { fixedPoint, toUnit } from "./project-latent.ts";
import { localWeight } from "./term-weight.ts";

/** An array with room for more. */
function grown<Numbers extends Int8Array | Uint16Array | Uint32Array | Float64Array>(
  array: Numbers,
  length: number,
): Numbers {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => Numbers)(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}

/**
 * The vectors of `embedTerms` for many documents of one space. They share most of their words: each is looked up once, and its n-grams are hashed once.
 * Every number lies in one of five arrays by the term's number, because objects all over the memory cost more than the sums.
 *
 * **Shape** the same vectors to the last bit. **Cost** some 300 bytes a term, for as long as the function is kept.
 */
export function createProjector(
  space: TermSpace,
  textOf: (number: number) => string,
): (text: NumberedTerms) => Int8Array {
  const { dimensions } = space;
  let met = 0;
  let weights = new Float64Array(0);
  /** 0 for a term that the space does not know. */
  let scales = new Float64Array(0);
  let rows = new Int8Array(0);
  let grams = new Uint16Array(0);
  /** Where the n-grams of each term begin, and those of the last one end. */
  let ends = new Uint32Array(1);
  const direction = new Float64Array(dimensions);
  const hashed = new Float64Array(2 * formDimensions);

  function meet(number: number): void {
    const term = textOf(number);
    const known = space.find(term);
    const own = hashGrams(term, formDimensions);
    const start = ends[number]!;
    weights = grown(weights, number + 1);
    scales = grown(scales, number + 1);
    ends = grown(ends, number + 2);
    rows = grown(rows, (number + 1) * dimensions);
    grams = grown(grams, start + own.length);
    weights[number] = known?.weight ?? unseenWeight;
    scales[number] = known?.scale ?? 0;
    ends[number + 1] = start + own.length;
    if (known !== undefined) rows.set(known.row, number * dimensions);
    grams.set(own, start);
  }

  /** The terms of the text under way, with their whole weights and the factors of their rows. */
  let own = new Uint32Array(0);
  let whole = new Float64Array(0);
  let factors = new Float64Array(0);

  return ({ numbers, counts }) => {
    const { length } = numbers;
    own = grown(own, length);
    whole = grown(whole, length);
    factors = grown(factors, length);
    for (let i = 0; i < length; i++) {
      const number = numbers[i]!;
      while (met <= number) meet(met++);
      const weight = localWeight(counts[i]!) * weights[number]!;
      own[i] = number;
      whole[i] = Math.round(weight * fixedPoint);
      factors[i] = Math.round(weight * scales[number]! * fixedPoint);
    }
    direction.fill(0);
    hashed.fill(0);
    addRows(direction, rows, own, factors, length);
    addGrams(hashed, grams, ends, own, whole, length);
    toUnit(direction);
    const forms = differences(hashed);
    toUnit(forms);
    return joinParts(direction, 1, forms, 1).vector;
  };
}

/** Adds the row of each term, four at a time. Every product and sum is a whole number below 2^53, which a double holds whatever the order. */
function addRows(
  sums: Float64Array,
  rows: Int8Array,
  numbers: Uint32Array,
  factors: Float64Array,
  length: number,
): void {
  const dimensions = sums.length;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    const a = numbers[i]! * dimensions;
    const b = numbers[i + 1]! * dimensions;
    const c = numbers[i + 2]! * dimensions;
    const d = numbers[i + 3]! * dimensions;
    const p = factors[i]!;
    const q = factors[i + 1]!;
    const r = factors[i + 2]!;
    const s = factors[i + 3]!;
    for (let at = 0; at < dimensions; at++)
      sums[at]! += p * rows[a + at]! + q * rows[b + at]! + (r * rows[c + at]! + s * rows[d + at]!);
  }
  for (; i < length; i++) {
    const factor = factors[i]!;
    const from = numbers[i]! * dimensions;
    for (let at = 0; at < dimensions; at++) sums[at]! += factor * rows[from + at]!;
  }
}

/** Adds the weight of each term to the dimensions of its n-grams. */
function addGrams(
  sums: Float64Array,
  grams: Uint16Array,
  ends: Uint32Array,
  numbers: Uint32Array,
  weights: Float64Array,
  length: number,
): void {
  for (let i = 0; i < length; i++) {
    const number = numbers[i]!;
    const weight = weights[i]!;
    const end = ends[number + 1]!;
    for (let at = ends[number]!; at < end; at++) sums[grams[at]!]! += weight;
  }
}
