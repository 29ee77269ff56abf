import { characterReference, decodeCharacter, unfinishedReference } from "./decode-character.ts";

/** A stretch of the text that was read, and the text that stands for it. */
export interface PlainPiece {
  /** Characters of the input. */
  readonly length: number;
  readonly text: string;
  /** Every renderer shows it as it is. */
  readonly isCode: boolean;
}

/** Makes a text plain that arrives in pieces. */
export interface PlainMarkdown {
  /** The pieces that are decided. */
  push(delta: string): Iterable<PlainPiece>;
  /** The rest, at the end. */
  finish(): Iterable<PlainPiece>;
  /** Tags that went, as they stood. */
  tags(): readonly string[];
}

export interface PlainMarkdownOptions {
  /** One character that stays, whatever it is. Default: none. */
  readonly token?: string;
  /** Whether a character that a reference stands for goes, where it could be half of a mark. Default false: it comes in the reference's place. */
  readonly dropsMarks?: boolean;
  /** Whether white space at the beginning of the text goes, before any rule looks at its first line. Default false. */
  readonly trims?: boolean;
}

interface Fence {
  readonly run: string;
  /** Column at which every line of it begins. */
  readonly column: number;
  /** No list can change that it is code. */
  readonly isCertain: boolean;
}

/**
 * Rewrites Markdown so that its source shows what a reader sees. Rules that look at the text then see what a renderer shows.
 *
 * - References such as `&#91;` and escapes such as `\[` become their character, and characters without a shape go.
 * - Tags go, their words stay; `<q>` becomes quotation marks. Any other `<` that could open a tag or an autolink becomes `‹`.
 * - A backtick stays where it marks code in every renderer: a span within a line, or a block. Others become `ˋ`. Lines of a block keep its column.
 *
 * **Shape** the same for any cut into pieces; idempotent. A line waits as long as a code span, a tag or a fence may still begin in it. **Cost** linear in the text, for lines of usual length.
 * **Source** CommonMark 0.31 (blocks before spans, spans before links), GFM (cells before spans), HTML.
 */
export function createPlainMarkdown({
  token = "",
  dropsMarks = false,
  trims = false,
}: PlainMarkdownOptions = {}): PlainMarkdown {
  const tags: string[] = [];
  let pending = "";
  /** Characters of the input that `pending` no longer has. */
  let owed = 0;
  let atLineStart = true;
  let fence: Fence | undefined;
  let isRaw = false;
  /** The last character that was given out. */
  let before = "\n";
  let hasBegun = !trims;

  function* scan(final: boolean): Generator<PlainPiece, void> {
    while (pending !== "") {
      const blank = hasBegun ? 0 : pending.search(/\S|$/u);
      if (blank > 0) {
        yield { length: blank + owed, text: "", isCode: false };
        pending = pending.slice(blank);
        owed = 0;
        continue;
      }
      const step = atLineStart ? readLineStart(final) : isRaw ? readRaw() : readInline(final);
      if (step === undefined) return;
      const [length, made, isCode = false] = step;
      const text = hasBegun || made.trim() !== "" ? made : "";
      hasBegun ||= text !== "";
      const taken = pending.slice(0, length);
      pending = pending.slice(length);
      const piece = { length: length + owed, text, isCode };
      owed = 0;
      if (taken !== "") atLineStart = taken.endsWith("\n") || !hasBegun;
      if (atLineStart) isRaw = false;
      if (text !== "") before = text.at(-1)!;
      yield piece;
    }
    if (final && owed > 0) yield { length: owed, text: "", isCode: false };
    if (final) owed = 0;
  }

  /** The beginning of a line: indentation, and the fence of a block of code. */
  function readLineStart(final: boolean): Step | undefined {
    const end = pending.indexOf("\n");
    const isWhole = end >= 0 || final;
    const line = end < 0 ? pending : pending.slice(0, end);
    if (!isWhole && (fence === undefined ? undecidedStart : undecidedInFence).test(line)) return undefined;
    atLineStart = false;
    const indent = /^[ \t]*/u.exec(line)?.[0] ?? "";
    if (fence === undefined) return readOpening(line, indent, isWhole);
    if (line.trim() === "") {
      isRaw = true;
      return [0, ""];
    }
    const { run, column, isCertain } = fence;
    const closing = /^[ \t]*(`{3,}|~{3,})[ \t]*$/u.exec(line)?.[1] ?? "";
    isRaw = isCertain;
    if (closing.startsWith(run)) {
      fence = undefined;
      isRaw = true;
      return [line.length, " ".repeat(column) + closing, true];
    }
    if (column === 0) return [0, ""];
    return [indent.length, " ".repeat(Math.max(column, columnOf(indent))), isCertain];
  }

  function readOpening(line: string, indent: string, isWhole: boolean): Step | undefined {
    const found = fenceOpening.exec(line)?.groups;
    if (found === undefined) return [indent.length, indent];
    if (!isWhole) {
      atLineStart = true;
      return undefined;
    }
    const { sign = "", gap = "", run = "", info = "" } = found;
    const column = columnOf(indent + " ".repeat(sign.length) + gap);
    const isItem = sign !== "" && columnOf(indent) < 4 && gap.length <= 4 && !gap.includes("\t");
    if ((run.startsWith("`") && info.includes("`")) || (sign !== "" && !isItem)) return [indent.length, indent];
    fence = { run, column, isCertain: sign !== "" || column < 4 };
    isRaw = true;
    return [
      line.length,
      " ".repeat(columnOf(indent)) + sign + gap + run + info.replaceAll(/[^\w+#.:/, …-]/gu, ""),
      true,
    ];
  }

  /** The rest of a line of code. */
  function readRaw(): Step {
    const end = pending.indexOf("\n");
    const length = end < 0 ? pending.length : end + 1;
    return [length, pending.slice(0, length), true];
  }

  function readInline(final: boolean): Step | undefined {
    const next = pending.search(special);
    if (next !== 0) {
      const length = next < 0 ? pending.length : next;
      return [length, pending.slice(0, length)];
    }
    const first = String.fromCodePoint(pending.codePointAt(0)!);
    if (first === token && token !== "") return [1, token];
    // Its other half is in the next piece.
    if (pending.length === 1 && /[\uD800-\uDBFF]/u.test(first) && !final) return undefined;
    if (first === "\n") return [1, "\n"];
    if (first === "`") return readTicks(final);
    if (first === "\\") return readEscape(final);
    if (first === "&") return readReference(final);
    if (first === "<") return readTag(final);
    if (first === "~") {
      const run = /^~+/u.exec(pending)![0];
      if (run.length === pending.length && !final) return undefined;
      // Two runs that touch would be one.
      return [run.length, before === "~" ? "" : run.slice(0, run.length > 2 ? 2 : run.length)];
    }
    if (/[\r\f\v]/u.test(first)) return [1, ""];
    if (/[\u2028\u2029]/u.test(first)) return [1, " "];
    // A joiner belongs to the letters or the pictures around it.
    if (!/[\u200C\u200D\p{Variation_Selector}]/u.test(first)) return [first.length, ""];
    if (first.length === pending.length && !final) return undefined;
    const behind = String.fromCodePoint(pending.codePointAt(first.length) ?? 0x20);
    const isJoined = joinable.test(before) && (/\p{Variation_Selector}/u.test(first) || joinable.test(behind));
    return [first.length, isJoined ? first : ""];
  }

  function readTicks(final: boolean): Step | undefined {
    const run = /^`+/u.exec(pending)![0];
    const end = pending.indexOf("\n");
    // No run of another length ends a span that the fence may be the beginning of.
    if (fence !== undefined && run.length > 1) return [run.length, "ˋ".repeat(run.length)];
    const line = end < 0 ? pending : pending.slice(0, end);
    for (const match of line.slice(run.length).matchAll(/`+/gu)) {
      const behind = run.length + match.index + match[0].length;
      if (behind === pending.length && !final) return undefined;
      if (match[0].length !== run.length) continue;
      const span = line.slice(0, behind);
      // A cell of a table ends where the span does not, and an escaped tick before it may count.
      if (!span.includes("|") && before !== "`") return [behind, span, true];
      if (!/[[\]<>&"“”„«»‘’「」『』:@]|\.\S/u.test(span)) return [behind, before === "`" ? ` ${span}` : span];
      break;
    }
    if (end < 0 && !final) return undefined;
    return [run.length, "ˋ".repeat(run.length)];
  }

  function readEscape(final: boolean): Step | undefined {
    const next = pending[1];
    if (next === undefined) return final ? [1, "\\"] : undefined;
    if (next === "\\") return [2, "\\\\"];
    if (next === "`") return [2, "ˋ"];
    if (next !== "\n" && next !== token && next !== "~" && !escaped.has(next) && special.test(next))
      return replace(2, "\\");
    if (!escaped.has(next)) return [1, "\\"];
    if (next === "<" && /^\\<[a-z/!?]/iu.test(pending)) return [2, "‹"];
    if (next === "<" && pending.length === 2 && !final) return undefined;
    if (next === "&") return replace(1, "");
    return [2, dropsMarks && isMark(next) ? "" : next];
  }

  function readReference(final: boolean): Step | undefined {
    if (!final && unfinishedReference.test(pending)) return undefined;
    const found = characterReference.exec(pending);
    if (found === null) return [1, "&"];
    const [whole] = found;
    const character = decodeCharacter(found);
    if (character === undefined) return [whole.length, `${whole.slice(0, -1)} ;`];
    // Without it its neighbours could be another.
    if (dropsMarks && isMark(character)) return [whole.length, " "];
    const plain = harmless[character];
    return plain === undefined ? replace(whole.length, character) : [whole.length, plain];
  }

  function readTag(final: boolean): Step | undefined {
    if (pending.length === 1) return final ? [1, "<"] : undefined;
    // Before any other character, what stands between may go.
    if (!/^<[a-z/!?]/iu.test(pending)) return [1, /^<[\s\d=-]/u.test(pending) ? "<" : "‹"];
    const end = pending.indexOf("\n");
    const line = end < 0 ? pending : pending.slice(0, end);
    const [tag] = /^<(?:[^"'>]|"[^"]*"|'[^']*')*>/u.exec(line) ?? /^<[^>]*>/u.exec(line) ?? [];
    if (tag === undefined) return end < 0 && !final ? undefined : [1, "‹"];
    const address = tag.slice(1, -1);
    if (autolink.test(address)) {
      const behind = pending[tag.length];
      if (behind === undefined && !final) return undefined;
      return replace(tag.length, behind === undefined || /[\s.,!?)]/u.test(behind) ? address : `${address} `);
    }
    const name = /^<\/?([a-z][a-z0-9-]*)(?:[\s/][^]*)?>$/iu.exec(tag)?.[1]?.toLowerCase() ?? "";
    if (!elements.has(name)) return [1, "‹"];
    tags.push(tag);
    if (/^<q[\s>]/iu.test(tag)) return [tag.length, "“"];
    if (/^<\/q[\s>]/iu.test(tag)) return [tag.length, "”"];
    const isBreak = /^<\/?(?:br|p|div|li|tr|td|th|h[1-6]|hr)[\s/>]/iu.test(tag);
    // A marker in a tag is not the tag's.
    const kept = token === "" ? "" : token.repeat(tag.split(token).length - 1);
    return [tag.length, kept + (isBreak ? " " : "")];
  }

  /** Puts another text, no longer than the first characters, in their place. It is read again. */
  function replace(length: number, text: string): Step {
    pending = text + pending.slice(length);
    owed += length - text.length;
    return [0, ""];
  }

  return {
    push(delta) {
      pending += delta;
      return scan(false);
    },
    finish: () => scan(true),
    tags: () => tags,
  };
}

/** Characters of `pending` that are taken, and the text for them. */
type Step = readonly [length: number, text: string, isCode?: boolean];

/** A whole text, plain. */
export function toPlainMarkdown(text: string): string {
  const plain = createPlainMarkdown();
  let made = "";
  for (const pieces of [plain.push(text), plain.finish()]) for (const piece of pieces) made += piece.text;
  return made;
}

const special =
  /[\n`\\&<~]|(?!\t)[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\u2028\u2029\p{Variation_Selector}\u115F\u1160\u3164\uFFA0]|\u034F/u;
const joinable =
  /[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Variation_Selector}]|[\u{1F1E6}-\u{1F1FF}\uD800-\uDFFF]/u;
const escaped = new Set("[]()<>\"'&!:/.@#=?");
/** Characters whose own sign would begin something that it did not begin as a reference. */
const harmless: Readonly<Record<string, string>> = { "<": "‹", "`": "ˋ", "\\": "＼", "~": "∼" };
/** Elements of HTML; any other name in angle brackets is a word, such as `List<String>`. **Source** HTML, SVG and MathML. */
const elements = new Set(
  (
    "a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button canvas caption center cite code col colgroup " +
    "data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i " +
    "iframe img input ins isindex kbd keygen label legend li link listing main map mark marquee math menu menuitem meta meter nav nobr noembed noframes noscript object ol " +
    "optgroup option output p param picture plaintext portal pre progress q rb rp rt rtc ruby s samp script search section select slot small source spacer span strike strong " +
    "style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp"
  ).split(" "),
);
const autolink = /^(?:[a-z][a-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+)$/iu;
const fenceOpening = /^[ \t]*(?:(?<sign>[-*+]|1[.)])(?<gap>[ \t]+))?(?<run>`{3,}|~{3,})(?<info>.*)$/u;
const undecidedStart = /^[ \t]*(?:(?:[-*+]|1[.)]?)(?:[ \t]+)?)?(?:`*|~*)$/u;
const undecidedInFence = /^[ \t]*(?:`*|~*)[ \t]*$/u;

function isMark(character: string): boolean {
  return /[[\]()<>"'“”„«»‘’‚‹›「」『』&\d:/@.]/u.test(character);
}

/** **Source** CommonMark: a tab reaches to the next multiple of four. */
export function columnOf(space: string): number {
  let column = 0;
  for (const character of space) column += character === "\t" ? 4 - (column % 4) : 1;
  return column;
}
