/** A logistic model over standardised features. */
export interface LinearModel {
  readonly intercept: number;
  /** Name, mean, standard deviation and weight. */
  readonly features: readonly (readonly [name: string, mean: number, deviation: number, weight: number])[];
}

/** Everything that judging by words has learned. */
export interface SupportModels {
  /** Whether a content word is unsupported. */
  readonly token: LinearModel;
  /** Whether a sentence is supported. */
  readonly claim: LinearModel;
  /** From the claim model's log-odds, and a veto's, to log-odds that hold on claims it has not seen. */
  readonly calibration: { readonly slope: number; readonly intercept: number; readonly veto: number };
  /** Least support of a supported sentence. */
  readonly supported: number;
  /** Support below which a sentence is unsupported. */
  readonly unsupported: number;
}

/**
 * Trained by `scripts/train-support.ts`, which writes this file; change the script, not the numbers.
 *
 * **Source** WiCE's development part (Kamoi et al., EMNLP 2023; annotations under ODC-BY).
 */
export const supportModels: SupportModels = {
  token: {
    intercept: -0.948232,
    features: [
      ["rarity if missing", 0.245116, 0.30948, 0.193571],
      ["missing from the best two", 0.435507, 0.495823, -0.0549146],
      ["missing, no number, no name", 0.260845, 0.439095, -0.314334],
      ["in the title", 0.0767021, 0.266118, -0.306902],
      ["rarity", 0.639124, 0.0909319, -0.186487],
      ["right neighbour near", 0.234343, 0.405205, -0.171859],
      ["left neighbour near", 0.234343, 0.405205, -0.330588],
      ["missing number", 0.0614766, 0.240202, 0.33445],
      ["number", 0.11491, 0.318913, 0.176715],
      ["hedge", 0.00373456, 0.0609968, 0.0341242],
      ["disagreement of a number or name", 0.302953, 0.400505, 0.300593],
      ["missing name", 0.0715312, 0.25771, 0.315743],
      ["left neighbour missing", 0.335248, 0.472077, 0.0979516],
      ["right neighbour missing", 0.33611, 0.472377, 0.119938],
      ["name", 0.307383, 0.461409, -0.257222],
      ["missing", 0.392416, 0.488289, 0.226996],
      ["missing from the best", 0.556162, 0.496836, 0.590178],
      ["likeness", 0.631444, 0.468693, -0.511244],
      ["missing quantifier before", 0.0158001, 0.124701, 0.165819],
      ["share of the claim in its sentence", 0.276157, 0.274836, 0.749341],
      ["agreement", 0.234544, 0.278605, -0.401138],
      ["position", 0.5, 0.334774, 0.31525],
    ],
  },
  claim: {
    intercept: -1.0716,
    features: [
      ["coverage", 0.610389, 0.227791, 0.0952585],
      ["soft coverage", 0.635934, 0.216132, 0.0496417],
      ["best one", 0.413443, 0.19912, 0.0791399],
      ["best two", 0.54032, 0.21793, 0.088557],
      ["best three", 0.586765, 0.223988, 0.148279],
      ["least clause", 0.303214, 0.31234, 0.151058],
      ["least clause in one sentence", 0.243316, 0.254767, 0.205083],
      ["bigrams", 0.228131, 0.203268, 0.176343],
      ["trigrams", 0.101749, 0.159579, 0.000229423],
      ["longest common subsequence", 0.315317, 0.180883, 0.018173],
      ["missing numbers", 0.269385, 0.426944, -0.284824],
      ["missing names", 0.464508, 0.620582, -0.260646],
      ["missing others", 1.45611, 0.658921, 0.144377],
      ["least agreement", 0.00972848, 0.0842881, 0.0924742],
      ["mean agreement", 0.24997, 0.208669, -0.0426412],
      ["missing quantifiers", 0.261223, 0.587237, -0.0947484],
      ["words", 2.56048, 0.426265, 0.085638],
      ["clauses", 3.96848, 2.20357, -0.10543],
      ["highest token", 0.769968, 0.210002, -0.284801],
      ["second token", 0.6273, 0.229587, -0.0842302],
      ["mean of four", 0.594368, 0.205219, -0.0282819],
      ["mean token", 0.321444, 0.133343, -0.0773346],
      ["sum of tokens", 4.58154, 2.96743, -0.0692829],
      ["noisy or", -8.06062, 6.57079, 0.145801],
      ["names", 4.18338, 3.50041, -0.042148],
      ["numbers", 1.32951, 1.4434, 0.0642261],
    ],
  },
  calibration: { slope: 0.945793, intercept: 0.0954131, veto: -0.552051 },
  supported: 0.524422,
  unsupported: 0.2,
};
