import { createHash, randomBytes } from "node:crypto";
import { createReadStream, existsSync, mkdirSync } from "node:fs";
import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ScopeRevision } from "../../../contracts/knowledge-store.ts";
import type { IndexFacts } from "./hnsw-index.ts";

/** What is written beside a graph. */
export interface HnswManifest extends IndexFacts {
  readonly format: typeof format;
  /** How the graph was built; another way makes it a stranger. */
  readonly settings: string;
  readonly revision: ScopeRevision;
  /** The graph's file, in the same folder. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

const format = "ibid-hnsw-1";

/** One graph's place: the first half of the name is the scope's. */
export interface HnswPlace {
  readonly scope: string;
  readonly version: string;
}

/**
 * Graphs as files: each in one of its own, named by a manifest that takes the place of the last in one step.
 *
 * **Shape** names are hashes under the knowledge base's key, so that they tell nothing and no other knowledge base's files are taken for this one's.
 */
export interface HnswFiles {
  /** A manifest whose graph is whole and was built in this way, and the graph's path; `undefined` for anything less. */
  read(
    place: HnswPlace,
    settings: string,
  ): Promise<{ readonly manifest: HnswManifest; readonly path: string } | undefined>;
  /** `save` writes the graph to the path that it is given. */
  write(place: HnswPlace, settings: string, revision: ScopeRevision, save: (path: string) => IndexFacts): Promise<void>;
  /** Every graph of the scope, of whatever version. */
  drop(scope: string): Promise<void>;
}

export function createHnswFiles(folder: string, secret: Uint8Array): HnswFiles {
  const hash = (text: string): string => createHash("sha256").update(secret).update(text).digest("hex").slice(0, 24);
  const nameOf = ({ scope, version }: HnswPlace): string => `${hash(`scope ${scope}`)}-${hash(`version ${version}`)}`;
  const manifestOf = (place: HnswPlace): string => join(folder, `${nameOf(place)}.json`);

  async function removeAll(wanted: (name: string) => boolean): Promise<void> {
    if (!existsSync(folder)) return;
    for (const name of await readdir(folder)) if (wanted(name)) await rm(join(folder, name), { force: true });
  }

  return {
    async read(place, settings) {
      try {
        const manifest = JSON.parse(await readFile(manifestOf(place), "utf8")) as HnswManifest;
        if (manifest.format !== format || manifest.settings !== settings) return undefined;
        const path = join(folder, basename(manifest.file));
        if ((await stat(path)).size !== manifest.bytes || (await digest(path)) !== manifest.sha256) return undefined;
        return { manifest, path };
      } catch {
        // Not there, torn, or taken away by another process meanwhile: it can all be made again.
        return undefined;
      }
    },
    async write(place, settings, revision, save) {
      mkdirSync(folder, { recursive: true });
      const name = nameOf(place);
      const file = `${name}.${randomBytes(6).toString("hex")}.usearch`;
      const path = join(folder, file);
      const facts = save(path);
      const { size } = await stat(path);
      const manifest: HnswManifest = {
        format,
        settings,
        revision,
        file,
        bytes: size,
        sha256: await digest(path),
        ...facts,
      };
      const draft = `${path}.json`;
      const handle = await open(draft, "wx");
      try {
        await handle.writeFile(JSON.stringify(manifest));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, manifestOf(place));
      // What other saves left, finished or not. One that another process is just making is lost with them, and made again.
      await removeAll((other) => other.startsWith(`${name}.`) && other !== file && other !== `${name}.json`);
    },
    drop: (scope) => removeAll((name) => name.startsWith(`${hash(`scope ${scope}`)}-`)),
  };
}

async function digest(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}
