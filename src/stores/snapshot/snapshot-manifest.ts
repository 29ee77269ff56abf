import { sha256 } from "../../runtime/hash.ts";

/** A stretch of a unit's bytes, as one blob. */
export interface SnapshotPart {
  /** Under the snapshot's prefix. */
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * The list of parts that form a snapshot. One conditional write of the manifest saves all that it names.
 *
 * **Shape** a unit is the rows of some keys; its bytes are those of its parts, one after the other.
 */
export interface SnapshotManifest {
  /** One more with each. */
  readonly generation: number;
  /** Id of the process that wrote it, by which a process recognises its own write after an uncertain answer. */
  readonly writer: string;
  /** The last key that was given to a row. */
  readonly keys: number;
  readonly stamp: number;
  readonly units: Readonly<Record<string, readonly SnapshotPart[]>>;
}

/** Manifest before the first save. */
export const noManifest: SnapshotManifest = { generation: 0, writer: "", keys: 0, stamp: 0, units: {} };

const format = "ibid snapshot 1";

/** The format, what the rest hashes to, and the rest: a line each. */
export function writeManifest(manifest: SnapshotManifest): Uint8Array {
  const body = JSON.stringify(manifest);
  return new TextEncoder().encode(`${format}\n${sha256(body)}\n${body}\n`);
}

/** **Shape** the manifest, or a text that says why it cannot be read. */
export function readManifest(bytes: Uint8Array): SnapshotManifest | string {
  const [first, hash, body] = new TextDecoder().decode(bytes).split("\n");
  if (first?.startsWith("ibid snapshot ") === true && first !== format) return "it is of a later version of ibid";
  if (first !== format || body === undefined) return "its manifest is not one";
  if (sha256(body) !== hash) return "its manifest is damaged";
  return JSON.parse(body) as SnapshotManifest;
}

/** Names of every part. */
export function partsOf({ units }: SnapshotManifest): ReadonlySet<string> {
  return new Set(Object.values(units).flatMap((parts) => parts.map(({ name }) => name)));
}

/** The generation that a part was written for. A part that is still the same belongs to later ones as well. */
export function generationOf(name: string): number {
  return Number(/^parts\/(\d+)-/u.exec(name)?.[1] ?? Infinity);
}
