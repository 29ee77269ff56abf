import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { usualFolder } from "./find-config.ts";
import { folderOf } from "../knowledge-base/open/location.ts";
import { IbidError } from "../contracts/errors.ts";
import type { EnqueueOptions, IngestionEvent, IngestionQueue } from "../contracts/ingestion-queue.ts";
import { examples, note } from "./help-text.ts";
import { enqueueOptions } from "../ingest/ingest-options.ts";
import { asOperator, type CommonOptions, type Context, readCaller, withKnowledgeBase } from "./open.ts";
import type { Output } from "./output.ts";
import { addTableOptions, pickTableOptions } from "./table-options.ts";
import { count, neutralise } from "./text-layout.ts";
import { anySignal } from "../runtime/abort.ts";

interface WatchCommandOptions extends CommonOptions {
  readonly poll?: true;
}

/** `ibid watch`: ingests folders, then their changes, until a signal. It finishes the changes that it has seen. */
export async function watch(
  context: Context,
  folders: readonly string[],
  options: WatchCommandOptions,
): Promise<number> {
  const { output, signal } = context;
  for (const folder of folders) requireFolder(folder);
  const job: EnqueueOptions = {
    scope: "deployment",
    ...pickTableOptions<EnqueueOptions>(enqueueOptions, options),
  };
  const caller = readCaller(options);
  return await withKnowledgeBase(asOperator(options), { create: true, embeds: "documents" }, async (kb) => {
    const [{ openIngestionQueue }, { watchFolders }] = await Promise.all([
      import("../ingest/index.node.ts"),
      import("../ingest/sources/files/watch-folders.ts"),
    ]);
    await closing(await openIngestionQueue(kb, options.kb), async (whole) => {
      const queue = caller === undefined ? whole : whole.as(caller);
      const over = new AbortController();
      const telling = tell(queue.events({ buffer: 100_000, signal: over.signal }), output);
      try {
        const own = folderOf(options.kb);
        // It listens from before the first walk on, so that no change is missed.
        const changes = watchFolders(folders, {
          signal: anySignal([signal, over.signal]),
          ignore: own === undefined ? [] : [own],
          ...(options.poll && { poll: true }),
        });
        const look = createLook(queue, job, own ?? resolve(usualFolder));
        const first = await Promise.all(folders.map((folder) => look(folder, undefined)));
        await untilStopped(Promise.all(first.map((id) => queue.done(id, { signal }))), signal);
        const names = folders.map(neutralise).join(", ");
        if (!signal.aborted) {
          await (output.json
            ? output.object({ watching: folders })
            : output.line(`Watching ${names}. Ctrl-C stops it.`));
        }
        for await (const { folder, paths } of changes) await look(folder, paths);
        await queue.drained();
      } finally {
        over.abort();
      }
      const done = await telling;
      await (output.json ? output.object({ stopped: done }) : output.line(`Stopped. ${describeTally(done)}`));
    });
    return 0;
  });
}

/** **Errors** `not-found`, `invalid-argument`. */
function requireFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  if (found === undefined)
    throw new IbidError("not-found", `There is no folder ${folder}.`, { uri: folder, hint: "Check the path." });
  throw new IbidError("invalid-argument", `${folder} is not a folder.`, {
    uri: folder,
    hint: "Watch the folder that contains it, with --include.",
  });
}

/**
 * Queues a walk over a folder: over the changes since the last finished walk, or over everything.
 *
 * **Shape** a folder has one job, and a new one replaces it. So the new job includes the unfinished changes of the old one.
 */
function createLook(
  queue: IngestionQueue,
  job: EnqueueOptions,
  kb: string,
): (folder: string, paths: readonly string[] | undefined) => Promise<string> {
  const asked = new Map<string, { readonly id: string; readonly changed: readonly string[] | undefined }>();
  return async (folder, paths) => {
    const { toDocumentUri } = await import("../ingest/sources/files/document-uri.ts");
    const before = asked.get(folder);
    const isDone = before !== undefined && (await queue.status(before.id))?.state === "indexed";
    const uris = paths?.map((path) => toDocumentUri(path, { base: dirname(kb) }));
    const left = before === undefined || isDone ? [] : before.changed;
    const changed = uris && left && [...new Set([...left, ...uris])];
    const id = await queue.enqueueWhenRoom(folder, { ...job, ...(changed && { changed }) });
    asked.set(folder, { id, changed });
    return id;
  };
}

async function untilStopped(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await work.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

async function closing(queue: IngestionQueue, use: (queue: IngestionQueue) => Promise<void>): Promise<void> {
  try {
    await use(queue);
  } finally {
    await queue.close();
  }
}

/** Counts by outcome. */
type Tally = Record<"added" | "updated" | "removed" | "failed", number>;

function describeTally(tally: Tally): string {
  const told = Object.entries(tally).filter(([, times]) => times > 0);
  if (told.length === 0) return "Nothing changed.";
  return `${told.map(([what, times]) => `${times.toLocaleString("en")} ${what}`).join(", ")}.`;
}

/** One line with the counts of ingested, removed and refused documents. */
async function tell(events: AsyncIterable<IngestionEvent>, output: Output): Promise<Tally> {
  const tally = { added: 0, updated: 0, removed: 0 };
  const failed = new Set<string>();
  for await (const event of events) {
    // A file that fails, fails at every walk.
    if (event.type === "KnowledgeChunkFailed" && event.retryAt === undefined) failed.add(`${event.scope} ${event.uri}`);
    if (event.type === "KnowledgeChunkIndexed") {
      failed.delete(`${event.scope} ${event.uri}`);
      if (event.status !== "failed" && event.status !== "unchanged") tally[event.status]++;
    }
    if (output.json) {
      if (event.type !== "IngestionStateChanged") await output.object(event);
    } else {
      const line = describe(event, output);
      if (line !== undefined) await output.line(line);
    }
  }
  return { ...tally, failed: failed.size };
}

function describe(event: IngestionEvent, { style }: Output): string | undefined {
  switch (event.type) {
    case "KnowledgeChunkIndexed":
      return `${event.status.padEnd(9)} ${neutralise(event.uri)}  ${style.dim(count(event.chunks, "chunk"))}`;
    case "KnowledgeChunkFailed": {
      const again = event.retryAt === undefined ? "" : style.dim("  will be tried again");
      const { message } = event.error;
      const named = message.includes(event.uri) ? message : `${event.uri}: ${message}`;
      return `${style.bad("failed   ")} ${neutralise(named)}${again}`;
    }
    case "IngestionStalled":
      return `${style.bad("waiting  ")} ${neutralise(event.error.message)}`;
    case "EventsMissed":
      return style.dim(`${event.missed.toLocaleString("en")} lines are left out here.`);
    default:
      return undefined;
  }
}

/** `ibid watch` with its options and its help. */
export function addWatchCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const command = program
    .command("watch")
    .summary("ingest folders, and what changes in them from then on")
    .description("Ingest folders, then each change in them, until it is stopped.")
    .argument("<folder...>", "what to watch, with everything below it")
    .option("--poll", "look every 10 seconds, for network drives that report no changes");
  addTableOptions(command, enqueueOptions)
    .addHelpText(
      "after",
      examples(["ibid watch ./docs", "ibid watch ./docs ./notes --team support"]) +
        note(
          "A document that is busy is tried again after 30 seconds, and later. Ctrl-C finishes the changes that it has seen. A second Ctrl-C stops at once; the next start does the rest.",
        ),
    )
    .action(async function (this: Command, folders: readonly string[]) {
      done(await watch(context, folders, this.optsWithGlobals()));
    });
}
