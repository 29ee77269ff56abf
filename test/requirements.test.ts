import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { findProofs, makePage } from "../scripts/seeds-page.ts";
import { cited, findCitations, inPack, inTitle } from "./citations.ts";
import { behaviours } from "./designs/behaviours.ts";
import { proofs as declared } from "./designs/proofs.ts";
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

  it("what is brought lives somewhere, and what is open says why", () => {
    const places = requirements.flatMap((each) => (each.status === "brought" ? each.lives : []));
    expect(places.filter((path) => path === "" || !existsSync(join(root, path)))).toEqual([]);
    const reasons = requirements.flatMap((each) => (each.status === "open" ? each.why : []));
    expect(reasons.filter((why) => !/^[A-Z`].*\.$/u.test(why))).toEqual([]);
  });

  it("the page about it is what `npm run seeds` makes", () => {
    expect(readFileSync(join(root, "docs/seeds.md"), "utf8")).toBe(makePage(findProofs(declared), behaviours));
  });

  it("the page tells what works, what an option gives and what is open", () => {
    const lives = "src/index.ts";
    const list: readonly Requirement[] = [
      { id: "B1", says: "one | two", status: "brought", lives },
      { id: "B2", says: "three", status: "brought", lives, option: "`topK: 3`." },
      { id: "B3", says: "four", status: "brought", lives },
      { id: "B4", says: "five", status: "open", why: "Nobody wrote it." },
      { id: "L1", says: "six", status: "brought", lives },
    ];
    const page = makePage(
      findProofs({ a: [{ item: "B1" }, { item: "B1" }, { item: "L1" }], b: [{ item: "B2" }, { item: "B4" }] }),
      [
        { item: "#1", design: "A", title: "one", way: "same", run() {} },
        { item: "#2", design: "B", title: "two", way: { option: "`three`" }, run() {} },
        { item: "#3", design: "B", title: "four", way: { reason: "Five." }, run() {} },
      ],
      list,
    );
    expect(page).toContain("Items: 4. Works: 1. Settled with an option: 1. Open: 2.");
    expect(page).toContain("The open items: B3, B4.");
    expect(page).toContain("| B1 | one \\| two | works | [a.ts](../test/designs/a.ts) |");
    expect(page).toContain("| B2 | three | settled | `topK: 3`. [b.ts](../test/designs/b.ts) |");
    expect(page).toContain("| B3 | four | open | No proof over the packed package yet. |");
    expect(page).toContain("| B4 | five | open | Nobody wrote it. In part: [b.ts](../test/designs/b.ts). |");
    expect(page).not.toContain("six");
    expect(page).toContain("Behaviours: 3. The same by default: 1. By an option: 1. Another, with a reason: 1.");
    expect(page).toContain("| 2 | B | two | another | `three` |");
  });

  it("each of the 43 behaviours stands on the page once, in order", () => {
    expect(behaviours.map(({ item }) => item)).toEqual(Array.from({ length: 43 }, (_, i) => `#${i + 1}`));
  });

  it("proofs are of items that are listed", () => {
    const known = new Set(requirements.map((each) => each.id));
    expect([...findProofs(declared).keys()].filter((each) => !known.has(each))).toEqual([]);
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
      { id: "B3", says: "three", status: "open", why: "Because." },
    ];
    const test = 'it("does one thing [B1 L3]", () => {}); it("mentions B2 and [B2 in passing]", () => {});';
    expect(unproven(list, new Set(cited(test, inTitle)))).toEqual(["B2: two"]);
    expect(cited('["name", "B1 B2", async () => "B3 is not alone"]', inPack)).toEqual(["B1", "B2"]);
  });
});
