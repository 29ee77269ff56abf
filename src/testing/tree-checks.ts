import type { Block, Section, SourceMap } from "../contracts/document.ts";
import { check } from "./assert.ts";

/** **Errors** a violation unless sections nest, are in order, do not overlap, and carry ids of their own. */
export function checkTree(root: Section, text: string): void {
  check(root.level === 0, "the root is of level 0", root.level);
  check(root.start === 0 && root.end === text.length, "the root spans the whole text", [
    root.start,
    root.end,
    text.length,
  ]);
  const ids = new Set<string>();
  const pending: Section[] = [root];
  for (let section = pending.pop(); section !== undefined; section = pending.pop()) {
    const { id, start, end, contentStart, children, level } = section;
    check(id.trim() !== "" && !ids.has(id), "every section has an id of its own", id);
    ids.add(id);
    check(start <= contentStart && contentStart <= end, `section ${id}: start ≤ contentStart ≤ end`, [
      start,
      contentStart,
      end,
    ]);
    check(section === root || (level >= 1 && level <= 6), `section ${id}: level 1 to 6`, level);
    let after = start;
    for (const child of children) {
      check(child.start >= after && child.end <= end, `section ${child.id} lies in its parent, after its sibling`, [
        child.start,
        child.end,
      ]);
      check(child.level > level, `section ${child.id} is deeper than its parent`, child.level);
      after = child.end;
      pending.push(child);
    }
  }
}

/** **Errors** a violation unless blocks are in order and apart, inside the text, with nothing but white space between them. */
export function checkBlocks(blocks: readonly Block[] | undefined, text: string): void {
  if (blocks === undefined) return;
  let after = 0;
  for (const { kind, start, end, bodyStart } of [
    ...blocks,
    { kind: "end", start: text.length, end: text.length, bodyStart: undefined },
  ]) {
    check(start >= after && end >= start && end <= text.length, `blocks are in order and apart (${kind})`, [
      after,
      start,
      end,
    ]);
    check(text.slice(after, start).trim() === "", "nothing but white space between blocks", text.slice(after, start));
    check(bodyStart === undefined || (bodyStart >= start && bodyStart <= end), `a ${kind} holds its body`, bodyStart);
    after = end;
  }
}

/** **Errors** a violation unless pages, slides, times, sheets, parts and anchors ascend, inside the text, numbered from 1. */
export function checkSourceMap(map: SourceMap, text: string): void {
  const ascends = (list: readonly { readonly start: number }[]): boolean =>
    list.every(({ start }, i) => start >= (list[i - 1]?.start ?? 0) && start <= text.length);
  const { pages, slides, times, sheets, parts, anchors, lines } = map;
  check(["text", "anchors", "none"].includes(lines), "how lines are found is one of the three", lines);
  for (const [what, list] of Object.entries({ pages, slides })) {
    check(list === undefined || ascends(list), `${what} ascend`, list);
    check(
      (list ?? []).every(({ number }, i, all) => number > (all[i - 1]?.number ?? 0)),
      `${what} are numbered from 1, upwards`,
      list,
    );
  }
  const hasTimes = (times ?? []).every(({ from, to }) => from >= 0 && to >= from);
  check(
    times === undefined || (ascends(times) && hasTimes),
    "times ascend in the text, and none ends before it begins",
    times,
  );
  for (const spans of [sheets ?? [], parts ?? []]) {
    for (const [i, { name, start, end }] of spans.entries()) {
      const follows = start >= (spans[i - 1]?.end ?? 0) && end >= start && end <= text.length;
      check(name !== "" && follows, "sheets and parts have names, are in order and apart", spans[i]);
    }
  }
  for (const { name, start, end, rows, columns } of sheets ?? []) {
    const inside = rows.every((row, i) => row.start >= (rows[i - 1]?.start ?? start) && row.start <= end);
    check(inside && rows.every(({ row }) => row >= 1), `rows of ${name} ascend, inside it, from 1`, rows);
    check(columns[0] >= 1 && columns[1] >= columns[0], `columns of ${name} are counted from 1`, columns);
  }
  for (const [i, { start, end, url }] of (map.links ?? []).entries()) {
    const follows = start >= (map.links?.[i - 1]?.end ?? 0) && end > start && end <= text.length;
    check(url !== "" && follows, "links have an address, are in order and apart", map.links?.[i]);
  }
  for (const [i, { start, end }] of (map.marks ?? []).entries()) {
    const follows = start >= (map.marks?.[i - 1]?.end ?? 0) && end > start && end <= text.length;
    check(follows, "marks are in order and apart", map.marks?.[i]);
  }
  for (const [i, { start, end, header }] of (map.tables ?? []).entries()) {
    const follows = start >= (map.tables?.[i - 1]?.end ?? 0) && end > start && end <= text.length;
    const isHeaded = header === undefined || (header.start === start && header.end > start && header.end < end);
    check(follows && isHeaded, "tables are in order and apart, and begin with their header", map.tables?.[i]);
  }
  for (const { start, end, sourceMap } of parts ?? []) checkSourceMap(sourceMap, text.slice(start, end));
  if (anchors !== undefined) {
    check(ascends(anchors) && anchors.every(({ line }) => line >= 1), "anchors ascend, lines from 1", anchors);
  }
  check(lines !== "anchors" || anchors !== undefined, "anchors are there when lines are found by them");
}

/** Whether a text has half of a surrogate pair standing alone. */
export function hasLoneSurrogate(text: string): boolean {
  return !text.isWellFormed();
}
