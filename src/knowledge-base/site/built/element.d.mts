/** Files by name: compressed with gzip, in base64. `scripts/build-page.ts` makes the module beside this one. */
export declare const files: Readonly<Record<string, string>>;
