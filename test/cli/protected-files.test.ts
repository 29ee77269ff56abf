import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makePdf } from "../readers/make-pdf.ts";
import { callIbid, jsonLines, makeFolder } from "./run-ibid.ts";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const password = "tulip-and-lantern";

async function project(): Promise<string> {
  const bytes = makePdf([[{ text: "The key is under the mat.", y: 700 }]], {
    protection: { user: password, owner: "owner", cipher: "aes" },
  });
  const folder = await makeFolder({ "docs/secret.pdf": bytes });
  folders.push(folder);
  return folder;
}

const ingest = async (cwd: string, args: readonly string[], env = {}): Promise<Record<string, unknown>[]> =>
  jsonLines((await callIbid(cwd, ["ingest", "docs", "--json", ...args], env)).stdout);

describe("ibid ingest --password", () => {
  it("opens a protected file, and asks for nothing where it is unchanged [E15 L7]", async () => {
    const cwd = await project();
    const asked = (await callIbid(cwd, ["ingest", "docs"])).stderr;
    expect(asked).toContain("--password");
    expect((await ingest(cwd, ["--password", password]))[0]).toMatchObject({ uri: "docs/secret.pdf", status: "added" });
    expect((await ingest(cwd, []))[0]).toMatchObject({ status: "unchanged" });
    expect((await callIbid(cwd, ["show", "docs/secret.pdf"])).stdout).toBe("The key is under the mat.");
  });

  it("takes it from the environment too, and keeps it nowhere [L10]", async () => {
    const cwd = await project();
    expect((await ingest(cwd, ["--password", "wrong"]))[0]).toMatchObject({
      status: "failed",
      error: { code: "encrypted" },
    });
    const [result, summary] = await ingest(cwd, [], { IBID_PASSWORD: password });
    expect(result).toMatchObject({ status: "added" });
    expect(JSON.stringify([result, summary])).not.toContain(password);
    const files = await readdir(join(cwd, ".ibid"), { recursive: true, withFileTypes: true });
    const kept = files.filter((file) => file.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    expect(kept.length).toBeGreaterThan(0);
    for (const file of kept) expect((await readFile(file)).includes(password)).toBe(false);
  });
});
