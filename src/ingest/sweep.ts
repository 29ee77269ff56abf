import type { DocumentSummary } from "../contracts/document-store.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";
import { archivesOf, memberUri } from "../readers/archives/archive-kind.ts";
import type { KnownDocuments } from "./known-documents.ts";

/** The findings of a walk of whole folders. */
export interface Walk {
  /** Those that could be looked into. */
  readonly folders: readonly string[];
  /** Uris of everything that appeared, refused or not. */
  readonly seen: ReadonlySet<string>;
  /** See `Source.has`. */
  readonly has?: ((uri: string) => boolean | Promise<boolean>) | undefined;
}

/** Documents that the walk should have met, and did not. */
export async function* vanished(known: KnownDocuments, walk: Walk): AsyncGenerator<DocumentSummary> {
  const { folders, seen, has = () => true } = walk;
  for (const summary of known.all()) {
    if (seen.has(summary.uri)) continue;
    const { uri, folder: origin } = summary;
    if (origin === null) continue;
    if (!folders.some((folder) => brought(folder, summary))) {
      // An inner folder's document goes when it is gone from its place, not when this walk leaves it out.
      if (!folders.some((folder) => isUnder(origin, folder)) || (await isThere(uri, has))) continue;
    }
    // A folder or an archive that cannot be read is reported under its own uri, and nothing in it is known to be gone.
    if ([...parents(summary.uri)].some((parent) => seen.has(parent))) continue;
    yield summary;
  }
}

/** Whether a walk of `folder` has to meet the document: `origin` is `folder`, or holds `folder` while `folder` holds `uri`. */
function brought(folder: string, { uri, folder: origin }: DocumentSummary): boolean {
  return origin !== null && (origin === folder || (isUnder(folder, origin) && isUnder(uri, folder)));
}

function* parents(uri: string): Generator<string> {
  yield* archivesOf(uri);
  for (let slash = uri.lastIndexOf("/"); slash > 0; slash = uri.lastIndexOf("/", slash - 1)) yield uri.slice(0, slash);
}

/** Whether a document is in its place, or the outermost archive that it lies within. */
async function isThere(uri: string, has: NonNullable<Walk["has"]>): Promise<boolean> {
  if (await has(uri)) return true;
  const archive = archivesOf(uri).at(-1);
  return archive !== undefined && (await has(archive));
}

/** Documents that archives brought before and hold no more. `archives` are those whose members all came. **Cost** a listing of the documents of each. */
export async function* leftArchives(
  store: Pick<Store, "documents">,
  from: AuthorizedScopes,
  archives: readonly string[],
  seen: ReadonlySet<string>,
): AsyncGenerator<DocumentSummary> {
  for (const archive of archives) {
    const left: DocumentSummary[] = [];
    for await (const summary of store.documents(from, { under: memberUri(archive, "") })) {
      const { uri } = summary;
      // An archive within that could not be opened is refused under its own uri, and keeps what it brought.
      if (!seen.has(uri) && !archivesOf(uri).some((inner) => seen.has(inner))) left.push(summary);
    }
    yield* left;
  }
}

/** The folder recorded for a document: the outer of two, and any rather than `null`. A document that is later named outright stays swept. */
export function outerFolder(before: string | null, now: string | null): string | null {
  if (now === null || before === null) return now ?? before;
  return isUnder(now, before) ? before : now;
}

/** Whether a uri lies in a folder; `""` and `.` are the folder of the knowledge base, which holds every relative path. */
function isUnder(uri: string, folder: string): boolean {
  if (folder === "" || folder === ".") return !uri.startsWith("/") && !uri.includes("://");
  return uri.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
