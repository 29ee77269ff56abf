import type { ReadInput } from "../../contracts/reader.ts";
import { limitsOf, overLimit } from "../read-limits.ts";

import type { InlineRule } from "./inline-rules.ts";

/** The attributes of an AsciiDoc document, as its lines set them. */
export interface AsciidocAttributes {
  /** Sets or unsets one by its line, such as `:version: 2.1` or `:!draft:`. References in its value are resolved at once. */
  enter(line: string): void;
  /** Rules that show references such as `{version}`; one that is not set stays as it is written. */
  readonly rules: readonly InlineRule[];
}

/** Longest value that is kept. **Units** UTF-16 code units. */
const longestValue = 1000;

/** **Source** AsciiDoc Language Documentation (Eclipse Foundation): character replacement attributes. */
const signs: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  asterisk: "*",
  backslash: "\\",
  backtick: "`",
  blank: "",
  brvbar: "¦",
  caret: "^",
  cpp: "C++",
  cxx: "C++",
  deg: "°",
  empty: "",
  endsb: "]",
  gt: ">",
  ldquo: "“",
  lsquo: "‘",
  lt: "<",
  nbsp: " ",
  plus: "+",
  pp: "++",
  quot: '"',
  rdquo: "”",
  rsquo: "’",
  sp: " ",
  startsb: "[",
  tilde: "~",
  "two-colons": "::",
  "two-semicolons": ";;",
  vbar: "|",
  wj: "",
  zwsp: "",
};

/**
 * Attributes of one document.
 *
 * **Errors** its rules throw `too-large` when the values that they show grow beyond `maxTextLength`.
 * **Source** AsciiDoc Language Documentation (Eclipse Foundation): document attributes.
 */
export function createAttributes({ uri, limits }: Pick<ReadInput, "uri" | "limits">): AsciidocAttributes {
  const { maxTextLength } = limitsOf(limits === undefined ? {} : { limits });
  const values = new Map(Object.entries(signs));
  let shown = 0;
  const resolve = (name: string, written: string): string => {
    const value = values.get(name.toLowerCase());
    if (value === undefined) return written;
    shown += value.length;
    if (shown > maxTextLength) throw overLimit(uri, "maxTextLength", maxTextLength);
    return value;
  };
  return {
    enter(line) {
      const [, before = "", name = "", after = "", value = ""] = /^:(!?)([\w-]+)(!?):\s*(.*)$/su.exec(line) ?? [];
      const key = name.toLowerCase();
      if (before === "!" || after === "!") values.delete(key);
      else {
        const resolved = value.replace(/(?<!\\)\{([\w-]+)\}/gu, (written, inner: string) => resolve(inner, written));
        values.set(key, resolved.slice(0, longestValue));
      }
    },
    rules: [
      {
        // An address may begin with the value of an attribute.
        pattern: /\{([\w-]+)\}([^\s[\]{}]*)\[([^\]]*?)\^?\]/uy,
        show([written, name = "", path = "", label = ""]) {
          const value = resolve(name, `{${name}}`);
          return /^https?:\/\//u.test(value)
            ? { text: label || value + path, href: value + path }
            : { text: value + written.slice(name.length + 2) };
        },
      },
      { pattern: /\{([\w-]+)\}/uy, show: ([written, name = ""]) => ({ text: resolve(name, written) }) },
    ],
  };
}
