// Makes src/engine/kernels/<name>-module.ts of each src/engine/kernels/<name>.wat:
//
//   npx node scripts/build-kernels.ts
//
// The assembler is our own, so nothing is installed or downloaded, and a test can hold the committed modules to the committed sources.
import { readFileSync, writeFileSync } from "node:fs";
import { assembleWat } from "./assemble-wat.ts";

export const kernels = ["scan-codes", "sift-codes", "sum-impacts", "sum-terms"] as const;

function pathOf(file: string): URL {
  return new URL(`../src/engine/kernels/${file}`, import.meta.url);
}

/** The text of the module that carries an assembled source. */
function writeModule(name: string): string {
  const bytes = assembleWat(readFileSync(pathOf(`${name}.wat`), "utf8"));
  const text = Buffer.from(bytes).toString("base64");
  const lines = text.match(/.{1,110}/gu) ?? [];
  const constant = name.replaceAll(/-(.)/gu, (_, letter: string) => letter.toUpperCase());
  return [
    `/** ${name}.wat, assembled by scripts/build-kernels.ts: ${bytes.length} bytes, in base64. */`,
    `export const ${constant}Module =`,
    ...lines.map((line, i) => `  "${line}"${i === lines.length - 1 ? ";" : " +"}`),
    "",
  ].join("\n");
}

/** **Shape** the module as its source says, and as it is written. */
export function compareModule(name: string): { readonly made: string; readonly written: string } {
  return { made: writeModule(name), written: readFileSync(pathOf(`${name}-module.ts`), "utf8") };
}

if (import.meta.main) {
  for (const name of kernels) writeFileSync(pathOf(`${name}-module.ts`), writeModule(name));
}
