import { isApart } from "../../contracts/embedding.ts";
import type { ScopeVersions } from "../../contracts/reembedding.ts";
import type { Scope } from "../../contracts/scope.ts";
import { parseVersionKey } from "../../engine/vectors/stored-vector.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import { isOwnVersion } from "./own-version.ts";
import type { DirectoryReader } from "./segment-directory.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** The stored note about a scope's versions, each as `versionKey` writes it. */
export interface VersionNote {
  readonly current?: string;
  readonly next?: string;
  /** Versions that were `current` or `next` once, the latest last. `since` is when that ended, in milliseconds since 1970. */
  readonly old: readonly { readonly version: string; readonly since: number; readonly wasCurrent: boolean }[];
}

/** Keys of scopes are never used again, so a scope that was wiped leaves its note to nobody. */
export function noteSetting(scope: number): string {
  return `versions of ${scope}`;
}

export function readNote(rows: DirectoryReader, scope: number): VersionNote {
  const text = rows.setting(noteSetting(scope));
  return text === undefined ? { old: [] } : (parseStored(text) as VersionNote);
}

/**
 * Number of live chunks with vectors of each version that a model gave. Vectors of removed chunks do not count: they stay until their segment is
 * rewritten, at an unpredictable time.
 */
export function countByVersion(held: ScopeView): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  for (const segment of held.segments) {
    for (const { version, ordinals } of segment.columns()) {
      if (isOwnVersion(version) || isApart(parseVersionKey(version).fingerprint)) continue;
      let live = 0;
      // Asked with each write of an ingestion: a segment without removed chunks needs no look at its rows.
      if (segment.liveCount === segment.size) live = ordinals.length;
      else for (const ordinal of ordinals) live += segment.live[ordinal]!;
      if (live > 0) rows.set(version, (rows.get(version) ?? 0) + live);
    }
  }
  return rows;
}

/** The version that searches use: the noted one while any chunk has it, otherwise the one that most chunks have. */
export function currentOf(held: ScopeView, note: VersionNote): string | undefined {
  const rows = countByVersion(held);
  if (note.current !== undefined && (rows.size === 0 || rows.has(note.current))) return note.current;
  return [...rows].toSorted(([a, m], [b, n]) => n - m || compareCodePoints(a, b))[0]?.[0];
}

/**
 * Whether a version is known. The scope is searched in it, moves to it or has left it, or it is the store's own or for fields of collections.
 * Any other version came by no recorded change of model.
 */
export function knowsVersion(rows: DirectoryReader, held: ScopeView): (version: string) => boolean {
  const note = readNote(rows, held.row.key);
  const known = new Set([currentOf(held, note), note.next, ...note.old.map(({ version }) => version)]);
  return (version) => known.has(version) || isOwnVersion(version) || isApart(parseVersionKey(version).fingerprint);
}

/** For {@link VersionSwitch.versions}. */
export function readVersions(rows: DirectoryReader, view: IndexView, scope: Scope): ScopeVersions {
  const held = view.scope(rows, scope);
  if (held === undefined) return { scope };
  const note = readNote(rows, held.row.key);
  const current = currentOf(held, note);
  const previous = note.old.findLast(({ version, wasCurrent }) => wasCurrent && version !== current)?.version;
  return {
    scope,
    ...(current === undefined ? {} : { current: parseVersionKey(current) }),
    ...(note.next === undefined || note.next === current ? {} : { next: parseVersionKey(note.next) }),
    ...(previous === undefined ? {} : { previous: parseVersionKey(previous) }),
  };
}
