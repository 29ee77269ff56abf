import {
  anyClosing,
  anyOpening,
  everyMarker,
  findLooseMarkers,
  unfinishedNumber,
} from "../../text/untrusted/citation-marker.ts";
import { blockHead } from "../../text/untrusted/scan-markers.ts";
import { createPlainMarkdown, type PlainPiece } from "../../text/untrusted/plain-markdown.ts";
import { endOfAddress, findAddresses, findBareAddresses, leadsElsewhere, trimAddress } from "./find-addresses.ts";
import { MappedText } from "./mapped-text.ts";

/** The last pass over a text that leaves an answer. It arrives in pieces. */
export interface AnswerFilter {
  /** Returns the text that is decided. */
  push(delta: string): string;
  /** The marker of a checked citation stands here. */
  mark(marker: string): string;
  /** Says that a sentence is complete: what follows joins nothing in it. Returns the text that this decides. */
  pause(): string;
  /** The rest, at the end. */
  finish(): string;
  /** Whether something waits. */
  isWaiting(): boolean;
  /** Every address that was taken out, once, in order. */
  removed(): readonly string[];
  /** Where a place of what came in stands in what went out: the first character from there on. */
  placeOf(position: number): number;
  /** Widens a stretch of what went out over the blocks and spans of code that it touches, fences included. */
  aroundCode(start: number, end: number): readonly [start: number, end: number];
}

/** Stands for the marker of a checked citation. A noncharacter: no text means anything by it. */
const token = "\uFDD1";
/** Each removal may join its neighbours to something else; so often a text is looked at again. */
const mostRounds = 8;
/** No link and no address is waited for longer. **Units** UTF-16. */
const longestWait = 4000;

/**
 * The rules for every text that leaves an answer, in one place. They hold for what a renderer shows: CommonMark, GFM's autolinks, linkify, HTML allowed.
 *
 * - The text is plain Markdown first ({@link createPlainMarkdown}): without tags, references and escapes that hide something.
 * - Nothing leads anywhere but to a known address, exactly. A link to another becomes its words, a bare address `…`, and a host alone becomes code. Pictures become
 *   links. Definitions lose their meaning.
 * - A number in brackets is the marker of a checked citation, or goes.
 *
 * **Shape** the same for any cut into pieces, but for links and addresses of more than {@link longestWait} characters. **Cost** linear.
 */
export function createAnswerFilter(known: ReadonlySet<string>): AnswerFilter {
  const plain = createPlainMarkdown({ token, dropsMarks: true, trims: true });
  const removed = new Set<string>();
  const markers: string[] = [];
  const buffer = new MappedText();
  /** Characters that came in, and those of them that are plain. */
  let came = 0;
  let read = 0;
  let wentOut = 0;
  let before = "\n";
  let isPaused = false;
  /** White space that waits for what follows it. */
  let held = "";
  const runs: Run[] = [];
  /** Blocks and spans of code in what went out. */
  const codes: { readonly from: number; to: number }[] = [];
  /** Lengths of the markers that tokens stand for, as they are read. */
  const lengths: number[] = [];

  const take = (pieces: Iterable<PlainPiece>): void => {
    for (const { length, text, isCode } of pieces) {
      const isWhole = text.length === length;
      for (const character of isWhole && text.includes(token) ? text.split("") : [text]) {
        buffer.append(character, read, isWhole ? character.length : length, isCode);
        read += isWhole ? character.length : length;
        for (const one of character) if (one === token) read += (lengths.shift() ?? 1) - 1;
      }
    }
  };

  const tell = (length: number): string => {
    if (length === 0) return "";
    const block = buffer.take(length);
    clean(block);
    if (isPaused && joins(before, block.text)) block.replace(0, 0, " ");
    isPaused = false;
    // A marker that went out before would begin a definition or a link.
    if (before === "]" && /^[:(]/u.test(block.text) && block.isCode[0] !== true) block.replace(0, 0, " ");
    let text = held;
    for (let at = 0; at < block.text.length; at += 1) {
      const character = block.text[at]!;
      // A text neither begins nor ends in white space.
      if (wentOut + text.length === 0 && /\s/u.test(character)) continue;
      const shown = character === token ? (markers.shift() ?? "") : character;
      note(block.from[at]!, wentOut + text.length, shown.length);
      if (block.isCode[at] === true) noteCode(wentOut + text.length, shown.length);
      text += shown;
    }
    if (text !== "") before = text.at(-1)!;
    const told = text.trimEnd();
    held = text.slice(told.length);
    wentOut += told.length;
    return told;
  };

  /** Remembers where a character of the input stands in the output. */
  const note = (from: number, to: number, length: number): void => {
    const last = runs.at(-1);
    if (last !== undefined && last.from + last.length === from && last.to + last.length === to) last.length += length;
    else if (last === undefined || last.from + last.length <= from) runs.push({ from, to, length });
  };

  const noteCode = (from: number, length: number): void => {
    const last = codes.at(-1);
    if (last?.to === from) last.to += length;
    else codes.push({ from, to: from + length });
  };

  const clean = (block: MappedText): void => {
    for (let round = 0; ; round += 1) {
      const seen = block.text;
      if (!risky.test(seen)) return;
      dropMarkers(block);
      breakDefinitions(block);
      cleanLinks(block, known, removed, round >= mostRounds);
      cleanAddresses(block, known, removed);
      if (block.text === seen || round > 2 * mostRounds) return;
    }
  };

  return {
    push(delta) {
      came += delta.length;
      take(plain.push(delta.replaceAll(token, " ")));
      return tell(decidedUntil(buffer.text, buffer.isCode));
    },
    mark(marker) {
      came += marker.length;
      markers.push(marker);
      lengths.push(marker.length);
      take(plain.push(token));
      return tell(decidedUntil(buffer.text, buffer.isCode));
    },
    pause() {
      const { text, isCode } = buffer;
      const open = openBracketsIn(text, isCode, Math.max(0, text.lastIndexOf("\n\n")), text.length);
      // A sentence may end between the brackets of a number.
      const told = tell(open.find((at) => unfinishedNumber.test(text.slice(at))) ?? text.length);
      isPaused = true;
      return told;
    },
    finish() {
      take(plain.finish());
      for (const tag of plain.tags())
        for (const address of findAddresses(tag)) if (!known.has(address)) removed.add(address);
      return tell(buffer.text.length);
    },
    isWaiting: () => buffer.text !== "" || read < came,
    removed: () => [...removed],
    placeOf: (position) => placeIn(runs, position, wentOut),
    aroundCode(start, end) {
      const touched = codes.filter(({ from, to }) => from < end && to > start);
      return [Math.min(start, ...touched.map(({ from }) => from)), Math.max(end, ...touched.map(({ to }) => to))];
    },
  };
}

/** A whole text after the last pass; addresses that went are added to `removed`. */
export function cleanText(text: string, known: ReadonlySet<string>, removed: Set<string> = new Set()): string {
  const filter = createAnswerFilter(known);
  const clean = filter.push(text) + filter.finish();
  for (const address of filter.removed()) removed.add(address);
  return clean;
}

/** Characters that stand in a row in both texts. */
interface Run {
  readonly from: number;
  readonly to: number;
  length: number;
}

function placeIn(runs: readonly Run[], position: number, end: number): number {
  let index = 0;
  for (let high = runs.length; index < high;) {
    const middle = (index + high) >>> 1;
    const { from, length } = runs[middle]!;
    if (from + length <= position) index = middle + 1;
    else high = middle;
  }
  const run = runs[index];
  return run === undefined ? end : run.to + Math.max(0, position - run.from);
}

/** Whatever a rule may concern. */
const risky = new RegExp(`${anyOpening}|[${token}\\]@]|:/|//|mailto:|xmpp:|www\\.|\\.[\\p{L}\\p{Nd}]`, "iu");

/** How much of a text nothing behind it changes. */
function decidedUntil(text: string, isCode: readonly boolean[]): number {
  const word = text.search(/\S*$/u);
  let decided = word;
  const paragraph = text.lastIndexOf("\n\n");
  let depth = 0;
  let opened = -1;
  for (let at = Math.max(0, paragraph); at < decided; at += 1) {
    if (isCode[at]) continue;
    const character = text[at];
    if (character === "[") {
      if (depth === 0) opened = at;
      depth += 1;
    } else if (character === "]" && depth > 0) depth -= 1;
    // A destination may hold white space.
    if (character === "]" && depth === 0 && text[at + 1] === "(") {
      const end = endOfDestination(text, at + 2);
      if (end === undefined) {
        if (opened < 0) opened = at;
        break;
      }
      at = end - 1;
    }
    if (depth === 0) opened = -1;
  }
  if (opened > 0 && text[opened - 1] === "!") opened -= 1;
  if (opened >= 0 && text.length - opened <= longestWait) decided = opened;
  for (let within = decided; within >= 0 && text.length - within <= longestWait;) {
    decided = within;
    // An address may go on in a bracket, and white space may stand in one.
    while (decided > 0 && !/\s/u.test(text[decided - 1]!)) decided -= 1;
    within = openBracketsIn(text, isCode, Math.max(0, paragraph), decided)[0] ?? -1;
  }
  return text.length - decided > longestWait ? text.length : decided;
}

/** The brackets that are open at a place, the outermost first. */
function openBracketsIn(text: string, isCode: readonly boolean[], from: number, end: number): readonly number[] {
  const open: number[] = [];
  for (let at = from; at < end; at += 1) {
    if (isCode[at]) continue;
    if (opensBracket.test(text[at]!)) open.push(at);
    else if (closesBracket.test(text[at]!)) open.pop();
  }
  return open;
}

const opensBracket = new RegExp(anyOpening, "u");
const closesBracket = new RegExp(anyClosing, "u");

/** Where a link's destination with its title ends, behind the bracket; `undefined` while it is open. */
function endOfDestination(text: string, from: number): number | undefined {
  const found =
    /^\s*(?:<[^<>\n]*>|(?:[^\s()]|\((?:[^\s()]|\([^\s()]*\))*\))*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/u.exec(
      text.slice(from, from + longestWait),
    );
  if (found !== null) return from + found[0].length;
  // No link ends here any more.
  return /\n\s*\n|\)[^)]*$/u.test(text.slice(from)) ? from : undefined;
}

/** Whether two sentences touch, so that their ends could make something together. Scripts that set no words apart are no part of an address. */
function joins(before: string, text: string): boolean {
  const [next = " "] = text;
  return !/\s/u.test(before + next) && !unspaced.test(before) && !unspaced.test(next);
}

const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}。！？]/u;

/** Text for a stretch that went, so that its neighbours join to nothing. */
function gap(text: string, start: number, end: number): string {
  const before = text.slice(Math.max(0, start - 40), start);
  const behind = text.slice(end, end + 40);
  const after = behind.charAt(0);
  if ((/[`~]$/u.test(before) && /[`~]/u.test(after)) || before.endsWith("\\")) return " ";
  if (/&[#\w]*$/u.test(before) && /[#\w;]/u.test(after)) return " ";
  const head = before.slice(before.lastIndexOf("\n") + 1);
  if ((blockStart.exec(head + behind)?.[0].length ?? 0) > head.length) return "… ";
  return "";
}

/** Signs that a line begins with, to one of a quoted block or a block of code. */
const blockStart = new RegExp(`${blockHead.source.slice(0, -1)}[>\`~]`, "u");

function dropMarkers(block: MappedText): void {
  for (const { index, 0: marker } of [...block.text.matchAll(everyMarker)].toReversed()) {
    if (block.isCode[index]) continue;
    const end = index + marker.length;
    block.replace(index, end, gap(block.text, index, end));
  }
  for (const { index, length } of [...findLooseMarkers(block.text)].toReversed()) {
    if (block.isCode[index]) continue;
    const end = index + length;
    // Markers of checked citations within stay.
    const kept = token.repeat(block.text.slice(index, end).split(token).length - 1);
    block.replace(index, end, kept + gap(block.text, index, end));
  }
}

/** `[label]: address` leads every `[label]` there, and `[^1]:` makes a footnote. A marker before a bracket would be the words of a link. */
function breakDefinitions(block: MappedText): void {
  for (const { index } of [...block.text.matchAll(/\](?=:)|\uFDD1(?=[:(])/gu)].toReversed())
    if (!block.isCode[index]) block.replace(index + 1, index + 1, " ");
}

function cleanLinks(block: MappedText, known: ReadonlySet<string>, removed: Set<string>, breaksAll: boolean): void {
  for (let at = block.text.indexOf("]("); at >= 0; at = block.text.indexOf("](", at + 1)) {
    if (block.isCode[at] || block.isCode[at + 1]) continue;
    const { text } = block;
    const found = linkTarget.exec(text.slice(at + 1));
    const target = found?.groups?.["target"] ?? found?.groups?.["angled"] ?? "";
    const opening = openingBefore(block, at);
    // A link holds no other: the outer one is none, and its address would stand bare.
    const isOuter = opening >= 0 && text.slice(opening, at).includes("](");
    if (found !== null && opening >= 0 && known.has(target) && !isOuter) {
      if (text[opening - 1] === "!") {
        block.replace(opening - 1, opening, "");
        at -= 1;
      }
      const whole = at + 1 + found[0].length;
      const kept = token.repeat(found[0].split(token).length - 1);
      const isExact = found[0] === `(${target})`;
      if (!isExact) block.replace(at + 1, whole, `(${target})${kept}`);
      continue;
    }
    if (found === null || breaksAll || isOuter) {
      block.replace(at + 1, at + 1, " ");
      continue;
    }
    if (leadsElsewhere(target)) removed.add(trimAddress(target));
    const end = at + 1 + found[0].length;
    const kept = token.repeat(found[0].split(token).length - 1);
    if (opening < 0) {
      block.replace(at + 1, end, `…${kept}`);
      continue;
    }
    const start = text[opening - 1] === "!" ? opening - 1 : opening;
    const words = text.slice(opening + 1, at);
    block.replace(at, end, (words.trim() === "" ? "…" : "") + kept + gap(text, at, end));
    block.replace(start, opening + 1, gap(text, start, opening + 1));
    at = Math.max(-1, start - 1);
  }
  // A picture without a destination, by name, or one that a link became.
  for (const { index } of [...block.text.matchAll(/!(?=\[)/gu)].toReversed())
    if (!block.isCode[index]) block.replace(index, index + 1, "");
}

/** **Source** CommonMark 0.31: a destination, and a title behind white space. */
const linkTarget =
  /^\(\s*(?:<(?<angled>[^<>\n]*)>|(?<target>(?:[^\s()<>]|\((?:[^\s()<>]|\([^\s()<>]*\))*\))*))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/u;

/** The bracket that the one at `end` closes; -1 where none does in its paragraph. */
function openingBefore({ text, isCode }: MappedText, end: number): number {
  let depth = 0;
  for (let at = end; at >= 0; at -= 1) {
    if (isCode[at]) continue;
    if (text[at] === "]") depth += 1;
    else if (text[at] === "[" && (depth -= 1) === 0) return at;
    else if (text[at] === "\n" && text[at + 1] === "\n") return -1;
  }
  return -1;
}

function cleanAddresses(block: MappedText, known: ReadonlySet<string>, removed: Set<string>): void {
  for (const { start, text: whole, isHost } of [...findBareAddresses(block.text)].toReversed()) {
    const { text } = block;
    const isInCode = block.isCode[start] === true;
    if (isInCode && isHost) continue;
    // Destinations were looked at.
    const isTarget = !isInCode && text.slice(Math.max(0, start - 2), start) === "](";
    const cut = whole.slice(0, endOfAddress(whole));
    if (isTarget) {
      const end = text.indexOf(")", start);
      if (known.has(text.slice(start, end)) || known.has(cut)) {
        const behind = start + (known.has(cut) ? cut.length : end - start) + 1;
        const rest = text.slice(behind, start + whole.length);
        // An address that touches the link is one of its own.
        if (!rest.startsWith(" ") && [...findBareAddresses(rest)].length > 0) block.replace(behind, behind, " ");
        continue;
      }
    }
    // A marker behind an address would be read as a part of it.
    if (text[start + whole.length] === token) block.replace(start + whole.length, start + whole.length, " ");
    const exact = longestKnown(cut, known);
    if (exact !== undefined) {
      const behind = whole.slice(exact.length);
      // Full stops and brackets that every renderer leaves out of a link; one before another sign is a part of it to some.
      const isLast = behind === "" || /[\s\uFDD1]/u.test(text[start + whole.length] ?? " ");
      if ((isLast && /^[)"']?[.,!?]?$/u.test(behind)) || isInCode) {
        // Behind an open bracket, emphasis that began before could end in it.
        const paragraph = Math.max(0, text.lastIndexOf("\n\n", start));
        const isWithin = !isInCode && !isTarget && openBracketsIn(text, block.isCode, paragraph, start).length > 0;
        if (isWithin && /[*~]|_(?![\p{L}\p{Nd}])/u.test(exact)) showAsCode(block, start, exact.length);
        continue;
      }
      if (!continues.test(behind)) {
        block.replace(start + exact.length, start + exact.length, " ");
        continue;
      }
    }
    const plain = trimAddress(cut);
    if (plain === "") continue;
    // Before a digit it opened nothing; before what comes instead, it is read as if it might.
    if (text[start - 1] === "<" && !isInCode) block.replace(start - 1, start, "‹");
    if (isHost && !/[:/?#]/u.test(plain)) {
      showAsCode(block, start, plain.length);
      continue;
    }
    removed.add(plain);
    block.replace(start, start + plain.length, "…");
  }
}

function showAsCode(block: MappedText, start: number, length: number): void {
  const words = block.text.slice(start, start + length);
  const around = block.text.slice(start - 1, start) + block.text.slice(start + length, start + length + 1);
  const isFree = !/[`\\]/u.test(around);
  block.replace(start, start + length, isFree ? `\`${words}\`` : ` \`${words}\` `);
  for (let at = start; at < start + length + 2 + (isFree ? 0 : 1); at += 1) block.isCode[at] = true;
}

/** Characters with which an address goes on. */
const continues = /^(?:[\p{L}\p{M}\p{Nd}/%&=?#_~+@:$\\-]|[.,!?)]+[^\s.,!?)])/u;

function longestKnown(address: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(address)) return address;
  for (let end = address.length - 1; end > 2; end -= 1) {
    if (/[\p{L}\p{Nd}]/u.test(address[end]!) && /[\p{L}\p{Nd}]/u.test(address[end - 1]!)) continue;
    const start = address.slice(0, end);
    if (known.has(start)) return start;
  }
  return undefined;
}
