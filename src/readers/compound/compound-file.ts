import { unreadable } from "../office/refusals.ts";

/** A storage of a compound file: streams and storages by their names. */
export interface Storage {
  /** Names of streams and storages, in no order that means anything. */
  readonly names: readonly string[];
  /** The bytes of a stream; `undefined` when there is none of this name. **Errors** `unreadable` for a broken chain of sectors. */
  stream(name: string): Uint8Array<ArrayBuffer> | undefined;
  storage(name: string): Storage | undefined;
}

interface Entry {
  readonly name: string;
  readonly isStream: boolean;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}

const endOfChain = 0xfffffffe;
const entrySize = 128;

/**
 * Opens the container of Word, PowerPoint and Excel before 2007, of Outlook messages and of files with a password.
 *
 * **Errors** `unreadable` for what is none, or broken; a chain of sectors that loops is broken.
 * **Cost** the tables and the directory; a stream is copied when it is asked for.
 * **Source** MS-CFB, Compound File Binary File Format.
 */
export function openCompoundFile(bytes: Uint8Array, uri: string): Storage {
  const broken = (what: string): Error => unreadable(uri, `is a broken file of Outlook or of older Office: ${what}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 512 || view.getUint32(0, true) !== 0xe011cfd0) throw broken("it does not begin as one");
  const sectorSize = 2 ** view.getUint16(30, true);
  const miniSize = 2 ** view.getUint16(32, true);
  if (![512, 4096].includes(sectorSize) || miniSize !== 64) throw broken("its sectors have no size that is in use");
  const sectors = Math.ceil(bytes.length / sectorSize);

  const sectorAt = (sector: number): number => {
    const at = (sector + 1) * sectorSize;
    if (at >= bytes.length) throw broken(`it has no sector ${sector}`);
    return at;
  };
  /** The numbers of a sector that is a table of them; what the file lacks at its end is free. */
  const numbersIn = (sector: number): number[] => {
    const at = sectorAt(sector);
    return Array.from({ length: sectorSize / 4 }, (_, index) =>
      at + index * 4 + 4 <= bytes.length ? view.getUint32(at + index * 4, true) : endOfChain,
    );
  };

  const tables = Array.from({ length: 109 }, (_, index) => view.getUint32(76 + index * 4, true));
  let further = view.getUint32(68, true);
  for (let count = 0; further < endOfChain - 1 && count < sectors; count++) {
    const numbers = numbersIn(further);
    further = numbers.pop() ?? endOfChain;
    tables.push(...numbers);
  }
  const next: number[] = [];
  for (const sector of tables.slice(0, Math.min(tables.length, view.getUint32(44, true)))) {
    if (sector < endOfChain - 1) next.push(...numbersIn(sector));
  }

  /** The bytes of a chain of sectors. */
  const chain = (start: number, size = Infinity): Uint8Array<ArrayBuffer> => {
    const found: number[] = [];
    for (
      let sector = start;
      sector < endOfChain - 1 && found.length * sectorSize < size;
      sector = next[sector] ?? endOfChain
    ) {
      found.push(sectorAt(sector));
      if (found.length > sectors) throw broken("its sectors follow each other in a circle");
    }
    return gather(bytes, found, sectorSize, Math.min(size, found.length * sectorSize));
  };

  const directory = chain(view.getUint32(48, true));
  const entries = readDirectory(directory);
  const root = entries[0];
  if (root === undefined) throw broken("it has no directory");
  let mini: { readonly stream: Uint8Array; readonly next: DataView } | undefined;
  const readMini = (start: number, size: number): Uint8Array<ArrayBuffer> => {
    const table = chain(view.getUint32(60, true));
    mini ??= { stream: chain(root.start, root.size), next: new DataView(table.buffer, 0, table.length) };
    const found: number[] = [];
    for (let sector = start; sector < endOfChain - 1 && found.length * miniSize < size;) {
      found.push(sector * miniSize);
      if (found.length > mini.stream.length / miniSize) throw broken("its small sectors follow each other in a circle");
      sector = sector * 4 + 4 <= mini.next.byteLength ? mini.next.getUint32(sector * 4, true) : endOfChain;
    }
    return gather(mini.stream, found, miniSize, size);
  };
  const cutoff = view.getUint32(56, true);

  const storageOf = (entry: Entry): Storage => {
    const children = new Map<string, Entry>();
    const seen = new Set<number>();
    const waiting = [entry.child];
    for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
      const child = entries[number];
      if (child === undefined || seen.has(number)) continue;
      seen.add(number);
      children.set(child.name, child);
      waiting.push(child.left, child.right);
    }
    return {
      names: [...children.keys()],
      stream(name) {
        const found = children.get(name);
        if (found?.isStream !== true) return undefined;
        if (found.size > bytes.length) throw broken(`its stream ${name} is larger than the file`);
        return found.size < cutoff ? readMini(found.start, found.size) : chain(found.start, found.size);
      },
      storage(name) {
        const found = children.get(name);
        return found === undefined || found.isStream ? undefined : storageOf(found);
      },
    };
  };
  return storageOf(root);
}

/** **Shape** zeros where the chain ends too soon. */
function gather(bytes: Uint8Array, starts: readonly number[], length: number, size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  for (const [index, start] of starts.entries()) {
    const at = index * length;
    if (at < size) whole.set(bytes.subarray(start, start + Math.min(length, size - at)), at);
  }
  return whole;
}

function readDirectory(directory: Uint8Array<ArrayBuffer>): Entry[] {
  const view = new DataView(directory.buffer);
  const decoder = new TextDecoder("utf-16le");
  return Array.from({ length: Math.floor(directory.length / entrySize) }, (_, index) => {
    const at = index * entrySize;
    const length = Math.min(64, view.getUint16(at + 64, true));
    return {
      name: decoder.decode(directory.subarray(at, at + Math.max(0, length - 2))),
      isStream: directory[at + 66] === 2,
      left: view.getUint32(at + 68, true),
      right: view.getUint32(at + 72, true),
      child: view.getUint32(at + 76, true),
      start: view.getUint32(at + 116, true),
      size: view.getUint32(at + 120, true),
    };
  });
}
