import { IbidError } from "../contracts/errors.ts";
import { archivesOf, isArchive, memberUri, saysArchive } from "../readers/archives/archive-kind.ts";
import { unpackArchive } from "../readers/archives/unpack-archive.ts";
import { detectMediaType } from "../readers/media-type.ts";

/** A file in an archive, with its bytes. */
export interface ArchiveFile {
  readonly uri: string;
  readonly bytes: Uint8Array;
}

/**
 * The files of an archive and of the archives within it, with their bytes; none for bytes that are no archive. A file that cannot be unpacked is left out.
 *
 * **Cost** unpacks all of it, within the default limits.
 */
export async function* filesWithin(uri: string, bytes: Uint8Array): AsyncGenerator<ArchiveFile, undefined> {
  for await (const { path, read } of openFiles(uri, bytes)) {
    const file = await read().catch(() => undefined);
    if (file === undefined) continue;
    const inner = memberUri(uri, path);
    yield { uri: inner, bytes: file };
    yield* filesWithin(inner, file);
  }
  return undefined;
}

/**
 * The bytes of a document within an archive; `undefined` where it is not there. `readSource` gives those of the outermost archive.
 *
 * **Cost** unpacks the archives on the way.
 */
export async function readWithin(
  uri: string,
  readSource: (uri: string) => Promise<Uint8Array | undefined>,
): Promise<Uint8Array | undefined> {
  const archives = archivesOf(uri).toReversed();
  const [outermost, ...inner] = [...archives, uri];
  let bytes = archives.length === 0 ? undefined : await readSource(outermost);
  for (const [depth, wanted] of inner.entries()) {
    const archive = archives[depth]!;
    let found: Uint8Array | undefined;
    for await (const { path, read } of bytes === undefined ? [] : openFiles(archive, bytes)) {
      if (memberUri(archive, path) !== wanted) continue;
      // A protected file opens only while it is ingested: its password is not stored.
      found = await read().catch((error: unknown) => {
        if (IbidError.isInstance(error, "encrypted")) return undefined;
        throw error;
      });
      break;
    }
    bytes = found;
  }
  return bytes;
}

async function* openFiles(
  uri: string,
  bytes: Uint8Array,
): AsyncGenerator<{ readonly path: string; readonly read: () => Promise<Uint8Array> }, undefined> {
  if (saysArchive(uri) === false || bytes.length === 0) return undefined;
  try {
    const mediaType = detectMediaType(bytes, { name: uri });
    if (!isArchive(mediaType)) return undefined;
    for await (const member of unpackArchive({ uri, bytes, mediaType }))
      yield { path: member.path, read: member.bytes };
  } catch {
    // A broken archive holds no file.
  }
  return undefined;
}
