import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const doors = { ibid: join(root, "src/node.ts"), "ibid/testing": join(root, "src/testing/index.ts") };
const folder = realpathSync(mkdtempSync(join(tmpdir(), "ibid-examples-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
cpSync(join(root, "examples/check.ts"), join(folder, "check.ts"));
mkdirSync(join(folder, "extending"));

interface Finished {
  readonly failed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an example over the sources, changed first where a test wants it wrong. */
function runExample(name: string, change: (code: string) => string = (code) => code): Promise<Finished> {
  const code = change(readFileSync(join(root, "examples/extending", name), "utf8"));
  const path = join(folder, "extending", `${Math.random().toString(36).slice(2)}-${name}`);
  const loaded = code.replaceAll(
    /from "(ibid(?:\/testing)?)"/gu,
    (_, door: keyof typeof doors) => `from ${JSON.stringify(pathToFileURL(doors[door]).href)}`,
  );
  writeFileSync(path, loaded);
  return new Promise((resolve) => {
    execFile(process.execPath, ["--no-warnings", path], { cwd: folder, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    );
  });
}

describe("examples of extending", () => {
  const programs = {
    "reader.ts": "E37",
    "refresh-policy.ts": "E38",
    "transformer.ts": "E39",
    "backend.ts": "E40",
  } as const;

  it("are all tried here, and named in the page about them [E37 E38 E39 E40]", () => {
    const page = readFileSync(join(root, "examples/README.md"), "utf8");
    expect(readdirSync(join(root, "examples/extending")).toSorted()).toEqual(Object.keys(programs).toSorted());
    for (const name of Object.keys(programs)) expect(page).toContain(`(extending/${name})`);
  });

  it.each(Object.keys(programs))("%s runs without a key, and finds what it should", async (name) => {
    const { failed, stdout, stderr } = await runExample(name);
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout.split("\n").length).toBeGreaterThan(2);
  });

  it.each([
    ["reader.ts", "readers: [subtitleReader]", "readers: []"],
    ["refresh-policy.ts", "{ refresh: careful }", "{}"],
    ["transformer.ts", "transformers: [spellOut]", "transformers: []"],
    ["backend.ts", "b.score - a.score ||", "a.score - b.score ||"],
  ])("%s ends with an error when the answer is wrong", async (name, right, wrong) => {
    const { failed, stderr } = await runExample(name, (code) => code.replace(right, wrong));
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});
