import { type DataMember, entryTitle, isNamingKey, shortTitle } from "./data-member.ts";

const maxLevel = 3;
/** A list or object on one line is a section from this length on; shorter ones belong to what is around them. */
const leastLength = 80;
/** Above this number none is returned: they would need more memory than the text. */
const maxMembers = 200_000;
const maxTokenLength = 1000;

/** A token: a string with its quotes, a number, a word. */
interface Token {
  readonly start: number;
  readonly end: number;
}

/** An object or list that is not closed yet. */
interface Open {
  readonly isList: boolean;
  /** Where it begins, its key and comment included. */
  readonly start: number;
  readonly key: Token | undefined;
  /** Its number in the list around it. */
  readonly index: number;
  /** Values that may name it, by their keys; made when there is one. */
  names: Map<string, string> | undefined;
  /** Members so far, and the key of the next one. */
  count: number;
  memberKey: Token | undefined;
  memberStart: number | undefined;
}

/**
 * The objects and lists of some size in a JSON text, down to the third level, outer ones first. JSON5's comments, quotes and bare keys are let pass.
 *
 * **Shape** none for what is no object or list, and for brackets that do not match; `undefined` for more than anybody keeps. **Cost** linear; what is deeper is only counted.
 */
export function findJsonMembers(text: string): DataMember[] | undefined {
  const members: DataMember[] = [];
  const open: Open[] = [];
  /** The ends of brackets deeper than sections go. */
  const deeper: string[] = [];
  /** The last token, if it is one; then a key or a value. */
  let token: Token | undefined;
  /** Where the comment began that waits for what it is about. */
  let lead: number | undefined;
  /** Whether the member found last has just ended: then a comma is its own. */
  let isFresh = false;
  let reached = 0;

  const start = (at: number, isList: boolean): void => {
    const around = open.at(-1);
    if (open.length > maxLevel || deeper.length > 0) {
      deeper.push(isList ? "]" : "}");
      return;
    }
    open.push({
      isList,
      start: around?.memberStart ?? lead ?? at,
      key: around?.memberKey,
      index: around?.count ?? 0,
      names: undefined,
      count: 0,
      memberKey: undefined,
      memberStart: undefined,
    });
  };
  /** **Shape** whether the bracket fits the one that is open. */
  const close = (bracket: string, end: number): boolean => {
    if (deeper.length > 0) return deeper.pop() === bracket;
    const top = open.pop();
    if (top === undefined || (top.isList ? "]" : "}") !== bracket) return false;
    keepName(text, top, token);
    isFresh = open.length > 0 && isLarge(text, top, end, open);
    if (isFresh) {
      const title = top.key === undefined ? entryTitle(top.names, top.index) : shortTitle(readToken(text, top.key));
      members.push({ title, level: open.length, start: top.start, end });
    }
    return true;
  };

  for (let at = 0; at < text.length;) {
    const sign = text.charAt(at);
    if (isSpace(text.charCodeAt(at))) {
      at += 1;
      continue;
    }
    if (startsComment(text, at)) {
      // A comment on the line of what came before is about that.
      if (lead === undefined && text.slice(reached, at).includes("\n")) lead = at;
      at = afterComment(text, at);
      continue;
    }
    const top = deeper.length === 0 ? open.at(-1) : undefined;
    let next = at + 1;
    let read: Token | undefined;
    if (sign === "{" || sign === "[") {
      start(at, sign === "[");
    } else if (sign === "}" || sign === "]") {
      if (!close(sign, next)) return [];
      if (members.length > maxMembers) return undefined;
    } else if (sign === ",") {
      const last = members.at(-1);
      if (isFresh && last !== undefined) members[members.length - 1] = { ...last, end: next };
      if (top !== undefined) {
        keepName(text, top, token);
        top.count += 1;
        top.memberKey = undefined;
        top.memberStart = undefined;
      }
    } else if (sign === ":") {
      if (top !== undefined && token !== undefined) top.memberKey = token;
    } else {
      next = sign === '"' || sign === "'" ? afterString(text, at) : afterWord(text, at);
      read = { start: at, end: next };
      // A comment before a key is about what the key names.
      if (top !== undefined) top.memberStart ??= lead ?? at;
    }
    if (sign !== "}" && sign !== "]") isFresh = false;
    token = read;
    lead = undefined;
    reached = next;
    at = next;
  }
  if (open.length > 0 || deeper.length > 0) return [];
  return members.sort((a, b) => a.start - b.start || a.level - b.level);
}

function isLarge(text: string, { start, isList }: Open, end: number, around: readonly Open[]): boolean {
  const isRecord = around.length === 1 && around[0]?.isList === true && !isList;
  return isRecord || end - start >= leastLength || text.slice(start, end).includes("\n");
}

function keepName(text: string, top: Open, value: Token | undefined): void {
  if (top.memberKey === undefined || value === undefined) return;
  const key = readToken(text, top.memberKey);
  if (isNamingKey(key) && top.names?.has(key) !== true) (top.names ??= new Map()).set(key, readToken(text, value));
}

/** Text of a token; as written when it cannot be decoded. */
function readToken(text: string, { start, end }: Token): string {
  const source = text.slice(start, Math.min(end, start + maxTokenLength));
  if (!/^["']/.test(source)) return source;
  try {
    return String(JSON.parse(source));
  } catch {
    return source.slice(1).replace(/["']$/u, "");
  }
}

/** JSON's white space, and a byte order mark or hard space that strayed in. */
function isSpace(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || code === 0xfeff;
}

function startsComment(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== 0x2f) return false;
  const next = text.charCodeAt(at + 1);
  return next === 0x2f || next === 0x2a;
}

function afterComment(text: string, at: number): number {
  const isLine = text.charAt(at + 1) === "/";
  const end = text.indexOf(isLine ? "\n" : "*/", at + 2);
  return end === -1 ? text.length : isLine ? end : end + 2;
}

function afterString(text: string, at: number): number {
  const quote = text.charCodeAt(at);
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) return i + 1;
    if (code === 0x5c) i += 1;
  }
  return text.length;
}

const wordEnds = new Set(Array.from("{}[],:\"'", (sign) => sign.charCodeAt(0)));

function afterWord(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (isSpace(code) || wordEnds.has(code) || startsComment(text, end)) break;
    end += 1;
  }
  return end;
}
