import type { WriteStream } from "node:tty";
import { IbidError } from "../contracts/errors.ts";
import { neutralise, neutraliseText, toJsonLine, wrap } from "./text-layout.ts";

/** Styles of text; without colours, none. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly mark: (text: string) => string;
  readonly bad: (text: string) => string;
}

/**
 * Streams of a command: results on standard output, everything else on standard error.
 *
 * **Shape** with `json`, only `object` writes to standard output. Once the reader of standard output is gone, writing does nothing.
 */
export interface Output {
  /** Address of the pages of errors, where a site is named. */
  readonly pages: string | undefined;
  readonly json: boolean;
  /** Whether only results and errors are wanted. */
  readonly quiet: boolean;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Columns of the terminal; `Infinity` without one. */
  readonly columns: number;
  readonly style: Style;
  /** Writes one line of JSON. */
  object(value: unknown): Promise<void>;
  /** Writes one line for people. Control characters are replaced, but for the escape sequences of `style`. Callers neutralise text of documents before, so that it stays one line. */
  line(text?: string): Promise<void>;
  /** Writes sentences for people, in lines as wide as the terminal. */
  prose(text: string): Promise<void>;
  /** The same on standard error; with `--quiet` and `--json` only what was asked for. */
  aside(text: string, isAsked?: boolean): Promise<void>;
  /** Writes text of a document. Control characters are replaced: a file or a pipe may end in a terminal too. `raw` writes them where there is none. */
  text(text: string, raw?: boolean): Promise<void>;
  error(error: IbidError): Promise<void>;
  /** With `IBID_DEBUG`, writes to standard error where an error that was shown comes from. */
  trace(error: IbidError): Promise<void>;
  /** The error of standard output, if it cannot be written. `EPIPE`: the reader has closed it. */
  readonly failure: NodeJS.ErrnoException | undefined;
}

/** A stream that may be a terminal. */
export type Stream = NodeJS.WritableStream & Partial<Pick<WriteStream, "isTTY" | "columns">>;

export interface OutputOptions {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly json: boolean;
  readonly quiet?: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** Called once when standard output breaks. */
  readonly onFailure?: () => void;
}

/** Address of the pages of errors: a folder of the site that `IBID_DOCS_URL` names. */
function pagesOf(env: NodeJS.ProcessEnv): string | undefined {
  const site = env["IBID_DOCS_URL"];
  return site === undefined || site === "" ? undefined : `${site.replace(/\/*$/u, "")}/errors`;
}

export function createOutput({ stdout, stderr, json, quiet = false, env, onFailure }: OutputOptions): Output {
  const isTerminal = stdout.isTTY === true;
  const pages = pagesOf(env);
  const pageOf = (error: IbidError): string | undefined =>
    pages === undefined ? error.page : `${pages}/${error.code}/`;
  const debug = env["IBID_DEBUG"] !== undefined && env["IBID_DEBUG"] !== "";
  const style = createStyle(hasColours(stdout, env));
  const errorStyle = createStyle(hasColours(stderr, env));
  let failure: NodeJS.ErrnoException | undefined;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (failure !== undefined) return;
    failure = error;
    onFailure?.();
  });
  // No stream is left to report on.
  stderr.on("error", () => {});

  const widthOf = (stream: Stream): number => (stream.isTTY === true ? Math.max(20, stream.columns ?? 80) : Infinity);
  const write = (stream: Stream, text: string): Promise<void> =>
    new Promise((resolve) => {
      if (stream === stdout && failure !== undefined) resolve();
      else stream.write(text, () => resolve());
    });

  const writeProse = (stream: Stream, text: string): Promise<void> =>
    write(stream, `${wrap(neutraliseAround(text, style), widthOf(stream)).join("\n")}\n`);

  return {
    pages,
    json,
    quiet,
    isTerminal,
    columns: widthOf(stdout),
    style,
    get failure() {
      return failure;
    },
    object: (value) => write(stdout, `${toJsonLine(value)}\n`),
    line: (text = "") => (json ? Promise.resolve() : write(stdout, `${neutraliseAround(text, style)}\n`)),
    prose: (text) => (json ? Promise.resolve() : writeProse(stdout, text)),
    aside: (text, isAsked = false) => (isAsked || !(json || quiet) ? writeProse(stderr, text) : Promise.resolve()),
    text: (text, raw = false) =>
      json ? Promise.resolve() : write(stdout, raw && !isTerminal ? text : neutraliseText(text)),
    async trace(failure) {
      if (debug) await write(stderr, stackOf(failure));
    },
    error(error) {
      const stack = debug ? stackOf(error) : "";
      if (json) return write(stderr, `${toJsonLine({ error: describe(error, pageOf(error)) })}\n${stack}`);
      const width = widthOf(stderr);
      const [first = "", ...rest] = wrap(neutralise(error.message), width - 7);
      const hint = error.hint === undefined ? [] : wrap(neutralise(error.hint + causeOf(error)), width - 2);
      const lines = [
        `${errorStyle.bad("error:")} ${first}`,
        ...rest.map((line) => `       ${line}`),
        ...hint.map((line) => `  ${line}`),
        ...(stderr.isTTY === true || pages !== undefined
          ? [errorStyle.dim(`  More: ${pageOf(error) ?? `ibid docs ${error.code}`}`)]
          : []),
      ];
      return write(stderr, `${lines.join("\n")}\n${stack}`);
    },
  };
}

/** The cause that a hint asks to look at. */
function causeOf({ hint = "", cause }: IbidError): string {
  if (!hint.startsWith("Look at the cause") || !(cause instanceof Error)) return "";
  return ` It says: ${cause.message === "" ? cause.name : cause.message}`;
}

/** The JSON of an error. */
function describe(error: IbidError, page: string | undefined): object {
  return {
    code: error.code,
    message: error.message,
    hint: error.hint ?? "",
    ...(error.uri === undefined ? {} : { uri: error.uri }),
    ...(page === undefined ? {} : { page }),
  };
}

/** Converts any error. An error that is not an `IbidError` counts as a fault in ibid. */
export function toIbidError(error: unknown): IbidError {
  if (IbidError.isInstance(error)) return error;
  if (error instanceof Error && (error as NodeJS.ErrnoException).syscall === "uv_cwd")
    return new IbidError("not-found", "The working folder is not there any more.", {
      hint: "Change to a folder that exists.",
      cause: error,
    });
  const message = error instanceof Error ? error.message : String(error);
  return new IbidError("internal", message === "" ? "The command failed without a message." : message, {
    hint: "This is a fault in ibid. Run it again with IBID_DEBUG=1 to see where, and report it.",
    cause: error,
  });
}

function stackOf(error: IbidError): string {
  const stacks: string[] = [];
  for (let cause: unknown = error; cause instanceof Error && stacks.length < 5; cause = cause.cause)
    stacks.push(cause.stack ?? String(cause));
  return `${neutraliseText(stacks.join("\ncaused by "))}\n`;
}

function hasColours(stream: Stream, env: NodeJS.ProcessEnv): boolean {
  const refused = env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "";
  return stream.isTTY === true && !refused && env["TERM"] !== "dumb";
}

/** Neutralises a text, but for the sequences of the style itself. */
function neutraliseAround(text: string, style: Style): string {
  // A style without colours has no sequences.
  if (style.bold("x") === "x") return neutraliseText(text);
  return text
    .split(ownSequence)
    .map((part, i) => (i % 2 === 1 ? part : neutraliseText(part)))
    .join("");
}

// oxlint-disable-next-line no-control-regex -- the pattern looks for them
const ownSequence = /(\u001B\[(?:1|2|22|1;33|1;31|22;39)m)/u;

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
