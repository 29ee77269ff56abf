import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareWorlds } from "./compare-worlds.ts";
import { anyPeopledWorld, entityCalls } from "./entity-calls.ts";
import { countingEveryScope, widened, widenedLeg } from "./faults.ts";
import type { Fault, Subject } from "./subjects.ts";
import { scopes } from "./worlds.ts";

const subjects: readonly (Subject & { readonly runs: number })[] = [
  { name: "memory, words alone", store: "memory", sees: "nothing", runs: 6 },
  { name: "memory, a given model", store: "memory", sees: "given", runs: 2 },
  { name: "memory, the store's own model", store: "memory", sees: "own", runs: 2 },
  { name: "SQLite, words alone", store: "SQLite", sees: "nothing", runs: 1 },
];

describe("entities, relationships and records that a caller may not read move nothing [T8 T26 E30 E35 L3]", () => {
  it.each(subjects)("$name", async ({ runs, ...subject }) => {
    await fc.assert(
      fc.asyncProperty(anyPeopledWorld, async (world) => {
        const { given, expected } = await compareWorlds(subject, world, {}, entityCalls);
        expect(given).toEqual(expected);
      }),
      { numRuns: runs },
    );
  });
});

const faults: Readonly<Record<string, readonly [noticedBy: string, fault: Fault]>> = {
  "an entity is found by its id anywhere": [
    "entity",
    widened("documents", "find", (raw) => (own, uri) => raw.find(own.length > 1 ? scopes : own, uri)),
  ],
  "keys are listed from every scope": [
    "keys",
    widened("documents", "documents", (raw) => (_, options) => raw.documents(scopes, options)),
  ],
  "relationships are those of every scope": [
    "related",
    {
      view: (good, all) => ({
        collection: (name: string, definition: never) => (name.includes("/") ? all : good).collection(name, definition),
      }),
    },
  ],
  "entities are those of every scope": [
    "related",
    {
      view: (good, all) => ({
        collection: (name: string, definition: never) => (name.includes("/") ? good : all).collection(name, definition),
      }),
    },
  ],
  "words are as rare as in every scope": ["find", widenedLeg("lexical", countingEveryScope)],
};

describe("a way round the gate through an entity is noticed [E35 L3]", () => {
  it.each(Object.entries(faults))("%s", async (name, [noticedBy, fault]) => {
    const notices = fc.asyncProperty(anyPeopledWorld, async (world) => {
      const { given, expected } = await compareWorlds(
        { name, store: "memory", sees: "nothing" },
        world,
        fault,
        entityCalls,
        noticedBy,
      );
      const differing = Object.keys(expected).filter((call) => !isDeepStrictEqual(given[call], expected[call]));
      return !differing.some((call) => call.split(" ")[1] === noticedBy);
    });
    const { failed, errorInstance } = await fc.check(notices, { seed: 20, numRuns: 30, endOnFailure: true });
    expect(failed, "no world noticed").toBe(true);
    expect(String(errorInstance)).toContain("returning false");
  });
});
