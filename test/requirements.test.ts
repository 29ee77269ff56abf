import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { makePage } from "../scripts/seeds-page.ts";
import { cited, findCitations, inPack, inTitle } from "./citations.ts";
import { requirements } from "./requirements.ts";
import type { Requirement } from "./requirements.ts";

const root = new URL("..", import.meta.url).pathname;

/** What is said to be there, and no test cites. */
function unproven(list: readonly Requirement[], proofs: { has(id: string): boolean }): readonly string[] {
  return list
    .filter(({ status, id: each }) => status === "brought" && !proofs.has(each))
    .map(({ id: each, says }) => `${each}: ${says}`);
}

describe("what the five designs ask for", () => {
  const proofs = findCitations();

  it("every item is listed once, in order", () => {
    const counts = { B: 53, T: 59, W: 54, E: 56, S: 28, L: 12 };
    const all = Object.entries(counts).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
    );
    expect(requirements.map((each) => each.id)).toEqual(all);
  });

  it("what is brought lives somewhere, and what comes later says why", () => {
    const places = requirements.flatMap((each) => (each.status === "brought" ? each.lives : []));
    expect(places.filter((path) => path === "" || !existsSync(join(root, path)))).toEqual([]);
    const reasons = requirements.flatMap((each) => (each.status === "later" ? each.why : []));
    expect(reasons.filter((why) => !/^[A-Z].*\.$/u.test(why))).toEqual([]);
  });

  it("the page about it is what `npm run seeds` makes", () => {
    expect(readFileSync(join(root, "docs/seeds.md"), "utf8")).toBe(makePage());
  });

  it("the page names a place and proofs, or a reason", () => {
    const list: readonly Requirement[] = [
      { id: "B1", says: "one | two", status: "brought", lives: "src/index.ts" },
      { id: "B2", says: "three", status: "later", why: "Nobody wrote it." },
    ];
    const page = makePage(
      list,
      new Map([["B1", ["test/a.test.ts", "test/b.test.ts", "test/c.test.ts", "test/d.test.ts"]]]),
    );
    const proofs =
      "[a.test.ts](../test/a.test.ts), [b.test.ts](../test/b.test.ts), [c.test.ts](../test/c.test.ts) and more";
    expect(page).toContain(`| B1 | one \\| two | [src/index.ts](../src/index.ts) | ${proofs} |`);
    expect(page).toContain("| B2 | three | not yet | Nobody wrote it. |");
  });

  it("what is brought is cited by a test", () => {
    expect(unproven(requirements, proofs)).toEqual([]);
  });

  it("tests cite nothing that is not listed", () => {
    const known = new Set(requirements.map((each) => each.id));
    expect([...proofs.keys()].filter((each) => !known.has(each))).toEqual([]);
  });

  it("the check can fail", () => {
    const list: readonly Requirement[] = [
      { id: "B1", says: "one", status: "brought", lives: "src/index.ts" },
      { id: "B2", says: "two", status: "brought", lives: "src/index.ts" },
      { id: "B3", says: "three", status: "later", why: "Because." },
    ];
    const test = 'it("does one thing [B1 L3]", () => {}); it("mentions B2 and [B2 in passing]", () => {});';
    expect(unproven(list, new Set(cited(test, inTitle)))).toEqual(["B2: two"]);
    expect(cited('["name", "B1 B2", async () => "B3 is not alone"]', inPack)).toEqual(["B1", "B2"]);
  });
});
