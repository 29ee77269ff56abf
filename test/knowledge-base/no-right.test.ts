import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fileReason } from "../../src/stores/sqlite/make-folder.ts";

/** Opens a base as an account without rights: root would be let into every folder. */
function openAsNobody(location: string): string {
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const program = join(import.meta.dirname, "../../src/knowledge-base/open/open-store-in-folder.ts");
  const script = `import(${JSON.stringify(program)}).then((it) => it.openStoreInFolder(${JSON.stringify(location)}, {}, ${location.endsWith("new")}))
    .then(() => "opened", ({ code, message }) => code + ": " + message).then((text) => console.log(text));`;
  const { stdout, error } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    ...nobody,
  });
  if (error !== undefined) throw error;
  return stdout.trim();
}

/** Without rights to the sources themselves, nobody can tell anything. */
const mayRun = process.platform !== "win32" && openAsNobody("/nowhere/gone") !== "";

it.runIf(mayRun)("a folder without the right to read or write it says so, and is not missing", () => {
  const folder = mkdtempSync(join(tmpdir(), "ibid-no-right-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const held = join(folder, "held");
  mkdirSync(held);
  writeFileSync(join(held, "ibid.sqlite"), "");
  chmodSync(held, 0o000);
  chmodSync(folder, 0o555);
  expect(openAsNobody(held)).toBe(`store-failed: The knowledge base at ${held} cannot be read: permission denied.`);
  const fresh = join(folder, "new");
  expect(openAsNobody(fresh)).toBe(`store-failed: The folder ${fresh} cannot be made: permission denied.`);
  expect(openAsNobody(join(folder, "gone"))).toBe(`not-found: There is no knowledge base at ${join(folder, "gone")}.`);
  chmodSync(folder, 0o755);
  chmodSync(held, 0o755);
});

it("reasons of the file system are told in words, and others as they came", () => {
  expect(fileReason(Object.assign(new Error("EROFS: x"), { code: "EROFS" }))).toBe(
    "the file system may not be written",
  );
  expect(fileReason(new Error("strange"))).toBe("strange");
});
