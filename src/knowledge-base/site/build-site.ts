import { readdir, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { IbidError } from "../../contracts/errors.ts";
import { openKnowledgeBase } from "../open/open-knowledge-base.ts";
import { checkOptions, checkText } from "../../runtime/check-options.ts";
import { makeFolder } from "../../stores/sqlite/make-folder.ts";
import { createPublication } from "../../stores/published/create-publication.ts";

/**
 * Options of {@link buildSite}.
 *
 * @experimental
 */
export interface BuildSiteOptions {
  /** Folder that is written, and emptied of an earlier index. Default: `ibid` in the folder of the pages. */
  readonly out?: string | undefined;
  /** Factors of scores by the beginning of an address, such as `{ "api/": 0.6 }`; the longest beginning counts. */
  readonly weights?: Readonly<Record<string, number>> | undefined;
  /** Ending of the addresses of pages that are there as Markdown alone: `""` keeps `.md`. Default `""`. */
  readonly suffix?: string | undefined;
}

/**
 * Result of {@link buildSite}.
 *
 * @experimental
 */
export interface BuiltSite {
  readonly out: string;
  readonly pages: number;
  readonly files: number;
  readonly bytes: number;
}

/** Files that this function writes, and may delete. */
const written = /^(?:[0-9a-f]{12,}|manifest)\.ibid$|^ibid-(?:search|engine)\.js$/u;

/**
 * Makes a folder of HTML or Markdown searchable by a page alone: an index of static files, and the element `<ibid-search>`.
 *
 * **Shape** the folder `out` has `ibid-search.js`, `ibid-engine.js`, `manifest.ibid` and the files that it names. The same pages give the same files, but for the
 * date in the manifest.
 * **Errors** `not-found` and `empty` for the folder; `unreadable`, `binary` and `too-large` for a page; `invalid-argument` for a weight that is not above 0 and
 * at most 1; `store-failed` for a page that cannot be indexed, and for `out` where it cannot be written.
 * **Cost** some 25 ms a page.
 *
 * @experimental
 */
export async function buildSite(folder: string, options: BuildSiteOptions = {}): Promise<BuiltSite> {
  checkText("buildSite", "folder", folder);
  checkOptions("buildSite", options, { out: true, weights: true, suffix: true });
  const { weights = {}, suffix = "" } = options;
  const out = resolve(options.out ?? join(folder, "ibid"));
  // The parser of HTML is another package.
  const { noPage, readPages } = await import("./read-pages.ts");
  const pages = await readPages(folder, suffix);
  const publication = createPublication();
  const kb = await openKnowledgeBase({ store: publication.store, models: { embedding: null } });
  const run = kb.ingest(
    pages.map(({ address, html, title, anchors }) => ({
      uri: address,
      text: html,
      mediaType: "text/html",
      ...(title !== undefined && { title }),
      metadata: { anchors: JSON.stringify(anchors) },
    })),
    { settle: true },
  );
  const { failures } = await run;
  // An empty page has nothing to find, and is no failure of the site.
  const [failure] = failures.filter(({ error }) => error?.code !== "empty");
  if (failure?.error !== undefined) {
    throw new IbidError("store-failed", `The page ${failure.uri} cannot be indexed: ${failure.error.message}`, {
      uri: failure.uri,
      hint: "Correct the page, or move its file out of the folder.",
      cause: failure.error,
    });
  }
  const empty = failures.length;
  if (empty === pages.length) throw noPage(folder);
  const prefixes = Object.keys(weights).toSorted((a, b) => b.length - a.length);
  const files = await publication.files({
    weigh: ({ uri }) => weights[prefixes.find((prefix) => uri.startsWith(prefix)) ?? ""] ?? 1,
  });
  await kb.close();
  const { files: element } = await import("./built/element.mjs");
  const all = [
    ...files,
    ...Object.entries(element).map(([name, zipped]) => ({ name, bytes: gunzipSync(Buffer.from(zipped, "base64")) })),
  ];
  await writeAll(out, all);
  const bytes = all.reduce((sum, file) => sum + file.bytes.length, 0);
  return { out, pages: pages.length - empty, files: all.length, bytes };
}

async function writeAll(out: string, all: readonly { readonly name: string; readonly bytes: Uint8Array }[]) {
  const names = new Set(all.map(({ name }) => name));
  try {
    makeFolder(out);
    for (const name of await readdir(out)) if (written.test(name) && !names.has(name)) await rm(join(out, name));
    for (const { name, bytes } of all) await writeFile(join(out, name), bytes);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new IbidError("store-failed", `The folder ${relative(".", out) || "."} cannot be written: ${code}.`, {
      uri: out,
      hint: "Name another folder with --out or `out`, or give this process the right to write to it.",
      cause,
    });
  }
}
