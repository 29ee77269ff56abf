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

/** Uri, chunks, size, day and scope in columns. On a terminal, long uris are cut to fit a line. */
function toTable(
  documents: readonly DocumentSummary[],
  columns: number,
  dim: (text: string) => string,
): readonly string[] {
  const rows = documents.map((document) => ({
    uri: neutralise(document.uri),
    chunks: count(document.chunks, "chunk"),
    bytes: formatBytes(document.bytes),
    day: document.ingestedAt.slice(0, 10),
    scope: neutralise(document.scope),
  }));
  const widest = (key: "uri" | "chunks" | "bytes"): number =>
    rows.reduce((width, row) => Math.max(width, displayWidth(row[key])), 0);
  const chunks = widest("chunks");
  const bytes = widest("bytes");
  // If all documents are in the deployment's scope, the column is left out.
  const scopes = rows.some(({ scope }) => scope !== "deployment");
  const scope = scopes ? rows.reduce((width, row) => Math.max(width, displayWidth(row.scope)), 0) + 2 : 0;
  const rest = 2 + chunks + 2 + bytes + 2 + 10 + scope;
  const uri = Math.max(16, Math.min(widest("uri"), columns - rest));
  return rows.map((row) => {
    const facts = [
      pad(row.chunks, chunks, "left"),
      pad(row.bytes, bytes, "left"),
      row.day,
      ...(scopes ? [row.scope] : []),
    ];
    return `${pad(columns === Infinity ? row.uri : shorten(row.uri, uri), uri)}  ${dim(facts.join("  "))}`;
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
