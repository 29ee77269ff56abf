import { setImmediate as nextTurn } from "node:timers/promises";
import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import { parseStored } from "../../runtime/parse-stored.ts";
import { placingSetting } from "../segments/fit-members.ts";
import type { SegmentCore } from "../segments/segment-core.ts";
import type { FitRow } from "../segments/segment-directory.ts";
import type { FitFacts } from "./commit-rows.ts";
import { baseName, compareCommits, createAskCommits, type HeldScope } from "./compare-commits.ts";
import { ageOf, type Instant, never, present } from "./instant.ts";
import {
  type AskedScope,
  type LazyRow,
  mostWaiting,
  type NewsOfScope,
  newsText,
  readNews,
  readRows,
  type WantedPart,
} from "./lazy-page.ts";
import {
  changeLazyScope,
  createPlaceFinder,
  type LazyChange,
  type LazyPlace,
  type LazyScope,
  type LazySegment,
  openLazyScope,
} from "./lazy-scope.ts";
import type { Placement } from "./placement.ts";
import { type Postgres, stateOf } from "./postgres-client.ts";
import { otherPast } from "./other-past.ts";
import { markOfBase, type PageRow } from "./read-page.ts";
import { baseScope } from "./replica-stamps.ts";
import { type Retired, retiredSetting, scopeOfLives, scopeOfSetting } from "./row-log.ts";
import { type SharedIndex, unpackIndex } from "./shared-index.ts";

/** The scopes that a process without a copy holds, and how they are brought up to date. */
export interface LazyNews {
  readonly held: ReadonlyMap<Scope, LazyScope>;
  readonly byKey: ReadonlyMap<number, LazyScope>;
  readonly segments: ReadonlyMap<number, LazySegment>;
  readonly settings: ReadonlyMap<string, string>;
  readonly fits: readonly FitRow[];
  /** Parts of fits that were read. */
  readonly fitParts: Map<number, readonly Uint8Array[]>;
  /** Changes with everything here. */
  readonly stamp: number;
  /** Counts documents that got another name under their row. */
  readonly renames: number;
  /** Scopes that a call asked for last: a read of it that lacks something in one of them will lack it in the others. */
  readonly recent: ReadonlySet<Scope>;
  /** Whether every scope is held. */
  readonly hasAll: boolean;
  readonly core: SegmentCore | undefined;
  join(core: SegmentCore): void;
  /** Whether the scope was asked for: one that is not held then holds nothing. */
  isKnown(scope: Scope): boolean;
  readonly find: (scope: LazyScope, key: number) => LazyPlace | undefined;
  /**
   * Brings scopes, or all of them, to the newest state. With `renew` something is new, and those scopes begin anew. **Errors** `store-failed`; `store-busy` where
   * too much is outside of the shared index.
   */
  refresh(scopes: readonly Scope[] | undefined, renew?: readonly Scope[]): Promise<void>;
  /**
   * Lets parts of shared indexes come with the news, where a question is under way whose answer may lead to some. **Shape** ends with the question, whether or not
   * they came; `undefined` where there is none.
   */
  bringAlong(parts: ReadonlyMap<string, WantedPart>): Promise<void> | undefined;
  /** How long ago the scopes were surely in their newest state. **Units** milliseconds. */
  age(scopes: readonly Scope[] | undefined): number;
}

export interface LazyNewsOptions {
  readonly db: Postgres;
  readonly schema: string;
  /** Settings of the base that never change. */
  readonly facts: Readonly<Record<string, string>>;
  readonly placement: Placement;
}

/** Hears of changes, while nothing else runs. */
export interface NewsHooks {
  dropped(scope: LazyScope): void;
  changed(change: LazyChange): void;
  /** A part of a shared index came along. */
  came(part: LazyRow): void;
}

/** Calls that are answered together. */
interface Round {
  readonly scopes: Set<Scope>;
  every: boolean;
  readonly renew: Set<Scope>;
  /** Whether something is new for certain. */
  isBehind: boolean;
  readonly parts: Map<string, WantedPart>;
}

/** Scopes that are kept beside those of a call. */
const scopeBudget = 512;

/** States in which a table or a column is missing that an earlier version did not make. */
const madeLater: ReadonlySet<string | undefined> = new Set(["42P01", "42703"]);

/** Rounds of news after which a base changes too fast. */
const mostAnew = 8;

export function createLazyNews({ db, schema, facts, placement }: LazyNewsOptions, hooks: NewsHooks): LazyNews {
  const held = new Map<Scope, LazyScope>();
  const byKey = new Map<number, LazyScope>();
  const segments = new Map<number, LazySegment>();
  const fresh = new Map<Scope, Instant>();
  let everyFresh = never;
  const settings = new Map<string, string>(Object.entries(facts));
  let fits: readonly FitRow[] = [];
  const fitParts = new Map<number, readonly Uint8Array[]>();
  let baseStamp = -1;
  let baseCommit: string | null = null;
  /** Stamp of the base's last change that makes indexes wrong which were shared before. */
  let placedAt = 0;
  let stamp = 0;
  let renames = 0;
  const findPlace = createPlaceFinder();
  const [news, newsWithParts] = [newsText(schema), newsText(schema, true)];
  const askCommits = createAskCommits(db, schema);
  /** Whether the last news had something of scopes that were held: more may come, and is asked for at once. */
  let isMoving = false;
  const mark = markOfBase(facts["secret"] ?? "");
  const patterns = JSON.stringify(placement.patterns);
  let core: SegmentCore | undefined;
  let recent: ReadonlySet<Scope> = new Set();

  function forgetIndex(): void {
    core?.view.forget();
  }

  function drop(name: Scope): void {
    const scope = held.get(name);
    if (scope === undefined) return;
    held.delete(name);
    fresh.delete(name);
    byKey.delete(scope.key);
    for (const { key } of scope.segments) segments.delete(key);
    hooks.dropped(scope);
    stamp++;
    forgetIndex();
  }

  async function ask(asked: readonly AskedScope[], every: boolean, parts: Round["parts"]): Promise<readonly LazyRow[]> {
    const values: unknown[] = [JSON.stringify(asked), baseStamp, every, patterns, baseCommit, mark];
    const isMore = parts.size > 0;
    if (isMore) values.push(JSON.stringify([...parts.values()]));
    parts.clear();
    try {
      return readRows(await db.query("asking for the newest state", isMore ? newsWithParts : news, values));
    } catch (error) {
      if (!madeLater.has(stateOf(error))) throw error;
      throw new IbidError(
        "unsupported",
        `The base in ${schema} of ${db.name} was made by an earlier version of ibid.`,
        {
          hint: "Open it once with a copy and this version of ibid: that makes the tables and columns which it lacks.",
          cause: error,
        },
      );
    }
  }

  /** Takes over what is of the base itself. **Shape** whether indexes that were shared before are wrong now. */
  function takeBase(rows: readonly LazyRow[]): boolean {
    const row = rows.find(({ kind }) => kind === "b");
    if (row?.gone === true) throw otherPast(db, "other");
    const at = Number(row?.b ?? 0);
    const isOther = row?.a === "forked";
    if (at === baseStamp && !isOther) return false;
    for (const name of settings.keys())
      if (scopeOfSetting(name) === 0 && facts[name] === undefined) settings.delete(name);
    let last = 0;
    for (const row of rows) {
      if (row.kind !== "o" || row.scope !== 0 || row.a === null) continue;
      if (row.a === placingSetting) last = Math.max(last, row.changed);
      if (row.b !== null && facts[row.a] === undefined) settings.set(row.a, row.b);
    }
    const found = rows.filter(({ kind }) => kind === "f");
    for (const { changed } of found) last = Math.max(last, changed);
    fits = found
      .filter(({ gone }) => !gone)
      .map((row) => ({ ...(parseStored(row.a ?? "") as FitFacts), key: row.key }));
    const isMoved = isOther || last > placedAt;
    if (isMoved) {
      fitParts.clear();
      core?.latent?.forget();
    }
    placedAt = last;
    const isFirst = baseStamp === -1;
    baseStamp = at;
    baseCommit = row?.c ?? null;
    stamp++;
    return isMoved && !isFirst;
  }

  /** Whether a shared index is of a state that later changes only add to. */
  function isValid({ key, shared, base }: NewsOfScope, rows: readonly LazyRow[]): boolean {
    if (shared === 0) return true;
    if (placedAt > base) return false;
    return !rows.some(
      ({ kind, scope, a, changed }) =>
        kind === "o" &&
        scope === key &&
        a !== null &&
        changed > shared &&
        (a === retiredSetting(key) || scopeOfLives(a) === key),
    );
  }

  /** **Shape** whether the scope must be asked for anew, and how. */
  function takeScope(row: LazyRow, rows: readonly LazyRow[], index: SharedIndex | undefined): AskedScope["anew"] {
    const told = readNews(row);
    const name = told.name as Scope;
    const own = rows.filter(({ scope }) => scope === told.key);
    const before = held.get(name);
    if (told.goesOn) {
      if (before === undefined || before.stamp !== told.since) return "index";
      // Vectors of the index, and of chunks outside of it, may be of a version that has gone.
      if (own.some(({ kind, a }) => kind === "o" && a === retiredSetting(told.key))) return "index";
    }
    if (told.waiting >= mostWaiting) throw tooMany(name, told);
    let scope = before;
    if (!told.goesOn) {
      if (index !== undefined && !isValid(told, own)) return "rows";
      drop(name);
      scope = openLazyScope({ key: told.key, name, shared: index === undefined ? 0 : told.shared }, index);
      held.set(name, scope);
      byKey.set(scope.key, scope);
      for (const segment of scope.segments) segments.set(segment.key, segment);
    }
    for (const { kind, a, b } of own) {
      if (kind !== "o" || a === null) continue;
      if (b === null) settings.delete(a);
      else settings.set(a, b);
    }
    scope!.commit = told.commit;
    scope!.retired = parseStored(settings.get(retiredSetting(told.key)) ?? "{}") as Retired;
    if (told.stamp === scope!.stamp && told.goesOn) return undefined;
    const change = changeLazyScope(scope!, own as readonly PageRow[], ++stamp, findPlace);
    scope!.stamp = told.stamp;
    if (change.renamed) renames++;
    hooks.changed(change);
    return undefined;
  }

  function tooMany(name: Scope, { shared }: NewsOfScope): IbidError {
    const state = shared === 0 ? "has no shared index" : "has a shared index that is too old";
    return new IbidError(
      "store-busy",
      `The scope ${name} of ${db.name} ${state}: ${mostWaiting} chunks or more are outside.`,
      {
        hint: "Have a machine with a copy share it: open the base there with shareIndex, and ingest or settle. Or open it here without lazy.",
        details: { scope: name, chunks: mostWaiting },
      },
    );
  }

  /** Whether these scopes, or all of them, are in their newest state. */
  async function isNewest(names: ReadonlySet<Scope> | "all"): Promise<boolean> {
    const own = new Map<string, HeldScope>([[baseName, { key: baseScope, stamp: baseStamp, commit: baseCommit }]]);
    for (const name of names === "all" ? held.keys() : names) {
      const scope = held.get(name);
      if (scope !== undefined) own.set(name, scope);
    }
    const found = await askCommits(names === "all" ? names : [...names], own);
    const rows = found.filter(({ name }) => name === baseName || placement.holds(name));
    return compareCommits(rows, own, mark) === "same";
  }

  async function catchUp({ scopes: asking, every, renew, isBehind, parts }: Round): Promise<void> {
    const before = stamp;
    const isKnown = every ? everyFresh !== never : baseStamp >= 0 && [...asking].every((name) => fresh.has(name));
    if (isKnown && !isBehind && !isMoving) {
      const asked = present();
      if (await isNewest(every ? "all" : asking)) {
        for (const name of [...asking, ...(every ? held.keys() : [])]) fresh.set(name, asked);
        if (every) everyFresh = asked;
        return;
      }
      // A search that begins meanwhile says what it lacks, so that it comes along.
      await nextTurn();
    }
    await bringNews(asking, every, renew, parts);
    isMoving = isKnown && stamp !== before;
  }

  async function bringNews(
    asking: ReadonlySet<Scope>,
    every: boolean,
    renew: ReadonlySet<Scope>,
    parts: Round["parts"],
  ): Promise<void> {
    if (held.size > scopeBudget && !every) {
      for (const name of held.keys()) if (!asking.has(name)) drop(name);
      everyFresh = never;
    }
    /** Scopes to begin anew with their index, or with all rows. */
    const anew = new Map<string, NonNullable<AskedScope["anew"]>>([...renew].map((name) => [name, "index"]));
    for (let round = 0; ; round++) {
      const asked = present();
      const names = new Set<Scope>([...held.keys(), ...asking]);
      const rows = await ask(
        [...names].map((name): AskedScope => {
          const scope = held.get(name);
          return {
            name,
            key: scope?.key,
            stamp: scope?.stamp,
            commit: scope?.commit,
            shared: scope?.shared,
            anew: anew.get(name),
          };
        }),
        every,
        parts,
      );
      for (const row of rows) if (row.kind === "p") hooks.came(row);
      const found = rows.filter(({ kind }) => kind === "s");
      // From here to the end of the round nothing else runs: a read sees all scopes of one snapshot.
      const indexes = await Promise.all(
        found.map(async ({ x }) => (x === null ? undefined : unpackIndex(new Uint8Array(x), db.name))),
      );
      anew.clear();
      const isWrong = takeBase(rows);
      for (const [i, row] of found.entries()) {
        const name = row.a as Scope;
        // A scope that is held may be of fits that have gone. One that comes whole is of those that came with it.
        const again = isWrong && held.has(name) ? "index" : takeScope(row, rows, indexes[i]);
        if (again !== undefined) anew.set(name, again);
      }
      const there = new Set(found.map(({ a }) => a));
      for (const name of names) if (!there.has(name)) drop(name);
      if (anew.size === 0) {
        for (const name of names) fresh.set(name, asked);
        if (every) {
          everyFresh = asked;
          for (const name of held.keys()) fresh.set(name, asked);
        }
        return;
      }
      if (round > mostAnew) {
        throw new IbidError("store-busy", `The base at ${db.name} changes faster than its news arrive.`, {
          hint: "Try again.",
        });
      }
    }
  }

  /** The round of news that has not begun yet: a call that asks meanwhile joins it. */
  let next: (Round & { readonly done: Promise<void> }) | undefined;
  let running: Promise<unknown> = Promise.resolve();
  /** The round whose question is under way. */
  let current: (Round & { readonly done: Promise<void> }) | undefined;
  function refresh(scopes: readonly Scope[] | undefined, renew?: readonly Scope[]): Promise<void> {
    if (next === undefined) {
      const round: Round = { scopes: new Set(), every: false, renew: new Set(), isBehind: false, parts: new Map() };
      const done = running
        .then(() => {
          [current, next] = [next, undefined];
          return catchUp(round);
        })
        .finally(() => (current = undefined));
      running = done.catch(() => {});
      next = Object.assign(round, { done });
    }
    for (const name of scopes ?? []) next.scopes.add(name);
    for (const name of renew ?? []) next.renew.add(name);
    next.isBehind ||= renew !== undefined;
    next.every ||= scopes === undefined;
    return next.done;
  }

  return {
    held,
    byKey,
    segments,
    settings,
    fitParts,
    get fits() {
      return fits;
    },
    get stamp() {
      return stamp;
    },
    get renames() {
      return renames;
    },
    get recent() {
      return recent;
    },
    get hasAll() {
      return everyFresh !== never;
    },
    get core() {
      return core;
    },
    join(given) {
      core = given;
    },
    bringAlong(parts) {
      for (const [name, part] of parts) current?.parts.set(name, part);
      return current?.done;
    },
    isKnown: (scope) => fresh.has(scope),
    find: findPlace,
    refresh,
    age(scopes) {
      if (scopes === undefined) return ageOf(everyFresh);
      recent = new Set(scopes);
      return Math.max(0, ...scopes.map((name) => ageOf(fresh.get(name) ?? never)));
    },
  };
}
