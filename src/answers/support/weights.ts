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
    intercept: -0.964395,
    features: [
      ["rarity if missing", 0.245669, 0.30822, 0.279085],
      ["missing from the best two", 0.437734, 0.496108, -0.0187849],
      ["missing, no number, no name", 0.270923, 0.444437, -0.417252],
      ["in the title", 0.0767903, 0.266258, -0.295351],
      ["rarity", 0.635197, 0.0893694, -0.197142],
      ["right neighbour near", 0.232894, 0.404242, -0.167844],
      ["left neighbour near", 0.232894, 0.404242, -0.320759],
      ["missing number", 0.0621225, 0.241378, 0.201208],
      ["number", 0.115042, 0.319072, 0.108189],
      ["hedge", 0.00373886, 0.0610318, 0.0320303],
      ["disagreement of a number or name", 0.283603, 0.395391, 0.419344],
      ["missing name", 0.0641357, 0.244995, 0.145731],
      ["left neighbour missing", 0.337647, 0.472908, 0.0953409],
      ["right neighbour missing", 0.33851, 0.473203, 0.111445],
      ["name", 0.279839, 0.44892, -0.339643],
      ["missing", 0.395168, 0.488887, 0.324938],
      ["missing from the best", 0.557952, 0.49663, 0.578729],
      ["likeness", 0.628988, 0.469085, -0.458944],
      ["missing quantifier before", 0.0158182, 0.124772, 0.159804],
      ["share of the claim in its sentence", 0.274558, 0.274734, 0.742352],
      ["agreement", 0.232975, 0.27883, -0.384898],
      ["position", 0.5, 0.334829, 0.312367],
    ],
  },
  claim: {
    intercept: -1.06101,
    features: [
      ["coverage", 0.606891, 0.227987, 0.0970301],
      ["soft coverage", 0.632607, 0.216455, 0.0535482],
      ["best one", 0.410809, 0.198737, 0.0898118],
      ["best two", 0.537279, 0.217627, 0.0717733],
      ["best three", 0.583546, 0.223888, 0.125539],
      ["least clause", 0.302147, 0.310954, 0.166027],
      ["least clause in one sentence", 0.242469, 0.253578, 0.212217],
      ["bigrams", 0.22643, 0.203432, 0.178879],
      ["trigrams", 0.101086, 0.158415, -0.0160485],
      ["longest common subsequence", 0.313115, 0.179799, 0.0194065],
      ["missing numbers", 0.268723, 0.426824, -0.291743],
      ["missing names", 0.448672, 0.607432, -0.292049],
      ["missing others", 1.47548, 0.659686, 0.136142],
      ["least agreement", 0.00972848, 0.0842881, 0.0929064],
      ["mean agreement", 0.247699, 0.207912, -0.0463378],
      ["missing quantifiers", 0.261223, 0.587237, -0.0885025],
      ["words", 2.55945, 0.425833, 0.0812938],
      ["clauses", 3.96848, 2.20357, -0.105271],
      ["highest token", 0.76318, 0.201228, -0.269674],
      ["second token", 0.623704, 0.218063, -0.0949966],
      ["mean of four", 0.593557, 0.197432, -0.00452837],
      ["mean token", 0.323939, 0.1322, -0.0702626],
      ["sum of tokens", 4.61118, 2.94758, -0.0686406],
      ["noisy or", -7.865, 6.15588, 0.142853],
      ["names", 4.03725, 3.41517, -0.00611196],
      ["numbers", 1.32951, 1.4434, 0.0760064],
    ],
  },
  calibration: { slope: 0.926834, intercept: 0.0932007, veto: -0.623667 },
  supported: 0.555652,
  unsupported: 0.2,
};
