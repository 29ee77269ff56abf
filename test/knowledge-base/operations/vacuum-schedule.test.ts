import { describe, expect, it } from "vitest";
import type { Clock } from "../../../src/contracts/clock.ts";
import { scheduleVacuum } from "../../../src/knowledge-base/operations/vacuum-schedule.ts";
import { createClock } from "../../support/clock.ts";

const hour = 3_600_000;
const day = 24 * hour;

describe("a vacuum on schedule", () => {
  it("runs once a day at its time in UTC, with its retention, and goes on after one that failed [T14]", async () => {
    const time = createClock(10 * day + 5 * hour);
    const asked: unknown[] = [];
    const errors: unknown[] = [];
    const done: number[] = [];
    const schedule = scheduleVacuum(
      {
        async vacuum(options) {
          asked.push(options);
          if (asked.length === 2) throw new Error("locked");
          return { chunks: asked.length };
        },
      },
      { clock: time.clock, onVacuum: ({ chunks }) => done.push(chunks), onError: (error) => errors.push(error) },
    );
    expect(schedule.next).toBe(11 * day + 3 * hour);
    await time.pass(21 * hour);
    expect(asked).toEqual([]);
    await time.pass(hour);
    expect(asked).toEqual([{ olderThanMs: 7 * day }]);
    expect(schedule.next).toBe(12 * day + 3 * hour);
    await time.pass(2 * day);
    expect(asked).toHaveLength(3);
    expect(done).toEqual([1, 3]);
    expect(errors).toHaveLength(1);
    await schedule.stop();
    expect(time.isWaiting()).toBe(false);
    await time.pass(5 * day);
    expect(asked).toHaveLength(3);
  });

  it("waits where a timer would overflow or fires early, and refuses what is no time and too short a retention [T14]", async () => {
    const time = createClock(0);
    let asked = 0;
    const vacuum = async () => ({ chunks: asked++ });
    let early = true;
    const clock: Clock = { ...time.clock, after: (ms, call) => time.clock.after(early ? ms / 2 : ms, call) };
    const schedule = scheduleVacuum({ vacuum }, { at: "23:59", retentionMs: 60_000, clock });
    await time.pass(day - 2 * 60_000);
    expect(asked).toBe(0);
    early = false;
    await time.pass(2 * 60_000);
    expect(asked).toBe(1);
    await schedule.stop();
    for (const options of [
      { at: "24:00" },
      { at: "3:00" },
      { retentionMs: 59_999 },
      { retentionMs: NaN },
      { when: 1 },
    ]) {
      expect(() => scheduleVacuum({ vacuum }, options as object)).toThrowError(
        expect.objectContaining({ code: "invalid-argument" }),
      );
    }
  });
});
