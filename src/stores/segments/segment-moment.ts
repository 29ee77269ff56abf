import { IbidError } from "../../contracts/errors.ts";
import type { ChunkRef, FoundRef, Moment, Query, Receipt, Restriction } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Segment } from "../../engine/segments/segment.ts";
import { findPlace, type IndexView, type ScopeView } from "./index-view.ts";
import { isOfOtherBase, isReached, readReceipt } from "./scope-change.ts";
import type { DirectoryReader } from "./segment-directory.ts";

/** Where a chunk lies in the index. */
export interface ChunkPlace {
  readonly segment: Segment;
  readonly ordinal: number;
  /** Key of its row. */
  readonly key: number;
}

/** The same, with the scope. */
export interface ScopedPlace extends ChunkPlace {
  readonly scope: Scope;
}

/** A moment with what its searches found out: later steps of the same search neither prepare nor look up anything twice. */
export interface SegmentMoment extends Moment {
  readonly view: IndexView;
  /** Each scope as it was seen; `undefined` for one that held nothing. */
  readonly seen: ReadonlyMap<Scope, SeenScope | undefined>;
  /** Place of every chunk that a leg matched and named. */
  readonly places: NamedPlaces;
  /** Place of every chunk that a leg matched, with its scope, by the key of its row. */
  readonly rows: Map<number, ScopedPlace>;
  /** State that each leg prepared for its query, by the leg's name. */
  readonly prepared: Map<string, Prepared>;
  /** Documents below the prefixes of a restriction, by its key and the scopes. */
  readonly under: Map<string, ReadonlySet<number>>;
}

interface Prepared {
  readonly query: Query;
  readonly restriction: Restriction | undefined;
  readonly state: unknown;
}

/** Places by scope and id. One text of both would be made for each look. */
export class NamedPlaces {
  readonly #scopes = new Map<Scope, Map<string, ChunkPlace>>();

  get({ scope, id }: ChunkRef): ChunkPlace | undefined {
    return this.#scopes.get(scope)?.get(id);
  }

  set(scope: Scope, id: string, place: ChunkPlace): void {
    let own = this.#scopes.get(scope);
    if (own === undefined) this.#scopes.set(scope, (own = new Map()));
    own.set(id, place);
  }
}

/** One scope as of a commit; `row` is the stamp of its row, which sealing and merging change too. */
interface SeenScope {
  readonly receipt: Receipt;
  readonly row: number;
  /** Another one once the view has forgotten what a failed commit had shown it. */
  readonly held: ScopeView;
}

/** The scopes as they were seen at the newest stamp; `undefined` for one that held nothing. Forgotten when anything is committed. */
export interface SeenScopes {
  stamp: number;
  readonly scopes: Map<Scope, SeenScope | undefined>;
}

/** The operator may name any number of scopes that hold nothing. */
const mostSeen = 4096;

export function createSeenScopes(): SeenScopes {
  return { stamp: -1, scopes: new Map() };
}

function seeScope(rows: DirectoryReader, view: IndexView, scope: Scope): SeenScope | undefined {
  const held = view.scope(rows, scope);
  return held && { receipt: readReceipt(rows, scope), row: held.row.stamp, held };
}

function momentOf(view: IndexView, scopes: readonly Scope[], seen: SeenScopes): SegmentMoment {
  const stamps = new Map<Scope, { readonly stamp: number; readonly life: string }>();
  const own = new Map<Scope, SeenScope | undefined>();
  for (const scope of scopes) {
    const one = seen.scopes.get(scope);
    own.set(scope, one);
    if (one === undefined) continue;
    const { stamp, life } = one.receipt;
    stamps.set(scope, { stamp, life });
  }
  return { stamps, seen: own, view, places: new NamedPlaces(), rows: new Map(), prepared: new Map(), under: new Map() };
}

/** The state at a stamp, if it was seen. **Shape** `undefined` when a transaction must read it. */
export function recallMoment(
  view: IndexView,
  scopes: readonly Scope[],
  seen: SeenScopes,
  stamp: number | undefined,
): SegmentMoment | undefined {
  if (stamp !== seen.stamp || !scopes.every((scope) => seen.scopes.has(scope))) return undefined;
  return momentOf(view, scopes, seen);
}

/** The newest state of some scopes. **Errors** `invalid-argument` for a receipt of a commit that the store does not have. */
export function takeMoment(
  rows: DirectoryReader,
  view: IndexView,
  scopes: readonly Scope[],
  after: readonly Receipt[] = [],
  seen = createSeenScopes(),
): SegmentMoment {
  for (const receipt of after) {
    if (isOfOtherBase(rows, receipt)) {
      throw new IbidError(
        "invalid-argument",
        `The receipt of commit ${receipt.stamp} of ${receipt.scope} is of another knowledge base.`,
        { hint: "Leave it out: the knowledge base that gave it was replaced, or is another one." },
      );
    }
    if (isReached(rows, receipt)) continue;
    throw new IbidError("invalid-argument", `The store has no commit ${receipt.stamp} of ${receipt.scope}.`, {
      hint: "Give receipts of this store, and open it again where it is a snapshot of another process.",
    });
  }
  const stamp = rows.stamp();
  if (stamp !== seen.stamp || seen.scopes.size > mostSeen) seen.scopes.clear();
  seen.stamp = stamp;
  for (const scope of scopes) if (!seen.scopes.has(scope)) seen.scopes.set(scope, seeScope(rows, view, scope));
  return momentOf(view, scopes, seen);
}

/**
 * The moment as far as it still holds.
 *
 * **Shape** `moment` itself while nothing in the scopes moved; afterwards a new one, `stale` when a chunk may have changed rather than moved. A moment of another
 * store says nothing about this one.
 */
export function openMoment(
  rows: DirectoryReader,
  view: IndexView,
  { scopes, moment }: { readonly scopes: readonly Scope[]; readonly moment: Moment | undefined },
): { readonly at: SegmentMoment; readonly stale: boolean } {
  if (moment === undefined || !isMomentOf(moment, view)) return { at: takeMoment(rows, view, scopes), stale: false };
  const { seen, stamps } = moment;
  const isAsSeen = (scope: Scope): boolean => {
    const [held, then] = [view.scope(rows, scope), seen.get(scope)];
    return held === then?.held && held?.row.stamp === then?.row;
  };
  if (scopes.every(isAsSeen)) return { at: moment, stale: false };
  const at = takeMoment(rows, view, scopes);
  const isSame = (scope: Scope): boolean => {
    const [now, then] = [at.stamps.get(scope), stamps.get(scope)];
    return now?.stamp === then?.stamp && now?.life === then?.life;
  };
  return { at, stale: !scopes.every(isSame) };
}

function isMomentOf(moment: Moment, view: IndexView): moment is SegmentMoment {
  return "view" in moment && moment.view === view;
}

/** The state that a leg prepared for this query and restriction. */
export function recallPrepared(
  at: SegmentMoment,
  leg: string,
  query: Query,
  restriction: Restriction | undefined,
): unknown {
  const known = at.prepared.get(leg);
  return known?.query === query && known.restriction === restriction ? known.state : undefined;
}

/** The place of a chunk that a leg of this moment matched, by its row where it has no id. */
export function knownPlace({ places, rows }: Pick<SegmentMoment, "places" | "rows">, ref: FoundRef) {
  return ref.id === "" && ref.revision !== undefined ? rows.get(ref.revision) : places.get(ref);
}

/** Places of the given chunks, without those that are gone. **Cost** nothing for chunks that a leg of this moment matched. */
export function placesOf(
  rows: DirectoryReader,
  at: SegmentMoment,
  refs: readonly FoundRef[],
): readonly (ChunkPlace | undefined)[] {
  const unknown = new Map<Scope, Set<string>>();
  for (const ref of refs) {
    if (knownPlace(at, ref) !== undefined) continue;
    const { scope, id, revision } = ref;
    if (id === "" && revision !== undefined) {
      placesOfRows(rows, at, [scope], [revision]);
      continue;
    }
    const ids = unknown.get(scope);
    if (ids === undefined) unknown.set(scope, new Set([id]));
    else ids.add(id);
  }
  for (const [scope, ids] of unknown) {
    const held = at.view.scope(rows, scope);
    if (held === undefined) continue;
    for (const { id, key } of rows.chunkKeysById(held.row.key, [...ids])) {
      const place = findPlace(held, key);
      if (place === undefined) continue;
      at.places.set(scope, id, { segment: place.segment ?? held.tail, ordinal: place.ordinal, key });
    }
  }
  return refs.map((ref) => knownPlace(at, ref));
}

/** Places of the chunks of some rows in these scopes, without those that are gone. **Cost** nothing for chunks that a leg of this moment matched. */
export function placesOfRows(
  rows: DirectoryReader,
  at: SegmentMoment,
  scopes: readonly Scope[],
  keys: readonly number[],
): readonly ScopedPlace[] {
  return keys.flatMap((key) => {
    const known = at.rows.get(key);
    if (known !== undefined) return known;
    for (const scope of scopes) {
      const held = at.view.scope(rows, scope);
      if (held === undefined) continue;
      const found = findPlace(held, key);
      if (found === undefined) continue;
      const place = { segment: found.segment ?? held.tail, ordinal: found.ordinal, key, scope };
      at.rows.set(key, place);
      return place;
    }
    return [];
  });
}

/** Ordinals of the given chunks by segment, without those that are gone. */
export function ordinalsOf(
  rows: DirectoryReader,
  at: SegmentMoment,
  refs: readonly FoundRef[],
): ReadonlyMap<Segment, readonly number[]> {
  const ordinals = new Map<Segment, number[]>();
  for (const place of placesOf(rows, at, refs)) {
    if (place === undefined) continue;
    const known = ordinals.get(place.segment);
    if (known === undefined) ordinals.set(place.segment, [place.ordinal]);
    else known.push(place.ordinal);
  }
  return ordinals;
}
