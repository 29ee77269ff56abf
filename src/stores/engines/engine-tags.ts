import type { Chunk } from "../../contracts/chunk.ts";
import type { EngineEntry } from "../../contracts/engine.ts";
import type { JsonValue, Metadata } from "../../contracts/metadata.ts";
import type { Origin } from "../../contracts/document.ts";
import type { ChunkRef } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import { comparable } from "../../engine/filters/compile-filter.ts";
import { sha256 } from "../../runtime/hash.ts";
import { simpleLowerCase } from "../../text/patterns/simple-lower-case.ts";

/**
 * Names of facts, as an engine keeps them: hashes under the knowledge base's key. An engine learns neither keys nor values of metadata.
 * Every engine that can compare strings answers alike, whatever the characters.
 */
export interface EngineTags {
  /** Every entry has it. */
  readonly base: string;
  readonly scope: (scope: Scope) => string;
  readonly document: (scope: Scope, documentId: string) => string;
  readonly origin: (origin: Origin) => string;
  /** The metadata has the key. */
  readonly exists: (key: string) => string;
  readonly equal: (key: string, value: JsonValue) => string;
  /** The value is a string that is equal but for case. */
  readonly alike: (key: string, value: string) => string;
  readonly element: (key: string, value: JsonValue) => string;
  /** The value is a number; it stands in `numbers` under {@link EngineTags.numberKey}. */
  readonly isNumber: (key: string) => string;
  readonly numberKey: (key: string) => string;
  /** 32 hexadecimal digits that name an entry by everything in it. */
  readonly digest: (parts: readonly unknown[]) => string;
}

/** Hexadecimal digits of a tag. Two of a million facts share one with a chance of 1 in 37 million; then one more candidate is checked. */
const tagDigits = 16;

/** @param secret the knowledge base's key, 32 bytes. */
export function createEngineTags(secret: Uint8Array): EngineTags {
  const key = sha256(secret);
  const hash = (parts: readonly unknown[]): string => sha256(`${key} ${JSON.stringify(parts)}`);
  const tag = (...parts: readonly unknown[]): string => hash(parts).slice(0, tagDigits);
  return {
    base: tag("base"),
    scope: (scope) => tag("scope", scope),
    document: (scope, documentId) => tag("document", scope, documentId),
    origin: (origin) => tag("origin", origin),
    exists: (name) => tag("exists", name),
    equal: (name, value) => tag("equal", name, comparable(value)),
    alike: (name, value) => tag("alike", name, simpleLowerCase(value)),
    element: (name, value) => tag("element", name, comparable(value)),
    isNumber: (name) => tag("number", name),
    numberKey: (name) => `n${tag("number", name)}`,
    digest: (parts) => hash(["entry", ...parts]).slice(0, 32),
  };
}

/** A chunk's entry for one vector. The same chunk with the same vector has the same key in every process. */
export function toEntry(tags: EngineTags, scope: Scope, chunk: Chunk, vector: Float32Array): EngineEntry {
  const { metadata, origin } = chunk;
  const all = [tags.base, tags.scope(scope), tags.document(scope, chunk.documentId), tags.origin(origin)];
  const numbers: Record<string, number> = {};
  addMetadata(tags, metadata, all, numbers);
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  const ref = encodeRef({ scope, id: chunk.id });
  const key = tags.digest([ref, all, numbers, sha256(bytes)]);
  return { key: toUuid(key), ref, vector, tags: [...new Set(all)], numbers };
}

/** Adds the tags and numbers of metadata. */
export function addMetadata(
  tags: EngineTags,
  metadata: Metadata,
  all: string[],
  numbers: Record<string, number>,
): void {
  for (const [key, value] of Object.entries(metadata)) {
    if (value === undefined) continue;
    all.push(tags.exists(key), tags.equal(key, value));
    if (typeof value === "string") all.push(tags.alike(key, value));
    if (typeof value === "number") {
      all.push(tags.isNumber(key));
      numbers[tags.numberKey(key)] = value;
    }
    if (Array.isArray(value)) {
      for (const each of value as readonly JsonValue[]) {
        if (typeof each !== "object" || each === null) all.push(tags.element(key, each));
      }
    }
  }
}

export function toUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

/** Scope and id of a chunk as one word of ASCII, without blanks and quotation marks. */
export function encodeRef({ scope, id }: ChunkRef): string {
  return [scope, id].map((part) => encodeURIComponent(part).replaceAll("'", "%27")).join("/");
}

/** The chunk that an engine named; `undefined` for anything that was not written by {@link toEntry}. */
export function decodeRef(ref: unknown): ChunkRef | undefined {
  if (typeof ref !== "string") return undefined;
  const [scope, id, ...others] = ref.split("/");
  if (scope === undefined || id === undefined || others.length > 0) return undefined;
  try {
    return { scope: decodeURIComponent(scope) as Scope, id: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}
