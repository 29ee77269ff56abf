import { expect, it } from "vitest";
import { type CommitRow, compareCommits, type HeldScope } from "../../../src/stores/postgres/compare-commits.ts";

const row = (name: string, key: number, stamp: number, last: string | null = `${stamp} a${key}`): CommitRow => ({
  name,
  key,
  stamp,
  last,
  mark: "m",
});
const base = row("", 0, 4);
const scope = row("team:a", 1, 7);
const held = (changes: Partial<HeldScope> = {}): ReadonlyMap<string, HeldScope> =>
  new Map([
    ["", { key: 0, stamp: 4, commit: "a0" }],
    ["team:a", { key: 1, stamp: 7, commit: "a1", ...changes }],
  ]);
const nothing = new Map([...held()].filter(([name]) => name === ""));

it.each([
  ["the same commits are the same", [base, scope], held(), "same"],
  ["a scope that neither has is", [base], nothing, "same"],
  ["a later commit leaves it behind", [base, row("team:a", 1, 8)], held(), "behind"],
  ["a commit of the base does", [row("", 0, 5), scope], held(), "behind"],
  ["a scope that it lacks does", [base, scope], nothing, "behind"],
  ["an earlier commit is unclear", [base, row("team:a", 1, 6)], held(), "unclear"],
  ["another commit of that number is", [base, row("team:a", 1, 7, "7 b1")], held(), "unclear"],
  ["another commit of the base is", [row("", 0, 4, "4 b0"), scope], held(), "unclear"],
  ["another scope of that name is", [base, row("team:a", 2, 7, "7 a1")], held(), "unclear"],
  ["a scope that has gone is", [base], held(), "unclear"],
  ["a base that is hidden is", [scope], held(), "unclear"],
  [
    "another base is",
    [
      { ...base, mark: "n" },
      { ...scope, mark: "n" },
    ],
    held(),
    "unclear",
  ],
  ["it outweighs a later commit", [base, row("team:a", 1, 6), row("team:b", 3, 1)], held(), "unclear"],
  ["a name of another number does not count", [base, row("team:a", 1, 7, "6 b1")], held(), "same"],
  ["a scope without a name does not", [base, row("team:a", 1, 7, null)], held(), "same"],
  ["a copy without a name does not", [base, scope], held({ commit: null }), "same"],
] as const)("of the last commits of scopes, %s", (_, rows, own, expected) => {
  expect(compareCommits(rows, own, "m")).toBe(expected);
});
