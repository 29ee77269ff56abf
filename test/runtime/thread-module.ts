import { IbidError } from "../../src/contracts/errors.ts";
import { Transfer } from "../../src/runtime/calls.ts";
import { serveThread } from "../../src/runtime/thread.ts";

/** Started by thread.test.ts. */
const callStarter = serveThread({
  double: (value: number) => value * 2,
  wait: (ms: number) => new Promise((wake) => setTimeout(() => wake(ms), ms)),
  fill(bytes: Uint8Array) {
    bytes.fill(7);
    return new Transfer(bytes, [bytes.buffer as ArrayBuffer]);
  },
  askBack: async (value: number) => `told ${String(await callStarter("triple", value))}`,
  refuse() {
    const cause = new RangeError("too far");
    throw new IbidError("invalid-argument", "No.", { hint: "Say yes.", details: { got: 1 }, uri: "a.md", cause });
  },
  giveFunction: () => () => 1,
  exit: (code: number) => process.exit(code),
  loop() {
    for (;;);
  },
});
