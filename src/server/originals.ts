import type { BlobStore } from "../contracts/blob-store.ts";
import type { DocumentSummary } from "../contracts/document-store.ts";
import type { DocumentView, KnowledgeBase } from "../contracts/knowledge-base.ts";
import { dropUpload } from "../knowledge-base/keep-media.ts";
import type { PublicNames } from "./public-names.ts";
import {
  checkPlaces,
  packPlacesOnPages,
  readPlacesOnPages,
  unpackPlacesOnPages,
} from "../knowledge-base/operations/show-document.ts";

/** The bytes that documents were read from, and the places of their text on pages. */
export interface Originals {
  /** The bytes of just this version of a document, where they are kept or still lie at their path. A path that a writer may have made up is not read. */
  find(document: Pick<DocumentSummary, "uri" | "scope" | "rootLabel" | "contentHash">): Promise<Uint8Array | undefined>;
  /**
   * Keeps the bytes of an upload, of an archive those of the files in it, and then adds its text. A reader finds both or neither: bytes that are new go again where `add` fails.
   * **Errors** `add` and the files give theirs.
   */
  keepWith<T>(uri: string, bytes: Uint8Array, add: () => Promise<T>): Promise<T>;
  /** Removes kept bytes that no document has any more, those of replaced versions too, and the attached uploads of these hashes. **Cost** a listing of all documents and kept files. */
  drop(hashes: readonly string[]): Promise<void>;
  /** Places of a text on its pages. `undefined` without the original. **Errors** `unsupported` as `readPlacesOnPages`. **Cost** reads the file once; the places are kept. */
  places(document: DocumentView): Promise<Places | undefined>;
}

interface PendingBytes {
  uploads: number;
  /** Whether one of the uploads wrote them. */
  isNew: boolean;
  /** Whether one of the uploads has its document. */
  isHeld: boolean;
  /** A removal under way. An upload of the same bytes waits for it. */
  removal?: Promise<void>;
}

type Places = Awaited<ReturnType<typeof readPlacesOnPages>>;

/** The parts that read documents are loaded when they are needed. */
const hashBytes = async (bytes: Uint8Array): Promise<string> =>
  (await import("../ingest/prepare-document.ts")).hashBytes(bytes);

const archives = () => import("../ingest/archive-files.ts");

/** Places of so many documents stay in memory. */
const mostPlaces = 8;

export function createOriginals(
  kb: KnowledgeBase,
  files: BlobStore | undefined,
  readSource: ((uri: string) => Promise<Uint8Array | undefined>) | undefined,
  resolveAll: PublicNames["resolveAll"],
): Originals {
  const known = new Map<string, Promise<Places | undefined>>();

  /** Bytes whose texts are being added, by their keys. */
  const pending = new Map<string, PendingBytes>();

  async function put(files: BlobStore, bytes: Uint8Array): Promise<string> {
    const key = `originals/${await hashBytes(bytes)}`;
    const entry = pending.get(key) ?? { uploads: 0, isNew: false, isHeld: false };
    pending.set(key, entry);
    entry.uploads += 1;
    try {
      await entry.removal;
      const { status } = await files.put(key, bytes, { ifNoneMatch: "*" });
      if (status === "written") entry.isNew = true;
    } catch (error) {
      await settle(files, key, false);
      throw error;
    }
    return key;
  }

  /** Ends an upload of bytes. The last one removes them where none brought them a document. */
  async function settle(files: BlobStore, key: string, isHeld: boolean): Promise<void> {
    const entry = pending.get(key)!;
    entry.uploads -= 1;
    if (isHeld) entry.isHeld = true;
    if (entry.uploads > 0) return;
    // Bytes that cannot be removed now go with the next purge.
    if (entry.isNew && !entry.isHeld) {
      entry.isNew = false;
      await (entry.removal = Promise.resolve(files.delete(key)).then(
        () => {},
        () => {},
      ));
    }
    if (entry.uploads === 0) pending.delete(key);
  }

  const find: Originals["find"] = async ({ uri, scope, rootLabel = "", contentHash }) => {
    const kept = await files?.get(`originals/${contentHash}`);
    if (kept !== undefined) return kept.bytes;
    // The hash of a file would tell its writer whether a guess of the file's text is right.
    const mayBeMadeUp = rootLabel === "" && scope !== "deployment" && scope !== "platform";
    if (readSource === undefined || mayBeMadeUp) return undefined;
    for (const path of await resolveAll(uri)) {
      const source = (await readSource(path)) ?? (await (await archives()).readWithin(path, readSource));
      if (source !== undefined && (await hashBytes(source)) === contentHash) return source;
    }
    return undefined;
  };

  async function readPlaces(document: DocumentView): Promise<Places | undefined> {
    const { uri, scope, contentHash, text } = document;
    const { keepPlaces, placesKey } = await import("../ingest/keep-places.ts");
    const kept = await files?.get(placesKey(contentHash));
    const known = kept && (await unpackPlacesOnPages(kept.bytes, text));
    if (known !== undefined) return known;
    const original = await find(document);
    if (original === undefined) return undefined;
    const places = await readPlacesOnPages(document, original);
    const isHeld = async (): Promise<boolean> =>
      (await kb.document(uri, { scope, start: 0, end: 0 }))?.contentHash === contentHash;
    if (files !== undefined) await keepPlaces(files, contentHash, await packPlacesOnPages(places), isHeld);
    return places;
  }

  return {
    find,
    async keepWith(uri, bytes, add) {
      if (files === undefined) return add();
      const kept: { readonly key: string; readonly bytes: Uint8Array }[] = [];
      let isHeld = false;
      try {
        for await (const file of (await archives()).filesWithin(uri, bytes))
          kept.push({ key: await put(files, file.bytes), bytes: file.bytes });
        if (kept.length === 0) kept.push({ key: await put(files, bytes), bytes });
        const added = await add();
        isHeld = true;
        // A purge meanwhile saw bytes without a document.
        for (const { key, bytes } of kept) if ((await files.head(key)) === undefined) await files.put(key, bytes);
        return added;
      } finally {
        for (const { key } of kept) await settle(files, key, isHeld);
      }
    },
    async drop(hashes) {
      if (files === undefined) return;
      const gone = new Set(hashes);
      // The files are listed before the documents: bytes that come in between belong to a document that is listed.
      const keys: string[] = [];
      for (const prefix of ["originals/", "places/"])
        for await (const { key } of files.list({ prefix })) keys.push(key);
      const uploads: string[] = [];
      for await (const { key } of files.list({ prefix: "uploads/" })) uploads.push(key);
      if (keys.length + uploads.length === 0) return;
      const held = new Set<string>();
      for (const documents of [kb.list(), kb.deleted()]) for await (const one of documents) held.add(one.contentHash);
      for (const key of keys) {
        const hash = key.slice(key.indexOf("/") + 1);
        if (held.has(hash)) continue;
        known.delete(hash);
        await files.delete(key);
      }
      for (const hash of held) gone.delete(hash);
      for (const key of uploads) await dropUpload(files, key, (hash) => gone.has(hash));
    },
    async places(document) {
      const { contentHash } = document;
      let places = known.get(contentHash);
      known.delete(contentHash);
      places ??= readPlaces(document);
      known.set(contentHash, places);
      for (const old of known.keys()) if (known.size > mostPlaces) known.delete(old);
      try {
        const found = await places;
        if (found !== undefined) checkPlaces(found, document);
        else known.delete(contentHash);
        return found;
      } catch (error) {
        known.delete(contentHash);
        throw error;
      }
    },
  };
}
