import type { CarriedFile, FoundFile } from "../add-carried.ts";
import { openCompoundFile, type Storage } from "../compound/compound-file.ts";
import { fileNameOf } from "../file-name.ts";
import type { OfficePackage, Relationship } from "./open-package.ts";

/** Streams that hold a file as it is. **Source** MS-OLEDS; MS-OI29500, 2.1.507; LibreOffice and Adobe for the last two. */
const whole = ["Package", "EmbeddedOdf", "CONTENTS"];

/** The documents and files that a part of an office file has embedded in it. */
export function embeddedIn(
  { archive, uri }: OfficePackage,
  relationships: ReadonlyMap<string, Relationship>,
): readonly CarriedFile[] {
  return [...relationships.values()]
    .filter(({ type, isExternal }) => !isExternal && (type === "package" || type === "oleObject"))
    .map(({ target }) => ({
      name: fileNameOf(target),
      read: async () => {
        const bytes = await archive.read(target);
        return bytes && unwrapObject(bytes, uri);
      },
    }));
}

/**
 * The file within an object of OLE, as a program's user put it there; other bytes stay.
 *
 * **Shape** a document of Word, Excel or PowerPoint before 2007 is its own object. **Errors** `unreadable` for a broken object.
 */
export function unwrapObject(bytes: Uint8Array, uri: string): FoundFile {
  const isCompound =
    bytes.length > 512 && bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0;
  if (!isCompound) return { bytes };
  const object = openCompoundFile(bytes, uri);
  for (const name of whole) {
    const stream = object.stream(name);
    if (stream !== undefined) return { bytes: stream };
  }
  return nativeOf(object) ?? { bytes };
}

/** The file that was dropped into a document. **Source** MS-OLEDS, 2.3.6 (native data); Microsoft's Packager for what is in it: label, path, length, bytes. */
function nativeOf(object: Storage): FoundFile | undefined {
  const stream = object.stream("\u0001Ole10Native");
  if (stream === undefined) return undefined;
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  const afterText = (from: number): number => stream.indexOf(0, from) + 1;
  const label = afterText(6);
  const path = label === 0 ? 0 : afterText(label);
  // Eight bytes of kinds and the length of the second path stand between the paths.
  const start = path === 0 ? 0 : afterText(path + 8);
  if (start === 0 || start + 4 > stream.length) return undefined;
  const length = view.getUint32(start, true);
  if (start + 4 + length > stream.length) return undefined;
  const name = new TextDecoder("windows-1252").decode(stream.subarray(6, label - 1));
  return { bytes: stream.slice(start + 4, start + 4 + length), ...(name !== "" && { name }) };
}
