import { IbidError } from "../contracts/errors.ts";
import type { IngestSummary } from "../contracts/knowledge-base.ts";

/** The first of the inputs that were named and are not there; `details.summary` counts the rest, which was ingested. */
export function missingInputs([first, ...others]: readonly IbidError[], summary: IngestSummary): IbidError {
  const { code, message, hint, uri } = first!;
  const also = others.length === 0 ? "" : ` Nor is there anything at ${others.map((error) => error.uri).join(", ")}.`;
  const details = { missing: [first!, ...others].map((error) => error.uri) };
  // Node prints every enumerable fact of an error that nobody caught. The summary has these errors again, with their stacks.
  Object.defineProperty(details, "summary", { value: summary });
  return new IbidError(code, message + also, {
    ...(hint !== undefined && { hint }),
    ...(uri !== undefined && { uri }),
    details,
    cause: first!.cause,
  });
}

/** The summary that {@link missingInputs} carries; `undefined` for every other error. */
export function summaryWithoutMissing(error: unknown): IngestSummary | undefined {
  return IbidError.isInstance(error, "not-found") ? (error.details["summary"] as IngestSummary | undefined) : undefined;
}
