import type { ReadWord } from "./read-words.ts";
import { foldWord } from "../../text/languages/fold-word.ts";
import { dimensionOfUnit, unitOf } from "./units.ts";

/**
 * Words that decide a fact beside its number and its names: relations of time and place, exceptions, limits, modals, and parts that two sides play.
 *
 * **Shape** by group, then by reading: words of one reading may stand for each other, words of two readings of a group may not.
 * **Source** ibid's own choice, for English and German.
 */
const list = (words: string): readonly string[] => words.trim().split(/\s+/u);
const phrases = (words: string): readonly string[] =>
  words.split(",").map((phrase) => list(phrase).map(foldWord).join(" "));

/** Relations, limits and modals: phrases of up to three words. */
const relations: Readonly<Record<string, string>> = {
  "time/before": "before, prior to, ahead of, earlier than, bevor",
  "time/before place/front": "vor",
  "time/after": "after, following, upon, later than, nach, nachdem",
  "time/during": "during, während",
  "time/until": "until, till, bis",
  "time/since": "since, seit, seitdem",
  "time/within limit/upper place/in": "within, innerhalb",
  "time/within limit/upper": "binnen",
  "time/before time/by time/within time/until limit/upper": "no later than, not later than, at the latest, spätestens",
  "time/after time/since limit/lower": "no earlier than, not earlier than, at the earliest, frühestens",
  "limit/lower":
    "at least, no less than, no fewer than, not less than, not fewer than, more than, greater than, higher than, over, above, exceeding, exceeds, minimum of, mindestens, wenigstens, mehr als, über, oberhalb",
  "limit/upper":
    "at most, no more than, not more than, less than, fewer than, lower than, up to, under, below, maximum of, höchstens, maximal, weniger als, bis zu, unter, unterhalb",
  "place/in": "in, inside, at, on, im, am, auf",
  "place/outside": "outside, outside of, außerhalb",
  "place/behind": "behind, hinter, hinterm",
  "place/front": "in front of, vorm",
  "scope/except":
    "except, except for, excluding, apart from, other than, unless, außer, ausgenommen, abgesehen von, es sei denn",
  "modal/must":
    "must, shall, have to, has to, had to, need to, needs to, needed to, required, mandatory, obliged, obligatory, compulsory, muss, müssen, musste, mussten, verpflichtet, obligatorisch",
  "modal/should": "should, ought, recommended, advised, sollte, sollten, empfohlen",
  "modal/may":
    "may, can, could, might, allowed, permitted, able, optional, optionally, darf, dürfen, durfte, durften, kann, können, konnte, konnten, könnte, könnten, erlaubt, freiwillig",
};

/** Pairs of parts that two sides of one relation play: neither stands for the other. */
const opposites = list(`
  sender/receiver sender/recipient parent/child client/server buyer/seller employer/employee landlord/tenant lender/borrower creditor/debtor
  source/target source/destination input/output upload/download teacher/student doctor/patient plaintiff/defendant host/guest owner/tenant
  supplier/customer import/export caller/callee winner/loser predecessor/successor ancestor/descendant master/slave leader/follower
  morning/evening morning/night morning/afternoon day/night open/close open/closed opening/closing start/stop starts/ends begin/end began/ended started/ended
  enabled/disabled allowed/forbidden accepted/rejected approved/rejected added/removed created/deleted won/lost bought/sold
  increase/decrease increased/decreased rose/fell valid/invalid legal/illegal earlier/later full/empty hot/cold
  publisher/subscriber producer/consumer minimum/maximum entrance/exit arrival/departure income/expense debit/credit north/south east/west
  left/right upstream/downstream internal/external public/private inbound/outbound incoming/outgoing ascending/descending
  absender/empfänger käufer/verkäufer mieter/vermieter arbeitgeber/arbeitnehmer gläubiger/schuldner eltern/kind eingang/ausgang quelle/ziel
  öffnet/schließt öffnen/schließen offen/geschlossen geöffnet/geschlossen beginnt/endet beginnen/enden morgens/abends gültig/ungültig
  erlaubt/verboten gewonnen/verloren gekauft/verkauft steigt/sinkt warm/kalt voll/leer
  on/off up/down sooner/later faster/slower quicker/slower coarse/fine coarser/finer higher/lower longer/shorter bigger/smaller larger/smaller
  heavier/lighter thicker/thinner wider/narrower older/younger older/newer cheaper/dearer better/worse
  links/rechts norden/süden osten/westen ankunft/abfahrt
`);

const readingsOf = new Map(
  Object.entries(relations).flatMap(([readings, words]) =>
    phrases(words).map((phrase): [string, readonly string[]] => [phrase, readings.split(" ")]),
  ),
);
const oppositesOf = new Map<string, Set<string>>();
for (const pair of opposites) {
  const [one = "", other = ""] = pair.split("/").map(foldWord);
  for (const [word, facing] of [
    [one, other],
    [other, one],
  ] as const)
    for (const [form, plural] of [
      [word, facing],
      [`${word}s`, `${facing}s`],
    ] as const)
      oppositesOf.set(form, (oppositesOf.get(form) ?? new Set()).add(facing).add(plural));
}
oppositesOf.set("children", new Set(["parent", "parents"]));
oppositesOf.get("parent")!.add("children");
oppositesOf.get("parents")!.add("children");

/** Words with an opposite part. **Shape** folded. */
export function oppositesOfWord(word: string): ReadonlySet<string> {
  return oppositesOf.get(word) ?? new Set();
}

/** A word or a phrase that relates, limits or obliges. */
export interface Sense {
  /** Place of its first word, and behind its last one. */
  readonly from: number;
  readonly to: number;
  /** **Shape** `group/reading`. */
  readonly readings: readonly string[];
}

const longestPhrase = 3;
/** Words that relate a time where one stands behind them. */
const beforeTimes = new Map([
  ["by", ["time/by", "time/before", "time/within"]],
  ["from", ["time/since", "time/after"]],
  ["for", ["time/for"]],
]);
/** Words of time that these may stand before. */
const times = new Set(
  list("noon midnight end tomorrow today tonight yesterday deadline mittag mitternacht ende morgen heute"),
);

/** Finds relations, limits and modals, longest phrases first. */
export function readSenses(words: readonly ReadWord[]): readonly Sense[] {
  const senses: Sense[] = [];
  for (let from = 0; from < words.length;) {
    const found = senseAt(words, from);
    if (found === undefined) from += 1;
    else {
      senses.push(found);
      from = found.to;
    }
  }
  return senses;
}

function senseAt(words: readonly ReadWord[], from: number): Sense | undefined {
  for (let length = Math.min(longestPhrase, words.length - from); length > 0; length -= 1) {
    const some = words.slice(from, from + length);
    const readings = readingsOf.get(some.map(({ word }) => word).join(" "));
    if (readings !== undefined && !some.some(({ key }) => key.startsWith("@")))
      return { from, to: from + length, readings };
  }
  const { word } = words[from]!;
  const readings = beforeTimes.get(word);
  return readings && isTimeAt(words, from + 1) ? { from, to: from + 1, readings } : undefined;
}

/** Whether a time begins at a place, behind an article. */
function isTimeAt(words: readonly ReadWord[], at: number): boolean {
  const next = words.slice(at, at + 2).find(({ isContent }) => isContent);
  if (next === undefined) return false;
  const unit = dimensionOfUnit(unitOf(next.word, false));
  return (
    next.key.startsWith("@") || /^#\d/u.test(next.key) || ["time", "weekday"].includes(unit) || times.has(next.word)
  );
}

/** Whether two senses exclude each other: they share a group and no reading. */
export function exclude(one: readonly string[], other: readonly string[]): boolean {
  if (one.some((reading) => other.includes(reading))) return false;
  const groups = new Set(other.map((reading) => reading.split("/", 1)[0]));
  return one.some((reading) => groups.has(reading.split("/", 1)[0]));
}
