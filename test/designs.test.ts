import { describe, it } from "vitest";
import { behaviours } from "./designs/behaviours.ts";
import { repository } from "./designs/embabel/repository.ts";

/** Runs the proofs of one item, which `npm run seeds` runs over the packed package, over the sources. */
async function run(item: string): Promise<void> {
  for (const proof of repository) if (proof.item === item) await proof.run();
}

describe("a repository of content elements", () => {
  it("writes, enhances, tells, finds, counts and deletes [E20]", () => run("E20"));
  it("calls its hooks in order, with the vectors that are there [E22]", () => run("E22"));
  it("is searched by the class of what is found [E23]", () => run("E23"));
});

describe("an entity as an object", () => {
  it("has the types of its labels, and may follow its entity [E33]", () => run("E33"));
});

describe("tools for a model", () => {
  it("are those that the base can serve, and work on everything that it holds [E52]", () => run("E52"));
});

describe("behaviours of the five projects' own suites", () => {
  it.each(behaviours)("$item $design: $title", async (behaviour) => {
    await behaviour.run();
  });
});
