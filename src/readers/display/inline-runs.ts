import type { ViewRun, ViewStyle } from "./view-tree.ts";

/** Longer texts are shown as they stand. **Units** UTF-16 code units. */
const longestInline = 40_000;
const deepest = 6;

/** Spans of Markdown within a block. Each alternative begins with a sign of its own and is bounded, so that the search stays linear. */
const span =
  /\\(?<escaped>[!-/:-@[-`{-~])|(?<entity>&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{2,24});)|(?<fence>`{1,8})(?<code>[^`](?:[^`]{0,2000}?[^`])?|[^`])\k<fence>(?!`)|(?<image>!?)\[(?<label>[^[\]]{0,1000})\](?<address>\([^()\s]{0,2000}(?:\s+"[^"\n]{0,300}")?\))|(?<open>\*\*|__|~~)(?=\S)(?<strong>[^*_~]{1,2000}?)(?<=\S)\k<open>|(?<sign>[*_])(?=[^\s*_])(?<soft>[^*_]{1,2000}?)(?<=\S)\k<sign>(?![\p{L}\p{N}])|(?<tag><\/?[a-z][^<>]{0,2000}>|<!--[^]{0,2000}?-->)/giu;

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
  reg: "®",
  trade: "™",
  laquo: "«",
  raquo: "»",
  rarr: "→",
  larr: "←",
  times: "×",
  middot: "·",
  bull: "•",
};

/** Markdown's spans from `start` to `end` as runs. **Shape** runs without gaps: what no rule knows is plain text. */
export function inlineRuns(
  text: string,
  start: number,
  end: number,
  styles: readonly ViewStyle[] = [],
  depth = 0,
): ViewRun[] {
  const runs: ViewRun[] = [];
  const add = (from: number, to: number, more: Partial<ViewRun> = {}): void => {
    if (from < to) runs.push({ ...plainRun(text, from, to), ...(styles.length > 0 && { styles }), ...more });
  };
  const within = (from: number, to: number, style: ViewStyle): void => {
    runs.push(...inlineRuns(text, from, to, styles.includes(style) ? styles : [...styles, style], depth + 1));
  };
  if (depth > deepest || end - start > longestInline) {
    add(start, end);
    return runs;
  }
  let at = start;
  for (const match of text.slice(start, end).matchAll(span)) {
    const from = start + match.index;
    const to = from + match[0].length;
    const { escaped, entity, fence, code, image, label, open, strong, sign, soft, tag } = match.groups!;
    // A sign inside a word, as in `snake_case`, is a letter of it.
    if (sign === "_" && /[\p{L}\p{N}]/u.test(text[from - 1] ?? "")) continue;
    add(at, from);
    at = to;
    if (escaped !== undefined) {
      add(from, from + 1, { syntax: true });
      add(from + 1, to);
    } else if (entity !== undefined) {
      const shown = signOf(entity.slice(1, -1));
      add(from, to, shown === undefined ? {} : { shown });
    } else if (code !== undefined) {
      const size = fence!.length;
      add(from, from + size, { syntax: true });
      add(from + size, to - size, { styles: [...styles, "code"] });
      add(to - size, to, { syntax: true });
    } else if (label !== undefined) {
      const begin = from + image!.length + 1;
      add(from, begin, { syntax: true });
      within(begin, begin + label.length, "link");
      add(begin + label.length, to, { syntax: true });
    } else if (tag !== undefined) add(from, to, { syntax: true });
    else {
      const size = (open ?? sign)!.length;
      add(from, from + size, { syntax: true });
      within(
        from + size,
        from + size + (strong ?? soft)!.length,
        open === "~~" ? "strike" : open === undefined ? "emphasis" : "strong",
      );
      add(to - size, to, { syntax: true });
    }
  }
  add(at, end);
  return runs;
}

export function plainRun(text: string, start: number, end: number): ViewRun {
  return { text: text.slice(start, end), start, end };
}

export function syntaxRun(text: string, start: number, end: number): ViewRun {
  return { text: text.slice(start, end), start, end, syntax: true };
}

function signOf(name: string): string | undefined {
  if (!name.startsWith("#")) return named[name];
  const code = /^#x/iu.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  const isSign = code >= 0x20 && code <= 0x10_ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isSign ? String.fromCodePoint(code) : undefined;
}
