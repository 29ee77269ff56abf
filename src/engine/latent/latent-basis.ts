/** Change it when the same counts would get another vector. */
export const latentSemanticVersion = 1;

/** What an unseen term weighs, when it is asked how much of a text the model captures: as much as a term can. */
export const unseenWeight = 1;
