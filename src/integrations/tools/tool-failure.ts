import { IbidError } from "../../contracts/errors.ts";

/** Codes of errors that a model may read: wrong arguments, or an object that is not available. */
const speakable: ReadonlySet<string> = new Set([
  "invalid-argument",
  "invalid-filter",
  "invalid-id",
  "invalid-regex",
  "too-large",
  "ambiguous",
  "not-found",
  "access-denied",
  "rate-limited",
  "timeout",
  "aborted",
]);

/** Codes for features that the knowledge base lacks. */
const unavailable: ReadonlySet<string> = new Set(["unsupported", "configuration-missing", "dependency-missing"]);

/** Whether a failure is internal: the log gets it, the model does not. */
export function isInnerFailure(error: unknown): boolean {
  return !IbidError.isInstance(error) || !(speakable.has(error.code) || unavailable.has(error.code));
}

/** Describes a failure for a model or a stranger: mistakes that they can correct, and no internals. */
export function describeToolFailure(error: unknown): string {
  if (IbidError.isInstance(error) && unavailable.has(error.code)) return "This cannot be done here. Try another tool.";
  if (!IbidError.isInstance(error) || !speakable.has(error.code)) return "The tool failed. Trying again may help.";
  const hint = error.hint === undefined ? "" : ` ${error.hint}`;
  return `${error.message}${hint}`;
}
