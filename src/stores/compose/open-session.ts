import { IbidError } from "../../contracts/errors.ts";
import { metrics } from "../../contracts/embedding.ts";
import type {
  ChunkRef,
  Leg,
  LegMatch,
  LegNow,
  LegResult,
  MatchCount,
  Moment,
  Query,
  ReadChunk,
  ReadChunksOptions,
  SessionLeg,
  SessionNow,
  SessionOptions,
  StoreSession,
  Within,
} from "../../contracts/leg.ts";
import type { Filter } from "../../contracts/filter.ts";
import type { AuthorizedScopes, Scope } from "../../contracts/scope.ts";
import type { StoreNow, StoreParts } from "../../contracts/store.ts";
import { createRestriction } from "../../engine/filters/create-restriction.ts";
import { parseFilter } from "../../engine/filters/parse-filter.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { beginsAhead } from "../../runtime/begin-ahead.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { checkCount, checkEmbedding, checkScore } from "./check-entries.ts";
import type { Guard } from "./guard.ts";
import { copyChunk, copyPlain, copyVersioned } from "./copy-data.ts";
import { askAhead, isRepeatable, proofOf } from "./moment-ahead.ts";
import { anyAge, takeAsked } from "./asked-state.ts";

/**
 * Opens a session: one proof check for all its searches and reads.
 *
 * **Errors** `access-denied`, `store-closed`, `aborted`, and `invalid-argument` for a receipt of another store.
 */
export async function openSession(
  parts: StoreParts,
  guard: Guard,
  proof: AuthorizedScopes,
  options: SessionOptions = {},
): Promise<StoreSession> {
  const scopes = guard.read(proof);
  checkOptions("session", options, { after: true, atMostMs: true, consistency: true, signal: true });
  throwIfAborted(options.signal, "The search");
  // A receipt of a scope that the session does not read decides nothing.
  const after = copyPlain(options.after ?? []).filter(({ scope }) => scopes.includes(scope));
  const age = ageOf(options);
  const isListed = takeAsked(scopes);
  const asked = beginsAhead(options) && after.length === 0 && !isListed ? askAhead(scopes) : scopes;
  const moment = await parts.documents.moment(asked, after, isListed ? anyAge : age);
  const session: Session = {
    parts,
    guard,
    scopes: new Set(scopes),
    moment,
    proof: proofOf(moment),
    waits: after.length > 0,
    known: new Map(),
  };
  return {
    scopes,
    get moment() {
      return session.moment;
    },
    legs: parts.legs.map((leg) => sessionLeg(leg, session, options.signal)),
    restrict: (filter, origins, under) =>
      createRestriction(filter && parseFilter(filter), origins && [...origins], under && [...under]),
    async readChunks(refs, read = {}) {
      guard.open();
      checkOptions("readChunks", read, { embeddings: true, totals: true, copies: true });
      return readWithin(session, refs, read);
    },
    ...(parts.documents.atOnce !== undefined && {
      async atOnce<Result>(work: (now: SessionNow) => Result) {
        guard.open();
        throwIfAborted(options.signal, "The search");
        try {
          return await parts.documents.atOnce!([...scopes], (now) => work(openNow(session, now, options.signal)));
        } catch (error) {
          if (error instanceof NotNow) return undefined;
          throw error;
        }
      },
    }),
  };
}

/** How old a state may be; `undefined` where the store decides. */
function ageOf({ consistency, atMostMs }: SessionOptions): number | undefined {
  if (consistency === undefined) return atMostMs;
  if (consistency !== "latest") {
    throw new IbidError("invalid-argument", `consistency is ${JSON.stringify(consistency)}.`, {
      hint: 'Give "latest", name after or atMostMs, or leave all of them out.',
    });
  }
  if (atMostMs === undefined || atMostMs === 0) return 0;
  throw new IbidError(
    "invalid-argument",
    `consistency is "latest" beside atMostMs ${atMostMs}, which allows older states.`,
    {
      hint: "Leave one of them out.",
    },
  );
}

/** A part of the store that cannot take part in one transaction was asked. */
class NotNow extends Error {}

/** The session inside one transaction of its store. */
function openNow(session: Session, now: StoreNow, signal: AbortSignal | undefined): SessionNow {
  const { parts, scopes } = session;
  const { moment } = now;
  return {
    legs: parts.legs.map((leg): LegNow => ({
      name: leg.name,
      capabilities: leg.capabilities,
      accepts: (query) => leg.accepts(query),
      search(query, k, within = {}) {
        checkSearch(leg, session, query, k, within);
        if (scopes.size === 0) return nothing;
        if (!isWholly(leg, within)) throw new NotNow();
        const whole: Within = { ...within, scopes: [...scopes], moment, signal: within.signal ?? signal };
        throwIfAborted(whole.signal, "The search");
        const found = now.search(leg, query, k, whole);
        if (found === undefined) throw new NotNow();
        return keepWithin(session, found, whole);
      },
    })),
    readChunks(refs, read = {}) {
      checkOptions("readChunks", read, { embeddings: true, totals: true, copies: true });
      const { asked, reading } = askWithin(session, refs, read);
      const found = now.readChunks(parts.documents, asked, { ...reading, moment });
      if (found === undefined) throw new NotNow();
      return giveRead(session, refs, found);
    },
  };
}

interface Session {
  readonly parts: StoreParts;
  readonly guard: Guard;
  readonly scopes: ReadonlySet<Scope>;
  /** Until a proof ends, one that may be old. */
  moment: Moment;
  /** Absent for a moment that is known to be the newest. */
  readonly proof: Promise<Moment> | undefined;
  /** Whether the moment holds a named commit. */
  readonly waits: boolean;
  /** Candidates of untrusted legs that were read, by key. */
  readonly known: Map<string, ReadChunk | undefined>;
}

async function readWithin(
  session: Session,
  refs: readonly ChunkRef[],
  options?: ReadChunksOptions,
): Promise<readonly (ReadChunk | undefined)[]> {
  const { asked, reading } = askWithin(session, refs, options);
  const { documents } = session.parts;
  const moment = await proveMoment(session);
  return giveRead(session, refs, await documents.readChunks(asked, { ...reading, moment }));
}

/** The session's moment once it is known to be as new as the session asks for. */
async function proveMoment(session: Session): Promise<Moment> {
  if (session.proof !== undefined) session.moment = await session.proof;
  return session.moment;
}

/** The references that the session may read, and the parts of their chunks. */
function askWithin(
  { scopes }: Session,
  refs: readonly ChunkRef[],
  { embeddings = false, totals = false, copies = false }: ReadChunksOptions = {},
) {
  const asked = refs.filter(({ scope }) => scopes.has(scope)).map(({ scope, id }) => ({ scope, id }));
  return { asked, reading: { embeddings, totals, copiesIn: copies ? [...scopes] : undefined } };
}

/** Chunks in the order of all references. */
function giveRead(
  { scopes }: Session,
  refs: readonly ChunkRef[],
  found: readonly (ReadChunk | undefined)[],
): readonly (ReadChunk | undefined)[] {
  const read = found.values();
  return refs.map(({ scope }) => (scopes.has(scope) ? copyRead(read.next().value, scopes) : undefined));
}

function copyRead(read: ReadChunk | undefined, scopes: ReadonlySet<Scope>): ReadChunk | undefined {
  return (
    read && {
      ...read,
      chunk: copyChunk(read.chunk),
      embeddings: read.embeddings?.map(copyVersioned),
      copies: read.copies?.filter(({ scope }) => scopes.has(scope)).map(copyPlain),
    }
  );
}

function sessionLeg(leg: Leg, session: Session, sessionSignal: AbortSignal | undefined): SessionLeg {
  const { name, capabilities } = leg;
  return {
    name,
    capabilities,
    accepts: (query) => leg.accepts(query),
    async search(query, k, within = {}) {
      checkSearch(leg, session, query, k, within);
      const signal = within.signal ?? sessionSignal;
      throwIfAborted(signal, "The search");
      if (session.scopes.size === 0) return nothing;
      const whole = (moment: Moment) => ({ ...within, scopes: [...session.scopes], moment, signal });
      const isTrusted = isWholly(leg, within);
      if (session.proof === undefined || !isTrusted || !isRepeatable(leg)) {
        const moment = await proveMoment(session);
        return (isTrusted ? searchTrusted : searchChecked)(leg, session, query, k, whole(moment));
      }
      const { moment } = session;
      const early = searchTrusted(leg, session, query, k, whole(moment));
      // The proof decides, also over an error.
      await early.catch(() => {});
      const proved = await proveMoment(session);
      if (proved === moment) return early;
      await early.then(
        ({ forget }) => forget?.(),
        () => {},
      );
      return searchTrusted(leg, session, query, k, whole(proved));
    },
  };
}

function checkSearch(
  { name, capabilities }: Leg,
  { guard, waits }: Session,
  query: Query,
  k: MatchCount,
  within: Parameters<SessionLeg["search"]>[2] & object,
): void {
  guard.open();
  checkCount(k);
  checkOptions("search", within, {
    restriction: true,
    only: true,
    unnamed: true,
    naming: true,
    minScore: true,
    keep: true,
    together: true,
    signal: true,
  });
  checkScore(within.minScore);
  checkQuery(query, guard);
  if (waits && capabilities.visibility === "later") {
    throw unsupported(`The leg "${name}" sees writes later, and cannot wait for a receipt.`, "Search without after.");
  }
  if (within.only !== undefined && !capabilities.scoresGivenChunks) {
    throw unsupported(`The leg "${name}" cannot score given chunks.`, 'Search with fusion: "rrf".');
  }
}

/** A proof for nothing finds nothing: no leg is asked, which might take an empty list of scopes for all. */
const nothing: LegResult = { matches: [], complete: true, exact: true, calibration: { weight: 0, scale: 1 } };

/** **Errors** `invalid-argument`, `unsupported`, `dimension-mismatch`. */
function checkQuery({ text, syntax, embeddings }: Query, guard: Guard): void {
  if (typeof text !== "string") {
    throw new IbidError("invalid-argument", "The query has no text.", { hint: "Give text: the words to look for." });
  }
  if (syntax !== "literal" && syntax !== "lucene") {
    throw new IbidError("invalid-argument", `There is no query syntax "${String(syntax)}".`, {
      hint: "Choose literal or lucene.",
    });
  }
  for (const { embedding, version, metric = "cosine" } of embeddings) {
    if (version === undefined) {
      throw new IbidError("invalid-argument", "A vector to search with has no version.", {
        hint: "Name its version: only vectors of one version can be compared.",
      });
    }
    checkEmbedding(embedding, version, guard.policy, "the query");
    if (Object.hasOwn(metrics, metric)) continue;
    throw new IbidError("invalid-argument", `There is no metric "${metric}".`, {
      hint: `Choose ${Object.keys(metrics).join(", ")}.`,
    });
  }
}

function unsupported(message: string, hint: string): IbidError {
  return new IbidError("unsupported", message, { hint });
}

/** Whether a leg says that its matches are as of the commit, and that it evaluates the whole restriction by itself. */
function isWholly(
  { capabilities: { visibility, filters, under } }: Leg,
  { restriction }: Pick<Within, "restriction">,
): boolean {
  if (visibility !== "commit" || (restriction?.under !== undefined && under !== true)) return false;
  if (restriction === undefined || filters === "all") return true;
  if (filters === "none" || restriction.origins !== undefined) return false;
  return restriction.filter === undefined || operatorsOf(restriction.filter).every((op) => filters.includes(op));
}

function operatorsOf(filter: Filter): Filter["op"][] {
  const inner = "filters" in filter ? filter.filters : "filter" in filter ? [filter.filter] : [];
  return [filter.op, ...inner.flatMap(operatorsOf)];
}

/** Matches of a leg that checks everything itself. A match outside the session's scopes is dropped all the same: no leg widens a proof. */
async function searchTrusted(
  leg: Leg,
  session: Session,
  query: Query,
  k: MatchCount,
  within: Within,
): Promise<LegResult> {
  const found = await leg.search(query, k, within);
  session.guard.open();
  return keepWithin(session, found, within);
}

function keepWithin(session: Session, found: LegResult, within: Within): LegResult {
  const foreign = found.matches.some((match) => !isWithin(session, match, within));
  return foreign ? { ...found, matches: found.matches.filter((match) => isWithin(session, match, within)) } : found;
}

function isWithin({ scopes }: Session, { scope, score }: LegMatch, { minScore }: Within): boolean {
  return scopes.has(scope) && !Number.isNaN(score) && (minScore === undefined || score >= minScore);
}

/** Candidates that are asked for, for each match that is wanted. */
const spare = 4;

/** Candidates that are asked for at most, before all are. */
const mostCandidates = 2 ** 20;

function grown(asked: MatchCount): MatchCount {
  return asked === "all" || asked * spare > mostCandidates ? "all" : asked * spare;
}

/**
 * Matches of a leg that lags or does not know the whole restriction. Each candidate is compared with the document store; candidates that are
 * gone, replaced, hidden or filtered out are dropped. The leg is asked for more until `k` are left or it has no more.
 *
 * **Cost** reads each candidate once in a session.
 */
async function searchChecked(
  leg: Leg,
  session: Session,
  query: Query,
  k: MatchCount,
  within: Within,
): Promise<LegResult> {
  const only = within.only && new Set(within.only.map(keyOf));
  // Candidates are read by their ids.
  const named: Within = { ...within, unnamed: undefined };
  for (let asked: MatchCount = k === "all" ? k : k * spare; ; asked = grown(asked)) {
    const found = await leg.search(query, asked, named);
    session.guard.open();
    const candidates = found.matches.filter(
      (match) => isWithin(session, match, within) && (only === undefined || only.has(keyOf(match))),
    );
    const matches = unique(await admitted(session, candidates, within));
    const ended = asked === "all" || found.complete || found.matches.length < asked;
    if (!ended && matches.length < (k as number)) continue;
    // Cut to what was asked for: how many candidates were left would tell how many were dropped.
    const shown = k === "all" ? matches : matches.slice(0, k);
    return { ...found, matches: shown, complete: ended && shown.length === matches.length };
  }
}

function unique(matches: readonly LegMatch[]): readonly LegMatch[] {
  const seen = new Set<string>();
  return matches.filter((match) => !seen.has(keyOf(match)) && seen.add(keyOf(match)));
}

async function admitted(
  session: Session,
  candidates: readonly LegMatch[],
  { restriction }: Within,
): Promise<readonly LegMatch[]> {
  const { known } = session;
  const unread = candidates.filter((match) => !known.has(keyOf(match)));
  const read = await readWithin(session, unread);
  unread.forEach((match, i) => known.set(keyOf(match), read[i]));
  return candidates.filter((match) => {
    const held = known.get(keyOf(match));
    return held !== undefined && held.revision === match.revision && restriction?.admits(held.chunk) !== false;
  });
}

const keyOf = ({ scope, id }: ChunkRef): string => `${scope}\0${id}`;
