import { sumOfSaying } from "./name-sums.ts";
import { type Packed, unpackDigits } from "./packed.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** A shorter text stands in the row itself. **Units** UTF-16 code units. */
const shortest = 24;

/** Metadata, headings and languages of chunks, kept once for a document. */
export interface Sayings {
  /** **Shape** the number of the saying; the text itself where it is short. */
  say(document: number, text: string): number | string;
  /** The id of a document; `undefined` where there is none. */
  idOf(document: number): string | undefined;
  /** Notes a document that has just been added: none of its chunks says anything yet. */
  begin(document: number, id: string): void;
  /** Removes what no chunk of the document says any more. */
  forget(document: number): void;
  /** Forgets what was read. */
  clear(): void;
}

interface Known {
  readonly id: string | undefined;
  readonly keys: Map<string, number>;
}

/** Documents whose sayings are kept at once. */
const mostKnown = 8192;

export function createSayings(db: SqliteConnection, keepsSums: () => boolean): Sayings {
  /** The sayings of documents, as this transaction sees them: of those whose chunks are being written. */
  const known = new Map<number, Known>();
  let turn = 0;

  function keep(document: number, id: string | undefined, keys: Map<string, number>): Known {
    if (turn !== db.turn || known.size >= mostKnown) known.clear();
    turn = db.turn;
    const kept = { id, keys };
    known.set(document, kept);
    return kept;
  }

  function of(document: number): Known {
    const kept = turn === db.turn ? known.get(document) : undefined;
    if (kept !== undefined) return kept;
    const id = db.get<{ id: Packed }>("SELECT id FROM documents WHERE key = ?", document)?.id;
    const said = db.all<{ key: number; text: string }>("SELECT key, text FROM sayings WHERE document = ?", document);
    const keys = new Map(said.map(({ key, text }) => [text, key]));
    return keep(document, id === undefined ? undefined : unpackDigits(id), keys);
  }

  return {
    say(document, text) {
      if (text.length < shortest) return text;
      const { keys } = of(document);
      let key = keys.get(text);
      if (key === undefined) {
        key = keepsSums()
          ? db.run(
              "INSERT INTO sayings (document, text, sum) VALUES (?, ?, ?)",
              document,
              text,
              sumOfSaying(document, text),
            )
          : db.run("INSERT INTO sayings (document, text) VALUES (?, ?)", document, text);
        keys.set(text, key);
      }
      return key;
    },
    idOf: (document) => of(document).id,
    begin(document, id) {
      keep(document, id, new Map());
    },
    forget(document) {
      const said =
        "SELECT details FROM chunks WHERE document = ?1 UNION ALL SELECT metadata FROM chunks WHERE document = ?1";
      db.run(`DELETE FROM sayings WHERE document = ?1 AND key NOT IN (${said})`, document);
      known.delete(document);
    },
    clear() {
      known.clear();
    },
  };
}
