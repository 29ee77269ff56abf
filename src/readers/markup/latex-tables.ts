/** A part of a source. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The caption with which a table over several pages begins, and where its rows follow. */
export function captionOf(
  source: string,
  start: number,
  end: number,
): (Stretch & { readonly after: number }) | undefined {
  const found = /^\s*\\caption\*?\s*(?:\[[^\]]*\])?\s*\{/u.exec(source.slice(start, Math.min(end, start + 500)));
  if (found === null) return undefined;
  const from = start + found[0].length;
  const stop = endOfGroup(source, from, end);
  const rest = /^\s*(?:\\label\s*\{[^}]*\})?\s*(?:\\\\|\\tabularnewline)?/u.exec(
    source.slice(stop + 1, Math.min(end, stop + 300)),
  );
  return { start: from, end: stop, after: stop + 1 + (rest?.[0].length ?? 0) };
}

/** More rows above a line are no header. */
const mostHeaders = 3;
const rowMark =
  /\\(hline|toprule|midrule|bottomrule|c?line\{[^}]*\}|cmidrule(?:\([^)]*\))?\{[^}]*\}|endhead|endfirsthead|endfoot|endlastfoot)/gu;

/**
 * The rows of a table, and how many of them are its header: those above the first line between rows.
 *
 * **Shape** a header and a foot that only later pages repeat are left out. **Source** the manuals of booktabs and longtable.
 */
export function rowsOf(
  source: string,
  start: number,
  end: number,
): { readonly rows: readonly Stretch[]; readonly headers: number } {
  const hasHead = source.slice(start, end).includes("\\endhead");
  const hasFoot = source.slice(start, end).includes("\\endfoot");
  const rows: Stretch[] = [];
  let headers = 0;
  let isRepeated = false;
  for (const row of splitAt(source, start, end, ["\\\\", "\\tabularnewline"])) {
    const text = source.slice(row.start, row.end);
    for (const [, mark = ""] of text.matchAll(rowMark)) {
      if (headers === 0 && /^(?:hline|midrule|endhead|endfirsthead)$/u.test(mark)) headers = rows.length;
      if (mark === "endfirsthead") isRepeated = hasHead;
      else if (mark === "endhead") isRepeated = hasFoot;
      else if (mark === "endfoot") isRepeated = false;
    }
    const words = text.replace(rowMark, "").replace(/(?<!\\)%.*$/gmu, "");
    if (words.trim() !== "" && !isRepeated) rows.push(row);
  }
  return { rows, headers: headers <= mostHeaders && headers < rows.length ? headers : 0 };
}

/** Where the group that has begun before `from` ends. */
export function endOfGroup(source: string, from: number, limit = source.length): number {
  let depth = 1;
  for (let at = from; at < limit; at++) {
    const sign = source[at];
    if (sign === "\\") at++;
    else if (sign === "{") depth++;
    else if (sign === "}" && --depth === 0) return at;
  }
  return limit;
}

/** Stretches between marks that stand outside of groups and of escapes. */
export function* splitAt(source: string, start: number, end: number, marks: readonly string[]): Generator<Stretch> {
  let from = start;
  let depth = 0;
  for (let at = start; at < end; at++) {
    const mark = depth === 0 ? marks.find((one) => source.startsWith(one, at)) : undefined;
    if (mark !== undefined) {
      yield { start: from, end: at };
      at += mark.length - 1;
      from = at + 1;
      continue;
    }
    const sign = source[at];
    if (sign === "\\") at++;
    else if (sign === "{") depth++;
    else if (sign === "}") depth = Math.max(0, depth - 1);
    else if (sign === "%") {
      const newline = source.indexOf("\n", at);
      at = newline === -1 ? end : newline;
    }
  }
  yield { start: from, end };
}
