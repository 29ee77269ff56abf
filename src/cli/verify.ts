import { appendFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import type { Command } from "commander";
import type { AnswerSentence, Quotation, Verdict } from "../contracts/answer.ts";
import { IbidError } from "../contracts/errors.ts";
import type { CheckedQuotation, QuotationStatus, Verification, VerifyOptions } from "../contracts/verification.ts";
import { verifyOptions } from "../knowledge-base/asking/verify-options.ts";
import { describeNames, describePlaceLabels } from "../text/place-labels.ts";
import { sortWords } from "./ask.ts";
import { describeEnd } from "./search.ts";
import { examples, note } from "./help-text.ts";
import { addAnswerModels, type CommonOptions, type Context, withKnowledgeBase } from "./open.ts";
import type { Output } from "./output.ts";
import { addTableOptions, type OptionsFor, pickTableOptions } from "./table-options.ts";
import { count, neutralise, oneLine, quoted, wrap } from "./text-layout.ts";
import { readText } from "./read-text.ts";

interface VerifyCommandOptions extends CommonOptions, Omit<OptionsFor<VerifyOptions>, "judge" | "citations"> {
  /** `provider/model`. */
  readonly judge?: string;
  readonly summary?: true;
}

/** `ibid verify`: checks an answer that ibid did not write. **Shape** exit code 0 for a verified answer, 3 for any other. */
async function verify(context: Context, file: string, options: VerifyCommandOptions): Promise<number> {
  const { output, signal } = context;
  const { summary, format } = options;
  const answer = parseAnswer(await readInput(file), file, format);
  return await withKnowledgeBase(options, { embeds: "queries" }, async (kb) => {
    const result = await kb.verify(answer, { ...pickTableOptions<VerifyOptions>(verifyOptions, options), signal });
    const markdown = summary === true ? formatSummary(file, result) : undefined;
    const target = process.env["GITHUB_STEP_SUMMARY"];
    if (markdown !== undefined && target) await appendSummary(target, markdown);
    if (output.json) await output.object(result);
    else if (markdown !== undefined && !target) await output.text(markdown);
    else await writeResult(output, file, result);
    return result.verified ? 0 : 3;
  });
}

const readInput = async (file: string): Promise<string> =>
  file === "-" ? readAll(process.stdin) : readText(file, "Check the path, or give - for standard input.");

/** An object for a response of an API; else the text. **Errors** `invalid-argument` for a blank answer, and for JSON that is expected and does not parse. */
function parseAnswer(content: string, file: string, format: string | undefined): string | object {
  if (content.trim() === "") {
    throw new IbidError("invalid-argument", `The answer in ${file} is blank.`, { hint: "Give a file with an answer." });
  }
  if (format === "markdown" || (format === undefined && !/^\s*[[{]/u.test(content))) return content;
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === "object" && value !== null) return value;
  } catch (cause) {
    // A text may begin with a marker.
    if (format === undefined && !file.endsWith(".json")) return content;
    throw new IbidError("invalid-argument", `The answer in ${file} is not JSON.`, {
      hint: "Give the response as JSON, or name its form with --format markdown.",
      cause,
    });
  }
  return content;
}

async function appendSummary(file: string, markdown: string): Promise<void> {
  try {
    await appendFile(file, markdown);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new IbidError("store-failed", `The summary cannot be written to ${file}: ${reason}.`, {
      uri: file,
      hint: "Check GITHUB_STEP_SUMMARY.",
      cause,
    });
  }
}

const verdicts: Readonly<Record<Verdict, string>> = {
  supported: "supported",
  partly: "partly supported",
  unsupported: "not supported",
  uncited: "cites nothing",
};

const statuses: Readonly<Record<QuotationStatus, string>> = {
  found: "found",
  "found-elsewhere": "found elsewhere",
  "not-found": "not found",
};

async function writeResult(output: Output, file: string, result: Verification): Promise<void> {
  const { style, columns } = output;
  const say = async (text: string, indent: string, dim = false): Promise<void> => {
    for (const line of wrap(neutralise(text), columns - indent.length))
      await output.line(indent + (dim ? style.dim(line) : line));
  };
  const { verified, sentences, quotations, unknownSources } = result;
  await output.line(verified ? style.bold("Verified.") : style.bad("Not verified."));
  await say(describeCounts(result), "");
  for (const sentence of sentences.filter(isDoubtful)) {
    await output.line();
    await say(`${placeIn(file, result, sentence)}${verdicts[sentence.verdict!]}: ${oneLine(sentence.text)}`, "");
    const { missing, otherwise } = sortWords(result.text, sentence);
    const isSaid = sentence.verdict !== "uncited";
    if (isSaid && missing.length > 0) await say(`No source says: ${missing.join(", ")}`, "  ", true);
    if (isSaid && otherwise.length > 0) await say(`The source has it otherwise: ${otherwise.join(", ")}`, "  ", true);
    for (const place of sentence.quotes)
      await say(`${describePlace(place)}${describeWithin(place)} ${quoted(place)}`, "  ", true);
  }
  for (const quotation of quotations.filter(({ status }) => status !== "found")) {
    await output.line();
    await say(`quotation ${statuses[quotation.status]}: “${oneLine(quotation.quote)}”`, "");
    await say(describeQuotation(quotation), "  ", true);
  }
  for (const ended of endedPlaces(result)) {
    await output.line();
    await say(`${describePlace(ended)} ${describeEnd(ended).join("")}`, "");
    await say(quoted(ended), "  ", true);
  }
  if (unknownSources.length > 0) {
    await output.line();
    await say(`No document of this name: ${unknownSources.map(oneLine).join(", ")}`, "");
  }
}

const isDoubtful = ({ verdict }: AnswerSentence): boolean => verdict !== undefined && verdict !== "supported";

/** Passages of notes that hold no longer, each once. */
function endedPlaces({ citations, quotations }: Verification): readonly Quotation[] {
  const all = [...citations, ...quotations.flatMap(({ place }) => place ?? [])];
  const ended = all.filter(({ replaced }) => replaced !== undefined);
  return [...new Map(ended.map((one) => [`${one.documentId} ${one.start} ${one.end}`, one])).values()];
}

function describePlace(place: Omit<Quotation, "quote">): string {
  return describePlaceLabels(place.uri, place);
}

/** ` (Key handbook › Keys)`, or nothing for a passage without names. */
function describeWithin(place: Omit<Quotation, "quote">): string {
  const names = oneLine(describeNames(place));
  return names === "" || names === place.uri ? "" : ` (${names})`;
}

function describeQuotation({ source, place }: CheckedQuotation): string {
  const named = source === undefined ? "" : `The answer names ${oneLine(source)}. `;
  return place === undefined
    ? `${named}No document has these words.`
    : `${named}The words stand in ${describePlace(place)}${describeWithin(place)}.`;
}

function describeCounts({ sentences, quotations, evidence, support }: Verification): string {
  const claims = sentences.filter((sentence) => sentence.claims);
  const supported = claims.filter(({ verdict }) => verdict === "supported").length;
  const found = quotations.filter(({ status }) => status === "found").length;
  const parts = [`${count(claims.length, "claim")}, ${supported} supported.`];
  if (quotations.length > 0)
    parts.push(`${count(quotations.length, "quotation")}, ${found} found where the answer says.`);
  if (evidence === "search") parts.push("The answer cites nothing: each sentence was searched for.");
  const by = support.by === "judge" ? `Judged by ${support.judge ?? "a model"}` : "Judged by words";
  const failure = support.judgeFailure === undefined ? "" : `; the judge failed: ${support.judgeFailure}`;
  parts.push(`${by}${failure}.`);
  return parts.join(" ");
}

/** `answer.md:12: `, for an answer that is a text. */
function placeIn(file: string, { format, text }: Verification, { start }: AnswerSentence): string {
  if (format !== "markdown" || file === "-") return "";
  return `${file}:${text.slice(0, start).split("\n").length}: `;
}

/** A table of claims and one of quotations, in GitHub's Markdown. */
function formatSummary(file: string, result: Verification): string {
  const { verified, sentences, quotations, unknownSources } = result;
  const lines = [
    `### ${verified ? "✅ Verified" : "❌ Not verified"}: ${escapeMarkdown(file)}`,
    "",
    escapeMarkdown(describeCounts(result)),
  ];
  const claims = sentences.filter((sentence) => sentence.claims);
  if (claims.length > 0) {
    lines.push("", "| claim | verdict | support | source |", "|---|---|---|---|");
    for (const { text, verdict, support = 0, quotes } of claims) {
      const places = quotes.map((quote) => escapeMarkdown(describePlace(quote))).join("<br>");
      const mark = verdict === "supported" ? "✅" : "❌";
      lines.push(`| ${escapeMarkdown(text)} | ${mark} ${verdicts[verdict!]} | ${support.toFixed(2)} | ${places} |`);
    }
  }
  if (quotations.length > 0) {
    lines.push("", "| quotation | found | source | place |", "|---|---|---|---|");
    for (const { quote, status, source = "", place } of quotations) {
      const mark = status === "found" ? "✅" : "❌";
      const where = place === undefined ? "" : escapeMarkdown(describePlace(place));
      lines.push(`| ${escapeMarkdown(quote)} | ${mark} ${statuses[status]} | ${escapeMarkdown(source)} | ${where} |`);
    }
  }
  for (const ended of endedPlaces(result))
    lines.push("", escapeMarkdown(`${describePlace(ended)} ${describeEnd(ended).join("")}`));
  if (unknownSources.length > 0)
    lines.push("", `No document of this name: ${unknownSources.map(escapeMarkdown).join(", ")}`);
  return `${lines.join("\n")}\n\n`;
}

/** A text as itself, on one line: no sign of it makes a link, a picture, a tag, a mention or a cell. */
function escapeMarkdown(text: string): string {
  return neutralise(oneLine(text))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_{}[\]()#!|~>]/gu, "\\$&")
    .replaceAll("://", ":&#47;/")
    .replaceAll("@", "&#64;");
}

/** `ibid verify` with its options and its help. */
export function addVerifyCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const command = program
    .command("verify")
    .summary("check an answer that somebody else wrote")
    .description(
      "Check each sentence and each quotation of an answer against the documents. The answer is Markdown with markers and sources, or the JSON response of an API with its citations.",
    )
    .argument("<file>", "the answer; - for standard input")
    .option("--summary", "write a Markdown summary, to the file that GITHUB_STEP_SUMMARY names where it is set");
  addTableOptions(addAnswerModels(command, ["judge"]), verifyOptions)
    .addHelpText(
      "after",
      examples([
        "ibid verify answer.md",
        "ibid verify response.json --format anthropic --json",
        "ibid verify answer.md --judge openai/gpt-5-mini --summary",
      ]) +
        note(
          "The exit code is 0 when every claim is supported and every quotation stands in the source that the answer names, and 3 otherwise.",
        ),
    )
    .action(async function (this: Command, file: string) {
      done(await verify(context, file, this.optsWithGlobals<VerifyCommandOptions>()));
    });
}
