import {
  bareAddress,
  decodeAddress,
  destination,
  findAddresses,
  leadsElsewhere,
  tagWithAttributes,
  trimAddress,
  unwrap,
} from "./find-addresses.ts";

/** Takes addresses out of a text that arrives in pieces. */
export interface AddressFilter {
  /** Returns the text that is decided; a tail that may still become an address waits. */
  push(delta: string): string;
  /** The rest, at the end. */
  finish(): string;
  /** Whether something waits. */
  isWaiting(): boolean;
  /** Every address that was taken out, once, in order. */
  removed(): readonly string[];
}

/**
 * Removes every unknown address: bare, in a link, a picture, a definition or a tag.
 *
 * A link becomes its words, a bare address `…`. Pictures of known addresses become links to them. Other tags with an address go, so that a page that shows the
 * text loads nothing by it. Paths without a scheme or a host stay.
 *
 * **Shape** the same for any cut into pieces, but for links, tags and addresses of more than {@link longestWait} characters. **Cost** linear.
 */
export function createAddressFilter(known: ReadonlySet<string>): AddressFilter {
  const removed = new Set<string>();
  let waiting = "";
  // A citation's marker, and what is left of a link, do not wait for what may follow them; only the bracket is remembered.
  let before = "";
  const stays = (address: string): boolean => {
    if (known.has(trimAddress(address))) return true;
    removed.add(trimAddress(address));
    return false;
  };

  const cleanOnce = (text: string): string =>
    text
      .replaceAll(gone, "")
      .replaceAll(tagWithAttributes, (tag) => cleanTag(tag, stays))
      .replaceAll(destination, (whole, kind: string, space: string, target: string) => {
        const address = unwrap(target);
        if (!leadsElsewhere(address)) return whole;
        // An encoded address may hide another.
        const plain = decodeAddress(address);
        if (plain === address && stays(address)) return whole;
        if (plain !== address) removed.add(plain);
        return `]${kind}${space}${goneMark}`;
      })
      .replaceAll(pictureElsewhere, "$1")
      .replaceAll(goneLink, wordsOf)
      .replaceAll(goneLink, wordsOf)
      .replaceAll(goneTarget, (_, joins: string) => `]${joins}`.replace(joining, "]…$1"))
      .replaceAll(definition, "$1:$2")
      .replaceAll(bareAddress, (found, at: number, whole: string) => {
        if (!stays(found)) return `…${found.slice(trimAddress(found).length)}`;
        stuck.lastIndex = at + found.length;
        return stuck.test(whole) ? `${found} ` : found;
      })
      .replaceAll(gone, "…");

  /** Until nothing is left: what is taken out may join what stood around it to another link, as in `[1](https:a)(//b)`. */
  const clean = (text: string): string => {
    let seen = text;
    for (let round = 0; round < mostRounds; round += 1) {
      const next = cleanOnce(seen);
      if (next === seen) return seen;
      seen = next;
    }
    // Deeper than anybody would nest something by accident: without its bracket nothing is a link.
    return seen.replaceAll(/\](?=[(:])/gu, "] ");
  };

  const tell = (text: string): string => {
    const cleaned = clean(text);
    const told = cleaned.slice(before.length);
    if (text.length > before.length) before = cleaned.endsWith("]") ? "]" : "";
    return told;
  };

  return {
    push(delta) {
      const text = before + waiting + delta;
      const open = Math.max(before.length, openFrom(text));
      waiting = text.slice(open);
      return tell(text.slice(0, open));
    },
    finish() {
      const rest = before + waiting;
      waiting = "";
      return tell(rest);
    },
    isWaiting: () => waiting !== "",
    removed: () => [...removed],
  };
}

const mostRounds = 8;
/** Characters that some chats take for a continuation of a known address. */
const stuck = /["'`[\]]+[\p{L}\p{N}%_/-]/uy;

/** Stands where an address was, until what stood around it is gone too. A noncharacter: no text means anything by it. */
const goneMark = "\uFDD0";
const gone = /\uFDD0/gu;
const label = "((?:[^[\\]]|\\[(?:[^[\\]]|\\[[^[\\]]*\\])*\\])*)";
const goneLink = new RegExp(`!?\\[${label}\\]\\(\\s*${goneMark}[^()\\n]*\\)([(:]?)`, "gu");
const goneTarget = new RegExp(`\\]\\(\\s*${goneMark}[^()\\n]*\\)?([(:]?)`, "gu");
/** A bracket that would open another destination once the one before it is gone. */
const joining = /\]([(:])$/u;
const endsInMarker = /\[\d{1,3}\]$/u;
/** A picture that a page would load from another host. */
const pictureElsewhere = new RegExp(`!(\\[${label}\\]\\(\\s*<?(?:[a-z][a-z0-9+.-]*:|[\\\\/]{2}))`, "giu");
/** Source of a picture by name. */
const definition = new RegExp(`\\[([^[\\]\\n]{1,300})\\]:(\\s*<?(?:[a-z][a-z0-9+.-]*:[\\\\/]|[\\\\/]{2}))`, "giu");

/** **Shape** the tag, when it is a link to what is known or leads nowhere; of others only the markers of citations in it. */
function cleanTag(tag: string, stays: (address: string) => boolean): string {
  // An address in angle brackets is an address.
  if (/^<[a-z][a-z0-9+.-]*:/iu.test(tag)) return tag;
  // Spaces part what stands in a tag; what a browser skips within an address does not.
  const plain = tag.split(" ").map(decodeAddress).join(" ");
  const addresses = [...findAddresses(plain), ...(plain.match(/(?<=[=("',\s])[\\/]{2}[^\s"'<>()]+/gu) ?? [])];
  if (addresses.length === 0) return tag;
  const unknown = addresses.filter((address) => !stays(address));
  if (/^<a\s/iu.test(tag) && unknown.length === 0) return tag;
  return (tag.match(/\[\d+\]/gu) ?? ["…"]).join("");
}

function wordsOf(_: string, words: string, joins: string): string {
  // The marker of a citation is no link's words.
  if (/^\d{1,3}$/u.test(words)) return `[${words}]${joins}`.replace(joining, "]…$1");
  return `${words.trim() === "" ? "…" : words.trim()}${joins}`.replace(joining, "]…$1");
}

/** No link, tag or address is waited for longer. **Units** UTF-16. */
const longestWait = 2000;

/** Start of a tail that may still become a link, a tag or an address; the text's length when there is none. */
function openFrom(text: string): number {
  const from = Math.max(0, text.length - longestWait);
  const tail = text.slice(from);
  let open = tail.search(openTail);
  if (open === -1) open = tail.length;
  for (let at = tail.indexOf("["); at !== -1 && at < open; at = tail.indexOf("[", at + 1)) {
    const end = endOfBracket(tail, at);
    if (end !== undefined && end <= open) continue;
    open = tail[at - 1] === "!" ? at - 1 : at;
    break;
  }
  // An address may continue in that bracket.
  const around = tail.slice(0, open).search(openTail);
  return from + (around === -1 ? open : around);
}

/** A tag, an address or their beginnings, up to the end. */
const openTail =
  /(?:<(?:[a-z](?:"[^"]*"|'[^']*'|[^>"'])*(?:"[^"]*|'[^']*)?)?|(?:(?:https?|ftps?|wss?):[\\/]+|\bwww\.)[^\s<>]*|(?:https?|ftps?|wss?):?|htt?|h|ftp?|f|ws?|www?|!|(?<!\[\d{1,3})\]|\][(:]\s*[^\s]*)$/iu;

/** Where what the bracket at `at` opens has ended, a link's destination included; `undefined` while that is open. */
function endOfBracket(text: string, at: number): number | undefined {
  let depth = 0;
  for (let index = at; index < text.length; index += 1) {
    const character = text[index];
    if (character === "\n" && text[index + 1] === "\n") return index;
    if (character === "[") depth += 1;
    else if (character === "]") depth -= 1;
    if (depth > 0) continue;
    const behind = index + 1;
    const next = text[behind];
    if (next === undefined) return endsInMarker.test(text) ? behind : undefined;
    if (next !== "(" && next !== ":") return behind;
    const rest = text.slice(behind);
    const found =
      next === "(" ? /^\((?:[^()]*(?:\([^()]*\)[^()]*)*\)|[^()]*\n\n)/u.exec(rest) : /^:\s*\S+(?=\s)/u.exec(rest);
    return found ? behind + found[0].length : undefined;
  }
  return undefined;
}
