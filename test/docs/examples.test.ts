import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { steady } from "../../scripts/docs-samples.ts";
import { subpaths } from "../../scripts/subpaths.ts";
import { type SharedProcess, shareProcess } from "../support/share-process.ts";
import { useSources } from "../support/use-sources.ts";
import { type Example, findExamples, readPages } from "./examples.ts";
import { sample } from "../support/runs.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
/** Libraries that this project does not install: `npm run docs:samples -- --all` installs them, and runs their samples. */
const elsewhere = /from "(?:fastify|h3)"/u;
const examples = [...readPages(root)]
  .flatMap(([page, text]) => findExamples(page, text))
  .filter(({ code }) => !elsewhere.test(code));
const slugOf = (place: string): string => place.replaceAll(/[^a-z0-9]+/giu, "-");
/** Files of one session stand in one folder, so that they find each other. */
const fileOf = ({ place, file }: Example): string =>
  file === undefined ? `${slugOf(place)}.ts` : `${slugOf(place.replace(/:\d+$/u, ""))}/${file}`;

let folder = "";
let shared: SharedProcess | undefined;
/** What the compiler says of the examples, one line each. */
let complaints: readonly string[] = [];

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "ibid-docs-")));
  const checked = join(folder, "checked");
  mkdirSync(checked);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  // Schemas, frameworks and clients are of libraries that the reader has.
  mkdirSync(join(folder, "node_modules"));
  for (const name of ["zod", "hono", "@hono", "openai", "ai", "@ai-sdk", "@modelcontextprotocol"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  // And databases are.
  mkdirSync(join(folder, "node_modules/@electric-sql"));
  symlinkSync(join(root, "node_modules/@electric-sql/pglite"), join(folder, "node_modules/@electric-sql/pglite"));
  for (const example of examples) {
    const path = join(checked, fileOf(example));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${example.code}\nexport {};\n`);
  }
  // A slip that the check must find, or it checks nothing.
  writeFileSync(
    join(checked, "wrong.ts"),
    'import { openKnowledgeBase } from "ibid";\n(await openKnowledgeBase()).serach("x");\n',
  );
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      typeRoots: [join(root, "node_modules/@types")],
      paths: Object.fromEntries(subpaths.map(({ specifier, nodeSource }) => [specifier, [join(root, nodeSource)]])),
      noUnusedLocals: false,
    },
    include: [checked],
    exclude: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(root, "node_modules/.bin/tsc");
  const said = await run(compiler, ["-p", folder, "--pretty", "false"], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  complaints = said.stdout.split("\n").filter((line) => line.includes("checked/"));
});
afterAll(() => {
  shared?.kill();
  rmSync(folder, { recursive: true, force: true });
});

describe("examples of the documentation", () => {
  it("there are some", () => {
    expect(examples.filter(({ place }) => place.startsWith("README.md")).length).toBeGreaterThan(0);
    expect(examples.length).toBeGreaterThan(3);
  });

  it("the compiler looks at them", () => {
    expect(complaints.filter((line) => line.includes("wrong.ts"))).toEqual([expect.stringContaining("serach")]);
  });

  it.each(examples)("$place is well typed", (example) => {
    expect(complaints.filter((line) => line.includes(`/${fileOf(example)}(`))).toEqual([]);
  });

  // One after the other, in one process: to start one for each took most of the time.
  it.each(
    sample(
      examples.filter((example) => example.run),
      3,
    ),
  )(
    "$place runs",
    async ({ place, code, prints, output }) => {
      // A folder of its own, with documents where the examples look for them: the README's program runs beside the file of its first minute.
      const own = join(folder, slugOf(place));
      mkdirSync(own);
      cpSync(join(root, "docs"), join(own, "docs"), { recursive: true });
      writeFileSync(join(own, "keys.md"), "Signing keys are rotated every ninety days.\n");
      writeFileSync(join(own, "example.ts"), useSources(code));
      shared ??= shareProcess();
      const { failed, stdout, stderr } = await shared.run({ path: join(own, "example.ts"), cwd: own });
      expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
      const lines = stdout.split("\n");
      for (const line of prints) expect(lines).toContain(line);
      // A page without an output shows each value behind its line.
      expect(steady(stdout)).toBe(steady(output ?? stdout));
    },
    60_000,
  );

  it.each(examples.filter((example) => example.run))("$place shows all that it prints", ({ hides }) => {
    expect(hides).toBe(false);
  });

  it("leave nothing open that keeps a program from ending", async () => {
    expect(await shared!.end()).toEqual({ code: 0, signal: null });
  });
});

describe("finding examples", () => {
  it("reads marks, imports and what is printed", () => {
    const page =
      'Text.\n\n```ts\nimport { a } from "ibid";\nconsole.log(a); // 1 0\nconsole.log(a); // in words\n```\n\n```sh\nls\n```\n\n```ts no-run\na();\n```\n';
    expect(findExamples("p.md", page)).toEqual([
      {
        place: "p.md:3",
        code: 'import { a } from "ibid";\nconsole.log(a); // 1 0\nconsole.log(a); // in words\n',
        run: true,
        prints: ["1 0"],
        hides: true,
      },
      { place: "p.md:13", code: 'import { a } from "ibid";\na();\n', run: false, prints: [], hides: false },
    ]);
  });

  it("does not skip an example for a misspelt mark", () => {
    expect(() => findExamples("p.md", "```ts norun\na();\n```\n")).toThrow("p.md:1");
  });
});
