import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const source = new URL("../../src/", import.meta.url).href;

/** Runs a command in a process of its own, and tells which modules were loaded by its end. */
const program = `
  import { registerHooks } from "node:module";
  const loaded = [];
  registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
  const { main } = await import(${JSON.stringify(`${source}cli/main.ts`)});
  const code = await main(process.argv.slice(1));
  process.stdout.write("\\n" + JSON.stringify({ code, loaded }));
`;

function run(folder: string, args: readonly string[]) {
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program, "--", ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { code, loaded } = JSON.parse(printed.trim().split("\n").at(-1)!) as { code: number; loaded: string[] };
  return { code, modules: loaded.map((url) => url.replace(source, "")) };
}

describe("a search from the command line", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ibid-loaded-"));
    writeFileSync(join(folder, "a.md"), "# Apples\n\nApples are stored in the cellar.\n");
    expect(run(folder, ["ingest", "a.md"]).code).toBe(0);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("loads neither what is public, nor providers of models, nor graphs, nor how a format is read", () => {
    const { code, modules } = run(folder, ["search", "where are apples stored", "--json"]);
    expect(code).toBe(0);
    expect(modules).toContain("stores/segments/segment-legs.ts");
    const idle =
      /(?:^|\/)index(?:\.node)?\.ts$|^models\/(?:ai-sdk|hosted|transformers)\/|^integrations\/|^stores\/blobs\/s3-|\/read-(?:pdf|xls|docx|html)\.ts$|^answers\/answer-|^eval\//u;
    expect(modules.filter((path) => idle.test(path))).toEqual([]);
  });
});
