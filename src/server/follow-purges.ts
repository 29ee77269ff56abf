import type { BlobStore } from "../contracts/blob-store.ts";
import type { DeletedSummary } from "../contracts/store.ts";
import type { DeletedDocument, DocumentAddress, KnowledgeBase } from "../contracts/knowledge-base.ts";
import { notePrefix } from "../integrations/memory/note.ts";
import { hashParts } from "../runtime/hash.ts";
import type { AnswerStreams } from "./answer-streams.ts";
import { given } from "./given.ts";
import { isJobOf } from "./jobs/job.ts";
import { forgetJobs } from "./jobs/job-shelf.ts";
import type { ServiceJobs } from "./jobs/service-jobs.ts";
import { createOriginals, type Originals } from "./originals.ts";
import { createThreads, type Threads } from "./threads.ts";

/** The parts of a service that keep something of documents beside the store. */
export interface ServiceParts {
  readonly originals: Originals;
  readonly threads: Threads | undefined;
  readonly jobs: ServiceJobs | undefined;
  readonly streams: AnswerStreams;
}

interface ForgottenJobs {
  readonly jobs: Pick<ServiceJobs, "forget"> | undefined;
}

/** A knowledge base, or a view of it, whose purges and vacuums also remove kept bytes, jobs, sentences and streams that rest on the documents. */
export function followPurges(
  kb: KnowledgeBase,
  { originals, threads, jobs, streams }: Partial<Omit<ServiceParts, "jobs"> & ForgottenJobs>,
): KnowledgeBase {
  return {
    ...kb,
    async delete(target, options = {}) {
      if (options.purge !== true) return kb.delete(target, options);
      const uri = typeof target === "string" && !target.startsWith(notePrefix) ? target : undefined;
      const found = uri === undefined || originals === undefined ? [] : await findStored(kb, uri, options);
      const deleted = await kb.delete(target, options);
      if (deleted.length === 0) return deleted;
      // A job of an archive has the name of the archive.
      const jobsOf = (one: DeletedDocument): readonly string[] => [one.uri, ...(uri === undefined ? [] : [uri])];
      const ids = [...found.map(({ id }) => id), ...deleted.map(({ scope, uri: own }) => hashParts(scope, own))];
      streams?.forget(ids);
      await all([
        async () => found.length > 0 && originals?.drop(found.map(({ contentHash }) => contentHash)),
        ...deleted.flatMap((one) => [...new Set(jobsOf(one))].map((name) => () => jobs?.forget(name, one.scope))),
        () => threads?.forget([...new Set(ids)]),
      ]);
      return deleted;
    },
    async vacuum(options) {
      const waiting = new Map<string, DeletedSummary>();
      const nameOf = ({ scope, id }: DeletedSummary): string => JSON.stringify([scope, id]);
      for await (const one of kb.deleted()) waiting.set(nameOf(one), one);
      const result = await kb.vacuum(options);
      for await (const one of kb.deleted()) waiting.delete(nameOf(one));
      const gone: DeletedSummary[] = [];
      for (const one of waiting.values())
        if ((await kb.document(one.uri, { scope: one.scope, start: 0, end: 0 }))?.id !== one.id) gone.push(one);
      const ids = gone.map(({ id }) => id);
      streams?.forget(ids);
      await all([
        async () =>
          (result.chunks > 0 || gone.length > 0) && originals?.drop(gone.map(({ contentHash }) => contentHash)),
        // An upload of the same name that waits is of a document that is yet to come.
        ...gone.map(
          ({ uri, scope, deletedAt }) =>
            () =>
              jobs?.forget(uri, scope, Date.parse(deletedAt)),
        ),
        async () => gone.length > 0 && threads?.forget(ids),
      ]);
      return result;
    },
  };
}

/** Takes every step, since none of them comes again once the document is gone. **Errors** the error of the first step that failed. */
async function all(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** The same for a program that is no service, over the files that a service of this knowledge base keeps or has kept. `whole` is the operator's. */
export function followPurgesInFiles(whole: KnowledgeBase, kb: KnowledgeBase, files: BlobStore): KnowledgeBase {
  const originals = createOriginals(whole, files, undefined, async (uri) => [uri]);
  const jobs: ForgottenJobs["jobs"] = {
    forget: (...named) => forgetJobs(files, (record) => isJobOf(record, ...named)),
  };
  return followPurges(kb, { originals, threads: createThreads(files, Infinity), jobs });
}

/** The documents of a uri, or of an archive with that uri; also deleted ones. */
async function findStored(
  kb: KnowledgeBase,
  uri: string,
  { scope }: DocumentAddress,
): Promise<readonly { readonly id: string; readonly contentHash: string }[]> {
  const found: { readonly id: string; readonly contentHash: string }[] = [];
  const live = await kb.document(uri, given({ scope, start: 0, end: 0 }));
  if (live !== undefined) found.push(live);
  const within = `${uri}!/`;
  if (live === undefined) for await (const one of kb.list()) if (one.uri.startsWith(within)) found.push(one);
  for await (const one of kb.deleted()) if (one.uri === uri || one.uri.startsWith(within)) found.push(one);
  return found;
}
