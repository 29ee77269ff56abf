import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

import { expect, it } from "vitest";

import { root } from "../../../scripts/subpaths.ts";

it("a Node that is started without its SQLite is refused, with what to do", () => {
  const runtime = pathToFileURL(join(root, "src/stores/sqlite/sqlite-runtime.ts")).href;
  const program = `import { loadSqlite } from ${JSON.stringify(runtime)};
    try { loadSqlite(); } catch ({ code, hint }) { console.log(code, hint); }`;
  const flags = ["--no-experimental-sqlite", "--input-type=module"];
  const said = execFileSync(process.execPath, [...flags, "-e", program], { encoding: "utf8" });
  expect(said).toMatch(/^unsupported-runtime Start it without --no-experimental-sqlite/u);
});
