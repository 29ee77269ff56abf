import { IbidError } from "../../contracts/errors.ts";

/** What a call that failed may tell: whose arguments were wrong, or what is not to be had. */
const speakable: ReadonlySet<string> = new Set([
  "invalid-argument",
  "invalid-regex",
  "ambiguous",
  "not-found",
  "access-denied",
  "rate-limited",
  "timeout",
  "aborted",
]);

/** What the knowledge base is not set up for. */
const unavailable: ReadonlySet<string> = new Set(["unsupported", "configuration-missing", "dependency-missing"]);

/** Whether a failure is one of ours: what a log should hear of, and a model should not. */
export function isInnerFailure(error: unknown): boolean {
  return !IbidError.isInstance(error) || !(speakable.has(error.code) || unavailable.has(error.code));
}

/**
 * A failure as a model or a stranger may read it: what they can correct is said, what went wrong inside is not.
 */
export function describeToolFailure(error: unknown): string {
  if (IbidError.isInstance(error) && unavailable.has(error.code)) return "This cannot be done here. Try another tool.";
  if (!IbidError.isInstance(error) || !speakable.has(error.code)) return "The tool failed. Trying again may help.";
  const hint = error.hint === undefined ? "" : ` ${error.hint}`;
  return `${error.message}${hint}`;
}
