/** A member of an object, by places of the text. */
interface Member {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The same text with spaces in place of comments and of commas before a closing bracket, so that every place stays.
 *
 * **Source** JSON with comments, as VS Code reads it.
 */
export function blankComments(text: string): string {
  const blank = (part: string): string => part.replaceAll(/[^\r\n]/gu, " ");
  const bare = text
    .replace(/^\uFEFF/u, " ")
    .replaceAll(/"(?:[^"\\\r\n]|\\.)*"|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//gu, (part) =>
      part.startsWith('"') ? part : blank(part),
    );
  return bare.replaceAll(/"(?:[^"\\\r\n]|\\.)*"|,(?=\s*[}\]])/gu, (part) => (part === "," ? " " : part));
}

/**
 * Sets a member of an object in a text of JSON, with or without comments, and leaves the rest of the text as it is.
 *
 * **Shape** the objects on the way are made where they are not there. The text is valid without its comments, and the values on the way are objects.
 */
export function setInJson(text: string, [name = "", ...rest]: readonly string[], value: unknown): string {
  return setMember(text, blankComments(text).indexOf("{"), [name, ...rest], value);
}

function setMember(text: string, open: number, [name = "", ...rest]: readonly string[], value: unknown): string {
  const bare = blankComments(text);
  const { members, close } = readMembers(bare, open);
  // The last one of a name counts, as for JSON.parse.
  const found = members.findLast((member) => member.name === name);
  if (found !== undefined && rest.length > 0) return setMember(text, found.start, rest, value);
  const line = /\r\n|\n/u.exec(text)?.[0] ?? "\n";
  const unit = /^[\t ]+(?=")/mu.exec(bare)?.[0] ?? "  ";
  const outer = indentAt(text, found?.start ?? open);
  const inner = found === undefined ? outer + unit : outer;
  const whole = rest.reduceRight<unknown>((part, key) => ({ [key]: part }), value);
  const written = JSON.stringify(whole, undefined, unit).replaceAll("\n", line + inner);
  if (found !== undefined) return text.slice(0, found.start) + written + text.slice(found.end);
  // Behind the last comment, which belongs to the member before it.
  const last = members.at(-1)?.end;
  const hasComma = last !== undefined && holdsComma(text.slice(last, close));
  const at = text.slice(0, close).trimEnd().length;
  const before = last === undefined || hasComma ? text.slice(0, at) : `${text.slice(0, last)},${text.slice(last, at)}`;
  return `${before}${line}${inner}${JSON.stringify(name)}: ${written}${line}${outer}${text.slice(close)}`;
}

/** Whether there is a comma outside comments, in a text without strings. */
function holdsComma(between: string): boolean {
  return between.replaceAll(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//gu, "").includes(",");
}

/** White space at the beginning of the line of a place. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[\t ]*/u.exec(line)?.[0] ?? "";
}

/** Members of the object that opens at a place of valid JSON, and the place of its closing bracket. */
function readMembers(bare: string, open: number): { readonly members: readonly Member[]; readonly close: number } {
  const members: Member[] = [];
  let at = open + 1;
  for (;;) {
    const name = /\s*,?\s*("(?:[^"\\]|\\.)*")\s*:\s*/uy;
    name.lastIndex = at;
    const [head, written] = name.exec(bare) ?? [];
    if (head === undefined) return { members, close: bare.indexOf("}", at) };
    const start = at + head.length;
    at = endOfValue(bare, start);
    members.push({ name: JSON.parse(written!) as string, start, end: at });
  }
}

function endOfValue(bare: string, start: number): number {
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]]|[^\s,:{}[\]"]+|[\s,:]+/uy;
  token.lastIndex = start;
  let depth = 0;
  do {
    const [part = ""] = token.exec(bare) ?? [];
    if (part === "{" || part === "[") depth += 1;
    else if (part === "}" || part === "]") depth -= 1;
    if (part === "") return bare.length;
  } while (depth > 0);
  return token.lastIndex;
}
