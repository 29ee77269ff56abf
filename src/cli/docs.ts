import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Hit, SearchOptions } from "../contracts/retriever.ts";
import { isWithinEdits } from "../runtime/edit-distance.ts";
import { examples, note } from "./help-text.ts";
import type { Context } from "./open.ts";
import { printRows } from "./print-rows.ts";
import { writeHits } from "./search.ts";

/** A page of the documentation that the package carries. */
export interface Page {
  /** Path below `docs`, without its ending: `formats`, `errors/store-busy`. */
  readonly name: string;
  readonly text: string;
}

/** `ibid docs` with its help. */
export function addDocsCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("docs")
    .summary("search and read this documentation")
    .description(
      "Without words, list the pages of ibid's documentation. With the name of a page or the code of an error, print that page. With other words, search all pages.",
    )
    .argument("[words...]", "a page, the code of an error, or words to search")
    .addHelpText(
      "after",
      examples(["ibid docs", "ibid docs formats", "ibid docs store-busy", "ibid docs rotate a key"]) +
        note("The pages are those of this version, on this machine. No knowledge base and no network is used."),
    )
    .action(async (words: readonly string[]) => done(await docs(context, words)));
}

async function docs(context: Context, words: readonly string[]): Promise<number> {
  const { output } = context;
  const pages = await readPages();
  const asked = words.join(" ").trim();
  if (asked === "") {
    const titled = pages.map(({ name, text }) => ({ name, title: titleOf(text) }));
    if (output.json) await output.object({ pages: titled });
    else
      await printRows(
        context,
        titled.filter(({ name }) => !name.startsWith("errors/")).map(({ name, title }) => [name, title]),
      );
    if (!output.json) await output.line("\nEach error has a page of its own: ibid docs <code>");
    return 0;
  }
  const named = asked.toLowerCase().replace(/\.md$/u, "");
  const page = pages.find(({ name }) => name === named || name.split("/").at(-1) === named);
  if (page !== undefined) {
    if (output.json) await output.object(page);
    else await output.text(page.text);
    return 0;
  }
  const search = await openPages(pages);
  const started = performance.now();
  const hits = await search(asked, { explain: !output.json, signal: context.signal });
  await writeHits(context, asked, hits, { ms: Math.round(performance.now() - started) });
  if (hits.length > 0 || output.json) return 0;
  const meant = correct(asked, pages);
  await output.line(
    meant === undefined ? "Use other words, or list the pages: ibid docs" : `Did you mean: ibid docs ${meant}`,
  );
  return 0;
}

/** A query with each unknown word replaced by the nearest word of a heading, the most frequent first; `undefined` where one has no near word. */
function correct(asked: string, pages: readonly Page[]): string | undefined {
  const counts = new Map<string, number>();
  const headings = pages.flatMap(({ name, text }) => [name, ...(text.match(/^#+ .+$/gmu) ?? [])]);
  for (const word of headings
    .join("\n")
    .toLowerCase()
    .match(/\p{L}{3,}/gu) ?? [])
    counts.set(word, (counts.get(word) ?? 0) + 1);
  const known = Array.from(counts)
    .toSorted(([, one], [, other]) => other - one)
    .map(([word]) => word);
  const words = asked
    .toLowerCase()
    .split(/[^\p{L}\p{Nd}]+/u)
    .filter((word) => word !== "")
    .map((word) =>
      counts.has(word) || word.length < 3
        ? word
        : known.find((near) => isWithinEdits(word, near, word.length < 6 ? 1 : 2)),
    );
  return words.length === 0 || words.includes(undefined) ? undefined : words.join(" ");
}

/**
 * Indexes the pages in memory. **Shape** the search gives the best place of each page, best page first. Samples count where the query has a name of code, or where
 * the text around them has no hit. Their own documents speak of keys and backups too.
 *
 * **Source** the questions of site/search/questions.jsonl: test/docs/docs-search.test.ts.
 */
export async function openPages(
  pages: readonly Page[],
): Promise<(query: string, options: Omit<SearchOptions, "topK">) => Promise<readonly Hit[]>> {
  const { openKnowledgeBase } = await import("../knowledge-base/open/open-knowledge-base.ts");
  const open = async (change: (text: string) => string): Promise<KnowledgeBase> => {
    const kb = await openKnowledgeBase({ models: { embedding: null } });
    // The changelog has words of every page, and answers no question but its own.
    const searched = pages.filter(({ name }) => name !== "changelog");
    await kb.ingest(
      searched.map(({ name, text }) => ({ uri: `${name}.md`, text: change(text), mediaType: "text/markdown" })),
    );
    return kb;
  };
  let around: Promise<KnowledgeBase> | undefined;
  let whole: Promise<KnowledgeBase> | undefined;
  return async (query, options) => {
    const search = { ...options, topK: 60 };
    let hits: readonly Hit[] = [];
    if (!/(?<!\p{L})\p{Ll}+\p{Lu}/u.test(query))
      hits = await (await (around ??= open(blankSamples))).search(query, search);
    if (hits.length === 0) hits = await (await (whole ??= open((text) => text))).search(query, search);
    return hits
      .filter((hit, at) => hits.findIndex(({ source }) => source.uri === hit.source.uri) === at)
      .slice(0, 5)
      .map((hit, at) => ({ ...hit, rank: at + 1 }));
  };
}

/** A page whose samples are white space, so that lines and places stay. */
function blankSamples(text: string): string {
  return text.replaceAll(/^(`{3,}).*?^\1$/gmsu, (sample) => sample.replaceAll(/[^\n]/gu, " "));
}

/** The pages that come with this package, by name. **Errors** `not-found` where they were removed. */
export async function readPages(): Promise<readonly Page[]> {
  let folder = dirname(fileURLToPath(import.meta.url));
  // Built files lie less deep than sources.
  while (!existsSync(join(folder, "docs", "library.md")) && dirname(folder) !== folder) folder = dirname(folder);
  const docs = join(folder, "docs");
  if (!existsSync(docs)) {
    throw new IbidError("not-found", "The documentation is not beside this program.", {
      hint: "Install the package ibid whole, or read the pages at its repository.",
    });
  }
  const names = ["", "library", "tutorials", "guides", "migrate", "explanation", "errors"].flatMap((part) =>
    (existsSync(join(docs, part)) ? readdirSync(join(docs, part)) : [])
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(part, name.slice(0, -3)).replaceAll("\\", "/")),
  );
  return await Promise.all(
    names.toSorted().map(async (name) => ({ name, text: await readFile(join(docs, `${name}.md`), "utf8") })),
  );
}

function titleOf(text: string): string {
  return /^# (.+)$/mu.exec(text)?.[1] ?? "";
}
