import type { SourceMap } from "../../contracts/document.ts";
import type { ReadInput, ReadResult } from "../../contracts/reader.ts";
import { clock } from "../../text/place-labels.ts";
import { decodeInput } from "../text/decode-source.ts";

import { composeMarkup, createMarkupEvents, type SourceLine, splitLines } from "./markup-events.ts";

/** The line of a cue's times, in either format; hours may be missing. */
const timing = /^(?:(\d{1,3}):)?(\d{2}):(\d{2})[.,](\d{1,3})\s+-->\s+(?:(\d{1,3}):)?(\d{2}):(\d{2})[.,](\d{1,3})/u;
/** A pause of more begins a paragraph. **Units** seconds. */
const longestPause = 3;
/** A paragraph of more ends with its sentence. **Units** UTF-16 code units. */
const usualLength = 400;

/**
 * Implements the reader of subtitles, WebVTT and SubRip.
 *
 * **Shape** cues that follow one another are one paragraph, which begins with its time, `[00:01:05]`. A speaker's name stands before the words, and begins a paragraph.
 * **Source** W3C WebVTT; SubRip has no specification, and differs in its commas and numbers.
 */
export function readSubtitles(input: ReadInput): ReadResult {
  const source = decodeInput(input.bytes, input.charset, input);
  const events = createMarkupEvents();
  const lines = splitLines(source);
  const cues: Cue[] = [];
  let length = 0;
  let end = -Infinity;
  let speaker = "";
  let isSentenceOver = true;
  for (let at = 0; at < lines.length; at++) {
    const times = timing.exec(lines[at]!.text);
    if (times === null) continue;
    const [begins, ends] = [secondsOf(times.slice(1, 5)), secondsOf(times.slice(5, 9))];
    const words: SourceLine[] = [];
    while (lines[at + 1] !== undefined && lines[at + 1]!.text.trim() !== "") words.push(lines[++at]!);
    const shown = words
      .map(({ text, at: place }) => ({ text: plain(text), at: place }))
      .filter(({ text }) => text !== "");
    if (shown.length === 0) continue;
    cues.push({ line: at + 2 - words.length, from: begins, to: Math.max(begins, ends) });
    const named = /<v(?:\.[^\s>]*)?\s+([^>]+)>/u.exec(words[0]!.text)?.[1] ?? speaker;
    const isNew = named !== speaker || begins - end > longestPause || (length > usualLength && isSentenceOver);
    if (events.depth === 0 || isNew) {
      if (events.depth > 0) events.close();
      events.open("p", shown[0]!.at);
      events.text(`[${clock(begins)}] ${named === speaker || named === "" ? "" : `${named}: `}`, shown[0]!.at);
      length = 0;
    }
    for (const { text, at: place } of shown) {
      events.text(`${text}\n`, place);
      length += text.length;
    }
    isSentenceOver = /[.!?…。！？]["'”’)]*$/u.test(shown.at(-1)!.text);
    [end, speaker] = [ends, named];
  }
  const read = composeMarkup(input, source, events.finish());
  return { ...read, sourceMap: { ...read.sourceMap, times: placeCues(cues, read.sourceMap.anchors ?? []) } };
}

/** The first line of a cue's words, from 1, and its times in seconds. */
interface Cue {
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

/** Where the words of each cue begin in the text: both lists ascend by line. */
function placeCues(cues: readonly Cue[], anchors: NonNullable<SourceMap["anchors"]>): NonNullable<SourceMap["times"]> {
  const times: { start: number; from: number; to: number }[] = [];
  let next = 0;
  for (const { start, line } of anchors) {
    if (line < (cues[next]?.line ?? Infinity)) continue;
    while (line >= (cues[next + 1]?.line ?? Infinity)) next++;
    const { from, to } = cues[next++]!;
    times.push({ start, from, to });
  }
  return times;
}

/** **Units** seconds. */
function secondsOf([hours = "0", minutes, seconds, fraction]: readonly (string | undefined)[]): number {
  // One division: the sum of the parts is off by the last digits.
  return (
    (Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Math.round(Number(`${seconds}.${fraction}`) * 1000)) / 1000
  );
}

/** Words of a line without tags of either format; entities of WebVTT as their signs. */
function plain(text: string): string {
  return text
    .replace(/<\/?[a-z\d][^<>]*>|\{\\[^{}]*\}/giu, "")
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/gu, (_, name: string) => entities[name] ?? "")
    .trim();
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", nbsp: " " };
