import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { SearchOptions } from "../contracts/retriever.ts";
import { toGroupJson } from "../search/group-hits.ts";
import { toHitJson } from "../search/hit-json.ts";

/** A body of `/search`. */
export interface SearchBody {
  readonly bytes: Uint8Array;
  /** Whether the bytes are packed with gzip. */
  readonly isPacked?: boolean;
}

/** How a body of `/search` is written. */
export interface BodyChoices {
  /** Whether readers see public names. */
  readonly isHidden?: boolean;
  /** Whether the client takes gzip. */
  readonly mayPack?: boolean;
}

/** Makes the body of `/search` in another process. **Shape** `undefined` where no process makes it. */
export type ShareSearchBody = (
  query: string,
  options: SearchOptions,
  choices: BodyChoices,
) => Promise<SearchBody | undefined>;

/** Key of {@link ShareSearchBody} in a knowledge base. A view with another `search` has another one of these, or none. */
export const shareSearchBody: unique symbol = Symbol("shareSearchBody");

/** A knowledge base whose searches other processes may make. */
export type SharedSearches = KnowledgeBase & { readonly [shareSearchBody]?: ShareSearchBody };

/**
 * The body of `/search` as JSON in UTF-8.
 *
 * **Cost** a process that searches for this one writes the JSON and packs it too, and its bytes cross as they are. Here they are never packed.
 */
export async function makeSearchBody(
  kb: SharedSearches,
  query: string,
  options: SearchOptions,
  choices: BodyChoices = {},
): Promise<SearchBody> {
  const shared = await kb[shareSearchBody]?.(query, options, choices);
  if (shared !== undefined) return shared;
  const started = performance.now();
  const hits = await kb.search(query, options);
  const { warnings, groups } = hits;
  const body = {
    hits: hits.map(toHitJson),
    ...(groups && { groups: groups.map(toGroupJson) }),
    ...(warnings && { warnings }),
    ms: Math.round(performance.now() - started),
  };
  return { bytes: new TextEncoder().encode(JSON.stringify(body)) };
}
