// Makes src/kernels/scan-codes-module.ts of src/kernels/scan-codes.wat:
//
//   npx node scripts/build-kernels.ts
//
// The assembler is our own, so nothing is installed or downloaded, and a test can hold the committed module to the committed source.
import { readFileSync, writeFileSync } from "node:fs";
import { assembleWat } from "./assemble-wat.ts";

export const source = new URL("../src/kernels/scan-codes.wat", import.meta.url);
export const target = new URL("../src/kernels/scan-codes-module.ts", import.meta.url);

/** The text of the module that carries an assembled source. */
export function writeModule(wat: string): string {
  const bytes = assembleWat(wat);
  const text = Buffer.from(bytes).toString("base64");
  const lines = text.match(/.{1,110}/gu) ?? [];
  return [
    `/** scan-codes.wat, assembled by scripts/build-kernels.ts: ${bytes.length} bytes, in base64. */`,
    "export const scanCodesModule =",
    ...lines.map((line, i) => `  "${line}"${i === lines.length - 1 ? ";" : " +"}`),
    "",
  ].join("\n");
}

if (import.meta.main) writeFileSync(target, writeModule(readFileSync(source, "utf8")));
