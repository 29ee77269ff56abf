import type { WriteStream } from "node:tty";
import { IbidError } from "../contracts/errors.ts";
import { neutralise, neutraliseText, toJsonLine, wrap } from "./text-layout.ts";

/** How text is set off; without colours, not at all. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly mark: (text: string) => string;
  readonly bad: (text: string) => string;
}

/**
 * The two streams of a command: results on standard output, everything else on standard error.
 *
 * **Shape** with `json` only `object` writes to standard output. Once the reader of standard output is gone, writing does nothing.
 */
export interface Output {
  readonly json: boolean;
  /** Whether a person looks at standard output. */
  readonly isTerminal: boolean;
  /** Columns of the terminal; `Infinity` when there is none. */
  readonly columns: number;
  readonly style: Style;
  /** One line of JSON. */
  object(value: unknown): Promise<void>;
  /** One line for people. It may hold escape sequences of `style`; what came from documents was neutralised by whoever made the line. */
  line(text?: string): Promise<void>;
  /** Text of a document: as it is, but on a terminal nothing in it can steer that terminal. */
  text(text: string): Promise<void>;
  error(error: IbidError): Promise<void>;
  /** Why standard output cannot be written to, when it cannot. `EPIPE`: whoever read it has seen enough. */
  readonly failure: NodeJS.ErrnoException | undefined;
}

/** A stream that may be a terminal. */
export type Stream = NodeJS.WritableStream & Partial<Pick<WriteStream, "isTTY" | "columns">>;

export interface OutputOptions {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly json: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** Called once when standard output breaks. */
  readonly onFailure?: () => void;
}

export function createOutput({ stdout, stderr, json, env, onFailure }: OutputOptions): Output {
  const isTerminal = stdout.isTTY === true;
  const debug = env["IBID_DEBUG"] !== undefined && env["IBID_DEBUG"] !== "";
  const style = createStyle(hasColours(stdout, env));
  const errorStyle = createStyle(hasColours(stderr, env));
  let failure: NodeJS.ErrnoException | undefined;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (failure !== undefined) return;
    failure = error;
    onFailure?.();
  });
  // Nobody is left to be told.
  stderr.on("error", () => {});

  const write = (stream: Stream, text: string): Promise<void> =>
    new Promise((resolve) => {
      if (stream === stdout && failure !== undefined) resolve();
      else stream.write(text, () => resolve());
    });

  return {
    json,
    isTerminal,
    columns: isTerminal ? Math.max(20, stdout.columns ?? 80) : Infinity,
    style,
    get failure() {
      return failure;
    },
    object: (value) => write(stdout, `${toJsonLine(value)}\n`),
    line: (text = "") => (json ? Promise.resolve() : write(stdout, `${text}\n`)),
    text: (text) => (json ? Promise.resolve() : write(stdout, isTerminal ? neutraliseText(text) : text)),
    error(error) {
      const stack = debug ? `${describeStack(error)}\n` : "";
      if (json) return write(stderr, `${toJsonLine({ error: describe(error) })}\n${stack}`);
      const width = stderr.isTTY === true ? Math.max(20, stderr.columns ?? 80) : Infinity;
      const [first = "", ...rest] = wrap(neutralise(error.message), width - 7);
      const hint = error.hint === undefined ? [] : wrap(neutralise(error.hint), width - 2);
      const lines = [
        `${errorStyle.bad("error:")} ${first}`,
        ...rest.map((line) => `       ${line}`),
        ...hint.map((line) => `  ${line}`),
      ];
      return write(stderr, `${lines.join("\n")}\n${stack}`);
    },
  };
}

/** The form of an error in JSON. */
function describe(error: IbidError): object {
  return {
    code: error.code,
    message: error.message,
    hint: error.hint ?? "",
    ...(error.uri === undefined ? {} : { uri: error.uri }),
  };
}

/** Any error as one of ours. What is not ours is a fault in ibid, and says so. */
export function toIbidError(error: unknown): IbidError {
  if (IbidError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new IbidError("internal", message === "" ? "Something failed without saying why." : message, {
    hint: "This is a fault in ibid. Run it again with IBID_DEBUG=1 to see where, and report it.",
    cause: error,
  });
}

function describeStack(error: IbidError): string {
  const stacks: string[] = [];
  for (let cause: unknown = error; cause instanceof Error && stacks.length < 5; cause = cause.cause)
    stacks.push(cause.stack ?? String(cause));
  return stacks.join("\ncaused by ");
}

function hasColours(stream: Stream, env: NodeJS.ProcessEnv): boolean {
  const refused = env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "";
  return stream.isTTY === true && !refused && env["TERM"] !== "dumb";
}

function createStyle(colours: boolean): Style {
  const wrapIn =
    (on: string, off: string) =>
    (text: string): string =>
      colours && text !== "" ? `\u001B[${on}m${text}\u001B[${off}m` : text;
  return {
    bold: wrapIn("1", "22"),
    dim: wrapIn("2", "22"),
    mark: wrapIn("1;33", "22;39"),
    bad: wrapIn("1;31", "22;39"),
  };
}
