import { stat } from "node:fs/promises";
import { IbidError } from "../contracts/errors.ts";
import { evaluateCollection } from "./eval-collection.ts";
import { evaluateOwnQuestions } from "./eval-questions.ts";
import type { EvalCommandOptions } from "./eval-report.ts";
import { type Context, requireText } from "./open.ts";

/** `ibid eval`: a folder is a test collection, a file is questions for the knowledge base. */
export async function evaluate(context: Context, path: string, options: EvalCommandOptions): Promise<number> {
  requireText("folder or file", path);
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) {
    throw new IbidError("not-found", `There is no ${path}.`, {
      uri: path,
      hint: "Name a folder with corpus.jsonl, queries.jsonl and qrels.tsv, or a file of questions.",
    });
  }
  return facts.isDirectory()
    ? await evaluateCollection(context, path, options)
    : await evaluateOwnQuestions(context, path, options);
}
