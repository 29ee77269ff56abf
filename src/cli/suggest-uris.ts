import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Scope } from "../contracts/scope.ts";
import { neutralise } from "./text-layout.ts";

/** Names that are offered. */
const mostOffered = 3;

/**
 * The error for a uri that names no document, with the nearest uris of the caller. Documents that the caller may not read are no different from those that do not exist.
 *
 * **Cost** one listing of the caller's documents.
 */
export async function noDocument(kb: KnowledgeBase, typed: string, scope: Scope | undefined): Promise<IbidError> {
  const uris = new Set<string>();
  for await (const document of kb.list()) if (scope === undefined || document.scope === scope) uris.add(document.uri);
  const near = nearest(typed, [...uris]).map(neutralise);
  return new IbidError("not-found", `There is no document ${typed}${scope === undefined ? "" : ` in ${scope}`}.`, {
    uri: typed,
    hint: near.length === 0 ? "List the documents with: ibid list" : `Did you mean ${near.join(", or ")}?`,
  });
}

/** Uris close to a typed one, the closest first. They end in it, have its file name, or differ in few letters. */
export function nearest(typed: string, uris: readonly string[]): readonly string[] {
  const wanted = typed
    .toLowerCase()
    .replaceAll("\\", "/")
    .replace(/^\.?\/+/u, "");
  if (wanted === "") return [];
  const name = wanted.slice(wanted.lastIndexOf("/") + 1);
  const scored = uris.flatMap((uri) => {
    const whole = uri.toLowerCase();
    const own = whole.slice(whole.lastIndexOf("/") + 1);
    if (whole.endsWith(`/${wanted}`)) return [{ uri, distance: 0 }];
    if (name !== "" && own === name) return [{ uri, distance: 0.5 }];
    // A name is often typed without its extension.
    if (name !== "" && own.replace(/\.[^.]*$/u, "") === name) return [{ uri, distance: 0.6 }];
    const distance = Math.min(editDistance(wanted, whole), editDistance(name, own) + 0.5);
    return distance <= Math.max(1, Math.floor(name.length / 4)) + 0.5 ? [{ uri, distance }] : [];
  });
  return scored
    .toSorted((a, b) => a.distance - b.distance || (a.uri < b.uri ? -1 : 1))
    .slice(0, mostOffered)
    .map(({ uri }) => uri);
}

/** Longer texts are not compared letter by letter. */
const longestCompared = 120;

/** Letters to insert, delete, replace or swap with their neighbour. **Source** Damerau (1964), restricted to neighbours. **Cost** the product of the lengths. */
function editDistance(a: string, b: string): number {
  if (a.length > longestCompared || b.length > longestCompared) return a === b ? 0 : Infinity;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}
