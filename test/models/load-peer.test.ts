import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const source = (path: string): string => new URL(`../../src/models/${path}`, import.meta.url).href;

let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "ibid-peer-"));
  const modern = { type: "module", exports: { ".": { import: "./index.js", default: "./index.js" } } };
  await install("@peer/modern", modern, "export const answer = 42;");
  await install(
    "@peer/older",
    { exports: { ".": { import: "./index.mjs", require: "./index.js" } } },
    "exports.answer = 41;",
  );
  await install("@peer/broken", modern, 'import "@peer/absent"; export const answer = 0;');
});

afterAll(() => rm(project, { recursive: true, force: true }));

async function install(name: string, manifest: object, code: string): Promise<void> {
  const folder = join(project, "node_modules", name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name, version: "1.0.0", ...manifest }));
  await writeFile(join(folder, "index.js"), code);
}

/** In a process of its own: the test runner resolves imports in its own way. */
async function inProject(code: string): Promise<unknown> {
  const script = `
    const { loadPeer } = await import(${JSON.stringify(source("hosted/resolve-model.ts"))});
    const tried = async (name) => {
      try { return (await loadPeer(name)).answer; }
      catch (error) { return { code: error.code, message: error.message, hint: error.hint }; }
    };
    process.stdout.write(JSON.stringify(${code}));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], { cwd: project });
  return JSON.parse(stdout);
}

describe("loadPeer", () => {
  it("finds a package beside ibid, then one in the project that it is run in", async () => {
    const found = await inProject(`[
      typeof (await loadPeer("@ai-sdk/openai")).createOpenAI,
      await tried("@peer/modern"),
      await tried("@peer/older"),
    ]`);
    expect(found).toEqual(["function", 42, 41]);
  });

  it("says what to install when a package is nowhere, and when it is broken", async () => {
    expect(await inProject(`[await tried("@peer/nowhere"), await tried("@peer/broken")]`)).toEqual([
      {
        code: "dependency-missing",
        message: "The package @peer/nowhere is not installed.",
        hint: "npm install @peer/nowhere",
      },
      {
        code: "dependency-missing",
        message: "The package @peer/broken is installed but cannot be loaded.",
        hint: "Install it again: npm install @peer/broken",
      },
    ]);
  });
});

describe("hosted models", () => {
  it("loads no third party until a model is resolved whose provider needs a package", async () => {
    const hook = `
      import { registerHooks } from "node:module";
      const seen = [];
      registerHooks({ resolve(specifier, context, next) { const found = next(specifier, context); seen.push(found.url); return found; } });
      globalThis.seen = seen;`;
    const script = `
      for (const file of ["ai-sdk/ai-sdk-model", "ai-sdk/embedding-model", "ai-sdk/language-model", "hosted/resolve-model"]) {
        await import(${JSON.stringify(source(""))} + file + ".ts");
      }
      const third = () => globalThis.seen.filter((url) => url.includes("/node_modules/"));
      const before = third().length;
      const { resolveChatModel } = await import(${JSON.stringify(source("hosted/resolve-model.ts"))});
      await resolveChatModel("ollama/m", { env: {} });
      const local = third().length;
      await resolveChatModel("openai/m", { env: { OPENAI_API_KEY: "k" } });
      process.stdout.write(JSON.stringify([before, local, third().some((url) => url.includes("/@ai-sdk/openai/"))]));`;
    const hooks = join(project, "hooks.mjs");
    await writeFile(hooks, hook);
    const cwd = fileURLToPath(new URL("../..", import.meta.url));
    const args = ["--import", pathToFileURL(hooks).href, "--input-type=module", "--eval", script];
    const { stdout } = await run(process.execPath, args, { cwd });
    expect(JSON.parse(stdout)).toEqual([0, 0, true]);
  });
});
