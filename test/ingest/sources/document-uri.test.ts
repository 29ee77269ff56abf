import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findDocumentUris, toDocumentUri, uriBelow } from "../../../src/ingest/sources/files/document-uri.ts";

let base: string;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "ibid-uri-")));
  await mkdir(join(base, "project/docs"), { recursive: true });
  await writeFile(join(base, "project/docs/a.md"), "a");
  await symlink("project", join(base, "shortcut"));
  await symlink("docs/a.md", join(base, "project/b.md"));
});
afterAll(() => rm(base, { recursive: true }));

describe("toDocumentUri", () => {
  it("is relative to the base, absolute outside", () => {
    const place = { base: "/home/ada/kb", cwd: "/home/ada/kb/docs" };
    expect(toDocumentUri("a.md", place)).toBe("docs/a.md");
    expect(toDocumentUri("../a.md", place)).toBe("a.md");
    expect(toDocumentUri("..", place)).toBe(".");
    expect(toDocumentUri("../..", place)).toBe("/home/ada");
    expect(toDocumentUri("/home/ada/kb2/a.md", place)).toBe("/home/ada/kb2/a.md");
    expect(toDocumentUri("/home/ada/kb/..hidden/a.md", place)).toBe("..hidden/a.md");
    expect(toDocumentUri("/a.md", { base: "/" })).toBe("a.md");
  });

  it("leads back to the path", () => {
    const segment = fc.stringMatching(/^[a-zé .[\]*-]{1,8}$/).filter((text) => text !== "." && text !== "..");
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
        const path = segments.join("/");
        expect(toDocumentUri(`/base/${path}`, { base: "/base" })).toBe(path);
        expect(uriBelow("/base", path, undefined)).toBe(`/base/${path}`);
        expect(uriBelow("/base", path, "/base")).toBe(path);
        expect(uriBelow(".", path, undefined)).toBe(path);
      }),
    );
  });
});

describe("findDocumentUris", () => {
  it("sees through links, the likeliest first", () => {
    const place = { base: join(base, "project"), cwd: base };
    expect(findDocumentUris("project/docs/a.md", place)).toEqual(["docs/a.md"]);
    expect(findDocumentUris("shortcut/docs/a.md", place)).toEqual(["docs/a.md", join(base, "shortcut/docs/a.md")]);
    expect(findDocumentUris("project/b.md", place)).toEqual(["b.md", "docs/a.md"]);
    expect(findDocumentUris("project/gone/c.md", place)).toEqual(["gone/c.md"]);
  });
});
