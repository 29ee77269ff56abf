import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { afterAll } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const doors = { ibid: join(root, "src/node.ts"), "ibid/testing": join(root, "src/testing/index.ts") };

/** How a program ended. */
export interface Finished {
  readonly failed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program over the sources, changed first where a test wants it wrong. */
export type RunExample = (name: string, change?: (code: string) => string) => Promise<Finished>;

/** Of the programs of one folder of `examples`, each as a process of its own in a folder that goes when the tests have run. */
export function createExampleRunner(area: string): RunExample {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ibid-examples-")));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  cpSync(join(root, "examples/check.ts"), join(folder, "check.ts"));
  mkdirSync(join(folder, area));

  return (name, change = (code) => code) => {
    const code = change(readFileSync(join(root, "examples", area, name), "utf8"));
    const path = join(folder, area, `${Math.random().toString(36).slice(2)}-${name}`);
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
  };
}
