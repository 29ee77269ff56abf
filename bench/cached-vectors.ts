import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { EmbeddingModel } from "../src/contracts/embedding-model.ts";

/** A model whose vectors are kept in a folder, so that a measurement that was stopped goes on where it stood. */
export function cacheVectors(model: EmbeddingModel, folder: string, dimensions: number): EmbeddingModel {
  mkdirSync(folder, { recursive: true });
  const name = `${createHash("sha256").update(`${model.provider}\n${model.model}\n${model.fingerprint}`).digest("hex").slice(0, 16)}.vectors`;
  const path = join(folder, name);
  const keyBytes = 32;
  const row = keyBytes + 4 * dimensions;
  const kept = new Map<string, Float32Array>();
  if (existsSync(path)) {
    const bytes = readFileSync(path);
    for (let at = 0; at + row <= bytes.length; at += row) {
      const key = bytes.subarray(at, at + keyBytes).toString("hex");
      kept.set(
        key,
        new Float32Array(bytes.buffer.slice(bytes.byteOffset + at + keyBytes, bytes.byteOffset + at + row)),
      );
    }
  }
  return {
    ...model,
    async embed(inputs, options) {
      const embeddings: Float32Array[] = [];
      for (const input of inputs) {
        const text = typeof input === "string" ? input : "text" in input ? input.text : "";
        const hash = createHash("sha256").update(`${options.purpose}\n${text}`).digest();
        const key = hash.toString("hex");
        let vector = kept.get(key);
        if (vector === undefined) {
          const made = await model.embed([text], options);
          vector = Float32Array.from(made.embeddings[0] as ArrayLike<number>);
          kept.set(key, vector);
          appendFileSync(path, Buffer.concat([hash, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)]));
        }
        embeddings.push(vector);
      }
      return { embeddings };
    },
  };
}
