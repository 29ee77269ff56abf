/** Version of the package. A test compares it with package.json, which a bundle does not have beside it. */
export const version = "0.1.0";
