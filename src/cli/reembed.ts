import { type Command, InvalidArgumentError, Option } from "commander";
import { IbidError } from "../contracts/errors.ts";
import type { ReembeddedScope, ReembedSummary } from "../contracts/reembedding.ts";
import type { Scope } from "../contracts/scope.ts";
import { examples, note } from "./help-text.ts";
import { type CommonOptions, type Context, withKnowledgeBase } from "./open.ts";
import { createProgressLine } from "./progress.ts";
import { readScope } from "./read-option.ts";
import { describeModel } from "./status.ts";
import { count, formatDuration, neutralise } from "./text-layout.ts";

export interface ReembedCommandOptions extends CommonOptions {
  readonly estimate?: true;
  readonly rollback?: true;
  readonly scope?: Scope;
  readonly price?: number;
  readonly chunksPerMinute?: number;
}

/** `ibid reembed`: embeds with another model, shows the progress, and reports which vectors searches use. Exit code 1 if a chunk was refused. */
export async function reembed(context: Context, options: ReembedCommandOptions): Promise<number> {
  const { output, signal } = context;
  if (options.embeddingModel === undefined || options.embeddingModel === "none") {
    throw new IbidError("invalid-argument", "No embedding model is named.", {
      hint: "Name one, for example: --embedding-model ollama/nomic-embed-text",
    });
  }
  const line = createProgressLine(context.stderr, { enabled: !(output.json && output.isTerminal) });
  return await withKnowledgeBase(
    options,
    { embeds: options.estimate === true ? "queries" : "documents" },
    async (kb) => {
      const { estimate, rollback, scope, price, chunksPerMinute } = options;
      const run = kb.reembed({
        signal,
        ...(estimate && { estimate }),
        ...(rollback && { rollback }),
        ...(scope === undefined ? {} : { scope }),
        ...(price === undefined ? {} : { pricePerMillionTokens: price }),
        ...(chunksPerMinute === undefined ? {} : { chunksPerMinute }),
        onProgress: ({ scope: where, done, chunks }) =>
          line.say(`Embedding ${neutralise(where)}: ${done.toLocaleString("en")} of ${count(chunks, "chunk")} …`),
      });
      try {
        for await (const event of run) {
          if (event.type !== "failed") continue;
          line.clear();
          const { code, message } = event.error;
          if (output.json) await output.object({ ...event, error: { code, message } });
          else await output.line(`refused  ${neutralise(event.chunkId)}  ${neutralise(message)}`);
          line.restore();
        }
      } finally {
        line.clear();
      }
      const summary = await run;
      if (output.json) await output.object(summary);
      else for (const text of describe(summary, options)) await output.line(text);
      return summary.scopes.some(({ failed }) => failed > 0) ? 1 : 0;
    },
  );
}

function describe(summary: ReembedSummary, options: ReembedCommandOptions): readonly string[] {
  const { scopes, tokens, cost, ms } = summary;
  if (scopes.length === 0) return ["There is nothing to embed."];
  const lines = scopes.map((one) => `${neutralise(one.scope)}: ${describeScope(one, options)}`);
  if (options.rollback === true) return lines;
  const price = cost === undefined ? "" : `, ${cost.toLocaleString("en", { maximumFractionDigits: 4 })}`;
  const total = `${count(summary.chunks, "chunk")}, about ${count(tokens, "token")}${price}`;
  return [...lines, options.estimate === true ? `In all ${total}.` : `Took ${formatDuration(ms)}: ${total}.`];
}

function describeScope(one: ReembeddedScope, { estimate, rollback }: ReembedCommandOptions): string {
  const { from, to, chunks, tokens, embedded, failed, changed } = one;
  const way = `${from === undefined ? "" : `${describeModel(from)} → `}${describeModel(to)}`;
  if (estimate === true) return `${way}, ${count(chunks, "chunk")} to embed, about ${count(tokens, "token")}`;
  const state = changed ? `searches use ${describeModel(to)}` : failed > 0 ? "not changed over" : "nothing to change";
  if (rollback === true) return `${state}${chunks === 0 ? "" : `; ${count(chunks, "chunk")} without its vectors`}`;
  return `${way}, ${count(embedded, "chunk")} embedded${failed === 0 ? "" : `, ${failed} refused`}; ${state}`;
}

/** `ibid reembed` with its options and its help. */
export function addReembedCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("reembed")
    .summary("change the embedding model, while searches go on")
    .description(
      "Embed every chunk with the model of --embedding-model, while searches use the old vectors; then switch, scope by scope.",
    )
    .addOption(new Option("--estimate", "only say how many chunks and tokens it would take").conflicts("rollback"))
    .addOption(new Option("--rollback", "go back to the vectors before, as long as they are kept"))
    .addOption(new Option("--scope <scope>", "only this one: team:<id>, user:<id>, …").argParser(readScope))
    .addOption(
      new Option("--price <amount>", "of a million tokens, to have the cost estimated").argParser((text) =>
        readNumber(text, 0),
      ),
    )
    .addOption(
      new Option("--chunks-per-minute <n>", "no faster than this").argParser((text) =>
        readNumber(text, Number.MIN_VALUE),
      ),
    )
    .addHelpText(
      "after",
      examples([
        "ibid reembed --embedding-model openai/text-embedding-3-small --estimate --price 0.02",
        "ibid reembed --embedding-model openai/text-embedding-3-small --former-embedding-model ollama/nomic-embed-text",
        "ibid reembed --embedding-model ollama/nomic-embed-text --rollback",
      ]) + note("After a stop or a crash, run it again: it continues."),
    )
    .action(async function (this: Command) {
      done(await reembed(context, this.optsWithGlobals()));
    });
}

function readNumber(text: string, least: number): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number) || number < least)
    throw new InvalidArgumentError(`It must be a number ${least === 0 ? "from" : "above"} 0.`);
  return number;
}
