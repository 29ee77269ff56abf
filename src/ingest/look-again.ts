import { platformNow } from "../runtime/platform-clock.ts";
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

/** The parts of an ingestion that decide whether a document is looked at. */
interface LookJob {
  readonly refresh?: RefreshPolicy | undefined;
  readonly metadata: Metadata;
  readonly origin: Origin;
  readonly into: AuthorizedScopes<"write">;
}

/** Decides, before anything is read, whether a document is looked at. */
export interface Look {
  /** The answer of the job's policy, asked once for each uri. **Errors** as the policy throws. */
  wants(uri: string, before: DocumentSummary | undefined, said?: SaidOfIt): Promise<boolean>;
  /** The same for a source that must fetch to know more. A policy that throws does so later, where the document's result is made. */
  readonly kept: AskKept;
}

/** Asks the job's refresh policy, and gives a source the validators for a conditional request. */
export function createLook(stages: IngestStages, job: LookJob, known: KnownDocuments): Look {
  const { now = platformNow } = stages;
  const decisions = new Map<string, Promise<boolean>>();
  const wants: Look["wants"] = (uri, before, said) => {
    const decided =
      decisions.get(uri) ?? Promise.resolve().then(() => job.refresh?.shouldReread(uri, before, said, now()) ?? true);
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
 * The changes to record for a document that stays as it is; `undefined` for none.
 *
 * The time of the look is recorded only with a refresh policy: otherwise every run would write a row for every file.
 */
export function markOf(
  { now = platformNow }: Pick<IngestStages, "now">,
  job: Pick<LookJob, "refresh">,
  before: DocumentSummary,
  found: {
    readonly folder: string | null;
    readonly validators?: Validators | undefined;
    readonly looked: boolean;
    /** Fingerprint for the pipeline that made it, where it is known. */
    readonly fingerprint?: string;
  },
): FreshnessMark | undefined {
  const folder = outerFolder(before.folder, found.folder);
  const { validators, fingerprint = before.fingerprint } = found;
  const renewed =
    validators !== undefined &&
    (validators.etag !== before.validators?.etag || validators.lastModified !== before.validators?.lastModified);
  const mark: FreshnessMark = {
    ...(folder === before.folder ? {} : { folder }),
    ...(renewed ? { validators } : {}),
    ...(fingerprint === before.fingerprint ? {} : { fingerprint }),
    ...(found.looked && job.refresh !== undefined ? { checkedAt: new Date(now()).toISOString() } : {}),
  };
  return Object.keys(mark).length === 0 ? undefined : mark;
}
