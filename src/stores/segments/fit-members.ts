import type { Segment } from "../../engine/segments/segment.ts";
import { finishSteps } from "../../runtime/steps.ts";
import { mixHash } from "../../text/mix-hash.ts";
import type { ScopeView } from "./index-view.ts";
import type { DirectoryReader, DirectoryWriter, FitRow } from "./segment-directory.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/**
 * The chunks that a fit is made of: the first live ones of its scope, in the order in which they came.
 *
 * **Shape** `digest` names the set of their rows. A row keeps its words for as long as it lives, so an equal set has equal words.
 */
export interface FitMembers {
  readonly count: number;
  /** Row of the last of them. */
  readonly last: number;
  readonly digest: string;
}

function setting(fingerprint: string): string {
  return `members of ${fingerprint}`;
}

/** Rows of the live chunks, ascending. **Cost** linear, and a sort. */
function liveKeys(held: ScopeView): Float64Array {
  const keys: number[] = [];
  for (const segment of held.segments) {
    for (let ordinal = 0; ordinal < segment.size; ordinal++)
      if (segment.live[ordinal] === 1) keys.push(segment.key(ordinal));
  }
  return Float64Array.from(keys).sort();
}

/** The first `count` live chunks of a scope that has as many. */
export function chooseMembers(held: ScopeView, count: number): FitMembers {
  const last = liveKeys(held)[count - 1] ?? 0;
  return membersTo(held, last);
}

/** The part of one segment in a set of members. */
interface MembersIn {
  /** Its flags at the time. A sealed segment that changes has other ones. */
  readonly live: Uint8Array;
  readonly last: number;
  readonly count: number;
  readonly sum: number;
  readonly mixed: number;
}

/** Counted last in each sealed segment. */
const counted = new WeakMap<Segment, MembersIn>();

function countMembers(segment: Segment, last: number): MembersIn {
  let count = 0;
  let sum = 0;
  let mixed = 0;
  const { size, live } = segment;
  for (let ordinal = 0; ordinal < size; ordinal++) {
    if (live[ordinal] !== 1) continue;
    const row = segment.key(ordinal);
    if (row > last) continue;
    const hash = mixHash(((row % 4_294_967_296) | 0) ^ mixHash(Math.floor(row / 4_294_967_296)));
    count++;
    sum += hash;
    mixed ^= mixHash(hash ^ 0x9e3779b9);
  }
  return { live, last, count, sum, mixed };
}

/** The live chunks up to a row. **Cost** one look at each chunk's row, without its content; in a sealed segment once until one of its chunks changes. */
export function membersTo(held: ScopeView, last: number): FitMembers {
  return finishSteps(membersToInSteps(held, last));
}

/** {@link membersTo} in steps: one for each segment that is counted. */
export function* membersToInSteps(held: ScopeView, last: number): Generator<undefined, FitMembers> {
  let count = 0;
  let sum = 0;
  let mixed = 0;
  for (const segment of held.segments) {
    let members = segment === held.tail ? undefined : counted.get(segment);
    if (members?.live !== segment.live || members.last !== last) {
      members = countMembers(segment, last);
      if (segment !== held.tail) counted.set(segment, members);
      yield undefined;
    }
    count += members.count;
    sum += members.sum;
    mixed ^= members.mixed;
  }
  return { count, last, digest: `${sum.toString(36)}.${(mixed >>> 0).toString(36)}` };
}

/** **Shape** `undefined` for a fit of an earlier version of ibid, which remembered none. */
export function readMembers(
  rows: DirectoryReader,
  { fingerprint }: Pick<FitRow, "fingerprint">,
): FitMembers | undefined {
  const text = rows.setting(setting(fingerprint));
  return text === undefined ? undefined : (parseStored(text) as FitMembers);
}

export function writeMembers(rows: DirectoryWriter, fingerprint: string, members: FitMembers): void {
  rows.setSetting(setting(fingerprint), JSON.stringify(members));
}

/** Stands from the moment that a document leaves the scope, until a fit is of those that are there. */
const departureSetting = "a document has left the fit's scope";

export function noteDeparture(rows: DirectoryWriter): void {
  if (rows.fits().length > 0) rows.setSetting(departureSetting, "yes");
}

export function hasDeparture(rows: DirectoryReader): boolean {
  return rows.setting(departureSetting) !== undefined;
}

export function forgetDeparture(rows: DirectoryWriter): void {
  if (hasDeparture(rows)) rows.deleteSetting(departureSetting);
}

/** Names the space into which every chunk was moved last, and how often that was done. */
export const placingSetting = "every chunk was placed";

/** The last time that every chunk was moved into one space; `count` is 0 before the first. */
export function readPlacing(rows: DirectoryReader): { readonly count: number; readonly space: string } {
  const [count = "0", ...space] = (rows.setting(placingSetting) ?? "0").split(" ");
  return { count: Number(count), space: space.join(" ") };
}

export function notePlacing(rows: DirectoryWriter, space: string): void {
  rows.setSetting(placingSetting, `${readPlacing(rows).count + 1} ${space}`);
}

/** Whether every member of a fit is live, and no other chunk came back among them. **Cost** as {@link membersTo}. */
export function isWhole(rows: DirectoryReader, held: ScopeView | undefined, fit: FitRow): boolean {
  return finishSteps(isWholeInSteps(rows, held, fit));
}

/** {@link isWhole} in the steps of {@link membersToInSteps}. */
export function* isWholeInSteps(
  rows: DirectoryReader,
  held: ScopeView | undefined,
  fit: FitRow,
): Generator<undefined, boolean> {
  const then = readMembers(rows, fit);
  if (then === undefined || held === undefined) return false;
  const now = yield* membersToInSteps(held, then.last);
  return now.count === then.count && now.digest === then.digest;
}

/** Deletes a fit, and the note of its members unless another fit has the same fingerprint. */
export function deleteFit(rows: DirectoryWriter, { key, fingerprint }: Pick<FitRow, "key" | "fingerprint">): void {
  rows.deleteFit(key);
  if (!rows.fits().some((other) => other.fingerprint === fingerprint)) rows.deleteSetting(setting(fingerprint));
}
