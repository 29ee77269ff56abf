import { expect, it } from "vitest";
import {
  type CommitRow,
  compareCommits,
  createAskCommits,
  type HeldScope,
} from "../../../src/stores/postgres/compare-commits.ts";
import { createCopyQuestions } from "../../../src/stores/postgres/copy-questions.ts";
import { createHold } from "../../../src/stores/postgres/create-hold.ts";
import { readPlacement } from "../../../src/stores/postgres/placement.ts";
import { overClient } from "../../../src/stores/postgres/postgres-client.ts";
import type { ReplicaStamps } from "../../../src/stores/postgres/replica-stamps.ts";

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

/** As an answer that was not asked for the mark of the base. */
const unmarked = (rows: readonly CommitRow[]): readonly CommitRow[] =>
  rows.map(({ key, name, stamp, last }) => ({ key, name, stamp, last }));
const unnamed: ReadonlyMap<string, HeldScope> = new Map(
  [...held()].map(([name, one]) => [name, { ...one, commit: null }]),
);

it.each([
  ["the same commit is", [base, row("team:a", 1, 7, "6 b1")], held(), "same"],
  ["commits without names are not", [row("", 0, 4, null), row("team:a", 1, 7, null)], held(), "unclear"],
  ["a copy without names is not", [base, scope], unnamed, "unclear"],
  ["nor where it lacks commits", [base, row("team:a", 1, 8)], unnamed, "unclear"],
  ["a commit that the page judges is", [row("", 0, 4, null), row("team:a", 1, 8)], held(), "behind"],
] as const)("of proofs of the base without its mark, %s one", (_, rows, own, expected) => {
  expect(compareCommits(unmarked(rows), own, "m")).toBe(expected);
});

it.each([
  ["keys alone, where each scope is held and names its commit", ["team:a"], held(), /= ANY \('\{0,1\}'\)$/u, []],
  [
    "names, where one is not held",
    ["team:a", "team:b"],
    held(),
    /name = ANY \(\$1::text\[\]\)$/u,
    [["", "team:a", "team:b"]],
  ],
  ["the mark too, where no commit is named", ["team:a"], unnamed, /AS mark[^]*'\{0,1\}'\)$/u, []],
] as const)("asks by %s", async (_, names, own, text, values) => {
  const asked: [string, unknown][] = [];
  const client = {
    query: async (...statement: [string, unknown[]?]) => (asked.push(statement as never), { rows: [] }),
  };
  await createAskCommits(overClient(client), "s")(names, own);
  expect(asked).toEqual([[expect.stringMatching(text), values]]);
});

it("asks for the mark after a commit without a name, until the next one that has a name", async () => {
  const texts: string[] = [];
  let answer = unmarked([row("", 0, 4, null), row("team:a", 1, 7, "6 b1")]);
  const ask = createAskCommits(
    overClient({ query: async (text: string) => (texts.push(text), { rows: answer }) }),
    "s",
  );
  for (let i = 0; i < 3; i++) await ask(["team:a"], held());
  answer = unmarked([row("", 0, 4, null), scope]);
  for (let i = 0; i < 2; i++) await ask(["team:a"], held());
  expect(texts.map((text) => text.includes("AS mark"))).toEqual([false, true, true, true, false]);
});

it.each([
  ["counts where the answer has it", held({ stamp: 6, commit: "b1" }), held(), [base, scope], "same"],
  ["leaves the copy behind where the answer has more", held({ stamp: 5 }), held({ stamp: 6 }), [base, scope], "behind"],
  ["is unclear for a scope under another key, which was not asked for", held(), nothing, [base], "unclear"],
] as const)("what another process brings to the file of a copy %s", async (_, kept, now, rows, expected) => {
  const read = [kept, now];
  const db = overClient({ query: async () => ({ rows: unmarked(rows) }) });
  const stamps = { named: () => read[0]!, forget: () => read.shift() } as unknown as ReplicaStamps;
  const options = { db, schema: "s", mark: "m", placement: readPlacement(undefined), stamps, lock: createHold() };
  expect(await createCopyQuestions(options).compare(["team:a"])).toBe(expected);
});
