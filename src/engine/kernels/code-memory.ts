import type { CodeMemory } from "./code-table.ts";
import { createPlainMemory } from "./plain-memory.ts";
import { createSimdMemory } from "./simd-memory.ts";

let shared: CodeMemory | undefined;

/** This process's code memory, made when first asked for. */
export function codeMemory(): CodeMemory {
  return (shared ??= createSimdMemory() ?? createPlainMemory());
}
