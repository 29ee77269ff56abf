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
    intercept: -1.05848,
    features: [
      ["coverage", 0.607555, 0.228191, 0.0911407],
      ["soft coverage", 0.633233, 0.216603, 0.048298],
      ["best one", 0.411133, 0.199112, 0.0902031],
      ["best two", 0.537693, 0.217846, 0.0738114],
      ["best three", 0.584132, 0.22401, 0.125986],
      ["least clause", 0.30255, 0.311396, 0.167434],
      ["least clause in one sentence", 0.242843, 0.254214, 0.2131],
      ["bigrams", 0.227501, 0.203798, 0.178631],
      ["trigrams", 0.101566, 0.159761, -0.0110417],
      ["longest common subsequence", 0.313435, 0.180607, 0.023193],
      ["missing numbers", 0.268723, 0.426824, -0.283122],
      ["missing names", 0.449037, 0.607607, -0.27473],
      ["missing others", 1.47339, 0.660989, 0.137433],
      ["least agreement", 0.00972848, 0.0842881, 0.0925014],
      ["mean agreement", 0.248198, 0.208652, -0.0430563],
      ["missing quantifiers", 0.261223, 0.587237, -0.0906283],
      ["words", 2.56018, 0.426485, 0.0797287],
      ["clauses", 3.96848, 2.20357, -0.103474],
      ["highest token", 0.766572, 0.204359, -0.284163],
      ["second token", 0.626143, 0.220565, -0.0691735],
      ["mean of four", 0.595337, 0.199599, -0.0160557],
      ["mean token", 0.324151, 0.132805, -0.0809159],
      ["sum of tokens", 4.61911, 2.96129, -0.0736093],
      ["noisy or", -7.98678, 6.32861, 0.146574],
      ["names", 4.05444, 3.43084, -0.00701787],
      ["numbers", 1.32951, 1.4434, 0.0710407],
    ],
  },
  calibration: { slope: 0.971237, intercept: 0.0164613, veto: -0.39757 },
  supported: 0.48078,
  unsupported: 0.2,
};
