import type { DocumentSummary, FreshnessMark } from "../contracts/document-store.ts";
import type { Origin } from "../contracts/document.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { AskKept, SaidOfIt, Validators } from "../contracts/reader.ts";
import type { RefreshPolicy } from "../contracts/refresh-policy.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { IngestStages } from "./stages.ts";
import { isMadeBy } from "./fingerprint.ts";
import type { KnownDocuments } from "./known-documents.ts";
import { hashMetadata } from "./prepare-document.ts";
import { outerFolder } from "./sweep.ts";

/** What of an ingestion has a say in it. */
interface LookJob {
  readonly refresh?: RefreshPolicy | undefined;
  readonly metadata: Metadata;
  readonly origin: Origin;
  readonly into: AuthorizedScopes<"write">;
}

/** What decides, before anything is read, whether a document is looked at. */
export interface Look {
  /** What the job's policy says; each uri is asked about once. **Errors** what the policy throws. */
  wants(uri: string, before: DocumentSummary | undefined, said?: SaidOfIt): Promise<boolean>;
  /** The same for a source that must fetch to know more. A policy that throws does so later, where the document's result is made. */
  readonly kept: AskKept;
}

/** Asks the job's refresh policy, and says what a source may send along so as to be told that nothing has changed. */
export function createLook(stages: IngestStages, job: LookJob, known: KnownDocuments): Look {
  const decisions = new Map<string, Promise<boolean>>();
  const wants: Look["wants"] = (uri, before, said) => {
    const decided =
      decisions.get(uri) ?? Promise.resolve().then(() => job.refresh?.shouldReread(uri, before, said) ?? true);
    decisions.set(uri, decided);
    return decided;
  };
  return {
    wants,
    async kept(uri, said) {
      const before = await known.find(uri);
      if (before === undefined) return undefined;
      const wanted = await wants(uri, before, said).catch(() => true);
      // "Not changed" is said of the bytes alone: another pipeline or other metadata need them all the same.
      const complete =
        before.metadataHash === hashMetadata(job.metadata, "", job.origin) &&
        (await isMadeBy(stages, job.into, before));
      return { wanted, ...(complete && before.validators && { validators: before.validators }) };
    },
  };
}

/**
 * What is to be noted of a document that stays as it is; `undefined` for nothing.
 *
 * When it was looked at is noted for those alone who go by it: otherwise every run would write a row for every file.
 */
export function markOf(
  job: Pick<LookJob, "refresh">,
  before: DocumentSummary,
  now: {
    readonly folder: string | null;
    readonly validators?: Validators | undefined;
    readonly looked: boolean;
    /** Of the pipeline that made it, as far as that can be told. */
    readonly fingerprint?: string;
  },
): FreshnessMark | undefined {
  const folder = outerFolder(before.folder, now.folder);
  const { validators, fingerprint = before.fingerprint } = now;
  const renewed =
    validators !== undefined &&
    (validators.etag !== before.validators?.etag || validators.lastModified !== before.validators?.lastModified);
  const mark: FreshnessMark = {
    ...(folder === before.folder ? {} : { folder }),
    ...(renewed ? { validators } : {}),
    ...(fingerprint === before.fingerprint ? {} : { fingerprint }),
    ...(now.looked && job.refresh !== undefined ? { checkedAt: new Date().toISOString() } : {}),
  };
  return Object.keys(mark).length === 0 ? undefined : mark;
}
