/** Longest code of a field that is kept. **Units** UTF-16 code units. */
export const longestFieldCode = 2000;
/** Functions within functions; deeper ones show nothing. */
const maxDepth = 16;

/**
 * The text that a field `EQ` shows: Word has formulas in it, and readings over signs (furigana), of which the signs are shown.
 *
 * **Shape** `""` for the code of any other field. A fraction is `a/b`, a root `√a`; of signs over one another the raised ones are left out.
 * **Source** ECMA-376, part 1, 17.16.5.20 (EQ).
 */
export function showEquation(code: string): string {
  const body = /^\s*EQ\s+(.*)$/isu.exec(code.slice(0, longestFieldCode))?.[1];
  if (body === undefined) return "";
  // Switches such as `\* jc2` and `\* "Font:MS Mincho"` set the look.
  const text = body.replace(/\\\*\s*(?:"[^"]*"|\S+)/gu, " ");
  return readPieces(text, 0, 0)
    .map(({ shown }) => shown)
    .join("")
    .replace(/\s+/gu, " ")
    .trim();
}

interface EquationPiece {
  readonly shown: string;
  /** Set above or below the line. */
  readonly isRaised: boolean;
}

const functionName = /\\([a-z])/iuy;
const options = /(?:\s*\\[a-z]{2}\s*-?\d*(?:\\[^a-z])?)*\s*\(/iuy;

/** Text and functions, one after another. */
function readPieces(text: string, from: number, depth: number): EquationPiece[] {
  const pieces: EquationPiece[] = [];
  let plain = "";
  for (let at = from; at < text.length;) {
    functionName.lastIndex = at;
    const name = functionName.exec(text)?.[1]?.toLowerCase();
    options.lastIndex = at + 2;
    if (name !== undefined && options.test(text)) {
      const open = options.lastIndex;
      const end = closeOf(text, open);
      if (plain !== "") pieces.push({ shown: plain, isRaised: false });
      plain = "";
      const given = depth < maxDepth ? splitArguments(text.slice(open, end)) : [];
      pieces.push({
        shown: showFunction(
          name,
          given.map((argument) => readPieces(argument, 0, depth + 1)),
        ),
        isRaised: name === "s",
      });
      at = end + 1;
    } else if (text[at] === "\\") {
      // A backslash before a sign of the grammar makes it one of the text.
      plain += /[(),;\\]/u.test(text[at + 1] ?? "") ? text[at + 1]! : "";
      at += 2;
    } else plain += text[at++]!;
  }
  if (plain !== "") pieces.push({ shown: plain, isRaised: false });
  return pieces;
}

function showFunction(name: string, given: readonly (readonly EquationPiece[])[]): string {
  const shown = given.map((pieces) => pieces.map((piece) => piece.shown).join("")).map((text) => text.trim());
  if (name === "o") {
    const level = given.flatMap((pieces) =>
      pieces.filter(({ isRaised, shown: text }) => !isRaised && text.trim() !== ""),
    );
    return (level.length > 0 ? level : given.flat()).map((piece) => piece.shown.trim()).join("");
  }
  if (name === "f") return shown.join("/");
  if (name === "r") return `${shown.slice(0, -1).join("")}√${shown.at(-1) ?? ""}`;
  if (name === "b") return `(${shown.join(", ")})`;
  return shown.filter((text) => text !== "").join(name === "s" ? "" : " ");
}

/** Where the bracket ends that opens before `from`. */
function closeOf(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at;
  }
  return text.length;
}

/** Arguments stand between commas, or between semicolons where a comma is the decimal sign. */
function splitArguments(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === "\\") at++;
    else if (sign === "(") depth++;
    else if (sign === ")") depth--;
    else if (depth === 0 && (sign === "," || sign === ";")) {
      found.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...found, text.slice(start)];
}
