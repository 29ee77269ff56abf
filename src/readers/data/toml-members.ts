import { type DataMember, shortTitle } from "./data-member.ts";

/** Above this number none is returned: they would need more memory than the text. */
const maxMembers = 200_000;

/**
 * The tables of a TOML text, those below others as deep as their names are long. Comments right before one belong to it.
 *
 * **Cost** linear, line by line.
 */
export function findTomlMembers(text: string): DataMember[] | undefined {
  const members: DataMember[] = [];
  let quote = "";
  let lead: number | undefined;
  for (let start = 0; start < text.length && members.length <= maxMembers;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    const table = quote === "" ? /^\s*\[\[?\s*([^[\]]+?)\s*\]?\]\s*(?:#.*)?$/u.exec(line)?.[1] : undefined;
    if (table !== undefined) {
      const level = Math.min(6, countParts(table));
      members.push({ title: shortTitle(table), level, start: lead ?? start, end: text.length });
    }
    lead = quote === "" && /^\s*#/u.test(line) ? (lead ?? start) : undefined;
    quote = quoteAfter(line, quote);
    start = end + 1;
  }
  return members.length > maxMembers ? undefined : members;
}

/** How many names a dotted name has; dots within quotes are of a name. */
function countParts(name: string): number {
  return name.replace(/"[^"]*"|'[^']*'/gu, "x").split(".").length;
}

/** Delimiter of a multi-line string that is open after a line, if any. */
function quoteAfter(line: string, before: string): string {
  let open = before;
  for (const [quote] of line.matchAll(/"""|'''/gu)) {
    if (open === "") open = quote;
    else if (open === quote) open = "";
  }
  return open;
}
