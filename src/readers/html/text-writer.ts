import type { Block, SourceMap } from "../../contracts/document.ts";

type Anchor = NonNullable<SourceMap["anchors"]>[number];

/** A text that leads elsewhere. */
export interface Link {
  readonly start: number;
  readonly end: number;
  readonly url: string;
}

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
    links?: readonly Link[],
  ): { start: number; end: number };
  /** Text from here on leads to `url`, until the link ends. A link in a link belongs to the outer one. */
  startLink(url: string): void;
  endLink(): void;
  /** Completes the block that is being written with what is known of it now. */
  describeBlock(facts: { readonly language?: string; readonly bodyStart?: number }): void;
  finish(): { text: string; blocks: Block[]; anchors: Anchor[]; links: Link[] };
}

type OpenBlock = { -readonly [K in keyof Block]: Block[K] };

/**
 * A writer of canonical text from a source.
 *
 * **Shape** a blank line or a change of kind begins a new block.
 * **Cost** linear in what is written, plus one pass over the newlines of the source and a search among them for each line that is written.
 */
export function createTextWriter(source: string): TextWriter {
  const parts: string[] = [];
  const blocks: OpenBlock[] = [];
  const anchors: Anchor[] = [];
  let length = 0;
  let pending: Break = 0;
  let space = false;
  const lineStarts = findLineStarts(source);
  let line = 1;
  const links: Link[] = [];
  let link: { start: number; readonly url: string } | undefined;

  const append = (text: string): void => {
    parts.push(text);
    length += text.length;
  };
  const anchor = (start: number, at: number): void => {
    // Most of what is written stems from this line of the source or the next.
    if (!isLineOf(lineStarts, line, at))
      line = isLineOf(lineStarts, line + 1, at) ? line + 1 : findLine(lineStarts, at);
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
    if (link?.start === -1) link.start = length;
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
    startLink(url) {
      link ??= { start: -1, url };
    },
    endLink() {
      if (link !== undefined && link.start !== -1 && link.start < length)
        links.push({ start: link.start, end: length, url: link.url });
      link = undefined;
    },
    writeWhole(text, kind, places, prefix, inside = []) {
      begin(kind, prefix);
      const start = length;
      for (const { offset, at } of places) anchor(start + offset, at);
      append(text);
      grow();
      if (link === undefined)
        for (const { start: from, end, url } of inside) links.push({ start: start + from, end: start + end, url });
      return { start, end: length };
    },
    describeBlock(facts) {
      const last = blocks[blocks.length - 1];
      if (last !== undefined) Object.assign(last, facts);
    },
    finish() {
      return { text: parts.join(""), blocks, anchors, links };
    },
  };
}

function findLineStarts(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function isLineOf(lineStarts: readonly number[], line: number, at: number): boolean {
  return at >= (lineStarts[line - 1] ?? Infinity) && at < (lineStarts[line] ?? Infinity);
}

function findLine(lineStarts: readonly number[], at: number): number {
  let line = 1;
  for (let beyond = lineStarts.length + 1; beyond - line > 1;) {
    const middle = (line + beyond) >>> 1;
    if ((lineStarts[middle - 1] ?? 0) <= at) line = middle;
    else beyond = middle;
  }
  return line;
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
