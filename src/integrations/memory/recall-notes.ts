import type { LengthFunction } from "../../contracts/chunker.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { FilterInput } from "../../contracts/filter.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Hit, SearchMode } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { heuristicTokens } from "../../text/length.ts";
import { checkCount, checkNamed } from "./keep-note.ts";
import { holdsFilter } from "./note-time.ts";
import { readTime } from "../../runtime/read-time.ts";
import { type Note, noteKeys, readNoteUri, subjectOf, toNote } from "./note.ts";
import {
  holdsAt,
  placeNote,
  type PlacedVersion,
  readStatement,
  type Statement,
  toStatement,
  walkSubjects,
} from "./timeline.ts";

/**
 * Options of a recall. All have defaults.
 *
 * @experimental
 */
export interface RecallOptions {
  /** Tokens of all texts together. Default 1,000. */
  readonly tokens?: number | undefined;
  /** Notes at most. Default 10. */
  readonly topK?: number | undefined;
  /** Time at which the notes held. ISO 8601. Default: now. */
  readonly asOf?: string | undefined;
  /** Only the note of this key. */
  readonly key?: string | undefined;
  readonly filter?: FilterInput | undefined;
  /** Legs of the search. Default `"lexical"`, which takes a fraction of the time; `"hybrid"` for a knowledge base with an embedding model. */
  readonly mode?: SearchMode | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A recalled note: the passage that fits the question, and its place.
 *
 * @experimental
 */
export interface RecalledNote {
  readonly note: Note;
  /** Slice of the note's text. */
  readonly text: string;
  /** **Units** UTF-16 code units, in the text of the document `note.uri`. */
  readonly start: number;
  readonly end: number;
  readonly score: number;
  /** Parts of the score. Their sum is the score. */
  readonly parts: { readonly words: number; readonly subject: number; readonly recency: number };
  /** Present where the note holds no longer: a citation of it must say so. */
  readonly replaced?: { readonly at: string; readonly by?: string | undefined } | undefined;
}

/**
 * Result of a recall.
 *
 * @experimental
 */
export interface Recalled {
  /** Best first. */
  readonly notes: readonly RecalledNote[];
  readonly asOf: string;
  /** Tokens of the texts. */
  readonly tokens: number;
  /** Notes that were found and did not fit into the budget. */
  readonly omitted: number;
  /** Sentences about notes that were recorded later than the clock says: it went back since. */
  readonly warnings: readonly string[];
}

interface RecallParts {
  readonly kb: KnowledgeBase;
  readonly scope: Scope;
  now(): string;
  readonly countTokens?: LengthFunction | undefined;
}

/** Weights beside the words, whose best hit has 1. **Source** decision 184. */
const subjectWeight = 0.2;
const recencyWeight = 0.1;
/** Age at which recency counts half. **Units** days. */
const halfLife = 30;

/** Candidates of the first search, at least; twice as many as are wanted, since replaced versions take places among them. */
const firstLook = 20;
/** Candidates after which a recall takes what it has. */
const lastLook = 3000;
/** Notes with which a recall is content, so that a common word does not read thousands. */
const enough = 5;

/** Finds the notes that hold at a time and fit a question. */
export async function recallNotes(
  parts: RecallParts,
  question: string | undefined,
  options: RecallOptions,
): Promise<Recalled> {
  checkOptions("recall", options, {
    tokens: true,
    topK: true,
    asOf: true,
    key: true,
    filter: true,
    mode: true,
    signal: true,
  });
  const { tokens = 1000, topK = 10, key } = options;
  checkCount("recall", "tokens", tokens);
  checkCount("recall", "topK", topK);
  if (key !== undefined) checkNamed("recall", "key", key);
  const now = parts.now();
  const asOf = options.asOf === undefined ? undefined : readTime("asOf", options.asOf);
  const asked = { now, asOf, topK, options };
  const found =
    question === undefined || question.trim() === "" || key !== undefined
      ? await newestNotes(parts, key, asked)
      : await fittingNotes(parts, question, asked);
  const { countTokens = heuristicTokens } = parts;
  const shown: RecalledNote[] = [];
  let used = 0;
  for (const one of found.slice(0, topK)) {
    const cost = countTokens(one.text);
    if (used + cost > tokens) continue;
    used += cost;
    const { ended, validTo, supersededBy } = one.note;
    const replaced =
      ended === true ? { at: validTo!, ...(supersededBy !== undefined && { by: supersededBy }) } : undefined;
    shown.push({ ...one, ...(replaced && { replaced }) });
  }
  const ahead = asOf === undefined ? shown.filter(({ note }) => note.validFrom > now) : [];
  const warnings = ahead.map(
    ({ note }) =>
      `The note ${note.id} was recorded at ${note.recordedAt}, and the clock says ${now}: one of them is wrong.`,
  );
  return {
    notes: shown,
    asOf: asOf ?? now,
    tokens: used,
    omitted: Math.min(found.length, topK) - shown.length,
    warnings,
  };
}

type Found = Omit<RecalledNote, "replaced">;

interface Asked {
  readonly now: string;
  /** Time at which the notes held. Default: the present of each statement. */
  readonly asOf: string | undefined;
  readonly topK: number;
  readonly options: RecallOptions;
}

async function fittingNotes(
  { kb, scope }: RecallParts,
  question: string,
  { now, asOf, topK, options: { filter, mode = "lexical", signal } }: Asked,
): Promise<readonly Found[]> {
  const at = asOf ?? now;
  // Few notes begin later than now. The filter reads the times of all notes, and the timelines decide in any case.
  const filters: readonly FilterInput[] = [
    ...(asOf === undefined ? [] : [holdsFilter(asOf)]),
    ...(filter === undefined ? [] : [filter]),
  ];
  const statements = new Map<string, Promise<Statement>>();
  const statementOf = (subject: string): Promise<Statement> => {
    const known = statements.get(subject) ?? readStatement(kb, subject, scope, now);
    statements.set(subject, known);
    return known;
  };
  const words = wordsOf(question);
  // Versions that were replaced take places among the candidates: a longer look then finds what they hid.
  for (let most = Math.max(firstLook, 2 * topK); ; most *= 10) {
    const hits = await kb.search(question, {
      topK: most,
      mode,
      ...(filters.length > 0 && { filter: { and: filters } as FilterInput }),
      origins: ["note"],
      scopes: [scope],
      snippetLength: 0,
      marks: false,
      copies: "all",
      ...(signal && { signal }),
    });
    const best = Math.max(...hits.map(({ score }) => score), Number.MIN_VALUE);
    const ranked = firstOfEach(hits)
      .map((hit) => ({ hit, parts: weigh(hit, hit.score / best, words, at) }))
      .map((one) => ({ ...one, score: one.parts.words + one.parts.subject + one.parts.recency }))
      .toSorted((a, b) => b.score - a.score || a.hit.rank - b.hit.rank);
    const found: Found[] = [];
    for (const [place, { hit, score, parts }] of ranked.entries()) {
      if (found.length === topK) break;
      const { uri, start, end } = hit.source;
      const { subject } = readNoteUri(uri)!;
      if (!statements.has(subject)) {
        // Each hit gives one note at most, so that these are all needed. Asked for at once, they are read in one transaction.
        const needed = ranked.slice(place, place + topK - found.length);
        await Promise.all(needed.map((one) => statementOf(readNoteUri(one.hit.source.uri)!.subject)));
      }
      const statement = await statementOf(subject);
      const holds = asOf ?? statement.present;
      if (!statement.versions.some((version) => version.uri === uri && holdsAt(version, holds))) continue;
      const note = toNote({ uri, scope: hit.scope, text: hit.text, metadata: hit.metadata });
      if (note !== undefined)
        found.push({ note: placeNote(note, statement), text: hit.text, start, end, score, parts });
    }
    if (found.length >= Math.min(topK, enough) || hits.length < most || most >= lastLook) return found;
  }
}

/** The best hit of each note. */
function firstOfEach(hits: readonly Hit[]): readonly Hit[] {
  const seen = new Set<string>();
  return hits.filter(({ source: { uri } }) => readNoteUri(uri) !== undefined && !seen.has(uri) && seen.add(uri));
}

function weigh({ metadata }: Hit, words: number, asked: ReadonlySet<string>, at: string): Found["parts"] {
  const key = metadata[noteKeys.key];
  const named = typeof key === "string" ? [...wordsOf(key)] : [];
  const shared = named.filter((word) => asked.has(word)).length;
  return {
    words: Math.max(words, 0),
    subject: named.length === 0 ? 0 : subjectWeight * (shared / named.length),
    recency: recencyWeight * freshness(metadata[noteKeys.validFrom], at),
  };
}

/** 1 for a note that begins now, one half after the half-life. */
function freshness(validFrom: unknown, at: string): number {
  if (typeof validFrom !== "string") return 0;
  const days = Math.max(Date.parse(at) - Date.parse(validFrom), 0) / 86_400_000;
  return halfLife / (halfLife + days);
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

async function newestNotes(
  { kb, scope }: RecallParts,
  key: string | undefined,
  { now, asOf, topK, options: { filter } }: Asked,
): Promise<readonly Found[]> {
  if (filter !== undefined) {
    throw new IbidError("invalid-argument", "recall takes a filter with a question only.", {
      hint: "Give a question, or leave the filter out.",
    });
  }
  const holding: { readonly version: PlacedVersion; readonly statement: Statement }[] = [];
  const take = (statement: Statement): void => {
    for (const version of statement.versions)
      if (holdsAt(version, asOf ?? statement.present)) holding.push({ version, statement });
  };
  if (key === undefined)
    for await (const versions of walkSubjects(kb, scope, { messages: true }))
      take(await toStatement(kb, versions, now));
  else take(await readStatement(kb, subjectOf(key, ""), scope, now));
  holding.sort(({ version: a }, { version: b }) =>
    a.validFrom < b.validFrom ? 1 : a.validFrom > b.validFrom ? -1 : a.id < b.id ? -1 : 1,
  );
  const found: Found[] = [];
  for (const { version, statement } of holding.slice(0, topK)) {
    const document = await kb.document(version.uri, { scope });
    const note = document && toNote(document);
    if (note === undefined) continue;
    const recency = recencyWeight * freshness(version.validFrom, asOf ?? now);
    const parts = { words: 0, subject: 0, recency };
    const { text } = note;
    found.push({ note: placeNote(note, statement), text, start: 0, end: text.length, score: recency, parts });
  }
  return found;
}
