import { operator } from "../access/gate.ts";
import type { BlobStore } from "../contracts/blob-store.ts";
import type { MediaDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import type { DocumentAddress } from "../contracts/knowledge-base.ts";
import { mediaPrefix } from "../ingest/media-input.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { findToRead } from "./catalogue.ts";
import type { KeepingParts } from "./parts.ts";
import { parseStored } from "../runtime/parse-stored.ts";

/** Pictures, recordings and files that are kept whole. */
export interface Media {
  read(uri: string, address?: DocumentAddress): Promise<MediaDocument | undefined>;
  /** Removes the bytes of documents that are gone for good. **Cost** a listing of the bytes, and a look-up for each. */
  sweep(): Promise<void>;
  /**
   * Removes the bytes and places of text that a service keeps of documents that are gone for good. Sentences of threads that rest on them go too.
   * **Cost** a listing of all documents and files, and a reading of every thread.
   */
  sweepKept(files: BlobStore): Promise<void>;
}

/** As much of a thread as tells which of its sentences rest on a document. */
interface KeptThread {
  readonly turns: readonly {
    readonly sources?: readonly { readonly documentId: string }[];
    readonly sentences: readonly { readonly places: readonly { readonly documentId: string }[] }[];
  }[];
}

export function createMedia(parts: KeepingParts, blobs: (() => Promise<BlobStore>) | undefined): Media {
  const { store, gate, authority } = parts;
  /** Every scope that holds something, deleted or not. */
  const everywhere = async () =>
    gate.read(operator, (await store.trash?.scopes?.(authority)) ?? (await store.scopes(authority)));
  return {
    async read(uri, address = {}) {
      checkOptions("media", address, { scope: true });
      const found = await findToRead(parts, uri, address);
      const stored = found && (await store.document(found.within, found.summary.id));
      if (stored === undefined) return undefined;
      const {
        _media: type,
        _mediaKey: key,
        _mediaUrl: url,
        _mediaFileId: fileId,
        ...metadata
      } = stored.document.metadata;
      if (typeof type !== "string") return undefined;
      const facts = { type: type as MediaDocument["type"], mediaType: stored.document.mediaType, metadata };
      if (typeof url === "string") return { ...facts, content: new URL(url) };
      if (typeof fileId === "string") return { ...facts, content: { fileId } };
      const blob = typeof key === "string" ? await (await blobs?.())?.get(key) : undefined;
      if (blob === undefined) {
        throw new IbidError("not-found", `The bytes of ${uri} are not in the blob store.`, {
          uri,
          hint: "Open the knowledge base with the blobs that it was filled with.",
        });
      }
      return { ...facts, content: blob.bytes };
    },

    async sweep() {
      const kept = await blobs?.();
      if (kept === undefined) return;
      const all = await everywhere();
      const deleted = new Set<string>();
      for await (const { id } of store.trash?.deleted(all) ?? []) deleted.add(id);
      for await (const { key } of kept.list({ prefix: mediaPrefix })) {
        const id = key.slice(mediaPrefix.length).split("/")[0]!;
        const stored = deleted.has(id) ? undefined : await store.document(all, id);
        if (!deleted.has(id) && stored?.document.metadata["_mediaKey"] !== key) await kept.delete(key);
      }
    },

    async sweepKept(files) {
      // The files are listed before the documents: bytes that come in between belong to a document that is listed.
      const keys: string[] = [];
      for await (const { key } of files.list()) keys.push(key);
      const all = await everywhere();
      const ids = new Set<string>();
      const hashes = new Set<string>();
      for (const documents of [store.documents(all), store.trash?.deleted(all) ?? []]) {
        for await (const { id, contentHash } of documents) {
          ids.add(id);
          hashes.add(contentHash);
        }
      }
      for (const key of keys) {
        const [kind = "", name = ""] = key.split("/");
        if ((kind === "originals" || kind === "places") && !hashes.has(name)) await files.delete(key);
        if (kind === "uploads") await dropUpload(files, key, (hash) => !hashes.has(hash));
        const kept = kind === "threads" ? await files.get(key) : undefined;
        if (kept === undefined) continue;
        const thread = parseStored(new TextDecoder().decode(kept.bytes)) as KeptThread;
        // A sentence without a place may hold words of any document that the model was given.
        const turns = thread.turns.map(({ sources = [], ...turn }) => ({
          ...turn,
          ...(sources.length > 0 && { sources }),
          sentences: turn.sentences.filter(({ places }) =>
            (places.length === 0 ? sources : places).every(({ documentId }) => ids.has(documentId)),
          ),
        }));
        if (turns.some(({ sentences }, index) => sentences.length < thread.turns[index]!.sentences.length))
          await files.put(key, new TextEncoder().encode(JSON.stringify({ ...thread, turns })));
      }
    },
  };
}

/** Removes an uploaded file that was put into a vector store, where the documents of its bytes were purged. `key` is that of its record. */
export async function dropUpload(
  files: BlobStore,
  key: string,
  isGone: (contentHash: string) => boolean,
): Promise<void> {
  if (!key.endsWith(".json")) return;
  const kept = await files.get(key);
  if (kept === undefined) return;
  const file = parseStored(new TextDecoder().decode(kept.bytes)) as {
    readonly isAttached?: boolean;
    readonly contentHash: string;
  };
  if (file.isAttached !== true || !isGone(file.contentHash)) return;
  await files.delete(key.slice(0, -".json".length));
  await files.delete(key);
}
