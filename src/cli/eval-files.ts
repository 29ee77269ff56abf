import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { IbidError } from "../contracts/errors.ts";
import type { Evaluation } from "../eval/score-run.ts";
import { readText } from "./read-text.ts";

/** An earlier evaluation, from a file. */
export interface Baseline extends Pick<Evaluation, "queries"> {
  /** Mode and variant of the evaluation: `hybrid`, `lexical, variant lucene`. */
  readonly how: string;
}

/** Checks before the work that a file can be written. **Errors** `invalid-argument`. */
export async function checkPlace(option: string, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const isFolder = (place: string): Promise<boolean> =>
    stat(place).then(
      (facts) => facts.isDirectory(),
      () => false,
    );
  const isBlank = path.trim() === "";
  if (!isBlank && (await isFolder(dirname(path))) && !(await isFolder(path))) return;
  throw new IbidError("invalid-argument", `${option} cannot be written to ${isBlank ? "a blank name" : path}.`, {
    hint: "Name a file in a folder that exists.",
  });
}

/** One query a line, so that people can compare two baselines. */
export function formatBaseline({ how, queries }: Baseline): string {
  const lines = Array.from(queries, ([id, scores]) => `${JSON.stringify(id)}: ${JSON.stringify(scores)}`);
  return `{\n"baseline": 1,\n"how": ${JSON.stringify(how)},\n"queries": {\n${lines.join(",\n")}\n}\n}\n`;
}

/** **Errors** `not-found`; `unreadable` for a file that `--save-baseline` did not write. */
export async function readBaseline(path: string): Promise<Baseline> {
  const text = await readText(path, "Make one with --save-baseline.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Refused below, like any other text that is not a baseline.
  }
  if (isBaselineFile(value)) return { how: value.how, queries: new Map(Object.entries(value.queries)) };
  throw new IbidError("unreadable", `${path} is not a baseline.`, {
    uri: path,
    hint: "Make one with --save-baseline.",
  });
}

interface BaselineFile {
  readonly baseline: 1;
  readonly how: string;
  readonly queries: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

function isBaselineFile(value: unknown): value is BaselineFile {
  if (!isRecord(value) || value["baseline"] !== 1 || typeof value["how"] !== "string" || !isRecord(value["queries"]))
    return false;
  return Object.values(value["queries"]).every(
    (scores) => isRecord(scores) && Object.values(scores).every((score) => typeof score === "number"),
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
