/** Options with a value for each, when their defaults are filled in. */
export type Complete<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/** Some of the options; one that is `undefined` counts as left out. */
export type Chosen<Options> = { readonly [Name in keyof Options]?: Options[Name] | undefined };
