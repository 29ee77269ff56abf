import type { Command } from "commander";
import type { DeletedDocument, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Scope } from "../contracts/scope.ts";
import { examples } from "./help-text.ts";
import { pendingNote } from "./keeping.ts";
import {
  asOperator,
  type CommonOptions,
  type Context,
  findUris,
  followPurgesOf,
  readCaller,
  withKnowledgeBase,
} from "./open.ts";
import { scopeOption } from "./read-option.ts";
import { noDocument } from "./suggest-uris.ts";
import { count, neutralise } from "./text-layout.ts";

export interface DeleteCommandOptions extends CommonOptions {
  readonly scope?: Scope;
  readonly purge?: true;
}

/**
 * `ibid delete`: deletes a document. With `--purge` it also removes its jobs from the queue, also those that failed before there was a document.
 *
 * **Shape** exit code 1 when there is no such document, with the same message for a document that the caller may not read.
 */
export async function deleteDocument(context: Context, typed: string, options: DeleteCommandOptions): Promise<number> {
  const { output } = context;
  const uris = await findUris(options, typed);
  const purge = options.purge === true;
  const caller = readCaller(options);
  return await withKnowledgeBase(asOperator(options), {}, async (whole) => {
    const kb = await followPurgesOf(options.kb, whole, caller === undefined ? whole : whole.as(caller));
    const within = options.scope === undefined ? {} : { scope: options.scope };
    let deleted: readonly DeletedDocument[] = [];
    for (const uri of uris) {
      deleted = await kb.delete(uri, { ...within, purge });
      if (deleted.length > 0) break;
    }
    const forgotten = purge ? await forgetJobs(whole, uris, options) : { jobs: 0 };
    if (output.json)
      await output.object({
        deleted: deleted.map(({ uri, scope, chunks, pending }) => ({
          uri,
          scope,
          chunks,
          ...(pending && { pending }),
        })),
        ...(forgotten.jobs > 0 && forgotten),
      });
    if (deleted.length === 0 && forgotten.jobs === 0) throw await noDocument(kb, typed, options.scope);
    for (const { uri, scope, chunks } of deleted) {
      await output.line(
        `${purge ? "purged" : "deleted"} ${neutralise(uri)} from ${neutralise(scope)}  ${output.style.dim(count(chunks, "chunk"))}`,
      );
    }
    if (forgotten.jobs > 0)
      await output.line(`forgot ${count(forgotten.jobs, "job")} of ${neutralise(typed)} in the queue`);
    if (forgotten.pending === true || deleted.some(({ pending }) => pending)) await output.line(pendingNote);
    return 0;
  });
}

/** Jobs of the queue under one of these names, in any state. */
async function forgetJobs(
  kb: KnowledgeBase,
  uris: readonly string[],
  options: DeleteCommandOptions,
): Promise<{ readonly jobs: number; readonly pending?: true }> {
  const { openIngestionQueue } = await import("../ingest/queue/open-ingestion-queue.ts");
  // The queue takes no job: this command does not ingest.
  const whole = await openIngestionQueue(kb, options.kb, { concurrency: 0 });
  try {
    const caller = readCaller(options);
    const queue = caller === undefined ? whole : whole.as(caller);
    const found: { readonly uri: string; readonly scope: Scope }[] = [];
    for await (const { uri, scope } of queue.list())
      if (uris.includes(uri) && scope === (options.scope ?? scope)) found.push({ uri, scope });
    let jobs = 0;
    let pending = false;
    for (const { uri, scope } of found) {
      const gone = await queue.forget(uri, { scope });
      jobs += gone.jobs;
      pending ||= gone.pending === true;
    }
    return pending ? { jobs, pending } : { jobs };
  } finally {
    await whole.close();
  }
}

/** `ibid delete` with its options and its help. */
export function addDeleteCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("delete")
    .summary("delete a document")
    .description("Delete a document. Until it is vacuumed, restore brings it back.")
    .argument("<uri>", "as list prints it, or a path to it")
    .addOption(scopeOption())
    .option("--purge", "erase it from every file; no restore is possible")
    .addHelpText(
      "after",
      examples([
        "ibid delete docs/keys.md",
        "ibid delete docs/keys.md --scope team:support",
        "ibid delete docs/keys.md --purge",
      ]),
    )
    .action(async function (this: Command, uri: string) {
      done(await deleteDocument(context, uri, this.optsWithGlobals()));
    });
}
