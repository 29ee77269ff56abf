import type { CountedList, ListLevel } from "../office/docx-numbering.ts";

/** Names of number formats by their codes. **Source** MS-OSHARED, 2.2.1.3 (MSONFC). */
const formats: ReadonlyMap<number, string> = new Map([
  [1, "upperRoman"],
  [2, "lowerRoman"],
  [3, "upperLetter"],
  [4, "lowerLetter"],
  [5, "ordinal"],
  [22, "decimalZero"],
  [23, "bullet"],
  [255, "none"],
]);

/** **Units** bytes. **Source** MS-DOC, 2.9.147 (LSTF), 2.9.150 (LVLF), 2.9.131 (LFO), 2.9.133 (LFOLVL). */
const sizes = { list: 28, level: 28, use: 16, override: 8 } as const;
const maxLevels = 9;
/** A document has no more lists; what states more is broken. */
const maxLists = 5000;

/**
 * The lists of a document by the number that its paragraphs name, from 1.
 *
 * `tables` is the table stream; `lists` and `uses` are where its two tables begin. Definitions of levels follow the table of lists.
 *
 * **Shape** lists that share a definition go on counting where the other stopped. A broken table has the lists before its end.
 * **Source** MS-DOC, 2.9.192 (PlfLst) and 2.9.191 (PlfLfo).
 */
export function readDocLists(tables: Uint8Array, lists: number, uses: number): readonly CountedList[] {
  const view = new DataView(tables.buffer, tables.byteOffset, tables.byteLength);
  const found: CountedList[] = [];
  try {
    const definitions = readDefinitions(view, lists);
    const count = Math.min(view.getUint32(uses, true), maxLists);
    let at = uses + 4 + count * sizes.use;
    for (let index = 0; index < count; index++) {
      const use = uses + 4 + index * sizes.use;
      const definition = definitions.get(view.getInt32(use, true));
      const levels = new Map(definition?.levels);
      const restarts = new Map<number, number>();
      found.push({ counters: definition?.counters ?? [], levels, restarts });
      at += 4;
      for (let override = view.getUint8(use + 12); override > 0; override--) {
        const flags = view.getUint32(at + 4, true);
        const level = flags & 0xf;
        if ((flags & 0x10) !== 0) restarts.set(level, Math.max(0, view.getInt32(at, true)));
        at += sizes.override;
        if ((flags & 0x20) === 0) continue;
        const { own, end } = readLevel(view, at, level);
        levels.set(level, own);
        at = end;
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return found;
}

interface Definition {
  readonly counters: (number | undefined)[];
  readonly levels: Map<number, ListLevel>;
}

function readDefinitions(view: DataView, lists: number): ReadonlyMap<number, Definition> {
  const definitions = new Map<number, Definition>();
  const count = Math.min(view.getUint16(lists, true), maxLists);
  let at = lists + 2 + count * sizes.list;
  for (let index = 0; index < count; index++) {
    const list = lists + 2 + index * sizes.list;
    const isSimple = (view.getUint8(list + 26) & 1) !== 0;
    const levels = new Map<number, ListLevel>();
    definitions.set(view.getInt32(list, true), { counters: [], levels });
    for (let level = 0; level < (isSimple ? 1 : maxLevels); level++) {
      const { own, end } = readLevel(view, at, level);
      levels.set(level, own);
      at = end;
    }
  }
  return definitions;
}

/** **Errors** `RangeError` for one that is cut off. */
function readLevel(view: DataView, at: number, level: number): { readonly own: ListLevel; readonly end: number } {
  const flags = view.getUint8(at + 5);
  const text = at + sizes.level + view.getUint8(at + 24) + view.getUint8(at + 25);
  const length = view.getUint16(text, true);
  let pattern = "";
  for (let index = 0; index < length; index++) {
    const code = view.getUint16(text + 2 + index * 2, true);
    // The number of a level stands as its index.
    pattern += code < maxLevels ? `%${code + 1}` : String.fromCharCode(code);
  }
  const isUnlimited = (flags & 0x08) === 0;
  return {
    own: {
      start: Math.max(0, view.getInt32(at, true)),
      format: formats.get(view.getUint8(at + 4)) ?? "decimal",
      pattern,
      gap: view.getUint8(at + 15) === 2 ? "" : " ",
      isLegal: (flags & 0x04) !== 0,
      restart: isUnlimited || level === 0 ? undefined : view.getUint8(at + 26),
      styleId: undefined,
    },
    end: text + 2 + length * 2,
  };
}
