import { Writable } from "node:stream";
import { CommanderError } from "commander";
import { IbidError, type IbidErrorCode } from "../contracts/errors.ts";
import { isWithinEdits } from "../runtime/edit-distance.ts";
import { hideUsers } from "../runtime/hide-secrets.ts";
import { createOutput, type Output, type Stream, toIbidError } from "./output.ts";
import { createProgram } from "./program.ts";
import { spreadMetadata } from "./read-option.ts";

/** Codes for mistakes of the caller: exit code 2. */
const usageCodes: ReadonlySet<IbidErrorCode> = new Set([
  "invalid-argument",
  "invalid-filter",
  "invalid-regex",
  "ambiguous",
]);

/** Names of the commands, each with those of the commands below it. */
type Commands = ReadonlyMap<string, readonly string[]>;

/** Streams for results and for everything else. */
interface Streams {
  readonly stdout: Stream;
  readonly stderr: Stream;
}

/**
 * Runs one command.
 *
 * **Shape** the exit code: 0; 1 when the command failed; 2 for wrong usage; 128 plus the signal's number when it was stopped. SIGTERM is the usual end of a service: 0.
 * Nothing is thrown; errors go to standard error.
 */
export async function main(argv: readonly string[], streams: Streams = process): Promise<number> {
  const { stdout, stderr } = streams;
  const stop = new AbortController();
  const quiet = isGiven(argv, "--quiet", "-q");
  const output = createOutput({
    stdout,
    stderr,
    json: isGiven(argv, "--json"),
    quiet,
    env: process.env,
    onFailure: () => stop.abort(),
  });
  let stoppedBy: number | undefined;
  // The first signal finishes or drops the current document; the second ends the process.
  const interrupt = (_: NodeJS.Signals, number: number): void => {
    if (stoppedBy !== undefined) process.exit(128 + number);
    stoppedBy = number;
    stop.abort();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);

  let exitCode = 0;
  let isCutShort = false;
  const commands = new Map<string, readonly string[]>();
  try {
    // Progress, warnings and logs go to this stream; errors go to the real one.
    const context = { output, stdout, stderr: quiet ? nowhere() : stderr, signal: stop.signal };
    const program = createProgram(context, (code) => {
      exitCode = code;
    });
    for (const each of program.commands)
      commands.set(
        each.name(),
        each.commands.map((inner) => inner.name()),
      );
    refuseUnknownHelp(argv, commands);
    // The parser takes help for a command that has no help.
    const words = argv[0] === "help" && argv[1] === "help" ? ["help"] : spreadMetadata(argv);
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    isCutShort = true;
    exitCode =
      stoppedBy === undefined && output.failure === undefined ? await report(output, error, argv, commands) : 1;
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
  if (stoppedBy !== undefined) {
    // A command that runs until a signal has ended normally.
    if (isCutShort) {
      const keeps = commandOf(argv, commands) === "ingest" || commandOf(argv, commands) === "watch";
      await output.error(new IbidError("aborted", "Stopped.", keeps ? { hint: "Finished documents are kept." } : {}));
    }
    // A service ends by SIGTERM. Its exit code is 0 when its work is finished.
    return !isCutShort && stoppedBy === 15 ? exitCode : 128 + stoppedBy;
  }
  // The last write decides whether all output could be written.
  await new Promise<void>((written) => void stdout.write("", () => written()));
  if (output.failure === undefined) return exitCode;
  // The reader has closed the pipe, as in `ibid list | head`.
  if (output.failure.code === "EPIPE") return 0;
  await output.error(
    new IbidError("internal", `The output cannot be written: ${output.failure.message}.`, { hint: "Check the disk." }),
  );
  return 1;
}

/** Prints an error. Help and version are no errors. */
async function report(output: Output, error: unknown, argv: readonly string[], commands: Commands): Promise<number> {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // Help was printed already: no command was given.
    if (error.code === "commander.help" && !output.json) return 2;
    const shown = hideUsers(error.message);
    await output.error(toUsageError(error, shown, commandOf(argv, commands), wholeCommandOf(argv, commands)));
    return 2;
  }
  const known = withHint(toIbidError(error));
  await output.error(known);
  return usageCodes.has(known.code) ? 2 : 1;
}

/** A mistake in the arguments, in ibid's own words. */
function toUsageError(error: CommanderError, shown: string, command: string | undefined, whole: string): IbidError {
  const help = `See: ${["ibid", whole, "--help"].filter((part) => part !== "").join(" ")}`;
  if (error.code === "commander.help") return new IbidError("invalid-argument", "No command is given.", { hint: help });
  const [, what = shown, suggestion] = /^(?:error: )?(.*?)(?:\n\((Did you mean .*\?)\))?$/su.exec(shown) ?? [];
  const isText = command === "search" || command === "ask";
  const quoted =
    error.code === "commander.excessArguments" && isText
      ? `Put the ${command === "ask" ? "question" : "query"} in quotes. `
      : "";
  const message = what.slice(0, 1).toUpperCase() + what.slice(1);
  const meant = suggestion ?? suggestChoice(what);
  return new IbidError("invalid-argument", /[.?!]$/u.test(message) ? message : `${message}.`, {
    hint: `${meant === undefined ? "" : `${meant} `}${quoted}${help}`,
  });
}

/** The choice that a mistyped value comes close to, of a message that lists them all. */
function suggestChoice(message: string): string | undefined {
  const [, typed = "", listed = ""] =
    /(?:argument|value) '([^']*)' is invalid.*?(?:must be (?:one of )?|choices are )([\w-]+(?:(?:, | or )[\w-]+)+)\.$/su.exec(
      message,
    ) ?? [];
  const near = listed.split(/, | or /u).find((choice) => isWithinEdits(typed.toLowerCase(), choice, 2));
  return near === undefined || typed.length < 2 ? undefined : `Did you mean ${near}?`;
}

function commandOf(argv: readonly string[], commands: Commands): string | undefined {
  return argv.find((word) => commands.has(word));
}

/** A command with the one below it, such as `keys add`; `""` for none. */
function wholeCommandOf(argv: readonly string[], commands: Commands): string {
  const at = argv.findIndex((word) => commands.has(word));
  const inner = commands.get(argv[at] ?? "") ?? [];
  const below = argv.slice(at + 1).find((word) => inner.includes(word)) ?? "";
  return `${argv[at] ?? ""} ${below}`.trim();
}

/** Without this, the parser would print its whole help. */
function refuseUnknownHelp([first, wanted = "help"]: readonly string[], commands: Commands): void {
  if (first !== "help" || wanted === "help" || wanted.startsWith("-") || commands.has(wanted)) return;
  throw new CommanderError(2, "commander.unknownCommand", `error: unknown command '${wanted}'`);
}

/** Errors of the library that name an option, with the option of the command line. */
function withHint(error: IbidError): IbidError {
  if (error.code !== "ambiguous") return error;
  const scopes = Array.isArray(error.details["scopes"]) ? error.details["scopes"].map(String) : [];
  const listed = scopes.every((scope) => error.message.includes(scope));
  return new IbidError(error.code, listed ? error.message : `${error.message} (${scopes.join(", ")})`, {
    hint: `Choose one with --scope${scopes.length === 0 ? "" : `: ${scopes.map((scope) => `--scope ${quoteWord(scope)}`).join(", or ")}`}.`,
    details: error.details,
    ...(error.uri === undefined ? {} : { uri: error.uri }),
  });
}

/** Reads a flag from the arguments themselves, because it concerns mistakes in them too. */
function isGiven(argv: readonly string[], ...flags: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).some((word) => flags.includes(word));
}

/** A stream that is no terminal and keeps nothing. */
function nowhere(): Stream {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** Quotes an argument for a shell. */
function quoteWord(word: string): string {
  return /^[\w:@%+=,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
