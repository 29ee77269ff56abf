import { segmentWords } from "../../text/words.ts";

/** Verdict on two statements: one subject, perhaps one subject, or two subjects. */
export type SubjectVerdict = "same" | "doubt" | "other";

/** Words that carry no subject, and words that only tell of a change. */
const idle: ReadonlySet<string> = new Set(
  (
    "a an the of to in on at by for from with and or as it its this that these those our we us you your my their there " +
    "be been being is are was were am do does did has have had will would shall should can could may might must please " +
    "now currently new newly instead longer no not anymore still today since then just again always also only remember note " +
    "changed moved switched replaced renamed updated than rather become becomes became"
  ).split(" "),
);

/** Between the subject of a statement and its value. */
const copula =
  /^(.{2,100}?)(?:\s*(?:[=→]|:(?=\s))\s*|\s+(?:is|are|was|were|equals|becomes|became|has moved|moved|has changed|changed|listens|runs?|happens?|takes? place|lives?|starts?|ends?|expires?|belongs?|points?|goes|costs?)\s+)(.+)$/isu;

/** Signs that a statement replaces an earlier one. */
const change =
  /\b(?:now|no longer|instead|any ?more|(?:moved|switched|changed|renamed|upgraded|migrated|went) (?:from|to|back)|replaced (?:by|with)|from now on|as of|used to|since (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|today|yesterday|last|this|\d))\b/iu;

const kinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    "state",
    /^(?:on|off|yes|no|true|false|enabled|disabled|open|closed|active|inactive|up|down|red|green|done|pending)$/iu,
  ],
  [
    "day",
    /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\b\d{4}-\d{2}-\d{2}\b/iu,
  ],
  ["address", /^\S*(?:\/|@|:\/\/)\S*$/u],
  ["number", /\d/u],
  [
    "name",
    /^(?:(?:by|with|to|on|in|at)\s+)?(?:the\s+)?[\p{Lu}`"'][\p{L}\p{N}`"'.-]*(?:\s+\p{Lu}[\p{L}\p{N}.-]*){0,3}$/u,
  ],
];

/** Longest statement that the rule judges. **Units** UTF-16. */
const longest = 300;

/**
 * Compares the subjects of two statements, without a model.
 *
 * Statements have one subject where the words before the verb are the same, two at least. The values must be of one kind: two numbers, two days, two names.
 * They also have one where the later tells of a change, and has all words of the earlier but its value. Similar statements are a doubt, and those
 * that begin alike and end in other values ("We deploy on Fridays.", then "on Mondays").
 *
 * **Shape** measured on the pairs of `test/integrations/memory/subject-pairs.ts`, in English; in other languages similar statements are a doubt.
 * **Source** decision 184.
 */
export function compareSubjects(earlier: string, later: string): SubjectVerdict {
  if (earlier.length > longest || later.length > longest) return "other";
  const [a, b] = [readStatement(earlier), readStatement(later)];
  if (a.words.length === 0 || b.words.length === 0) return "other";
  const sameSubject =
    a.subject.length > 0 && a.subject.length === b.subject.length && within(a.subject, b.subject) === a.subject.length;
  if (sameSubject && a.subject.length >= 2 && a.kind !== undefined && a.kind === b.kind) return "same";
  const tells = change.test(later);
  // The value stands last: all words of the earlier statement before it must return.
  const said = a.subject.length > 0 ? a.subject : a.words.slice(0, -1);
  if (tells && a.words.length >= 2 && said.length > 0 && within(said, b.words) === said.length) {
    const shared = within(a.words, b.words);
    if (said.length >= 2 || shared >= 2) return "same";
  }
  const shared = within(new Set(a.words), b.words);
  const all = new Set([...a.words, ...b.words]).size;
  const isClose = shared >= 2 && shared / all >= 0.4;
  return sameSubject || isClose || (tells && shared >= 2) || beginAlike(earlier, later) ? "doubt" : "other";
}

/** Whether half of the longer statement, and a word that is not idle, stands at the beginning of both. */
function beginAlike(...texts: readonly [string, string]): boolean {
  const [a, b] = texts.map((text) => Array.from(segmentWords(text), (word) => word.text.toLowerCase())) as [
    string[],
    string[],
  ];
  const differing = a.findIndex((word, i) => word !== b[i]);
  const begun = differing === -1 ? a : a.slice(0, differing);
  return begun.length * 2 >= Math.max(a.length, b.length) && begun.some((word) => !idle.has(word));
}

interface Statement {
  readonly words: readonly string[];
  /** Words before the verb; empty where no verb is known. */
  readonly subject: readonly string[];
  /** Kind of the value; absent for one of no kind. */
  readonly kind: string | undefined;
}

function readStatement(text: string): Statement {
  const line = text
    .trim()
    .replace(/[.!;\s]+$/u, "")
    .replaceAll(/\s+/gu, " ");
  const words = contentWords(line);
  const [, before, after] = copula.exec(line) ?? [];
  if (before === undefined || after === undefined) return { words, subject: [], kind: undefined };
  const value = after.replace(/^(?:(?:now|currently|not|no longer|still|on|at|to|in|by|with|every|port)\s+)+/iu, "");
  const kind = kinds.find(([, pattern]) => pattern.test(value))?.[0];
  return { words, subject: [...new Set(contentWords(before))], kind };
}

function contentWords(text: string): string[] {
  const words: string[] = [];
  for (const { text: word } of segmentWords(text)) {
    const plain = word.toLowerCase().replace(/['’]s$/u, "");
    if (!idle.has(plain)) words.push(stem(plain));
  }
  return words;
}

/** Number and tense of the commonest forms only. */
const stem = (word: string): string => (word.length > 4 && /[^s]s$/u.test(word) ? word.slice(0, -1) : word);

function within(some: Iterable<string>, others: readonly string[]): number {
  const there = new Set(others);
  let count = 0;
  for (const word of some) if (there.has(word)) count++;
  return count;
}
