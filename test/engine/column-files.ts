import type { Scope } from "../../src/contracts/scope.ts";
import type { ReadBytes, Segment, VectorColumn } from "../../src/engine/segments/segment.ts";
import { toStoredVector } from "../../src/engine/vectors/stored-vector.ts";
import { type ColumnFile, createColumnWriter } from "../../src/engine/vectors/vector-column.ts";

export type Form = "float32" | "int8";

export const toVector = (form: Form, values: readonly number[]) =>
  toStoredVector("v", form === "int8" ? Int8Array.from(values) : Float32Array.from(values, (value) => value / 16));

/** A column of rows, the vector of each at an ordinal. */
export function writeColumn(form: Form, rows: readonly (readonly number[])[], ordinalOf: (row: number) => number) {
  const writer = createColumnWriter("v", "dense", rows[0]!.length, form);
  rows.forEach((values, row) => writer.add(ordinalOf(row), toVector(form, values)));
  return writer.finish(0);
}

/** The reads of a column's files: whole parts by their names, and stretches by how long they are. */
export function openFiles(files: readonly ColumnFile[]) {
  const parts: string[] = [];
  const stretches: number[] = [];
  return {
    parts,
    stretches,
    read: (name: string, part: number): Uint8Array => {
      parts.push(name);
      return files.find((file) => file.name === name && file.part === part)!.data;
    },
    bytes: (name: string): ReadBytes => {
      const whole = Buffer.concat(files.filter((file) => file.name === name).map(({ data }) => data));
      return (target, from) => {
        stretches.push(target.length);
        target.set(whole.subarray(from, from + target.length));
      };
    },
  };
}

/** A segment that has nothing but a column. */
export const segmentOf = (column: VectorColumn, size: number): Segment =>
  ({
    scope: "deployment" satisfies Scope,
    size,
    liveCount: size,
    rank: undefined,
    chunkIds: (ordinals: readonly number[]) => ordinals.map((ordinal) => String(ordinal).padStart(6, "0")),
    places: (ordinals: readonly number[]) => ordinals.map((ordinal) => ({ uri: "a.md", start: ordinal })),
    column: (_version: string, _kind: string, form: string) => (form === column.form ? column : undefined),
    columns: () => [column],
  }) as unknown as Segment;
