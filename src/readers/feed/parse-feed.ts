import { Parser } from "htmlparser2";

/** A value as the feed has it. `isMarkup` says that it is HTML. */
export interface FeedValue {
  readonly text: string;
  readonly isMarkup: boolean;
}

/** Fields of a feed or of an entry. **Shape** the first value of each name, such as `title` or `content:encoded`, in lower case. */
export type FeedFields = ReadonlyMap<string, FeedValue>;

export interface Feed {
  readonly fields: FeedFields;
  readonly entries: readonly FeedFields[];
}

type OpenFields = Map<string, FeedValue>;

const holders: ReadonlySet<string> = new Set(["rss", "rdf:rdf", "channel", "feed"]);
/** Namespaces by what their names begin with here, so that a feed may call them as it likes. **Source** the specifications of each. */
const namespaces: ReadonlyMap<string, string> = new Map([
  ["http://www.w3.org/2005/Atom", ""],
  ["http://purl.org/atom/ns#", ""],
  ["http://purl.org/rss/1.0/", ""],
  ["http://my.netscape.com/rdf/simple/0.9/", ""],
  ["http://channel.netscape.com/rdf/simple/0.9/", ""],
  ["http://backend.userland.com/rss2", ""],
  ["http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"],
  ["http://purl.org/dc/elements/1.1/", "dc:"],
  ["http://purl.org/rss/1.0/modules/content/", "content:"],
]);

const entryNames: ReadonlySet<string> = new Set(["item", "entry"]);

/** For every end tag the parser looks through all elements that are open: nobody nests so deep, and hostile feeds would take hours. */
const maxDepth = 512;
/** After so much it is looked whether they do. **Units** UTF-16 code units. */
const stride = 64 * 1024;

/**
 * The fields of a feed and of its entries; `undefined` for XML that is no feed, or nested deeper than 512. `most` entries and one more are kept.
 *
 * **Cost** linear.
 */
export function parseFeed(source: string, most: number): Feed | undefined {
  const fields: OpenFields = new Map();
  const entries: OpenFields[] = [];
  let isFeed = false;
  const nesting = { isTooDeep: false };
  let depth = 0;
  /** The depth below which things belong to an entry or to the feed itself; what is deeper is part of a field. */
  let entryDepth = 0;
  let field:
    | { name: string; depth: number; kind: "text" | "html" | "xhtml"; text: string[]; isDone?: true }
    | undefined;

  const store = (name: string, value: FeedValue): void => {
    const into = entryDepth > 0 ? entries.at(-1) : fields;
    if (into !== undefined && !into.has(name) && value.text.trim() !== "") into.set(name, value);
  };

  /** Prefixes of the file, by what they stand for. */
  const prefixes = new Map<string, string>();
  const nameOf = (rawName: string): string => {
    const colon = rawName.indexOf(":");
    const prefix = rawName.slice(0, Math.max(colon, 0));
    const known = colon === -1 ? undefined : prefixes.get(prefix);
    // Atom's elements in another feed are not the feed's own.
    if (known === undefined || (known === "" && isForeign)) return rawName.toLowerCase();
    return (known + rawName.slice(colon + 1)).toLowerCase();
  };
  let isForeign = false;

  const parser = new Parser(
    {
      onopentag(rawName, attributes) {
        depth += 1;
        nesting.isTooDeep ||= depth > maxDepth;
        for (const [attribute, address] of Object.entries(attributes)) {
          const known = attribute.startsWith("xmlns:") ? namespaces.get(address.trim()) : undefined;
          if (known !== undefined) prefixes.set(attribute.slice(6), known);
        }
        if (depth === 1) isForeign = !rawName.includes(":");
        const name = nameOf(rawName);
        if (field !== undefined) {
          if (field.kind === "xhtml") field.text.push(`<${rawName}${attributeText(attributes)}>`);
          // The author of an Atom entry has a name, an address and a page.
          else if (field.name === "author" && name === "name") field = { ...field, text: [] };
          return;
        }
        if (entryNames.has(name) && entryDepth === 0) {
          if (entries.length > most) return;
          isFeed = true;
          entryDepth = depth;
          entries.push(new Map());
        } else if (holders.has(name) && entryDepth === 0) {
          isFeed ||= depth === 1;
          const { "xml:lang": language } = attributes;
          if (language !== undefined) store("language", { text: language, isMarkup: false });
        } else if (isFeed && (entryDepth === 0 || depth === entryDepth + 1)) {
          const { type = "", href, rel = "alternate" } = attributes;
          if (name === "link" && href !== undefined && rel === "alternate") {
            store("link", { text: href, isMarkup: false });
          }
          field = {
            name,
            depth,
            kind: /xhtml/i.test(type) ? "xhtml" : /^text$|^text\/plain$/i.test(type) ? "text" : "html",
            text: [],
          };
        }
      },
      ontext(text) {
        if (field !== undefined && field.isDone !== true) {
          field.text.push(field.kind === "xhtml" ? escapeText(text) : text);
        }
      },
      onclosetag(name) {
        if (field !== undefined && depth === field.depth) {
          const text = field.text.join("");
          // A description may be HTML or plain, and RSS does not say which.
          store(field.name, {
            text,
            isMarkup: field.kind === "xhtml" || (field.kind === "html" && /<\/?[a-z!]|&#?\w+;/i.test(text)),
          });
          field = undefined;
        } else if (field?.kind === "xhtml") {
          field.text.push(`</${name}>`);
        } else if (field?.name === "author" && nameOf(name) === "name") {
          field.isDone = true;
        }
        if (depth === entryDepth) entryDepth = 0;
        depth -= 1;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (let at = 0; at < source.length && !nesting.isTooDeep; at += stride) parser.write(source.slice(at, at + stride));
  parser.end();
  return isFeed && !nesting.isTooDeep ? { fields, entries } : undefined;
}

/** The words of a value, on one line: of a title that may be HTML. */
export function plainText({ text, isMarkup }: FeedValue): string {
  if (!isMarkup) return collapse(text);
  // Without tags the parser has nothing left to do but resolve entities.
  const words = text.replace(/<[^<>]*>/gu, " ").replaceAll("<", "&lt;");
  const parts: string[] = [];
  const parser = new Parser({ ontext: (part) => void parts.push(part) }, { decodeEntities: true });
  parser.write(words);
  parser.end();
  return collapse(parts.join(""));
}

function collapse(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

function attributeText(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeText(value).replaceAll('"', "&quot;")}"`)
    .join("");
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
