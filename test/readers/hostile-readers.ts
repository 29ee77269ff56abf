import { IbidError } from "../../src/contracts/errors.ts";
import type { Reader, ReadInput, ReadResult } from "../../src/contracts/reader.ts";

const result = (text: string): ReadResult => ({
  text,
  title: "hostile",
  root: { id: "0", title: "hostile", level: 0, start: 0, end: text.length, contentStart: 0, children: [] },
  sourceMap: { lines: "none" },
  metadata: { bytes: text.length },
  notes: ["read by a reader that may do anything"],
});

/** What a file of this kind does to whoever reads it: its text says which. */
const deeds: Readonly<Record<string, (input: ReadInput) => Promise<string> | string>> = {
  greet: () => "hello",
  who: () => String(process.pid),
  hang: () => {
    for (;;);
  },
  wait: () => new Promise<string>(() => {}),
  explode: () => {
    const map = new Map<string, object>();
    for (let i = 0; ; i++) map.set(`key ${i}`, { i });
  },
  swell: async () => {
    const buffers: Uint8Array[] = [];
    for (;;) {
      buffers.push(new Uint8Array(1 << 24).fill(1));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  },
  leave: () => process.exit(7),
  throwLater: () => {
    setTimeout(() => {
      throw new TypeError("nobody catches this");
    }, 0);
    return new Promise<string>(() => {});
  },
  sum: ({ bytes }) => {
    const sum = bytes.reduce((sum, byte, i) => (sum * 31 + byte * (i % 7)) % 1_000_003, 0);
    return `${bytes.length} bytes, ${sum}`;
  },
  refuse: ({ uri }) => {
    throw new IbidError("encrypted", `${uri} is locked.`, { hint: "Unlock it.", uri, details: { lock: 3 } });
  },
  stumble: () => {
    throw new RangeError("out of range", { cause: new Error("below") });
  },
  carry: async ({ readPart }) => {
    const part = await readPart?.({
      name: "inside.own",
      bytes: new TextEncoder().encode("part"),
      mediaType: "application/x-own",
    });
    return `carried: ${part?.text}`;
  },
  nest: async ({ readPart, depth }) => {
    const part = await readPart?.({
      name: `${depth}`,
      bytes: new TextEncoder().encode("nest"),
      mediaType: "application/x-deed",
    });
    return `in ${part?.text}`;
  },
};

/** Readers that do what the file says. The worker of these tests has the same. */
export function createHostileReaders(): readonly Reader[] {
  return [
    {
      name: "hostile/1",
      accepts: (mediaType) => mediaType === "application/x-deed",
      read: async (input) => {
        const deed = new TextDecoder().decode(input.bytes).split(" ", 1)[0] ?? "";
        return result((await deeds[deed]?.(input)) ?? `no such deed: ${deed}`);
      },
    },
  ];
}
