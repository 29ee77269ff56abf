import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlobStore } from "../../contracts/blob-store.ts";
import { makeFolder } from "../sqlite/make-folder.ts";

/** A place where graphs are kept: the nodes in a file of the package, and the entries as JSON. */
export interface GraphShelf {
  /** For messages. */
  readonly place: string;
  names(): Promise<readonly string[]>;
  /** The entries, once `load` has read the file of the nodes. **Shape** `undefined` where there is none, or the two are not of one time. */
  read(name: string, load: (file: string) => void): Promise<string | undefined>;
  /** Writes the nodes, then the entries. */
  write(name: string, entries: string, save: (file: string) => void): Promise<void>;
  drop(name: string): Promise<void>;
}

const graphEnding = ".usearch";
const entriesEnding = ".json";

/** Graphs as files of a folder. A crash between a graph and its entries leaves sizes that differ. */
export function createGraphFolder(path: string): GraphShelf {
  const place = (name: string, ending: string): string => join(path, `${name}${ending}`);
  return {
    place: path,
    async names() {
      return existsSync(path) ? namesOf(readdirSync(path)) : [];
    },
    async read(name, load) {
      const [graph, entries] = [place(name, graphEnding), place(name, entriesEnding)];
      if (!existsSync(entries) || !existsSync(graph)) return undefined;
      load(graph);
      return readFileSync(entries, "utf8");
    },
    async write(name, entries, save) {
      makeFolder(path);
      save(`${place(name, graphEnding)}.new`);
      writeFileSync(`${place(name, entriesEnding)}.new`, entries);
      for (const ending of [graphEnding, entriesEnding]) renameSync(`${place(name, ending)}.new`, place(name, ending));
    },
    async drop(name) {
      for (const ending of [entriesEnding, graphEnding]) rmSync(place(name, ending), { force: true });
    },
  };
}

/** Graphs as blobs. The entries name the version of their graph, so that two of different times are noticed. The package reads and writes files alone: one is made for it. */
export function createGraphBlobs(blobs: BlobStore, prefix: string): GraphShelf {
  const key = (name: string, ending: string): string => `${prefix}${name}${ending}`;
  return {
    place: `the blobs under ${prefix}`,
    async names() {
      const found: string[] = [];
      for await (const blob of blobs.list({ prefix })) found.push(blob.key.slice(prefix.length));
      return namesOf(found);
    },
    async read(name, load) {
      const entries = await blobs.get(key(name, entriesEnding));
      const graph = entries && (await blobs.get(key(name, graphEnding)));
      if (graph === undefined) return undefined;
      const saved = JSON.parse(new TextDecoder().decode(entries!.bytes)) as { etag: string; entries: string };
      if (saved.etag !== graph.etag) return undefined;
      await withFile((file) => {
        writeFileSync(file, graph.bytes);
        load(file);
      });
      return saved.entries;
    },
    async write(name, entries, save) {
      const bytes = await withFile((file) => {
        save(file);
        return readFileSync(file);
      });
      const { etag } = await blobs.put(key(name, graphEnding), bytes);
      await blobs.put(key(name, entriesEnding), new TextEncoder().encode(JSON.stringify({ etag, entries })));
    },
    async drop(name) {
      for (const ending of [entriesEnding, graphEnding]) await blobs.delete(key(name, ending));
    },
  };
}

const namesOf = (files: readonly string[]): readonly string[] =>
  files.flatMap((file) => (file.endsWith(entriesEnding) ? [file.slice(0, -entriesEnding.length)] : []));

/** A file of one's own, gone afterwards. */
async function withFile<Result>(use: (file: string) => Result): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-graph-"));
  try {
    return use(join(folder, "graph"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
