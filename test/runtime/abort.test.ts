import { describe, expect, it } from "vitest";
import { anySignal, throwIfAborted, untilAborted } from "../../src/runtime/abort.ts";

describe("a signal that has fired", () => {
  it("is aborted, or a timeout when it was a deadline, with its reason as the cause", async () => {
    const reason = new Error("enough");
    expect(() => throwIfAborted(AbortSignal.abort(reason), "The search", { uri: "a" })).toThrow(
      expect.objectContaining({ code: "aborted", message: "The search was stopped.", cause: reason, uri: "a" }),
    );
    const deadline = AbortSignal.timeout(1);
    await new Promise((resolve) => deadline.addEventListener("abort", resolve));
    expect(() => throwIfAborted(deadline, "The search")).toThrow(expect.objectContaining({ code: "timeout" }));
    expect(() => throwIfAborted(undefined, "The search")).not.toThrow();
    expect(() => throwIfAborted(new AbortController().signal, "The search")).not.toThrow();
  });

  it("does not wait for a promise that pays no heed, and leaves no listener behind", async () => {
    const controller = new AbortController();
    const never = new Promise<never>(() => {});
    const waiting = untilAborted(never, controller.signal, "The search");
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await expect(untilAborted(never, controller.signal, "The search")).rejects.toMatchObject({ code: "aborted" });
    expect(await untilAborted(Promise.resolve(1), new AbortController().signal, "The search")).toBe(1);
    expect(await untilAborted(Promise.resolve(2), undefined, "The search")).toBe(2);
  });
});

describe("one of several signals", () => {
  it("stops the others' work, also a signal of another realm, which AbortSignal.any refuses", () => {
    const foreign = (signal: AbortSignal): AbortSignal =>
      ({
        aborted: signal.aborted,
        reason: "foreign",
        addEventListener: signal.addEventListener.bind(signal),
        removeEventListener: signal.removeEventListener.bind(signal),
      }) as never;
    for (const wrap of [(signal: AbortSignal) => signal, foreign]) {
      const [first, second] = [new AbortController(), new AbortController()];
      const either = anySignal([wrap(first.signal), second.signal]);
      expect(either.aborted).toBe(false);
      first.abort("foreign");
      expect([either.aborted, either.reason]).toEqual([true, "foreign"]);
      expect(anySignal([wrap(AbortSignal.abort("foreign")), second.signal]).aborted).toBe(true);
    }
  });
});
