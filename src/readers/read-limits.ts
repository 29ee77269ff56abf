import type { Chosen } from "../contracts/complete.ts";
import { withDefaults } from "../runtime/with-defaults.ts";
import type { ReadInput, ReadLimits } from "../contracts/reader.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkOptions } from "../runtime/check-options.ts";

const mebibyte = 1024 * 1024;

/**
 * How much one file may ask for when nobody says otherwise: generous for what people write, small beside what a machine has.
 *
 * `maxTextLength`: offsets, blocks and term vectors of one document live in memory at once.
 *
 * @experimental
 */
export const defaultReadLimits: ReadLimits = {
  maxBytes: 256 * mebibyte,
  maxExpandedBytes: 512 * mebibyte,
  maxTextLength: 64 * mebibyte,
  maxPages: 5000,
  maxCells: 2_000_000,
  maxParts: 10_000,
  maxDepth: 4,
  timeoutMs: 120_000,
  maxMemoryBytes: 2048 * mebibyte,
};

/** The limits of one reading. **Shape** absent limits have their defaults. */
export function limitsOf({ limits }: Pick<ReadInput, "limits">): ReadLimits {
  return limits === undefined ? defaultReadLimits : withDefaults(defaultReadLimits, limits);
}

/**
 * Checks a caller's limits.
 *
 * **Errors** `invalid-argument` for an unknown limit, and for one that is not above 0. `Infinity` means no limit.
 */
export function checkReadLimits(limits: Chosen<ReadLimits> | undefined): Chosen<ReadLimits> | undefined {
  if (limits === undefined) return undefined;
  checkOptions("limits", limits, defaultReadLimits);
  for (const [name, value] of Object.entries(limits) as [string, unknown][]) {
    if (value === undefined || (typeof value === "number" && value > 0)) continue;
    throw new IbidError("invalid-argument", `limits.${name} is ${JSON.stringify(value)}; it must be above 0.`, {
      hint: "Leave it out for the default, or set Infinity for no limit.",
    });
  }
  return limits;
}

/** Units of the limits, for messages. */
const units = {
  maxBytes: "bytes",
  maxExpandedBytes: "bytes when unpacked",
  maxTextLength: "characters of text",
  maxPages: "pages",
  maxCells: "cells",
  maxParts: "parts",
  maxDepth: "levels of parts within parts",
} as const satisfies Partial<Record<keyof ReadLimits, string>>;

/** The refusal of a file that asks for more than a limit allows. `found` is what it asks for, as far as it was counted. */
export function overLimit(uri: string, limit: keyof typeof units, max: number, found?: number): IbidError {
  const allowed = max.toLocaleString("en");
  const says =
    found === undefined || found <= max
      ? `more than ${allowed} ${units[limit]}`
      : `${found.toLocaleString("en")} ${units[limit]}; ${allowed} are allowed`;
  return new IbidError("too-large", `${uri} has ${says}.`, {
    hint: `Split it into several files, or raise the limit ${limit}.`,
    uri,
    details: { limit, max, ...(found === undefined ? {} : { found }) },
  });
}
