import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildElement, buildPage } from "../../scripts/build-page.ts";

/** Builds the page and the element of sites before the tests, where their sources are newer than the page that was built. */
export default async function setup(): Promise<void> {
  const root = join(import.meta.dirname, "..", "..");
  const folder = join(root, "src", "server", "page", "built");
  const built = join(folder, "app.mjs");
  const sources = ["page/**/*", "scripts/build-page.ts", "src/server/page/page-files.ts"].flatMap((pattern) =>
    globSync(pattern, { cwd: root }),
  );
  const newest = Math.max(...sources.map((file) => statSync(join(root, file)).mtimeMs));
  const site = join(root, "src", "knowledge-base", "site", "built");
  const isFresh = (file: string): boolean => existsSync(file) && statSync(file).mtimeMs >= newest;
  if (!isFresh(built)) await buildPage(folder);
  if (!isFresh(join(site, "element.mjs"))) await buildElement(site);
}
