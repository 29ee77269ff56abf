import type { JsonValue } from "../../contracts/metadata.ts";

const maxLines = 1000;

/**
 * Reads TOML front matter at its top level: strings, numbers, booleans, dates (as written), and lists of these on one line or several.
 *
 * **Shape** keys of tables (`[params]`) and other forms are left out: front matter names a page and its tags, and the text keeps all of it.
 * **Cost** linear. **Source** TOML 1.0.
 */
export function readToml(body: string): Readonly<Record<string, JsonValue>> {
  const values: Record<string, JsonValue> = {};
  const lines = body.split("\n", maxLines);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (/^\s*\[/.test(line)) break;
    const [, key, first] = /^\s*(?:"([^"\\]+)"|[\w-]+)\s*=\s*(.*)$/.exec(line) === null ? [] : splitPair(line);
    if (key === undefined || first === undefined || key === "__proto__") continue;
    let source = first;
    // A list may go on until it is closed.
    if (source.startsWith("["))
      while (
        readValue(source) === undefined &&
        at + 1 < lines.length &&
        lines[at + 1] !== "" &&
        !isPair(lines[at + 1]!)
      )
        source += ` ${lines[++at]}`;
    const value = readValue(source);
    if (value !== undefined) values[key] = value;
  }
  return values;
}

function isPair(line: string): boolean {
  return /^\s*[\w-]+\s*=/.test(line);
}

function splitPair(line: string): [whole: string, key: string, value: string] {
  const at = line.indexOf("=", line.trimStart().startsWith('"') ? line.indexOf('"', line.indexOf('"') + 1) : 0);
  return [line, line.slice(0, at).trim().replace(/^"|"$/g, ""), line.slice(at + 1).trim()];
}

const scalar =
  /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(true|false)|([+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\d:-])|(\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:\d\d)?)?))\s*/;

/** `undefined` for what is no value of these kinds, or not closed. */
function readValue(source: string): JsonValue | undefined {
  if (!source.startsWith("[")) {
    const found = scalar.exec(source);
    return found !== null && /^(?:#.*)?$/.test(source.slice(found[0].length)) ? toValue(found) : undefined;
  }
  const items: JsonValue[] = [];
  let rest = source.slice(1).trimStart();
  while (!rest.startsWith("]")) {
    const found = scalar.exec(rest);
    const value = found === null ? undefined : toValue(found);
    if (found === null || value === undefined) return undefined;
    items.push(value);
    rest = rest.slice(found[0].length);
    if (rest.startsWith(",")) rest = rest.slice(1).trimStart();
    else if (!rest.startsWith("]")) return undefined;
  }
  return items;
}

function toValue([, basic, literal, boolean, number, date]: RegExpExecArray): JsonValue | undefined {
  if (basic !== undefined) return unescapeToml(basic);
  if (boolean !== undefined) return boolean === "true";
  if (number !== undefined) return Number(number.replaceAll("_", ""));
  return literal ?? date;
}

function unescapeToml(text: string): string {
  const named: Readonly<Record<string, string>> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", '"': '"', "\\": "\\" };
  return text
    .replace(
      /\\(?:u([\dA-Fa-f]{4})|U0*([\dA-Fa-f]{1,5})|(.))/g,
      (whole, short?: string, long?: string, sign?: string) =>
        sign === undefined ? String.fromCodePoint(Number.parseInt(short ?? long ?? "0", 16)) : (named[sign] ?? whole),
    )
    .toWellFormed();
}
