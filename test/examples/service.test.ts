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
const doors = { ibid: join(root, "src/node.ts"), "ibid/server": join(root, "src/server/index.ts") };
const folder = realpathSync(mkdtempSync(join(tmpdir(), "ibid-service-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
cpSync(join(root, "examples/check.ts"), join(folder, "check.ts"));
mkdirSync(join(folder, "service"));

/** Runs an example over the sources, changed first where a test wants it wrong. */
function runExample(name: string, change: (code: string) => string = (code) => code) {
  const code = change(readFileSync(join(root, "examples/service", name), "utf8"));
  const path = join(folder, "service", `${Math.random().toString(36).slice(2)}-${name}`);
  const loaded = code.replaceAll(
    /from "(ibid(?:\/server)?)"/gu,
    (_, door: keyof typeof doors) => `from ${JSON.stringify(pathToFileURL(doors[door]).href)}`,
  );
  writeFileSync(path, loaded);
  return new Promise<{ failed: boolean; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, ["--no-warnings", path], { cwd: folder, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    );
  });
}

describe("examples of the service", () => {
  it("are all tried here, and named in the page about them", () => {
    expect(readdirSync(join(root, "examples/service"))).toEqual(["query-service.ts"]);
    expect(readFileSync(join(root, "examples/README.md"), "utf8")).toContain("(service/query-service.ts)");
  });

  it("query-service.ts: three callers over HTTP, each with what they may read [B46 L3]", async () => {
    const { failed, stdout, stderr } = await runExample("query-service.ts");
    expect({ failed, stderr }).toEqual({ failed: false, stderr: "" });
    expect(stdout.split("\n").length).toBeGreaterThan(11);
  });

  it.each([
    ["who reads too much", 'name: "web shop", key', 'name: "web shop", operator: true, key'],
    ["who reads too little", 'userId: "tom", teamId: "support"', 'userId: "tom"'],
    ["who may write", 'userId: "tom", teamId: "support"', 'userId: "tom", teamId: "support", write: true'],
  ])("ends with an error for one %s", async (_, right, wrong) => {
    const { failed, stderr } = await runExample("query-service.ts", (code) => code.replace(right, wrong));
    expect(failed).toBe(true);
    expect(stderr).toContain("instead of");
  });
});
