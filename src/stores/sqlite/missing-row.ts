import { IbidError } from "../../contracts/errors.ts";

/** **Errors** `store-corrupt`, always. */
export function missingRow(): never {
  throw new IbidError("store-corrupt", "A row that the index refers to is not there.", {
    hint: "Restore the file from a backup, or move it away and ingest the documents again.",
  });
}

/** **Errors** `store-corrupt`, always: for a row with a value of another kind than the one that was written. */
export function spoiltRow(cause?: unknown): never {
  throw new IbidError("store-corrupt", "A row holds another kind of value than was written.", {
    hint: "Run ibid doctor. Restore the file from a backup if it finds damage; please report this if it finds none.",
    cause,
  });
}

/** Bytes as they are kept. **Errors** as {@link spoiltRow}, for any other value. */
export function bytesIn(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : spoiltRow();
}

/** The same row. **Errors** as {@link spoiltRow}, where a value is of another kind than the one that is named for it. */
export function checkedRow<Row extends object>(
  row: Row,
  kinds: { readonly [Name in keyof Row]?: "bytes" | "count" | "number" | "text" },
): Row {
  for (const [name, kind] of Object.entries(kinds)) {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    const fits =
      kind === "bytes"
        ? value instanceof Uint8Array
        : kind === "text"
          ? typeof value === "string"
          : kind === "number"
            ? typeof value === "number"
            : Number.isSafeInteger(value) && (value as number) >= 0;
    if (!fits) spoiltRow();
  }
  return row;
}

/** Runs work on rows. **Errors** as `work`, and {@link spoiltRow} for a value that it cannot decode. */
export function decoding<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asSpoilt(error);
  }
}

function asSpoilt(error: unknown): unknown {
  return error instanceof TypeError || error instanceof RangeError ? spoiltRow(error) : error;
}

/** The same steps, each {@link decoding}. */
export function* decodingSteps<Result>(steps: Generator<undefined, Result>): Generator<undefined, Result> {
  for (;;) {
    const step = decoding(() => steps.next());
    if (step.done === true) return step.value;
    yield undefined;
  }
}

/** The same rows, with each method {@link decoding}. */
export function guardRows<Rows extends object>(rows: Rows): Rows {
  const guarded = Object.entries(rows).map(([name, method]: [string, unknown]) => [
    name,
    typeof method === "function"
      ? (...values: unknown[]): unknown => {
          try {
            return method.apply(rows, values) as unknown;
          } catch (error) {
            throw asSpoilt(error);
          }
        }
      : method,
  ]);
  return Object.fromEntries(guarded) as Rows;
}
