import type { ReadWord } from "./read-words.ts";
import { readSenses, type Sense } from "./senses.ts";

/** Content words on each side of a detail that tell which sentence speaks of it. */
const window = 4;
/** Words that a sentence may have more than the claim between two anchors. */
const mostInserted = 6;

/** Words of both sides between the same two anchors. */
export interface Gap {
  readonly own: readonly ReadWord[];
  readonly other: readonly ReadWord[];
  /** Whether an anchor stands on either side. */
  readonly isBounded: boolean;
  /** The claim's anchor behind it, else the one before. */
  readonly anchor: ReadWord;
  readonly isLast: boolean;
  /** Share of the claim's words around it that are anchors. */
  readonly share: number;
  /** Share of all of the claim's words outside the gap that are. */
  readonly whole: number;
  /** Relations, limits and modals of either side. */
  readonly senses: { readonly own: readonly PlacedSense[]; readonly other: readonly PlacedSense[] };
}

/** A sense, and the words that it is made of. */
export interface PlacedSense extends Pick<Sense, "readings"> {
  readonly words: readonly ReadWord[];
  /** The word behind it. */
  readonly next: ReadWord | undefined;
}

export function placeSenses(words: readonly ReadWord[]): readonly PlacedSense[] {
  return readSenses(words).map(({ from, to, readings }) => ({
    readings,
    words: words.slice(from, to),
    next: words[to],
  }));
}

/** A sentence that holds a part of the claim, compared with it word by word. */
export interface Counterpart {
  readonly gaps: readonly Gap[];
  /** Keys of the claim's words. */
  readonly keys: ReadonlySet<string>;
  /** Keys of the sentence's words. */
  readonly others: ReadonlySet<string>;
  /** Share of the claim's words around one of its words that are anchors. */
  readonly shareAround: (start: number) => number;
}

/** Compares a claim with a sentence. **Cost** the product of their words. */
export function compare(own: readonly ReadWord[], other: readonly ReadWord[]): Counterpart {
  const anchors = align(own, other);
  const anchored = new Set(anchors.map(([at]) => own[at]!));
  const content = own.filter(({ isContent }) => isContent);
  const shareBetween = (from: number, to: number): number => {
    const near = [
      ...content.filter(({ end }) => end <= from).slice(-window),
      ...content.filter(({ start }) => start >= to).slice(0, window),
    ];
    return near.length === 0 ? 0 : near.filter((word) => anchored.has(word)).length / near.length;
  };
  const [ownSenses, otherSenses] = [placeSenses(own), placeSenses(other)];
  const within = (senses: readonly PlacedSense[], words: readonly ReadWord[]): readonly PlacedSense[] => {
    const [first, last] = [words[0], words.at(-1)];
    if (first === undefined || last === undefined) return [];
    return senses.filter((each) => each.words.every(({ start }) => start >= first.start && start <= last.start));
  };
  const gaps: Gap[] = [];
  for (let at = 0; at <= anchors.length && anchors.length > 0; at += 1) {
    const [left, right] = [anchors[at - 1], anchors[at]];
    const words = own.slice(left ? left[0] + 1 : 0, right ? right[0] : own.length);
    // A sentence may begin and end with more than the claim takes from it.
    const slack = words.length + 2;
    let from = left ? left[1] + 1 : 0;
    let to = right ? right[1] : other.length;
    if (!left) from = Math.max(from, to - slack);
    if (!right) to = Math.min(to, from + slack);
    // Only the ends of a long insertion stand beside the anchors.
    const most = words.length + mostInserted;
    const facing =
      to - from <= most
        ? other.slice(from, to)
        : [...other.slice(from, from + (most >> 1)), ...other.slice(to - (most >> 1), to)];
    gaps.push({
      own: words,
      other: facing,
      isBounded: left !== undefined && right !== undefined,
      anchor: own[(right ?? left)![0]]!,
      isLast: right === undefined,
      share: shareBetween(left ? own[left[0]]!.end : 0, right ? own[right[0]]!.start : Number.POSITIVE_INFINITY),
      whole: anchors.length / Math.max(1, content.length - words.filter(({ isContent }) => isContent).length),
      senses: { own: within(ownSenses, words), other: within(otherSenses, facing) },
    });
  }
  return {
    gaps,
    keys: new Set(own.map(({ key }) => key)),
    others: new Set(other.map(({ key }) => key)),
    shareAround(start) {
      const at = own.findIndex((each) => each.start === start);
      if (at < 0) return 0;
      // A whole name is one detail.
      let [first, last] = [at, at];
      while (own[at]!.isName && own[first - 1]?.isName === true) first -= 1;
      while (own[at]!.isName && own[last + 1]?.isName === true) last += 1;
      return shareBetween(own[first]!.start, own[last]!.end);
    },
  };
}

/** Longest common subsequence of content words. */
function align(own: readonly ReadWord[], other: readonly ReadWord[]): readonly (readonly [number, number])[] {
  const width = other.length + 1;
  const table = new Uint16Array((own.length + 1) * width);
  const isPair = (i: number, j: number): boolean => own[i]!.key === other[j]!.key && own[i]!.isContent;
  for (let i = own.length - 1; i >= 0; i -= 1)
    for (let j = other.length - 1; j >= 0; j -= 1)
      table[i * width + j] = isPair(i, j)
        ? table[(i + 1) * width + j + 1]! + 1
        : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
  const anchors: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < own.length && j < other.length;) {
    if (isPair(i, j) && table[i * width + j] === table[(i + 1) * width + j + 1]! + 1) anchors.push([i++, j++]);
    else if (table[(i + 1) * width + j]! >= table[i * width + j + 1]!) i += 1;
    else j += 1;
  }
  return anchors;
}
