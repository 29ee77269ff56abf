import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll } from "vitest";

import { type Answered, shareProcess, type SharedProcess } from "../support/share-process.ts";
import { useSources } from "../support/use-sources.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs examples over the sources, such as `extending/reader.ts`. */
export interface ExampleRunner {
  /** In a process of its own, which has to end. */
  readonly runExample: (name: string) => Promise<Answered>;
  /** Changed to be wrong, with code after it. Those of a test file share a process: that one ends is for the right ones to show. */
  readonly runWrongExample: (name: string, right: string, wrong: string, after?: string) => Promise<Answered>;
}

/** For the tests of one file, which calls it. */
export function useExamples(): ExampleRunner {
  let folder = "";
  let shared: SharedProcess | undefined;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "ibid-examples-")));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    for (const file of ["check.ts", "stand-in.ts"]) cpSync(join(root, "examples", file), join(folder, file));
    mkdirSync(join(folder, "engines"));
    writeFileSync(join(folder, "engines/keep-records.ts"), useSources(read("engines/keep-records.ts")));
    cpSync(join(root, "examples/seeds/resources"), join(folder, "seeds/resources"), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  });
  afterAll(() => {
    shared?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const read = (name: string): string => readFileSync(join(root, "examples", name), "utf8");
  const write = (name: string, code: string): string => {
    const path = join(folder, dirname(name), `${Math.random().toString(36).slice(2)}.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, useSources(code));
    return path;
  };

  return {
    async runExample(name) {
      const started = ["--no-warnings", write(name, read(name))];
      return new Promise((resolve) => {
        execFile(process.execPath, started, { cwd: folder, timeout: 110_000 }, (error, stdout, stderr) =>
          resolve({ failed: error !== null, stdout, stderr }),
        );
      });
    },
    async runWrongExample(name, right, wrong, after = "") {
      const code = read(name);
      if (!code.includes(right)) throw new Error(`${name} does not say ${right}.`);
      shared ??= shareProcess();
      return shared.run({ path: write(name, code.replace(right, wrong) + after), cwd: folder });
    },
  };
}
