/** Change it when the same counts would get another vector. */
export const latentSemanticVersion = 1;

/** Weight of an unseen term in the measure of how much of a text the model captures: the largest weight of a term. */
export const unseenWeight = 1;
