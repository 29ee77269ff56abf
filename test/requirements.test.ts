import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { requirements } from "./requirements.ts";
import type { Requirement } from "./requirements.ts";

const here = new URL(".", import.meta.url).pathname;

const id = "[BTWESL]\\d+";
/** `[B26 W36]` at the end of a title. */
const inTitle = new RegExp(`\\[(${id}(?: ${id})*)\\]["'\`]`, "gu");
/** `"B26 W36"`, a string of nothing else: the items of a pack's case. */
const inPack = new RegExp(`"(${id}(?: ${id})*)"`, "gu");

function cited(source: string, pattern: RegExp): readonly string[] {
  return Array.from(source.matchAll(pattern), ([, ids = ""]) => ids.split(" ")).flat();
}

function sources(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending) && !path.includes("fixtures"))
    .map((path) => readFileSync(join(folder, path), "utf8"));
}

/** What the tests say that they prove. */
function citations(): ReadonlySet<string> {
  const titles = sources(here, ".test.ts").flatMap((source) => cited(source, inTitle));
  const items = sources(join(here, "../src/testing"), ".ts").flatMap((source) => cited(source, inPack));
  return new Set([...titles, ...items]);
}

/** What is said to be there, and no test cites. */
function unproven(list: readonly Requirement[], proofs: ReadonlySet<string>): readonly string[] {
  return list
    .filter(({ status, id: each }) => status === "brought" && !proofs.has(each))
    .map(({ id: each, says }) => `${each}: ${says}`);
}

describe("what the five designs ask for", () => {
  const proofs = citations();

  it("every item is listed once, in order", () => {
    const counts = { B: 53, T: 59, W: 54, E: 56, S: 28, L: 12 };
    const all = Object.entries(counts).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
    );
    expect(requirements.map((each) => each.id)).toEqual(all);
  });

  it("what comes later says with which work", () => {
    expect(requirements.filter(({ status, where }) => (status === "later") !== (where !== undefined))).toEqual([]);
  });

  it("what is brought is cited by a test", () => {
    expect(unproven(requirements, proofs)).toEqual([]);
  });

  it("tests cite nothing that is not listed", () => {
    const known = new Set(requirements.map((each) => each.id));
    expect([...proofs].filter((each) => !known.has(each))).toEqual([]);
  });

  it("the check can fail", () => {
    const list: readonly Requirement[] = [
      { id: "B1", says: "one", status: "brought" },
      { id: "B2", says: "two", status: "brought" },
      { id: "B3", says: "three", status: "later", where: "memory" },
    ];
    const test = 'it("does one thing [B1 L3]", () => {}); it("mentions B2 and [B2 in passing]", () => {});';
    expect(unproven(list, new Set(cited(test, inTitle)))).toEqual(["B2: two"]);
    expect(cited('["name", "B1 B2", async () => "B3 is not alone"]', inPack)).toEqual(["B1", "B2"]);
  });
});
