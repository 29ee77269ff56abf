import type { Command } from "commander";
import type { DocumentSummary } from "../contracts/document-store.ts";
import { examples } from "./help-text.ts";
import { type CommonOptions, type Context, withKnowledgeBase } from "./open.ts";
import { count, displayWidth, formatBytes, neutralise, pad, shorten } from "./text-layout.ts";

/** `ibid list`: each document that the caller may read, by uri, then scope. */
export async function list(context: Context, options: CommonOptions): Promise<number> {
  const { output, signal } = context;
  return await withKnowledgeBase(options, {}, async (kb) => {
    const documents: DocumentSummary[] = [];
    for await (const document of kb.list()) {
      signal.throwIfAborted();
      documents.push(document);
    }
    if (output.json) {
      await output.object({ documents: documents.map(toJson) });
      return 0;
    }
    if (documents.length === 0) await output.line("No documents.");
    for (const line of toTable(documents, output.columns, output.style.dim)) {
      if (output.failure !== undefined) break;
      await output.line(line);
    }
    return 0;
  });
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
  program
    .command("list")
    .summary("list the documents")
    .description("List the documents, by uri, then scope.")
    .addHelpText("after", examples(["ibid list", "ibid list --as-user ada"]))
    .action(async function (this: Command) {
      done(await list(context, this.optsWithGlobals()));
    });
}
