import type { Command } from "commander";
import type { DocumentSummary } from "../contracts/document-store.ts";
import type { KnowledgeBase, ListOptions } from "../contracts/knowledge-base.ts";
import type { Scope } from "../contracts/scope.ts";
import { listOptions } from "../search/list-options.ts";
import { examples } from "./help-text.ts";
import { explainPrefix, noDocument } from "./suggest-uris.ts";
import { readScope } from "./read-option.ts";
import { addTableOptions, pickTableOptions } from "./table-options.ts";
import { type CommonOptions, type Context, withKnowledgeBase } from "./open.ts";
import { count, displayWidth, formatBytes, neutralise, pad, shorten } from "./text-layout.ts";

export interface ListCommandOptions extends CommonOptions {
  /** The `next` of the page before, or the uri of its last document. */
  readonly after?: string;
  readonly total?: true;
}

/** `ibid list`: the documents that the caller may read. */
export async function list(context: Context, options: ListCommandOptions): Promise<number> {
  const { output, signal } = context;
  return await withKnowledgeBase(options, {}, async (kb) => {
    const { limit, ...chosen } = pickTableOptions<ListOptions>(listOptions, options);
    const after = options.after === undefined ? undefined : await readAfter(kb, options.after, chosen.scope);
    const documents: DocumentSummary[] = [];
    const more = limit === undefined ? {} : { limit: limit + 1 };
    for await (const document of kb.list({ ...chosen, ...(after && { after }), ...more })) {
      signal.throwIfAborted();
      documents.push(document);
    }
    const isCut = limit !== undefined && documents.length > limit;
    if (isCut) documents.pop();
    const { uri, scope } = documents.at(-1) ?? {};
    let total = 0;
    if (options.total) for await (const _ of kb.list(chosen)) total++;
    if (output.json) {
      await output.object({
        documents: documents.map(toJson),
        ...(isCut && { next: JSON.stringify([uri, scope]) }),
        ...(options.total && { total }),
      });
      return 0;
    }
    if (documents.length === 0) {
      await output.line("No documents.");
      await explainPrefix(output, kb, chosen.under);
    }
    for (const line of toTable(documents, output.columns, output.style.dim)) {
      if (output.failure !== undefined) break;
      await output.line(line);
    }
    if (isCut) await output.line(output.style.dim(`more: ibid list … --after ${neutralise(uri!)}`));
    if (options.total) await output.line(output.style.dim(`${count(total, "document")} in all`));
    return 0;
  });
}

/** **Errors** `not-found` for a uri that names no document, with the nearest ones. */
async function readAfter(
  kb: KnowledgeBase,
  typed: string,
  scope: Scope | undefined,
): Promise<{ readonly uri: string; readonly scope: Scope }> {
  if (typed.startsWith("[")) {
    try {
      const [uri, where] = JSON.parse(typed) as readonly unknown[];
      if (typeof uri === "string" && typeof where === "string") return { uri, scope: readScope(where) };
    } catch {
      // Read as a uri below.
    }
  }
  const found = await kb.document(typed, { ...(scope && { scope }), start: 0, end: 0 });
  if (found === undefined) throw await noDocument(kb, typed, scope);
  return { uri: found.uri, scope: found.scope };
}

function toJson({
  uri,
  rootLabel,
  path,
  scope,
  id,
  title,
  mediaType,
  chunks,
  bytes,
  ingestedAt,
}: DocumentSummary): object {
  return { uri, rootLabel, path, scope, documentId: id, title, mediaType, chunks, bytes, ingestedAt };
}

/** The narrowest column of uris; other columns are left out before. */
const leastUri = 24;
/** The widest column of scopes on a terminal. */
const mostScope = 24;

/** Uri, chunks, size, day and scope in columns. On a terminal, columns are left out and uris are cut until a line fits. */
function toTable(
  documents: readonly DocumentSummary[],
  columns: number,
  dim: (text: string) => string,
): readonly string[] {
  const isTerminal = columns !== Infinity;
  const rows = documents.map((document) => ({
    uri: neutralise(document.uri),
    chunks: count(document.chunks, "chunk"),
    bytes: formatBytes(document.bytes),
    day: document.ingestedAt.slice(0, 10),
    scope: isTerminal ? shorten(neutralise(document.scope), mostScope) : neutralise(document.scope),
  }));
  type Column = "chunks" | "bytes" | "day" | "scope";
  const widest = (key: Column | "uri"): number =>
    rows.reduce((width, row) => Math.max(width, displayWidth(row[key])), 0);
  // If all documents are in the deployment's scope, the column is left out.
  const hasScopes = rows.some(({ scope }) => scope !== "deployment");
  let facts: readonly Column[] = hasScopes ? ["chunks", "bytes", "day", "scope"] : ["chunks", "bytes", "day"];
  const rest = (): number => facts.reduce((sum, key) => sum + 2 + widest(key), 0);
  for (const least of ["bytes", "day", "chunks", "scope"] as const) {
    if (rest() + Math.min(leastUri, widest("uri")) <= columns) break;
    facts = facts.filter((key) => key !== least);
  }
  const uri = Math.min(widest("uri"), columns - rest());
  const widths = new Map(facts.map((key) => [key, widest(key)]));
  return rows.map((row) => {
    const told = facts.map((key, index) =>
      key === "scope" && index === facts.length - 1
        ? row[key]
        : pad(row[key], widths.get(key)!, key === "scope" ? "right" : "left"),
    );
    return `${pad(isTerminal ? shorten(row.uri, uri) : row.uri, uri)}  ${dim(told.join("  "))}`.trimEnd();
  });
}

/** `ibid list` with its options and its help. */
export function addListCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const command = program
    .command("list")
    .summary("list the documents")
    .description("List the documents, by uri, then scope, or in another order.");
  addTableOptions(command, listOptions)
    .option("--after <uri>", "begin after this document, the last one of the page before; or after the next of --json")
    .option("--total", "count all documents of the list")
    .addHelpText(
      "after",
      examples([
        "ibid list",
        "ibid list --as-user ada",
        "ibid list --under docs/ --sort newest --limit 20",
        "ibid list --as-of 2026-11-23",
        "ibid list --type image/ --since 2026-05-01 --total",
      ]),
    )
    .action(async function (this: Command) {
      done(await list(context, this.optsWithGlobals()));
    });
}
