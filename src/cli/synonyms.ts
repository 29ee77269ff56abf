import type { Command } from "commander";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import { foldWord } from "../text/languages/fold-word.ts";
import { languageAnalyzer } from "../text/languages/snowball/language-analyzer.ts";
import { parseSynonyms } from "../text/parse-synonyms.ts";
import { examples } from "./help-text.ts";
import { type CommonOptions, type Context, readSynonymList, withKnowledgeBase } from "./open.ts";
import { neutralise } from "./text-layout.ts";

/** A phrase of a list that no search finds. */
interface Unmatched {
  readonly line: number;
  readonly phrase: string;
  /** Words of it that no document has; empty where the phrase has no word. */
  readonly missing: readonly string[];
}

/** `ibid synonyms check`: exit code 1 when a phrase adds a word that no document has. */
export async function checkSynonyms(context: Context, file: string, options: CommonOptions): Promise<number> {
  const { output, signal } = context;
  const rules = parseSynonyms(await readSynonymList(file));
  const phrases = new Map(rules.map(({ to, line }) => [JSON.stringify([line, to]), { line, phrase: to }]));
  return await withKnowledgeBase(options, { synonyms: "" }, async (kb) => {
    const known = new Map<string, readonly string[] | undefined>();
    const unmatched: Unmatched[] = [];
    for (const { line, phrase } of [...phrases.values()].sort((a, b) => a.line - b.line)) {
      signal.throwIfAborted();
      if (!known.has(phrase)) known.set(phrase, await findMissing(kb, phrase));
      const missing = known.get(phrase);
      if (missing !== undefined) unmatched.push({ line, phrase, missing });
    }
    if (output.json) await output.object({ rules: rules.length, unmatched });
    else {
      for (const { line, phrase, missing } of unmatched)
        await output.line(`${file}:${line}  ${describe(phrase, missing)}`);
      const rest =
        unmatched.length === 0 ? "each phrase is in the documents" : `${unmatched.length} phrases never match`;
      await output.line(`${rules.length} rules, ${rest}.`);
    }
    return unmatched.length === 0 ? 0 : 1;
  });
}

function describe(phrase: string, missing: readonly string[]): string {
  const name = neutralise(phrase);
  if (missing.length === 0) return `${name}: it has no word`;
  return `${name}: no document has ${missing.map((word) => `"${neutralise(word)}"`).join(" or ")}`;
}

/** **Shape** `undefined` for a phrase whose words all stand in some document. */
async function findMissing(kb: KnowledgeBase, phrase: string): Promise<readonly string[] | undefined> {
  if (!/[\p{L}\p{N}]/u.test(phrase)) return [];
  const [hit] = await kb.search(phrase, { mode: "lexical", topK: 1, rerank: false, snippetLength: 0, explain: true });
  const terms = hit?.explain?.queryTerms;
  if (terms === undefined) return phrase.split(" ");
  // Function words of a phrase are not added to a query.
  const { functionWords = {} } = languageAnalyzer;
  const language = hit?.source.language ?? "en";
  const small = new Set((functionWords[language] ?? "").trim().split(/\s+/u).map(foldWord));
  const missing = terms.filter(({ term, chunks }) => chunks === 0 && !small.has(term)).map(({ term }) => term);
  return missing.length === 0 ? undefined : missing;
}

/** `ibid synonyms` with its help. */
export function addSynonymsCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("synonyms")
    .summary("check a list of synonyms")
    .description("Work with a list of synonyms.")
    .command("check")
    .summary("print the phrases that never match")
    .description("Print the phrases of a list that add a word which no document has. Exit code 1 when there are any.")
    .argument("<file>", "list: a, b or a => b, c on each line")
    .addHelpText("after", examples(["ibid synonyms check synonyms.txt"]))
    .action(async function (this: Command, file: string) {
      done(await checkSynonyms(context, file, this.optsWithGlobals()));
    });
}
