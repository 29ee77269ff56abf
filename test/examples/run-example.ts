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
import { fileURLToPath, pathToFileURL } from "node:url";

import { afterAll } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const doors = {
  ibid: join(root, "src/node.ts"),
  "ibid/testing": join(root, "src/testing/index.ts"),
  "ibid/langchain": join(root, "src/langchain.ts"),
  "ibid/server": join(root, "src/server/index.ts"),
};
const folder = realpathSync(mkdtempSync(join(tmpdir(), "ibid-examples-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
for (const file of ["check.ts", "stand-in.ts"]) cpSync(join(root, "examples", file), join(folder, file));
cpSync(join(root, "examples/seeds/resources"), join(folder, "seeds/resources"), { recursive: true });
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));

export interface Finished {
  readonly failed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an example, such as `extending/reader.ts`, over the sources, changed first where a test wants it wrong. */
export function runExample(name: string, change: (code: string) => string = (code) => code): Promise<Finished> {
  const code = change(readFileSync(join(root, "examples", name), "utf8"));
  const path = join(folder, dirname(name), `${Math.random().toString(36).slice(2)}.ts`);
  const loaded = code.replaceAll(
    /from "(ibid(?:\/[a-z]+)?)"/gu,
    (_, door: keyof typeof doors) => `from ${JSON.stringify(pathToFileURL(doors[door]).href)}`,
  );
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, loaded);
  return new Promise((resolve) => {
    execFile(process.execPath, ["--no-warnings", path], { cwd: folder, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    );
  });
}
