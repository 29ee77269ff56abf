import { InvalidArgumentError, Option } from "commander";
import { readDuration as parseDuration } from "../runtime/describe-options.ts";
import { IbidError } from "../contracts/errors.ts";
import type { FilterInput } from "../contracts/filter.ts";
import type { JsonValue, Metadata } from "../contracts/metadata.ts";
import type { Scope } from "../contracts/scope.ts";
import { aScope } from "../search/search-options.ts";

/** `--neighbours`, `--max-depth`: a whole number from 0. */
export function readCount(text: string): number {
  const number = Number(text);
  if (!/^\d+$/u.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError("It must be a whole number, 0 or more.");
  return number;
}

/** `--older-than`: a time such as `30d`, in milliseconds. */
export function readDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError("It must be a time such as 0s, 12h or 30d.");
  return ms;
}

/** `--depth`: a whole number from 1. */
export function readDepth(text: string): number {
  const number = Number(text);
  if (!/^\d+$/u.test(text) || !Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError("It must be a whole number, 1 or more.");
  return number;
}

/** `--k`: whole numbers from 1, with commas between. */
export function readCutoffs(text: string): readonly number[] {
  const parts = text.split(",").map((part) => part.trim());
  if (!parts.every((part) => /^[1-9]\d{0,8}$/u.test(part)))
    throw new InvalidArgumentError("It must be whole numbers, 1 or more, with commas between, such as 10,100.");
  return [...new Set(parts.map(Number))];
}

/** A metric with its minimum. */
export interface Floor {
  readonly metric: string;
  readonly value: number;
}

/** `--min`: `metric=value`. The evaluation checks the metric's name. */
export function readFloor(text: string): Floor {
  const [, metric = "", number = ""] = /^([^=\s]+)=(.+)$/u.exec(text) ?? [];
  const value = Number(number);
  if (metric === "" || number.trim() === "" || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError("It must be metric=value with a value from 0 to 1, such as ndcg@10=0.4.");
  return { metric, value };
}

/** `--filter`: JSON. The search checks its meaning. */
export function readFilter(text: string): FilterInput {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`It is not JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new InvalidArgumentError("It must be a JSON object.");
  return value as FilterInput;
}

/** `--at`: two positions with a colon between them. */
export function readRange(text: string): { readonly start: number; readonly end: number } {
  const [, start, end] = /^(\d{1,15}):(\d{1,15})$/u.exec(text) ?? [];
  if (start === undefined || end === undefined) {
    // Ranges are often typed as other programs write them.
    const [, first, last] = /^\s*(\d{1,15})\s*(?:-|–|\.\.|,|\s|:)\s*(\d{1,15})\s*$/u.exec(text) ?? [];
    const meant = first === undefined ? "It must be START:END, such as 120:180." : `Did you mean ${first}:${last}?`;
    throw new InvalidArgumentError(meant);
  }
  return { start: Number(start), end: Number(end) };
}

/** `--scope`. */
export function readScope(text: string): Scope {
  if (aScope.pattern.test(text)) return text as Scope;
  throw new InvalidArgumentError(`It must be ${aScope.expects}.`);
}

/**
 * `--metadata`: `key=value` pairs.
 *
 * **Shape** `true`, `false` and numbers in their plainest spelling keep their type; `1.10` and `007` stay text. A value that begins with `"`, `[` or `{` is JSON.
 * Every other value is text. **Errors** `invalid-argument`.
 */
export function readMetadata(pairs: readonly string[]): Metadata {
  const metadata: Record<string, JsonValue> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const key = pair.slice(0, at).trim();
    if (at === -1 || key === "") {
      throw new IbidError("invalid-argument", `"${pair}" is no metadata: it has no key and value.`, {
        hint: "Write key=value.",
      });
    }
    if (Object.hasOwn(metadata, key)) {
      throw new IbidError("invalid-argument", `The metadata "${key}" is given twice.`, {
        hint: `For a list write ${key}='["a","b"]'.`,
      });
    }
    // Defined, not assigned: `__proto__` is a key like any other.
    Object.defineProperty(metadata, key, { value: readValue(pair.slice(at + 1), pair), enumerable: true });
  }
  return metadata;
}

function readValue(text: string, pair: string): JsonValue {
  if (text === "true" || text === "false") return text === "true";
  if (text !== "" && String(Number(text)) === text && Number.isFinite(Number(text))) return Number(text);
  if (!/^["[{]/u.test(text)) return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new IbidError("invalid-argument", `The value of "${pair}" begins like JSON and is none.`, {
      hint: `For text that begins so, write it as a JSON string: ${pair.slice(0, pair.indexOf("="))}='"…"'.`,
    });
  }
}

/**
 * Reads `--metadata a=1 b=2 docs` as two pairs and a path: each further pair gets an option of its own.
 *
 * **Shape** a pair's key has no slash, so `dir/x=1.md` is a path. Arguments after `--` stay as they are.
 */
export function spreadMetadata(argv: readonly string[]): string[] {
  const spread: string[] = [];
  let state: "elsewhere" | "first" | "pairs" = "elsewhere";
  for (const [index, word] of argv.entries()) {
    if (word === "--") return [...spread, ...argv.slice(index)];
    if (state === "pairs" && /^[^\s/\\=-][^/\\=]*=/u.test(word)) {
      spread.push("--metadata", word);
      continue;
    }
    spread.push(word);
    if (state === "first" || word.startsWith("--metadata=")) state = "pairs";
    else state = word === "--metadata" ? "first" : "elsewhere";
  }
  return spread;
}

/** The option that chooses among several documents of one uri. */
export function scopeOption(): Option {
  return new Option(
    "--scope <scope>",
    "which one, when several scopes hold the uri: team:<id>, user:<id>, …",
  ).argParser(readScope);
}
