import { IbidError } from "../../contracts/errors.ts";
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Bytes that grow at the end. */
export interface ByteWriter {
  readonly length: number;
  /** Seven bits a byte, lowest first (LEB128). **Shape** a whole number from 0 to 2^53 - 1. */
  varint(value: number): void;
  bytes(bytes: Uint8Array): void;
  /** Length in bytes, then UTF-8. */
  text(text: string): void;
  /** Bytes written since the last `take`, as a copy. */
  take(): Uint8Array;
}

export function createByteWriter(capacity = 256): ByteWriter {
  let buffer = new Uint8Array(capacity);
  let length = 0;

  function reserve(more: number): void {
    if (length + more <= buffer.length) return;
    const grown = new Uint8Array(Math.max(buffer.length * 2, length + more));
    grown.set(buffer.subarray(0, length));
    buffer = grown;
  }

  function varint(value: number): void {
    reserve(8);
    let rest = value;
    while (rest > 0x7fffffff) {
      buffer[length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    while (rest > 0x7f) {
      buffer[length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    buffer[length++] = rest;
  }

  function bytes(more: Uint8Array): void {
    reserve(more.length);
    buffer.set(more, length);
    length += more.length;
  }

  return {
    get length() {
      return length;
    },
    varint,
    bytes,
    text(text) {
      const encoded = encodeText(text);
      varint(encoded.length);
      bytes(encoded);
    },
    take() {
      const taken = buffer.slice(0, length);
      length = 0;
      return taken;
    },
  };
}

/** Reads what a {@link ByteWriter} wrote, from front to back. */
export interface ByteReader {
  readonly position: number;
  readonly done: boolean;
  varint(): number;
  /** A varint that says how many things follow, of a byte each at least. **Errors** `store-corrupt` for more than there are bytes. */
  count(): number;
  /** A view, not a copy. **Errors** `store-corrupt` where there are fewer. */
  bytes(length: number): Uint8Array;
  text(): string;
  skip(length: number): void;
}

/** An error for bytes that ibid did not write, or not completely. */
export function torn(): IbidError {
  return new IbidError("store-corrupt", "A part of the index ends in the middle of a number.", {
    hint: "Run ibid doctor --fix to rebuild the index.",
  });
}

export function createByteReader(buffer: Uint8Array, start = 0): ByteReader {
  let position = start;

  function varint(): number {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = buffer[position++]!;
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
      if (position >= buffer.length) throw torn();
      unit *= 128;
    }
  }

  function count(): number {
    const value = varint();
    if (value > buffer.length - position) throw torn();
    return value;
  }

  function bytes(length: number): Uint8Array {
    if (length > buffer.length - position) throw torn();
    const view = buffer.subarray(position, position + length);
    position += length;
    return view;
  }

  return {
    get position() {
      return position;
    },
    get done() {
      return position >= buffer.length;
    },
    varint,
    count,
    bytes,
    text: () => decodeText(bytes(varint())),
    skip(length) {
      position += length;
    },
  };
}

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The same into bytes that have room for it. **Shape** how many bytes it took. */
export function encodeInto(text: string, target: Uint8Array): number {
  return encoder.encodeInto(text, target).written;
}

export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The bytes of a typed array, without a copy. Typed arrays are stored as they are in memory: little-endian on every platform that we run on. */
export function bytesOf(array: Float32Array | Float64Array | Uint32Array | Int8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** A view of bytes as 32-bit numbers; a copy only when they do not start on a multiple of four. */
export function asFloat32(bytes: Uint8Array): Float32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2);
}

export function asUint32(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2);
}

/** A view of bytes as whole numbers from -128 to 127. */
export function asInt8(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function asFloat64(bytes: Uint8Array): Float64Array {
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  return new Float64Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 3);
}

/** Numbers of rows. */
export type RowNumbers = Float64Array | Uint32Array;

/** The same numbers in 32 bits where all of them fit, as those of most databases do. **Shape** a copy then. */
export function narrowRows(rows: Float64Array): RowNumbers {
  for (let i = 0; i < rows.length; i++) if (rows[i]! >>> 0 !== rows[i]) return rows;
  return Uint32Array.from(rows);
}

/** Whether `wanted` stands in `bytes` at that place. */
export function startsWith(bytes: Uint8Array, position: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[position + i] !== wanted[i]) return false;
  return true;
}
