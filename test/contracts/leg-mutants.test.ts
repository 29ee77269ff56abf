import { describe, expect, it } from "vitest";

import { createLegPack } from "../../src/testing/leg-pack.ts";
import { expectNoticed, runMutants } from "./mutants.ts";
import { createPlainLegs, type LegFault, legFaults, plainSubject } from "./plain-legs.ts";

describe("the leg pack notices a leg with one fault [L3 L4 L5 L8 L11]", () => {
  it.each(Object.entries(legFaults))("%s: noticed by %s", async (fault, name) => {
    await expectNoticed(createLegPack(plainSubject(fault as LegFault)), `leg/plain/${name}`);
  });

  it("there is a fault for every case", () => {
    const cases = createLegPack(plainSubject()).map(({ id }) => id.replace("leg/plain/", ""));
    expect(new Set(Object.values(legFaults))).toEqual(new Set(cases));
  });
});

describe("the leg pack notices a capability that a leg does not have", () => {
  const later = createPlainLegs({ capabilities: { visibility: "later" } });
  runMutants(createLegPack, [
    ["says all filters", "leg/plain/filters-as-declared", declaring({ filters: "all" }, { filters: "none" })],
    [
      "says that it scores given chunks",
      "leg/plain/given-chunks-scored",
      declaring({ scoresGivenChunks: true }, { scoresGivenChunks: false }),
    ],
    ["says commit", "leg/plain/writes-found", declaring({ visibility: "commit" }, { visibility: "later" })],
    ["says that it names rows", "leg/plain/revision-of-the-chunk", declaring({ rows: "plain" }, {})],
    ["sees writes later, without settle", "leg/plain/writes-found", { ...later, settle: undefined as never }],
  ]);
});

type Capabilities = NonNullable<Parameters<typeof createPlainLegs>[0]["capabilities"]>;

/** A leg that has some capabilities, and declares others. */
function declaring(declared: Capabilities, capabilities: Capabilities) {
  const subject = createPlainLegs({ capabilities });
  return {
    ...subject,
    async create() {
      const parts = await subject.create();
      const legs = parts.legs.map((leg) => ({ ...leg, capabilities: { ...leg.capabilities, ...declared } }));
      return { ...parts, legs };
    },
  };
}
