import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/contracts/clock.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { Store } from "../../src/contracts/store.ts";
import { createSettler } from "../../src/knowledge-base/settle-later.ts";

/** A clock that moves when it is told to, and a store whose settling takes as long as is said. */
function world(takesMs: number) {
  let now = 0;
  let waiting: { readonly at: number; readonly call: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    after(ms, call) {
      const timer = { at: now + ms, call };
      waiting.push(timer);
      return () => (waiting = waiting.filter((each) => each !== timer));
    },
  };
  let settlings = 0;
  const settle = async (): Promise<void> => {
    settlings++;
    now += takesMs;
  };
  const store = { upkeep: { settle } } as unknown as Pick<Store, "upkeep">;
  return {
    clock,
    settler: createSettler(store, clock),
    count: () => settlings,
    pass: (ms: number): void => {
      now += ms;
      const due = waiting.filter(({ at }) => at <= now);
      waiting = waiting.filter(({ at }) => at > now);
      for (const { call } of due) call();
    },
    /** Until what was asked for has had its turn. */
    turn: () => new Promise((resolve) => void setTimeout(resolve, 20)),
  };
}

describe("a settling that nobody waits for", () => {
  it("begins at once, then rests nine times as long as it took", async () => {
    const { settler, count, pass, turn } = world(10);
    settler.later();
    settler.later();
    await turn();
    expect(count()).toBe(1);
    for (let i = 0; i < 3; i++) settler.later();
    await turn();
    pass(89);
    await turn();
    expect(count()).toBe(1);
    pass(1);
    await turn();
    expect(count()).toBe(2);
    pass(1000);
    await turn();
    expect(count()).toBe(2);
  });

  it("is neither begun nor finished where the knowledge base is closed without it", async () => {
    let begun = 0;
    const settle = ({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> => {
      begun++;
      return new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(new IbidError("aborted", "It was stopped.")));
      });
    };
    const store = { upkeep: { settle } } as unknown as Pick<Store, "upkeep">;
    const settler = createSettler(store, world(0).clock);
    const awaited = settler.now({});
    awaited.catch(() => {});
    settler.later();
    await world(0).turn();
    await settler.done({ settle: false });
    await expect(awaited).rejects.toMatchObject({ code: "aborted" });
    settler.later();
    await world(0).turn();
    expect(begun).toBe(1);
  });

  it("is done at once when the knowledge base is closed, and not for one who waits for it", async () => {
    const { settler, count, turn } = world(10);
    await settler.now({});
    settler.later();
    await turn();
    expect(count()).toBe(1);
    await settler.done();
    expect(count()).toBe(2);
    await settler.done();
    expect(count()).toBe(2);
    await settler.now({});
    expect(count()).toBe(3);
  });
});
