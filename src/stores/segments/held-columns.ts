import { createByteReader, createByteWriter } from "../../engine/segments/bytes.ts";

/** Rows of numbers as differences from the number before. */
export function packColumn(values: Iterable<number>): Uint8Array {
  const writer = createByteWriter(1024);
  let before = 0;
  for (const value of values) {
    const step = value - before;
    writer.varint(step < 0 ? -2 * step - 1 : 2 * step);
    before = value;
  }
  return writer.take();
}

/** **Shape** as many numbers as were packed. */
export function unpackColumn(bytes: Uint8Array): number[] {
  const reader = createByteReader(bytes);
  const values: number[] = [];
  let before = 0;
  while (!reader.done) {
    const step = reader.varint();
    before += step % 2 === 1 ? -(step + 1) / 2 : step / 2;
    values.push(before);
  }
  return values;
}

export async function pack(bytes: Uint8Array): Promise<Uint8Array> {
  return through(bytes, new CompressionStream("gzip"));
}

export async function unpack(bytes: Uint8Array): Promise<Uint8Array> {
  return through(bytes, new DecompressionStream("gzip"));
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const piped = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

const lengthBytes = 4;

/** A value as JSON, then the byte arrays in it, which the JSON names by their places. */
export function writeHeld(value: unknown): Uint8Array {
  const held: Uint8Array[] = [];
  const json = new TextEncoder().encode(
    JSON.stringify(value, (_, each: unknown) => (each instanceof Uint8Array ? { column: held.push(each) - 1 } : each)),
  );
  const writer = createByteWriter(json.length + 1024);
  const length = new Uint8Array(lengthBytes);
  new DataView(length.buffer).setUint32(0, json.length);
  writer.bytes(length);
  writer.bytes(json);
  for (const column of held) {
    writer.varint(column.length);
    writer.bytes(column);
  }
  return writer.take();
}

/** The value that {@link writeHeld} wrote. **Errors** any for other bytes. */
export function readHeld(bytes: Uint8Array): unknown {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  const json = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(lengthBytes, lengthBytes + length));
  const reader = createByteReader(bytes, lengthBytes + length);
  const columns: Uint8Array[] = [];
  while (!reader.done) columns.push(reader.bytes(reader.varint()).slice());
  return JSON.parse(json, (_, value: unknown) =>
    typeof value === "object" && value !== null && "column" in value ? columns[Number(value.column)] : value,
  );
}
