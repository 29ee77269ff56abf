import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Scope } from "../contracts/scope.ts";
import { isWithinEdits } from "../runtime/edit-distance.ts";
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
    for (let edits = 1; edits <= Math.max(1, Math.floor(name.length / 4)); edits++) {
      if (isWithinEdits(wanted, whole, edits)) return [{ uri, distance: edits }];
      if (isWithinEdits(name, own, edits)) return [{ uri, distance: edits + 0.5 }];
    }
    return [];
  });
  return scored
    .toSorted((a, b) => a.distance - b.distance || (a.uri < b.uri ? -1 : 1))
    .slice(0, mostOffered)
    .map(({ uri }) => uri);
}
