import { type DataMember, entryTitle, isNamingKey, shortTitle } from "./data-member.ts";

/** Below the document that they are in. */
const maxLevel = 3;
/** Above this number none is returned: they would need more memory than the text. */
const maxMembers = 200_000;
const maxKeyLength = 200;
const maxValueLength = 500;

/** A document, a key or an entry whose lines are not over. */
interface Open {
  /** How far in it stands: -1 for a document; an entry (`- `) stands between a key at its column and what is further in. */
  readonly column: number;
  /** The first line of it, and of the comment before it. */
  readonly line: number;
  readonly start: number;
  /** `undefined` for a document and an entry, which are named by what is in them. */
  readonly key: string | undefined;
  /** Its number among its siblings. */
  readonly index: number;
  readonly names: Map<string, string>;
  /** Entries that began in it. */
  count: number;
}

/**
 * Finds the mappings and lists of a YAML text by their indentation: those of more than one line, down to the third
 * level. The documents of a stream stand around them.
 *
 * Nothing is parsed: an alias is a word like others. Quoted text over several lines is skipped; in brackets it may look like keys. Then a section begins
 * where none is, and no character is lost.
 *
 * **Shape** `undefined` for too many members. **Cost** linear, line by line.
 */
export function findYamlMembers(text: string): DataMember[] | undefined {
  const members: DataMember[] = [];
  const open: Open[] = [];
  let documents = 0;
  /** Where the comment began that waits for what it is about. */
  let lead: number | undefined;
  /** The column of the key whose text block is open. */
  let blockColumn: number | undefined;
  /** The quote that closes the text whose first line has been read. */
  let quote: string | undefined;
  let lastEnd = 0;

  const begin = (column: number, line: number, key: string | undefined, index: number): void => {
    if (open.length > maxLevel) return;
    open.push({ column, line, start: lead ?? line, key, index, names: new Map(), count: 0 });
  };
  const closeFrom = (column: number): void => {
    for (let top = open.at(-1); top !== undefined && top.column >= column; top = open.at(-1)) {
      const level = open.length;
      open.pop();
      if (!text.slice(top.line, lastEnd).includes("\n")) continue;
      members.push({ title: titleOf(top), level, start: top.start, end: lastEnd });
    }
  };
  const beginDocument = (line: number): void => {
    begin(-1, line, undefined, documents);
    documents += 1;
  };

  for (let start = 0; start < text.length && members.length <= maxMembers;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end).trimEnd();
    const content = line.trimStart();
    const column = line.length - content.length;
    if (quote !== undefined && !/^(?:---|\.\.\.)(?=\s|$)/u.test(line)) {
      if (closesQuote(content, quote)) quote = undefined;
      if (content !== "") lastEnd = end;
    } else if (content === "") {
      lead = blockColumn === undefined ? undefined : lead;
    } else if (blockColumn !== undefined && column > blockColumn) {
      lastEnd = end;
    } else if (/^(?:---|\.\.\.)(?=\s|$)/u.test(line)) {
      closeFrom(-1);
      if (line.startsWith("-")) beginDocument(start);
      blockColumn = undefined;
      quote = undefined;
      lead = undefined;
      lastEnd = end;
    } else if (content.startsWith("#")) {
      lead ??= start;
    } else {
      if (open.length === 0) beginDocument(start);
      const dash = /^-(?:\s+|$)/u.exec(content)?.[0].length ?? 0;
      closeFrom(dash === 0 ? column : column + 0.5);
      const around = open.at(-1);
      if (dash > 0 && around !== undefined) {
        begin(column + 0.5, start, undefined, around.count);
        around.count += 1;
      }
      const pair = readPair(content.slice(dash));
      if (pair !== undefined) {
        keepName(open, column + dash, pair);
        if (dash === 0) begin(column, start, pair.key, 0);
      }
      quote = openQuote(content.slice(dash), pair);
      blockColumn = /(?:^|\s)[|>][-+0-9]{0,2}(?:\s+#.*)?$/u.test(content.slice(-maxValueLength)) ? column : undefined;
      lead = undefined;
      lastEnd = end;
    }
    start = end + 1;
  }
  closeFrom(-1);
  if (members.length > maxMembers) return undefined;
  // One document needs no section around it.
  const found =
    documents > 1
      ? members
      : members.filter(({ level }) => level > 1).map((member) => ({ ...member, level: member.level - 1 }));
  return found.sort((a, b) => a.start - b.start || a.level - b.level);
}

/** Keeps what names the entry or document that the key stands in directly, and what Kubernetes calls a document, one level down. */
function keepName(open: readonly Open[], column: number, { key, value }: Pair): void {
  const keep = (holder: Open): void => {
    if (value !== "" && !holder.names.has(key)) holder.names.set(key, value);
  };
  const [document, metadata] = open;
  if (document !== undefined && metadata?.key === "metadata" && key === "name") keep(document);
  const holder = open.at(-1);
  if (holder === undefined || holder.key !== undefined) return;
  if (isNamingKey(key) || (key === "kind" && column === 0)) keep(holder);
}

function titleOf({ column, key, names, index }: Open): string {
  if (key !== undefined) return shortTitle(key);
  const title = entryTitle(names, index);
  if (column >= 0) return title;
  const [kind, name] = [names.get("kind"), names.get("name")];
  if (kind !== undefined) return shortTitle(name === undefined ? kind : `${kind} ${name}`);
  return title === `[${index}]` ? `document ${index + 1}` : title;
}

interface Pair {
  readonly key: string;
  /** Text on the same line. */
  readonly value: string;
  /** Where that begins, behind the colon. */
  readonly valueStart: number;
}

/** `key: value`, the key in quotes or not; `undefined` for other lines. */
function readPair(content: string): Pair | undefined {
  const quoted = /^(["'])((?:\\.|(?!\1)[^\\]){0,200})\1\s*:(?:\s|$)/u.exec(content.slice(0, maxValueLength));
  if (quoted !== null) {
    const valueStart = quoted[0].length;
    return { key: quoted[2] ?? "", value: readScalar(content.slice(valueStart)), valueStart };
  }
  const colon = /:(?=\s|$)/u.exec(content.slice(0, maxKeyLength + 1))?.index ?? 0;
  const key = content.slice(0, colon).trimEnd();
  if (key === "" || /^[#&*!|>'"%@`{}[\],?]|\s#/u.test(key)) return undefined;
  return { key, value: readScalar(content.slice(colon + 1)), valueStart: colon + 1 };
}

/** The quote with which a value begins that goes on in the next line; a tag and an anchor may stand before it. */
function openQuote(content: string, pair: Pair | undefined): string | undefined {
  const from = pair === undefined ? 0 : pair.valueStart;
  const before = /^(?:\s|[!&][^\s]{0,200}\s)*/u.exec(content.slice(from, from + maxValueLength))?.[0].length ?? 0;
  const quote = content.charAt(from + before);
  if (quote !== '"' && quote !== "'") return undefined;
  return closesQuote(content.slice(from + before + 1), quote) ? undefined : quote;
}

/** Whether the text in quotes ends in this line: `''` is a quote in one, `\"` in the other. */
function closesQuote(line: string, quote: string): boolean {
  for (let at = 0; at < line.length; at++) {
    if (quote === '"' && line[at] === "\\") at++;
    else if (line[at] === quote) {
      if (quote === '"' || line[at + 1] !== quote) return true;
      at++;
    }
  }
  return false;
}

function readScalar(source: string): string {
  const value = source.slice(0, maxValueLength).trim();
  const quoted = /^(["'])(.*?)\1/u.exec(value)?.[2];
  return quoted ?? value.split(/\s#/u, 1)[0] ?? value;
}
