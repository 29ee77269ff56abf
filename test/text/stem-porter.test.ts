import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stemPorter } from "../../src/text/languages/stem-porter.ts";

/** Porter's own examples (1980), step by step, taken through all the steps. */
const examples: Readonly<Record<string, string>> = {
  caresses: "caress",
  ponies: "poni",
  ties: "ti",
  cats: "cat",
  feed: "feed",
  agreed: "agre",
  plastered: "plaster",
  bled: "bled",
  motoring: "motor",
  sing: "sing",
  conflated: "conflat",
  troubled: "troubl",
  sized: "size",
  hopping: "hop",
  tanned: "tan",
  falling: "fall",
  hissing: "hiss",
  fizzed: "fizz",
  failing: "fail",
  filing: "file",
  happy: "happi",
  sky: "sky",
  relational: "relat",
  conditional: "condit",
  rational: "ration",
  digitizer: "digit",
  vietnamization: "vietnam",
  operator: "oper",
  feudalism: "feudal",
  decisiveness: "decis",
  hopefulness: "hope",
  formality: "formal",
  sensibility: "sensibl",
  triplicate: "triplic",
  electrical: "electr",
  goodness: "good",
  revival: "reviv",
  airliner: "airlin",
  adjustment: "adjust",
  adoption: "adopt",
  communism: "commun",
  homologous: "homolog",
  effective: "effect",
  probate: "probat",
  rate: "rate",
  cease: "ceas",
  controlling: "control",
  rolling: "roll",
  generalizations: "gener",
  oscillators: "oscil",
  // Where his program departs from his paper.
  possibly: "possibl",
  archaeology: "archaeolog",
};

describe("stemPorter", () => {
  test.each(Object.entries(examples))("%s → %s", (word, stem) => {
    expect(stemPorter(word)).toBe(stem);
  });

  test("words of one or two letters stay", () => {
    for (const word of ["", "a", "is", "as", "us", "by"]) expect(stemPorter(word)).toBe(word);
  });

  test("a stem is never longer than its word, never blank, and begins as the word does", () => {
    const word = fc.string({
      unit: fc.constantFrom(..."abcdefghijlmnorstuvyz".split("")),
      minLength: 3,
      maxLength: 14,
    });
    fc.assert(
      fc.property(word, (given) => {
        const stem = stemPorter(given);
        expect(stem.length).toBeLessThanOrEqual(given.length);
        expect(stem[0]).toBe(given[0]);
      }),
    );
  });
});
