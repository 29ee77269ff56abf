import { describe, expect, it } from "vitest";
import { documentPath, pathWords } from "../../src/text/document-path.ts";

describe("the path of a document", () => {
  it.each([
    ["/srv/reports/ACME/10-K_2018.pdf", "/srv/reports", "reports", "ACME/10-K_2018.pdf"],
    ["C:\\reports\\ACME\\2018.pdf", "C:\\reports", "reports", "ACME/2018.pdf"],
    ["file:///srv/reports/a%20b.md", "file:///srv/reports", "reports", "a b.md"],
    ["/srv/alone.md", null, "", "alone.md"],
    ["C:\\private\\alone.md", null, "", "alone.md"],
    ["file:///home/ada/alone.md", null, "", "alone.md"],
    ["https://example.org/guide/setup.html?x=1", null, "example.org", "guide/setup.html"],
    ["notes/today.md", null, "", "notes/today.md"],
    ["/srv/reportsold/a.md", "/srv/reports", "", "a.md"],
    ["https://example.org/%zz", null, "example.org", "%zz"],
  ])("of %s in %s is %s %s", (uri, folder, root, path) => {
    expect(documentPath(uri, folder)).toEqual({ rootLabel: root, path });
  });

  it("is words without its extension", () => {
    expect(pathWords("ACME/10-K_2018.v2.pdf")).toBe("ACME 10-K 2018 v2");
    expect(pathWords("guide/setup")).toBe("guide setup");
  });
});
