import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { SearchOptions } from "../contracts/retriever.ts";
import type { Scope } from "../contracts/scope.ts";
import { isWithinEdits } from "../runtime/edit-distance.ts";
import type { Output } from "./output.ts";
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

/**
 * Says on standard error that no document has a prefix, with the nearest folders; nothing where one has it.
 *
 * **Cost** one listing of the caller's documents, where none has it.
 */
export async function explainPrefix(
  output: Output,
  kb: KnowledgeBase,
  prefixes: SearchOptions["under"],
): Promise<void> {
  const [under, ...more] = [prefixes ?? []].flat();
  if (under === undefined || more.length > 0 || output.json) return;
  for await (const _ of kb.list({ under, limit: 1 })) return;
  const folders = new Set<string>();
  for await (const { uri } of kb.list())
    for (let at = uri.indexOf("/"); at !== -1; at = uri.indexOf("/", at + 1)) folders.add(uri.slice(0, at));
  const near = nearest(under.replace(/[\\/]+$/u, ""), [...folders]).map((folder) => `${neutralise(folder)}/`);
  const meant = near.length === 0 ? "" : ` Did you mean ${near.join(", or ")}?`;
  await output.aside(`No document that you may read begins with ${neutralise(under)}.${meant}`);
}

/**
 * The error for a uri that names no deleted document, with the nearest of those that can be restored.
 *
 * **Cost** one listing of the deleted documents, and a look for the document itself.
 */
export async function noDeletedDocument(
  kb: KnowledgeBase,
  typed: string,
  uris: readonly string[],
  scope: Scope | undefined,
): Promise<IbidError> {
  const where = scope === undefined ? "" : ` in ${scope}`;
  const refuse = (hint: string): IbidError =>
    new IbidError("not-found", `There is no deleted document ${typed}${where}.`, { uri: typed, hint });
  const deleted = new Set<string>();
  for await (const document of kb.deleted())
    if (scope === undefined || document.scope === scope) deleted.add(document.uri);
  for await (const document of kb.list())
    if (uris.includes(document.uri) && (scope ?? document.scope) === document.scope)
      return refuse(`${neutralise(document.uri)} is there, and not deleted: ibid show ${neutralise(document.uri)}`);
  const near = nearest(typed, [...deleted]).map(neutralise);
  return refuse(
    near.length === 0
      ? "A purged or vacuumed document cannot be restored; ingest it again."
      : `Did you mean ${near.join(", or ")}?`,
  );
}

/** Chunks whose ids are compared with a typed one. */
const mostChunks = 20_000;
/** Letters by which the beginning of an id names one of many chunks. */
const leastOfId = 4;

/**
 * The error for an id that names no chunk. It offers chunks whose ids begin so or differ in two letters at most, or the document whose uri was typed.
 *
 * **Cost** one listing of the caller's documents, and of 20,000 of their chunks.
 */
export async function noChunk(kb: KnowledgeBase, typed: string, scope: Scope | undefined): Promise<IbidError> {
  const where = scope === undefined ? "" : ` in ${scope}`;
  const refuse = (hint: string): IbidError =>
    new IbidError("not-found", `There is no chunk ${typed}${where}.`, { hint });
  const wanted = typed.toLowerCase().replace(/(?:…|\.{3})$/u, "");
  const near: string[] = [];
  let seen = 0;
  for await (const { chunk } of kb.chunks(scope === undefined ? {} : { scope })) {
    const isBeginning = wanted.length >= leastOfId && chunk.id.startsWith(wanted);
    if (isBeginning || isWithinEdits(chunk.id, wanted, 2)) near.push(`${chunk.id} (${neutralise(chunk.uri)})`);
    if (near.length === mostOffered || ++seen === mostChunks) break;
  }
  if (near.length > 0) return refuse(`Did you mean ${near.join(", or ")}?`);
  const uris: string[] = [];
  for await (const document of kb.list()) if (scope === undefined || document.scope === scope) uris.push(document.uri);
  const [uri] = nearest(typed, uris).map(neutralise);
  return refuse(
    uri === undefined
      ? "Find chunks with: ibid search <query> --ids"
      : `For a document, leave --chunk out: ibid show ${uri}`,
  );
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
