import { IbidError } from "../contracts/errors.ts";

/** The cause of an error, for the log. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** The chain of causes, nearest first. */
  readonly causes: readonly { readonly name: string; readonly message: string }[];
  /** Files and lines of a fault in the program, without any message. */
  readonly stack?: readonly string[];
}

/** A run of this length reveals the question; shorter runs occur in any sentence. **Units** UTF-16. */
const revealingLength = 8;
const longestMessage = 500;

/**
 * Describes an error for the log, without the question.
 *
 * Providers quote their input. A message that shares eight characters in a row with a text of `asked` is therefore left out whole.
 */
export function describeFailure(error: unknown, asked: readonly string[]): Failure {
  const redact = createRedaction(asked);
  const causes: { name: string; message: string }[] = [];
  for (let cause = causeOf(error); cause !== undefined && causes.length < 5; cause = causeOf(cause))
    causes.push({ name: nameOf(cause), message: redact(messageOf(cause)) });
  const isOurs = IbidError.isInstance(error);
  return {
    code: isOurs ? error.code : "internal",
    message: redact(messageOf(error)),
    causes,
    ...((!isOurs || error.code === "internal") && { stack: framesOf(error) }),
  };
}

function createRedaction(asked: readonly string[]): (message: string) => string {
  const readings = [plainOf, asItStands].map((read) => {
    const repeats = createRepeats(asked.map(read).filter((text) => text.trim() !== ""));
    return (message: string): boolean => repeats(read(message));
  });
  return (message) => {
    const cut = message.slice(0, longestMessage);
    return readings.some((repeats) => repeats(cut)) ? "(left out: it repeats the question)" : cut;
  };
}

function createRepeats(texts: readonly string[]): (message: string) => boolean {
  return (message) => {
    // A short question counts as a whole.
    if (texts.some((text) => text.length < revealingLength && message.includes(text))) return true;
    for (let at = 0; at + revealingLength <= message.length; at++) {
      const run = message.slice(at, at + revealingLength);
      if (texts.some((text) => text.includes(run))) return true;
    }
    return false;
  };
}

/** Reads `\"`, `\n` and line ends as spaces, because a message may quote the question in any way. */
function plainOf(text: string): string {
  return text.toLowerCase().replaceAll(/\\[nrt"\\]|[\s"\\]+/gu, " ");
}

/** Reads a backslash as itself: `notes` in `C:\notes` is a word. */
function asItStands(text: string): string {
  return text.toLowerCase().replaceAll(/[\s"\\]+/gu, " ");
}

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function framesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  return (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /u.test(line))
    .slice(0, 8)
    .map((line) => line.trim());
}
