import { describe } from "vitest";

import type { OpenSpan, Telemetry } from "../../src/contracts/telemetry.ts";
import { createTelemetryPack, type TelemetrySubject } from "../../src/testing/telemetry-pack.ts";
import { runMutants } from "./mutants.ts";

const within = (run: OpenSpan["within"]): TelemetrySubject => ({
  create: (): Telemetry => ({ span: () => ({ within: run, end() {} }) }),
});

describe("the telemetry pack notices one with one fault [B53 T53]", () => {
  runMutants(createTelemetryPack, [
    [
      "does the work twice",
      "telemetry/does-the-work-once-and-hands-it-back",
      within((work) => {
        work();
        return work();
      }),
    ],
    [
      "keeps the result to itself",
      "telemetry/does-the-work-once-and-hands-it-back",
      within((work) => void work() as ReturnType<typeof work>),
    ],
    [
      "swallows errors",
      "telemetry/lets-errors-through",
      within((work) => {
        try {
          return work();
        } catch {
          return undefined as ReturnType<typeof work>;
        }
      }),
    ],
    [
      "wraps errors",
      "telemetry/lets-errors-through",
      within((work) => {
        try {
          return work();
        } catch (cause) {
          throw new Error("in a span", { cause });
        }
      }),
    ],
    [
      "rounds what it is told",
      "telemetry/takes-every-event-and-changes-none",
      {
        create: () => ({
          event(event) {
            if (event.name === "KnowledgeFlushed")
              Object.assign(event.data, { latencyMs: Math.round(event.data.latencyMs) });
          },
        }),
      },
    ],
  ]);
});
