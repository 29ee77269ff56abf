import { IbidError } from "../contracts/errors.ts";

/** What went wrong, as the log has it. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** What it came from, nearest first. */
  readonly causes: readonly { readonly name: string; readonly message: string }[];
  /** Where, for what is a fault in the program itself: files and lines, without any message. */
  readonly stack?: readonly string[];
}

/** A run so long says something; shorter ones are in every sentence. **Units** UTF-16. */
const tellingLength = 8;
const longestMessage = 500;

/**
 * An error for the log, with nothing of what was asked (law 10): providers quote what they were sent, so a message with eight characters in a row of it is
 * left out whole.
 *
 * **Shape** `asked` are the texts of the request that are nobody's business.
 */
export function describeFailure(error: unknown, asked: readonly string[]): Failure {
  const told = tellSafely(asked);
  const causes: { name: string; message: string }[] = [];
  for (let cause = causeOf(error); cause !== undefined && causes.length < 5; cause = causeOf(cause))
    causes.push({ name: nameOf(cause), message: told(messageOf(cause)) });
  const isOurs = IbidError.isInstance(error);
  return {
    code: isOurs ? error.code : "internal",
    message: told(messageOf(error)),
    causes,
    ...((!isOurs || error.code === "internal") && { stack: framesOf(error) }),
  };
}

function tellSafely(asked: readonly string[]): (message: string) => string {
  const readings = [plainOf, asItStands].map((read) => {
    const repeats = createRepeats(asked.map(read).filter((text) => text.trim() !== ""));
    return (message: string): boolean => repeats(read(message));
  });
  return (message) => {
    const cut = message.slice(0, longestMessage);
    return readings.some((repeats) => repeats(cut)) ? "(left out: it repeats what was asked)" : cut;
  };
}

function createRepeats(texts: readonly string[]): (message: string) => boolean {
  return (message) => {
    // A short question is told by all of it.
    if (texts.some((text) => text.length < tellingLength && message.includes(text))) return true;
    for (let at = 0; at + tellingLength <= message.length; at++) {
      const run = message.slice(at, at + tellingLength);
      if (texts.some((text) => text.includes(run))) return true;
    }
    return false;
  };
}

/** However it was quoted: `\"`, `\n` and line ends are not told apart. */
function plainOf(text: string): string {
  return text.toLowerCase().replaceAll(/\\[nrt"\\]|[\s"\\]+/gu, " ");
}

/** Where a backslash is one: what follows that of `C:\notes` is a word. */
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
