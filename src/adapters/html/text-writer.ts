import type { Block, SourceMap } from "../../contracts/document.ts";

type Anchor = NonNullable<SourceMap["anchors"]>[number];

/** 0 none, 1 a new line, 2 a blank line. */
export type Break = 0 | 1 | 2;

/** Puts together the canonical text of a page, with its blocks and the way back to source lines. */
export interface TextWriter {
  readonly length: number;
  /** Asks for a break before whatever is written next; the strongest asked for counts. */
  breakBefore(strength: Break): void;
  /** One `<br>`: two make a blank line. */
  breakLine(): void;
  /** Running text: white space collapses, also with what was written before. `at` is its offset in the source. */
  writeText(text: string, at: number, kind: Block["kind"], prefix?: () => string): void;
  /** A text as it stands, from its own start to its own end; `anchors` say where in the source its parts are. */
  writeWhole(
    text: string,
    kind: Block["kind"],
    anchors: readonly { readonly offset: number; readonly at: number }[],
    prefix?: () => string,
  ): { start: number; end: number };
  /** Completes the block that is being written with what is known of it now. */
  describeBlock(facts: { readonly language?: string; readonly bodyStart?: number }): void;
  finish(): { text: string; blocks: Block[]; anchors: Anchor[] };
}

type OpenBlock = { -readonly [K in keyof Block]: Block[K] };

/**
 * A writer of canonical text from a source, whose offsets must be given in ascending order.
 *
 * **Shape** a blank line or a change of kind begins a new block.
 * **Cost** linear in what is written, plus one pass over the newlines of the source.
 */
export function createTextWriter(source: string): TextWriter {
  const parts: string[] = [];
  const blocks: OpenBlock[] = [];
  const anchors: Anchor[] = [];
  let length = 0;
  let pending: Break = 0;
  let space = false;
  let line = 1;
  let nextNewline = source.indexOf("\n");

  const append = (text: string): void => {
    parts.push(text);
    length += text.length;
  };
  const anchor = (start: number, at: number): void => {
    while (nextNewline !== -1 && nextNewline < at) {
      line++;
      nextNewline = source.indexOf("\n", nextNewline + 1);
    }
    if (anchors[anchors.length - 1]?.line !== line) anchors.push({ start, line });
  };
  /** Makes the break asked for and opens a block where one is due. */
  const begin = (kind: Block["kind"], prefix: (() => string) | undefined): void => {
    const last = blocks[blocks.length - 1];
    const fresh = length === 0;
    const newBlock = fresh || pending === 2 || last?.kind !== kind;
    if (!fresh && (newBlock || pending > 0)) append(newBlock ? "\n\n" : "\n");
    else if (!fresh && space) append(" ");
    if (newBlock) blocks.push({ kind, start: length, end: length });
    if (newBlock || pending > 0) append(prefix?.() ?? "");
    pending = 0;
    space = false;
  };
  const grow = (): void => {
    const last = blocks[blocks.length - 1];
    if (last !== undefined) last.end = length;
  };

  return {
    get length() {
      return length;
    },
    breakBefore(strength) {
      if (strength > pending) pending = strength;
    },
    breakLine() {
      pending = pending === 0 ? 1 : 2;
    },
    writeText(text, at, kind, prefix) {
      // Source lines are followed inside a text, so that every line that is written can be found again.
      for (let from = 0; from < text.length;) {
        const newline = text.indexOf("\n", from);
        const to = newline === -1 ? text.length : newline + 1;
        const words = collapseSpace(text.slice(from, to));
        if (words.startsWith(" ")) space = true;
        const seen = words.trim();
        if (seen !== "") {
          begin(kind, prefix);
          anchor(length, at + from);
          append(seen);
          grow();
          space = words.endsWith(" ");
        }
        from = to;
      }
    },
    writeWhole(text, kind, places, prefix) {
      begin(kind, prefix);
      const start = length;
      for (const { offset, at } of places) anchor(start + offset, at);
      append(text);
      grow();
      return { start, end: length };
    },
    describeBlock(facts) {
      const last = blocks[blocks.length - 1];
      if (last !== undefined) Object.assign(last, facts);
    },
    finish() {
      return { text: parts.join(""), blocks, anchors };
    },
  };
}

/**
 * White space as CSS collapses it, with no-break spaces as spaces, without characters that nobody sees (soft hyphens, zero-width spaces, controls),
 * and without lone surrogates. The length never grows.
 */
export function collapseSpace(text: string): string {
  return cleanText(text).replace(/[ \t\n\f\r\u00A0]+/g, " ");
}

/** As {@link collapseSpace}, with white space left as it is. */
export function cleanText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is to be taken out
  return text.replace(/[\u0000-\u0008\u000B\u000E-\u001F\u007F\u00AD\u200B\u2060\uFEFF]/g, "").toWellFormed();
}
