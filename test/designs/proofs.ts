import { documents } from "./ballerina/documents.ts";
import type { Proof } from "./prove.ts";

/** Every proof, by its file. */
export const proofs: Readonly<Record<string, readonly Proof[]>> = {
  "ballerina/documents": documents,
};
