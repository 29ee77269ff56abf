import { otherwiseProtected, unreadable } from "../office/refusals.ts";
import { openOldCipher } from "./old-password.ts";

/** A record of a presentation: a container of others, or bytes. */
export interface PptRecord {
  readonly type: number;
  readonly instance: number;
  readonly isContainer: boolean;
  readonly body: Uint8Array;
}

/** Types of records that are read. **Source** MS-PPT, 2.13.24; MS-ODRAW, 2.2. */
export const recordType = {
  document: 0x03e8,
  slide: 0x03ee,
  notes: 0x03f0,
  notesAtom: 0x03f1,
  slidePersist: 0x03f3,
  embeddedObjects: 0x0409,
  embeddedObject: 0x0fcc,
  slideShowInfo: 0x03f9,
  drawing: 0x040c,
  placeholder: 0x0bc3,
  outlineReference: 0x0f9e,
  textHeader: 0x0f9f,
  textChars: 0x0fa0,
  textBytes: 0x0fa8,
  slideList: 0x0ff0,
  userEdit: 0x0ff5,
  persistDirectory: 0x1772,
  group: 0xf003,
  shape: 0xf004,
  shapeFacts: 0xf00a,
  shapeOptions: 0xf122,
  tagBlob: 0x138b,
  comment: 0x2ee0,
  clientText: 0xf00d,
  childAnchor: 0xf00f,
  clientData: 0xf011,
} as const;

/** Containers within containers; no drawing nests deeper. */
const maxDepth = 64;

/** The records in a container, one after another; a length that leaves it ends them. **Source** MS-PPT, 2.3.1. */
export function* recordsIn(bytes: Uint8Array): Generator<PptRecord> {
  const view = viewOf(bytes);
  for (let at = 0; at + 8 <= bytes.length;) {
    const head = view.getUint16(at, true);
    const length = view.getUint32(at + 4, true);
    yield {
      type: view.getUint16(at + 2, true),
      instance: head >> 4,
      isContainer: (head & 0xf) === 0xf,
      body: bytes.subarray(at + 8, Math.min(bytes.length, at + 8 + length)),
    };
    at += 8 + length;
  }
}

/** The first record of a type below a container, at any depth. */
export function findRecord(bytes: Uint8Array, type: number, depth = 0): PptRecord | undefined {
  for (const record of recordsIn(bytes)) {
    if (record.type === type) return record;
    const found = record.isContainer && depth < maxDepth ? findRecord(record.body, type, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The parts of a presentation by their number, each in its latest version: a file that was saved in haste holds older ones too.
 *
 * Each part of a presentation with a password has a key of its own.
 *
 * **Errors** `unreadable`; `encrypted` without the password or with a wrong one.
 * **Source** MS-PPT, 2.1.2 (part 1), 2.3.3 (UserEditAtom), 2.3.4 and 2.3.7 (CryptSession10Container).
 */
export function readParts(
  stream: Uint8Array,
  currentEdit: number,
  uri: string,
  isLocked: boolean,
  password: string | undefined,
): {
  /** The number of the document itself. */
  readonly documentId: number;
  readonly part: (id: number) => PptRecord | undefined;
} {
  const view = viewOf(stream);
  const offsets = new Map<number, number>();
  const seen = new Set<number>();
  let documentId = 0;
  let sessionId = 0;
  for (let edit = currentEdit; edit !== 0 && !seen.has(edit);) {
    seen.add(edit);
    if (edit + 36 > stream.length || view.getUint16(edit + 2, true) !== recordType.userEdit)
      throw unreadable(uri, "has a broken list of its parts");
    const directory = view.getUint32(edit + 20, true);
    documentId ||= view.getUint32(edit + 24, true);
    if (isLocked && view.getUint32(edit + 4, true) >= 32 && edit + 40 <= stream.length)
      sessionId ||= view.getUint32(edit + 36, true);
    if (directory + 8 > stream.length) throw unreadable(uri, "has a broken list of its parts");
    const end = Math.min(stream.length, directory + 8 + view.getUint32(directory + 4, true));
    for (let at = directory + 8; at + 4 <= end;) {
      const entry = view.getUint32(at, true);
      const first = entry & 0xfffff;
      at += 4;
      for (let index = 0; index < entry >>> 20 && at + 4 <= end; index++, at += 4) {
        if (!offsets.has(first + index)) offsets.set(first + index, view.getUint32(at, true));
      }
    }
    edit = view.getUint32(edit + 16, true);
  }
  const storedPart = (id: number): Uint8Array | undefined => {
    const at = offsets.get(id);
    return at === undefined || at + 8 > stream.length ? undefined : stream.subarray(at);
  };
  const firstOf = (bytes: Uint8Array): PptRecord | undefined => {
    for (const record of recordsIn(bytes)) return record;
    return undefined;
  };
  const session = isLocked ? storedPart(sessionId) : undefined;
  if (isLocked && session === undefined) throw otherwiseProtected(uri, "is protected in a way that is not known here");
  const cipher = session && openOldCipher(firstOf(session)?.body ?? session, uri, password);
  return {
    documentId,
    part(id) {
      const stored = storedPart(id);
      if (stored === undefined || cipher === undefined) return stored && firstOf(stored);
      const length = viewOf(cipher.decryptBlock(stored.subarray(0, 8), id)).getUint32(4, true);
      return firstOf(cipher.decryptBlock(stored.subarray(0, 8 + length), id));
    },
  };
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
