import { join } from "node:path";
import { IbidError } from "../../contracts/errors.ts";

/** **Errors** `invalid-argument` for a blank one, or options in its place, `unsupported` for what is no folder. */
export function checkLocation(location: string): string {
  // The types say so; a program in JavaScript has none.
  if (typeof (location as unknown) !== "string") {
    throw new IbidError("invalid-argument", "The knowledge base's location is no text.", {
      hint: "Name a folder, or pass undefined for memory; options come second.",
    });
  }
  if (location.trim() === "") {
    throw new IbidError("invalid-argument", "The knowledge base's location is blank.", {
      hint: "Name a folder, or pass nothing for memory.",
    });
  }
  if (location.trim() === ":memory:") {
    throw new IbidError(
      "invalid-argument",
      'The knowledge base\'s location is ":memory:", which is a name of SQLite alone.',
      {
        hint: "Call openKnowledgeBase() without a location for memory, or name a folder.",
      },
    );
  }
  // An address that is nearly right would become a folder, with its password in the name.
  if (/^\s*(?:[a-z][a-z0-9+.-]+:)+\//iu.test(location)) {
    throw new IbidError(
      "unsupported",
      `A knowledge base cannot be kept at ${location.slice(0, location.indexOf(":")).trim()}://….`,
      {
        hint: "Name a folder on a local file system, or a database: postgres://user@host/database. A vector engine stands beside one of them: the option `engine`. A bucket keeps snapshots of one in memory: the option `snapshots`.",
      },
    );
  }
  return location;
}

/** File in which the command line keeps the chosen models. */
function modelsFile(folder: string): string {
  return join(folder, "models.json");
}

/** The database, its write-ahead log, and the log's index. */
export function storeFiles(folder: string): readonly string[] {
  return databaseFiles(join(folder, "ibid.sqlite"));
}

/** Events lie beside the database, not in it, so that writers of documents and searches never wait for one another. */
export function eventFile(folder: string): string {
  return join(folder, "events.sqlite");
}

function databaseFiles(path: string): readonly string[] {
  return ["", "-wal", "-shm"].map((suffix) => `${path}${suffix}`);
}

/** Files of each part of a knowledge base in a folder. */
export function partFiles(folder: string): Readonly<Record<"database" | "events", readonly string[]>> {
  const [store = ""] = storeFiles(folder);
  return { database: [...storeFiles(folder), `${store}-reserve`], events: databaseFiles(eventFile(folder)) };
}

/** All that is ours in the folder, which an ingestion of the folder itself leaves out. */
export function ownFiles(folder: string): readonly string[] {
  const [store = ""] = storeFiles(folder);
  // Room that is kept for deletes, and a copy that an upgrade has begun.
  const beside = ["-reserve", "-upgrade", "-upgrade-journal"].map((suffix) => `${store}${suffix}`);
  return [...storeFiles(folder), ...beside, ...databaseFiles(eventFile(folder)), modelsFile(folder)];
}
