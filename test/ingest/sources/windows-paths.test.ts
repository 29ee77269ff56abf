import { win32 } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findDocumentUris, toDocumentUri, uriBelow } from "../../../src/ingest/sources/files/document-uri.ts";
import { isUrl } from "../../../src/ingest/sources/web/normalize-url.ts";

const place = { base: "C:\\Users\\ada\\project", cwd: "C:\\Users\\ada\\project\\docs" };
const uriOf = (path: string): string => toDocumentUri(path, place, win32);

describe("uris of files by the rules of Windows", () => {
  it("are relative with slashes inside of the base, and absolute with a drive outside", () => {
    expect(uriOf("keys.md")).toBe("docs/keys.md");
    expect(uriOf("sub\\keys.md")).toBe("docs/sub/keys.md");
    expect(uriOf("sub/keys.md")).toBe("docs/sub/keys.md");
    expect(uriOf("..\\readme.md")).toBe("readme.md");
    expect(uriOf("..")).toBe(".");
    expect(uriOf("c:\\users\\ADA\\Project\\docs\\a.md")).toBe("docs/a.md");
    expect(uriOf("..\\..\\other\\a.md")).toBe("C:/Users/ada/other/a.md");
    expect(uriOf("D:\\notes\\a.md")).toBe("D:/notes/a.md");
    expect(uriOf("\\\\server\\share\\a.md")).toBe("//server/share/a.md");
  });

  it("lead back to the file, however they are written", () => {
    for (const typed of [
      "keys.md",
      ".\\keys.md",
      "C:\\Users\\ada\\project\\docs\\keys.md",
      "C:/Users/ada/project/docs/keys.md",
    ])
      expect(findDocumentUris(typed, place, win32)).toContain("docs/keys.md");
    const name = fc.stringMatching(/^[a-z][a-z0-9 ._-]{0,8}[a-z0-9]$/u);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.constantFrom("C:", "D:"), (parts, drive) => {
        const path = `${drive}\\Users\\ada\\project\\${parts.join("\\")}`;
        const uri = uriOf(path);
        expect(uri).not.toContain("\\");
        expect(win32.resolve(place.base, uri)).toBe(path);
        expect(isUrl(uri)).toBe(false);
      }),
    );
  });

  it("of a folder go on below it", () => {
    expect(uriBelow("D:/notes", "sub/a.md", undefined)).toBe("D:/notes/sub/a.md");
    expect(uriBelow(".", "docs/a.md", undefined)).toBe("docs/a.md");
  });
});
