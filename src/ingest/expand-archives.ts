import { IbidError } from "../contracts/errors.ts";
import type { IngestOptions } from "../contracts/knowledge-base.ts";
import type { ReadLimits, SourceItem } from "../contracts/reader.ts";
import { isArchive, isLeftOut, memberUri, saysArchive } from "../readers/archives/archive-kind.ts";
import type { ArchiveMember } from "../readers/archives/unpack-archive.ts";
import { fileNameOf } from "../readers/file-name.ts";
import { detectMediaType } from "../readers/media-type.ts";
import { limitsOf, overLimit } from "../readers/read-limits.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import type { Arrival, BytesContent } from "./arrival.ts";
import type { IngestStages } from "./stages.ts";

/** The options of an ingestion that archives follow. */
interface ArchiveJob {
  readonly signal?: AbortSignal | undefined;
  /** Opens protected files of a ZIP archive. */
  readonly password?: string | undefined;
  readonly onSkip?: IngestOptions["onSkip"];
}

/** The rest of the limits for an archive and the archives within it. */
interface Budget {
  bytes: number;
  parts: number;
  readonly depth: number;
}

/**
 * Puts the files of each archive in the place of the archive, as a walk puts the files of a folder.
 *
 * **Shape** a member's uri is `archive.zip!/path`, its metadata the archive's with its own file name, size and date. Archives within archives too, down to `maxDepth`.
 * A reader of the caller's that takes archives has them whole. `complete` receives the uri of each archive whose members all came.
 * **Errors** as refused arrivals: a broken archive or one beyond a limit under its own uri, and a member that cannot be unpacked under its own.
 * **Cost** one look at the bytes of what may be an archive by its name; memory for the archive and the members in flight.
 */
export async function* expandArchives(
  stages: IngestStages,
  arrivals: AsyncIterable<Arrival>,
  job: ArchiveJob,
  complete: (uri: string) => void,
): AsyncGenerator<Arrival, undefined> {
  const limits = limitsOf({ ...(stages.limits && { limits: stages.limits }) });
  for await (const arrival of arrivals) {
    const budget = { bytes: limits.maxExpandedBytes, parts: limits.maxParts, depth: 1 };
    yield* expand(stages, arrival, { ...job, limits, complete }, budget);
  }
  return undefined;
}

interface Expansion extends ArchiveJob {
  readonly limits: ReadLimits;
  readonly complete: (uri: string) => void;
}

async function* expand(
  stages: IngestStages,
  arrival: Arrival,
  work: Expansion,
  budget: Budget,
): AsyncGenerator<Arrival, undefined> {
  const { uri } = arrival;
  let found: { readonly arrival: Arrival; readonly bytes?: Uint8Array; readonly mediaType?: string };
  try {
    found = await findArchive(stages, arrival, work);
  } catch (error) {
    throwIfAborted(work.signal, "The ingestion");
    yield refuse(arrival, error);
    return undefined;
  }
  const { bytes, mediaType } = found;
  if (bytes === undefined || mediaType === undefined || stages.unpack === undefined) {
    yield found.arrival;
    return undefined;
  }
  const { limits, signal, password } = work;
  try {
    if (budget.depth > limits.maxDepth) throw overLimit(uri, "maxDepth", limits.maxDepth);
    const left = { ...limits, maxExpandedBytes: budget.bytes, maxParts: Math.max(1, budget.parts) };
    let count = 0;
    const input = { uri, bytes, mediaType, limits: left, ...(signal && { signal }) };
    for await (const member of stages.unpack(password === undefined ? input : { ...input, password })) {
      count++;
      budget.bytes -= member.size;
      budget.parts--;
      if (budget.bytes < 0) throw overLimit(uri, "maxExpandedBytes", limits.maxExpandedBytes);
      if (budget.parts < 0) throw overLimit(uri, "maxParts", limits.maxParts);
      const inner = memberUri(uri, member.path);
      if (isLeftOut(member.path)) {
        work.onSkip?.(inner, "file");
        continue;
      }
      const nested: Budget = { bytes: budget.bytes, parts: budget.parts, depth: budget.depth + 1 };
      yield* expand(stages, toArrival(arrival, member, inner), work, nested);
      budget.bytes = nested.bytes;
      budget.parts = nested.parts;
    }
    if (count === 0)
      throw new IbidError("empty", `${uri} is an archive without a file.`, { uri, hint: "Leave it out." });
    work.complete(uri);
  } catch (error) {
    throwIfAborted(signal, "The ingestion");
    yield refuse(arrival, error);
  }
  return undefined;
}

/** Looks whether an arrival is an archive that nobody reads whole. **Shape** `arrival` holds the bytes, which may be had once. */
async function findArchive(
  { readers, unpack }: IngestStages,
  arrival: Arrival,
  { limits, signal }: Expansion,
): Promise<{ readonly arrival: Arrival; readonly bytes?: Uint8Array; readonly mediaType?: string }> {
  const { uri, content } = arrival;
  if (content.kind !== "bytes" || unpack === undefined) return { arrival };
  const { item } = content;
  const said = saysArchive(uri);
  const declared = item.mediaType !== undefined && isArchive(item.mediaType.split(";", 1)[0]!.trim().toLowerCase());
  if (said === false && !declared) return { arrival };
  if (said === "unsaid" && !declared && !(await beginsAsArchive(item, signal))) return { arrival };
  if ((item.size ?? 0) > limits.maxBytes) throw overLimit(uri, "maxBytes", limits.maxBytes, item.size);
  const bytes = await item.bytes(signal);
  const held: Arrival = { ...arrival, content: hold(item, bytes) };
  if (bytes.length === 0) return { arrival: held };
  const mediaType = detectMediaType(bytes, { declared: item.mediaType, name: uri });
  if (!isArchive(mediaType) || readers.some((reader) => reader.accepts(mediaType))) return { arrival: held };
  return { arrival: held, bytes, mediaType };
}

/** Whether the first bytes of something without an extension are a ZIP's or a GZIP's. Without pieces, its bytes may be had once, and are not looked at. */
async function beginsAsArchive(item: SourceItem, signal: AbortSignal | undefined): Promise<boolean> {
  if (item.pieces === undefined) return false;
  for await (const [first, second] of item.pieces(signal))
    return (first === 0x50 && second === 0x4b) || (first === 0x1f && second === 0x8b);
  return false;
}

function hold(item: SourceItem, bytes: Uint8Array): BytesContent {
  const held: { -readonly [Key in keyof SourceItem]: SourceItem[Key] } = {
    ...item,
    size: bytes.byteLength,
    bytes: () => Promise.resolve(bytes),
  };
  delete held.pieces;
  return { kind: "bytes", item: held };
}

function toArrival(archive: Arrival, { path, size, modified, bytes }: ArchiveMember, uri: string): Arrival {
  const { modifiedAt: _, ...shared } = archive.metadata;
  const metadata = {
    ...shared,
    fileName: fileNameOf(path),
    fileSize: size,
    ...(isDate(modified) && { modifiedAt: modified.toISOString() }),
  };
  const charset = archive.content.kind === "bytes" ? archive.content.item.charset : undefined;
  const item: SourceItem = { uri, size, metadata, ...(charset !== undefined && { charset }), bytes };
  return { uri, metadata, folder: archive.folder, isMember: true, content: { kind: "bytes", item } };
}

/** Writers without a clock leave a day 0, or a year that no calendar has. */
function isDate(date: Date | undefined): date is Date {
  return date !== undefined && !Number.isNaN(date.getTime()) && date.getTime() > 0;
}

function refuse({ uri, isMember }: Arrival, error: unknown): Arrival {
  const content = { kind: "refused", error, named: false } as const;
  return { uri, metadata: {}, folder: null, ...(isMember && { isMember }), content };
}
