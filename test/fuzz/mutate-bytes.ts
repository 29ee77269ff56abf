import type { Random } from "../../src/testing/random.ts";

/** Bytes and runs of bytes that tend to be looked at specially. */
const interesting: readonly (readonly number[])[] = [
  [0],
  [0xff],
  [0x7f],
  [0x80],
  [0xff, 0xfe],
  [0xfe, 0xff],
  [0xef, 0xbb, 0xbf],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xc0, 0x80],
  [0xff, 0xff, 0xff, 0xff],
  [0, 0, 0, 0],
  [0xff, 0xff, 0xff, 0x7f],
  [0x0d, 0x0a],
  [0x1b, 0x24, 0x42],
];

/** A file damaged as disks and networks damage it: bits turned, runs lost, doubled, moved, the end cut off. **Shape** one to eight damages; the input stays. */
export function mutateBytes(file: Uint8Array, random: Random): Uint8Array {
  let bytes = Array.from(file);
  for (let count = 1 + random.below(8); count > 0; count--) bytes = damage(bytes, random);
  return Uint8Array.from(bytes);
}

function damage(bytes: number[], random: Random): number[] {
  const at = random.below(bytes.length + 1);
  const run = 1 + random.below(random.pick([1, 4, 32, 512]));
  switch (random.below(8)) {
    case 0:
      return bytes.map((byte, i) => (i === at ? byte ^ (1 << random.below(8)) : byte));
    case 1:
      return bytes.map((byte, i) => (i === at ? random.below(256) : byte));
    case 2:
      return bytes.toSpliced(at, run);
    case 3:
      return bytes.toSpliced(at, 0, ...bytes.slice(at, at + run));
    case 4:
      return bytes.toSpliced(at, 0, ...random.pick(interesting));
    case 5:
      return bytes.toSpliced(at, random.pick(interesting).length, ...random.pick(interesting));
    case 6:
      return bytes.toSpliced(at, 0, ...bytes.slice(random.below(bytes.length + 1)).slice(0, run));
    default:
      return random.below(4) === 0
        ? bytes.slice(0, at)
        : bytes.toSpliced(at, 0, ...Array.from({ length: run }, () => 0x41));
  }
}
