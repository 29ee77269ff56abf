import type { LengthFunction } from "../contracts/chunker.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkGiven, sayValue } from "../runtime/check-options.ts";

/**
 * Refuses impossible sizes.
 *
 * **Errors** `invalid-argument` for a size below 1, an overlap below 0 or not below the size, or one that is not a whole number. Also for a length function
 * without a name, because a fingerprint needs the name.
 */
export function checkSizes(
  where: string,
  maxSize: number,
  overlap: number,
  length: LengthFunction,
  [sizeName, overlapName]: readonly [size: string, overlap: string] = ["maxSize", "overlap"],
): void {
  if (!Number.isSafeInteger(maxSize) || maxSize < 1) {
    throw new IbidError(
      "invalid-argument",
      `${where}: ${sizeName} must be a whole number of at least 1, not ${sayValue(maxSize)}.`,
      {
        hint: `Give a larger ${sizeName}.`,
        details: { maxSize },
      },
    );
  }
  if (!Number.isSafeInteger(overlap) || overlap < 0) {
    throw new IbidError(
      "invalid-argument",
      `${where}: ${overlapName} must be a whole number of at least 0, not ${String(overlap)}.`,
      {
        hint: `Give ${overlapName}: 0 for none.`,
        details: { overlap },
      },
    );
  }
  if (overlap >= maxSize) {
    throw new IbidError(
      "invalid-argument",
      `${where}: ${overlapName} (${overlap}) must be below ${sizeName} (${maxSize}).`,
      {
        hint: `Give an ${overlapName} below ${maxSize} as well; the default does not follow the size.`,
        details: { maxSize, overlap },
      },
    );
  }
  if (typeof length !== "function" || length.name.trim() === "") {
    throw new IbidError("invalid-argument", `${where}: length must be a function with a name.`, {
      hint: "Declare it as a named function or a const.",
    });
  }
}

/** As {@link checkSizes}, in Ballerina's words where it has some. */
export function checkChunkSize(where: string, maxSize: number, overlap: number, length: LengthFunction): void {
  if (maxSize <= 0) {
    throw new IbidError("invalid-argument", "Chunk size must be greater than 0", {
      hint: `Give ${where} a larger maxSize.`,
      details: { maxSize },
    });
  }
  if (overlap > maxSize) {
    throw new IbidError("invalid-argument", "Max overlap size must be less than or equal to chunk size", {
      hint: `Give ${where} an overlap below ${maxSize}; the default does not follow the size.`,
      details: { maxSize, overlap },
    });
  }
  checkSizes(where, maxSize, overlap, length);
}

/** **Errors** `invalid-argument`, naming the strategies that there are. */
export function checkStrategy(where: string, strategy: string, known: Readonly<Record<string, unknown>>): void {
  if (Object.hasOwn(known, strategy)) return;
  throw new IbidError("invalid-argument", `${where} has no strategy "${strategy}".`, {
    hint: `Use one of ${Object.keys(known).join(", ")}.`,
  });
}

/** **Errors** `unsupported-input` for what has no text to cut. */
export function checkTextDocument(document: { readonly type: string }): void {
  checkGiven("A chunker", "document", document, "object");
  if (document.type !== "text") {
    throw new IbidError("unsupported-input", "Only text documents are supported for chunking", {
      hint: "Convert it to text first, with a reader or a model that describes it.",
      details: { type: document.type },
    });
  }
}
