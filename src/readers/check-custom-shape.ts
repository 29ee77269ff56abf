import type { Block, SourceMap } from "../contracts/document.ts";
import type { IbidError } from "../contracts/errors.ts";

/** Makes the error for a field whose value has a wrong shape. */
export type RefuseField = (field: string, value: unknown, expected: string) => IbidError;

type Fields = Readonly<Record<string, unknown>>;

const blockKinds: Readonly<Record<Block["kind"], true>> = {
  "front-matter": true,
  heading: true,
  paragraph: true,
  list: true,
  table: true,
  code: true,
  quote: true,
  html: true,
  rule: true,
};

const mapFields: Readonly<Record<keyof SourceMap, true>> = {
  lines: true,
  anchors: true,
  pages: true,
  recognised: true,
  slides: true,
  times: true,
  sheets: true,
  parts: true,
  links: true,
  marks: true,
  delimited: true,
  tables: true,
};

/**
 * Checks the parts of a custom reader's result that say where things stand: sections, blocks, source map, notes and media type.
 *
 * **Errors** the one that `refuse` makes, for the first field of a wrong shape. **Cost** linear in all entries.
 */
export function checkCustomShape(result: object, length: number, refuse: RefuseField): void {
  const { root, blocks, sourceMap, notes, mediaType } = result as Fields;

  const object = (value: unknown, field: string): Fields => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw refuse(field, value, "an object");
    return value as Fields;
  };
  const list = (value: unknown, field: string): readonly unknown[] => {
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw refuse(field, value, "a list");
    return value;
  };
  const text = (value: unknown, field: string): string => {
    if (typeof value !== "string") throw refuse(field, value, "a string");
    return value;
  };
  const texts = (value: unknown, field: string): void => {
    for (const [i, entry] of list(value, field).entries()) text(entry, `${field}[${i}]`);
  };
  const whole = (value: unknown, field: string, from: number, to = Number.MAX_SAFE_INTEGER): number => {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= from && value <= to) return value;
    const range = to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to}`;
    throw refuse(field, value, `a whole number ${range}`);
  };
  const seconds = (value: unknown, field: string, from = 0): number => {
    if (typeof value === "number" && Number.isFinite(value) && value >= from) return value;
    throw refuse(field, value, `a number of seconds of at least ${from}`);
  };
  const oneOf = (value: unknown, field: string, names: readonly string[]): void => {
    if (typeof value !== "string" || !names.includes(value)) throw refuse(field, value, `one of ${names.join(", ")}`);
  };
  /** Entries that begin in order; `more` checks what else an entry has. */
  const places = (value: unknown, field: string, more: (entry: Fields, at: string, start: number) => number): void => {
    let reached = 0;
    for (const [i, given] of list(value, field).entries()) {
      const at = `${field}[${i}]`;
      const entry = object(given, at);
      reached = more(entry, at, whole(entry["start"], `${at}.start`, reached, length));
    }
  };
  const span = (value: unknown, field: string): void => {
    const { start, end } = object(value, field);
    whole(end, `${field}.end`, whole(start, `${field}.start`, 0, length), length);
  };

  const checkWord = (given: unknown, at: string): void => {
    const word = object(given, at);
    text(word["text"], `${at}.text`);
    for (const name of ["x", "y", "width", "height", "line"])
      if (!Number.isFinite(word[name])) throw refuse(`${at}.${name}`, word[name], "a number");
  };
  const checkMap = (value: unknown, field: string): void => {
    const map = object(value, field);
    for (const [name, own] of Object.entries(map))
      if (!(name in mapFields))
        throw refuse(`${field}.${name}`, own, `left out; the fields are ${Object.keys(mapFields).join(", ")}`);
    oneOf(map["lines"], `${field}.lines`, ["text", "anchors", "none"]);
    for (const name of ["pages", "slides"])
      places(map[name], `${field}.${name}`, ({ number }, at, start) => {
        whole(number, `${at}.number`, 1);
        return start;
      });
    places(map["times"], `${field}.times`, ({ from, to }, at, start) => {
      seconds(to, `${at}.to`, seconds(from, `${at}.from`));
      return start;
    });
    places(map["anchors"], `${field}.anchors`, ({ line }, at, start) => {
      whole(line, `${at}.line`, 1);
      return start;
    });
    places(map["links"], `${field}.links`, ({ end, url }, at, start) => {
      text(url, `${at}.url`);
      return whole(end, `${at}.end`, start, length);
    });
    places(map["marks"], `${field}.marks`, ({ end, kind }, at, start) => {
      oneOf(kind, `${at}.kind`, ["front-matter", "contents"]);
      return whole(end, `${at}.end`, start, length);
    });
    places(map["tables"], `${field}.tables`, ({ end, header, columns }, at, start) => {
      if (header !== undefined) span(header, `${at}.header`);
      texts(columns, `${at}.columns`);
      return whole(end, `${at}.end`, start, length);
    });
    places(map["sheets"], `${field}.sheets`, ({ name, end, rows, columns }, at, start) => {
      text(name, `${at}.name`);
      places(rows, `${at}.rows`, ({ row }, inner, place) => {
        whole(row, `${inner}.row`, 1);
        return place;
      });
      const [first, last] = list(columns, `${at}.columns`);
      whole(last, `${at}.columns[1]`, whole(first, `${at}.columns[0]`, 1));
      return whole(end, `${at}.end`, start, length);
    });
    places(map["parts"], `${field}.parts`, ({ name, end, sourceMap: inner }, at, start) => {
      text(name, `${at}.name`);
      checkMap(inner, `${at}.sourceMap`);
      return whole(end, `${at}.end`, start, length);
    });
    for (const [i, given] of list(map["recognised"], `${field}.recognised`).entries()) {
      const at = `${field}.recognised[${i}]`;
      const { page, text: said, words } = object(given, at);
      whole(page, `${at}.page`, 1);
      text(said, `${at}.text`);
      for (const [j, word] of list(words, `${at}.words`).entries()) checkWord(word, `${at}.words[${j}]`);
    }
    if (map["delimited"] === undefined) return;
    const { start, delimiter, header } = object(map["delimited"], `${field}.delimited`);
    whole(start, `${field}.delimited.start`, 0, length);
    text(delimiter, `${field}.delimited.delimiter`);
    if (header !== undefined) span(header, `${field}.delimited.header`);
  };

  const checkSections = (): void => {
    const waiting = [{ given: root, at: "root", above: -1 }];
    const ids = new Set<string>();
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { given, at, above } = next;
      const { id, title, level, start, end, contentStart, children } = object(given, at);
      if (ids.has(text(id, `${at}.id`))) throw refuse(`${at}.id`, id, "an id that no other section has");
      ids.add(id as string);
      text(title, `${at}.title`);
      const depth = whole(level, `${at}.level`, above + 1, at === "root" ? 0 : 6);
      const from = whole(start, `${at}.start`, 0, length);
      const to = whole(end, `${at}.end`, from, length);
      whole(contentStart, `${at}.contentStart`, from, to);
      if (children === undefined) throw refuse(`${at}.children`, children, "a list");
      for (const [i, child] of list(children, `${at}.children`).entries())
        waiting.push({ given: child, at: `${at}.children[${i}]`, above: depth });
    }
  };

  if (root !== undefined) checkSections();
  places(blocks, "blocks", ({ kind, end, bodyStart, rowStarts, columns, delimiter, language, role }, at, start) => {
    oneOf(kind, `${at}.kind`, Object.keys(blockKinds));
    const to = whole(end, `${at}.end`, start + 1, length);
    if (bodyStart !== undefined) whole(bodyStart, `${at}.bodyStart`, start, to);
    for (const [i, row] of list(rowStarts, `${at}.rowStarts`).entries()) whole(row, `${at}.rowStarts[${i}]`, start, to);
    texts(columns, `${at}.columns`);
    if (delimiter !== undefined) text(delimiter, `${at}.delimiter`);
    if (language !== undefined) text(language, `${at}.language`);
    if (role !== undefined) oneOf(role, `${at}.role`, ["contents"]);
    return to;
  });
  texts(notes, "notes");
  if (mediaType !== undefined) text(mediaType, "mediaType");
  if (sourceMap !== undefined) checkMap(sourceMap, "sourceMap");
}
