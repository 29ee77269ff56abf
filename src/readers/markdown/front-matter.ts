import { isMap, isScalar, isSeq, parseDocument } from "yaml";

import type { JsonValue, Metadata } from "../../contracts/metadata.ts";
import { readToml } from "./read-toml.ts";

/** The block above the first line of a Markdown text, between two fences. */
export interface FrontMatter {
  /** Just after the closing fence and its newline: where the Markdown begins. */
  readonly end: number;
  /** Just after the closing fence itself. */
  readonly blockEnd: number;
  /** Its metadata, when it can be read; else empty. */
  readonly metadata: Metadata;
}

/** Longer front matter is kept as text and not parsed: metadata is for filters, not for cargo. */
const maxYamlLength = 64 * 1024;
const maxDepth = 8;
const maxEntries = 256;
const maxStringLength = 16 * 1024;

/** Keys of {@link Metadata} with a type of their own: a source that says otherwise is not believed. */
const typedKeys: Readonly<Record<string, string>> = {
  mimeType: "string",
  fileName: "string",
  fileSize: "number",
  createdAt: "string",
  modifiedAt: "string",
  language: "string",
};

/**
 * The front matter at the head of a text: YAML between `---` fences, or TOML between `+++` (of which the top level is read).
 *
 * A leading `---` may also be a rule. It is front matter when a closing fence follows and the text between is a YAML mapping
 * or empty, or begins like one (`key:`). Broken YAML stays text and gives no metadata.
 *
 * **Shape** metadata holds JSON values only: dates and other special scalars stay strings, keys that ibid types are dropped when the type differs.
 * **Cost** linear; YAML is parsed up to 64 KiB; aliases are not followed.
 */
export function readFrontMatter(text: string): FrontMatter | undefined {
  const fence = /^(---|\+\+\+)[ \t]*(?:\n|$)/.exec(text);
  if (fence === null) return undefined;
  const bodyStart = fence[0].length;
  const close = findClosingFence(text, bodyStart, fence[1] === "+++" ? ["+++"] : ["---", "..."]);
  if (close === undefined) return undefined;
  const body = text.slice(bodyStart, close.start);
  const found = { end: close.end, blockEnd: close.blockEnd };
  if (fence[1] === "+++") {
    if (!/^\s*[\w"'[#]/.test(body)) return undefined;
    return { ...found, metadata: body.length > maxYamlLength ? {} : toMetadata(readToml(body)) };
  }
  if (body.trim() === "") return { ...found, metadata: {} };
  const parsed = body.length > maxYamlLength ? "broken" : parseYaml(body);
  if (typeof parsed === "object") return { ...found, metadata: parsed };
  // Prose between two rules parses as a plain string, and stays prose.
  return parsed === "broken" && /^\s*(?:#[^\n]*\n\s*)*["']?[\w$.-]+["']?[ \t]*:/.test(body)
    ? { ...found, metadata: {} }
    : undefined;
}

function findClosingFence(
  text: string,
  from: number,
  fences: readonly string[],
): { start: number; blockEnd: number; end: number } | undefined {
  let start = from;
  while (start < text.length) {
    const newline = text.indexOf("\n", start);
    const lineEnd = newline === -1 ? text.length : newline;
    // Fences are three characters: a long line is none, and need not be copied to see it.
    if (fences.some((fence) => text.startsWith(fence, start)) && text.slice(start + 3, lineEnd).trim() === "") {
      return { start, blockEnd: start + 3, end: Math.min(lineEnd + 1, text.length) };
    }
    start = lineEnd + 1;
  }
  return undefined;
}

/**
 * Metadata of a mapping; `"other"` for YAML that is no mapping, `"broken"` for invalid YAML.
 *
 * The tree is walked here and never turned into plain values by the library. There, a mapping in the place of a key is written out as text, which takes minutes
 * for a thousand nested braces. For the same reason repeated keys are not an error (the last one wins) and aliases are not followed.
 */
function parseYaml(body: string): Metadata | "other" | "broken" {
  const plain = readPlainLines(body);
  if (plain !== undefined) return toMetadata(plain);
  try {
    // The core schema leaves dates as the strings that were written.
    const document = parseDocument(body, {
      schema: "core",
      uniqueKeys: false,
      logLevel: "silent",
      prettyErrors: false,
    });
    if (document.errors.length > 0) return "broken";
    return isMap(document.contents) ? toMetadata(toJson(document.contents, 0)) : "other";
  } catch {
    // Nested beyond what the parser's recursion bears.
    return "broken";
  }
}

/** A key, and plain or quoted words: no escapes, no signs of YAML, and no number, truth value or null. */
const plainLine =
  /^(?!(?:true|false|null):)([a-z][\w-]{0,99}): +(?:"([^"\\\p{C}]*)"|(?!(?:true|false|null)$)([a-z](?:[\w ,./()'-]*[\w.)])?))$/iu;

/**
 * Most front matter is lines of a key and a word or a quoted string. Those are read here: a parser of all of YAML takes longer for them than everything else
 * that is done with a page's blocks. **Shape** `undefined` for any other.
 */
function readPlainLines(body: string): JsonValue | undefined {
  const lines = body.replace(/\n$/, "").split("\n");
  if (lines.length > maxEntries) return undefined;
  const object: Record<string, JsonValue> = {};
  for (const line of lines) {
    const [, key, quoted, word] = plainLine.exec(line) ?? [];
    if (key === undefined) return undefined;
    object[key] = (quoted ?? word ?? "").slice(0, maxStringLength);
  }
  return object;
}

function toMetadata(mapping: JsonValue | undefined): Metadata {
  const metadata: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(mapping ?? {})) {
    const type = Object.hasOwn(typedKeys, key) ? typedKeys[key] : undefined;
    if (type === undefined || typeof value === type) metadata[key] = value as JsonValue;
  }
  return metadata;
}

/** `undefined` for what JSON cannot hold, for aliases, and for what is nested too deep. */
function toJson(node: unknown, depth: number): JsonValue | undefined {
  if (isScalar(node)) return scalarToJson(node.value);
  if (depth > maxDepth) return undefined;
  if (isSeq(node)) {
    return node.items
      .slice(0, maxEntries)
      .map((item) => toJson(item, depth + 1))
      .filter((item) => item !== undefined);
  }
  if (!isMap(node)) return undefined;
  const object: Record<string, JsonValue> = {};
  for (const { key, value } of node.items.slice(0, maxEntries)) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    const json = value === null ? null : toJson(value, depth + 1);
    if (json !== undefined && name !== "__proto__") object[name.slice(0, 256).toWellFormed()] = json;
  }
  return object;
}

function scalarToJson(value: unknown): JsonValue | undefined {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return value.slice(0, maxStringLength).toWellFormed();
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
