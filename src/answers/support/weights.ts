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
    intercept: -0.953879,
    features: [
      ["rarity if missing", 0.244674, 0.30785, 0.212707],
      ["missing from the best two", 0.436656, 0.495971, -0.0321649],
      ["missing, no number, no name", 0.270325, 0.444127, -0.272724],
      ["in the title", 0.0767021, 0.266118, -0.297858],
      ["rarity", 0.635289, 0.089848, -0.179187],
      ["right neighbour near", 0.23374, 0.404649, -0.178342],
      ["left neighbour near", 0.23374, 0.404649, -0.329537],
      ["missing number", 0.0614766, 0.240202, 0.343031],
      ["number", 0.11491, 0.318913, 0.179307],
      ["hedge", 0.00373456, 0.0609968, 0.0324502],
      ["disagreement of a number or name", 0.284821, 0.395187, 0.298551],
      ["missing name", 0.0634875, 0.243838, 0.266581],
      ["left neighbour missing", 0.336685, 0.472576, 0.103572],
      ["right neighbour missing", 0.337259, 0.472774, 0.116116],
      ["name", 0.281816, 0.449884, -0.257501],
      ["missing", 0.393852, 0.488603, 0.228467],
      ["missing from the best", 0.557311, 0.496705, 0.588593],
      ["likeness", 0.629872, 0.468988, -0.451013],
      ["missing quantifier before", 0.0158001, 0.124701, 0.161426],
      ["share of the claim in its sentence", 0.275095, 0.274479, 0.74801],
      ["agreement", 0.233582, 0.278523, -0.399164],
      ["position", 0.5, 0.334774, 0.31757],
    ],
  },
  claim: {
    intercept: -1.05902,
    features: [
      ["coverage", 0.607362, 0.228034, 0.0949177],
      ["soft coverage", 0.633056, 0.216473, 0.0514534],
      ["best one", 0.411018, 0.199105, 0.0882328],
      ["best two", 0.537571, 0.217828, 0.0703156],
      ["best three", 0.583892, 0.223929, 0.125889],
      ["least clause", 0.302547, 0.311392, 0.16691],
      ["least clause in one sentence", 0.242843, 0.254214, 0.212983],
      ["bigrams", 0.22728, 0.203836, 0.174982],
      ["trigrams", 0.101407, 0.159737, -0.0123623],
      ["longest common subsequence", 0.313299, 0.180601, 0.0217631],
      ["missing numbers", 0.268723, 0.426824, -0.284292],
      ["missing names", 0.451023, 0.607268, -0.284323],
      ["missing others", 1.47353, 0.661077, 0.135429],
      ["least agreement", 0.00972848, 0.0842881, 0.0925961],
      ["mean agreement", 0.247994, 0.208668, -0.0442963],
      ["missing quantifiers", 0.261223, 0.587237, -0.0918648],
      ["words", 2.56018, 0.426485, 0.0823638],
      ["clauses", 3.96848, 2.20357, -0.106501],
      ["highest token", 0.766769, 0.204273, -0.286503],
      ["second token", 0.626441, 0.220602, -0.0709928],
      ["mean of four", 0.595508, 0.199632, -0.0159633],
      ["mean token", 0.324306, 0.132776, -0.0789345],
      ["sum of tokens", 4.62186, 2.96201, -0.071313],
      ["noisy or", -7.99191, 6.32888, 0.145158],
      ["names", 4.05731, 3.43455, -0.0034489],
      ["numbers", 1.32951, 1.4434, 0.0763528],
    ],
  },
  calibration: { slope: 0.970879, intercept: 0.0346386, veto: -0.426515 },
  supported: 0.487509,
  unsupported: 0.2,
};
