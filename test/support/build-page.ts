import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildPage } from "../../scripts/build-page.ts";

/** Builds the page before the tests, where its sources are newer than what was built. */
export default async function setup(): Promise<void> {
  const root = join(import.meta.dirname, "..", "..");
  const folder = join(root, "src", "server", "page", "built");
  const built = join(folder, "app.mjs");
  const sources = ["page/**/*", "scripts/build-page.ts", "src/server/page/page-files.ts"].flatMap((pattern) =>
    globSync(pattern, { cwd: root }),
  );
  const newest = Math.max(...sources.map((file) => statSync(join(root, file)).mtimeMs));
  if (!existsSync(built) || statSync(built).mtimeMs < newest) await buildPage(folder);
}
