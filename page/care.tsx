import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { type Failure, get, send } from "./api.ts";
import { Keys } from "./keys.tsx";
import type { Version } from "./evidence.tsx";
import { Dialog, Facts, Failed, Icon, Notice, Told, useLoaded } from "./shared.tsx";
import {
  announced,
  bytesText,
  documentAddress,
  language,
  libraryVersion,
  link,
  momentText,
  session,
  t,
} from "./state.ts";

/** Whether the base keeps versions, as far as it was asked. One refusal is enough until the page is loaded again. */
let keepsVersions = true;

async function readVersions(
  uri: string,
  scope: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly versions: readonly Version[] }> {
  const none = { versions: [] };
  if (!keepsVersions) return none;
  try {
    return await get<{ readonly versions: readonly Version[] }>("versions", { uri, scope }, signal);
  } catch (error) {
    if ((error as Failure).code === "unsupported") keepsVersions = false;
    return none;
  }
}

/** The versions of a document, and the way back to one; nothing where the base keeps none. */
export function Versions({ uri, scope }: { readonly uri: string; readonly scope: string | undefined }): VNode | null {
  const { value, again } = useLoaded(`${uri} ${scope} ${libraryVersion.value}`, (signal) =>
    readVersions(uri, scope, signal),
  );
  const failure = useSignal<Failure | undefined>(undefined);
  const versions = value.value?.versions ?? [];
  if (versions.length < 2) return null;
  const restore = async (asOf: string): Promise<void> => {
    try {
      failure.value = undefined;
      await send("restore", { uri, scope, asOf });
      announced.value = t("versionRestored");
      libraryVersion.value += 1;
      again();
    } catch (error) {
      failure.value = error as Failure;
    }
  };
  return (
    <details class="versions">
      <summary class="small">{t("versions", { n: versions.length })}</summary>
      {failure.value !== undefined && <Failed failure={failure.value} />}
      <ol class="uploads">
        {versions.map(({ from, to, title, chunks, bytes }) => (
          <li class="upload" key={from}>
            <a
              class="upload-words"
              {...link(documentAddress({ uri, scope, asOf: to === undefined ? undefined : from }))}
            >
              <span dir="auto">{title}</span>
              <span class="small faint">
                {to === undefined
                  ? t("noteSince", { from: momentText(from) })
                  : t("noteSpan", { from: momentText(from), to: momentText(to) })}{" "}
                · {t("passages", { n: chunks })} · {bytesText(bytes)}
              </span>
            </a>
            {to !== undefined && session.value?.write === true && (
              <button
                type="button"
                class="plain small"
                aria-label={`${t("restore")}: ${momentText(from)}`}
                onClick={() => void restore(from)}
              >
                {t("restore")}
              </button>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

interface Diagnosis {
  readonly healthy: boolean;
  readonly findings: readonly {
    readonly kind: string;
    readonly message: string;
    readonly scope?: string;
    readonly count: number;
    readonly fixed: boolean;
    readonly hint?: string;
  }[];
  readonly residue: number;
}

/** The screen on which an operator examines the base, erases deleted documents and reads events. */
export function Care(): VNode {
  return (
    <div class="care">
      {session.value?.needsKey === true && <Keys />}
      <Doctor />
      {session.value?.write === true && <Vacuum />}
      {session.value?.write === true && <Queue />}
      <Events />
    </div>
  );
}

/** Runs one call at a time, and keeps its result or its failure. */
function useCall<Result>(): {
  readonly result: Result | undefined;
  readonly failure: Failure | undefined;
  readonly isBusy: boolean;
  readonly run: (work: () => Promise<Result>) => Promise<void>;
} {
  const result = useSignal<Result | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const isBusy = useSignal(false);
  return {
    result: result.value,
    failure: failure.value,
    isBusy: isBusy.value,
    async run(work) {
      isBusy.value = true;
      failure.value = undefined;
      try {
        result.value = await work();
      } catch (error) {
        failure.value = error as Failure;
      }
      isBusy.value = false;
    },
  };
}

interface JobPage {
  readonly total: number;
  readonly jobs: readonly {
    readonly id: string;
    readonly uri?: string;
    readonly scope: string;
    readonly caller?: string;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly error?: { readonly code?: string; readonly message: string; readonly hint?: string };
  }[];
}

/** Files that are not here whole: some are on their way, and some senders do not come back. */
const isArriving = "receiving";
const isWaiting = "queued";
const isBeingRead = "reading,embedding";

/** Jobs of all callers: how many wait and since when, and those that failed, with their reasons. */
function Queue(): VNode {
  const { value, failure, again } = useLoaded(`${libraryVersion.value}`, async (signal) => {
    const page = (state: string, limit: number): Promise<JobPage> => get("jobs", { state, limit }, signal);
    const [arriving, waiting, current, failed] = await Promise.all([
      page(isArriving, 1),
      page(isWaiting, 200),
      page(isBeingRead, 1),
      page("failed", 50),
    ]);
    return { arriving, waiting, current, failed };
  });
  const refused = useSignal<Failure | undefined>(undefined);
  const retry = async (): Promise<void> => {
    try {
      refused.value = undefined;
      await send("jobs/retry", { ids: value.value!.failed.jobs.map(({ id }) => id) });
      again();
    } catch (error) {
      refused.value = error as Failure;
    }
  };
  const { arriving, waiting, current, failed } = value.value ?? {};
  const oldest = waiting?.jobs.at(-1);
  return (
    <section>
      <h2>{t("queue")}</h2>
      {[failure.value, refused.value].map((each) => each !== undefined && <Failed failure={each} onRetry={again} />)}
      {value.value !== undefined && (
        <p class="small">
          {t("queueState", { waiting: waiting!.total, current: current!.total, failed: failed!.total })}
          {arriving!.total > 0 && ` ${t("queueArriving", { n: arriving!.total })}`}
          {oldest !== undefined && ` ${t("queueSince", { date: momentText(oldest.createdAt) })}`}
        </p>
      )}
      <div class="row">
        <button type="button" class="plain small" onClick={again}>
          {t("refresh")}
        </button>
        {(failed?.total ?? 0) > 0 && (
          <button type="button" class="plain small" onClick={() => void retry()}>
            {t("retryAll")}
          </button>
        )}
      </div>
      <ul class="uploads">
        {failed?.jobs.map(({ id, uri, scope, caller, updatedAt, error }) => (
          <li class="upload" key={id}>
            <Icon name="warn" />
            <div class="upload-words">
              <span dir="auto">{uri ?? id}</span>
              <Facts of={[scope, caller, momentText(updatedAt)]} />
              <span class="small reason">
                <Told message={[error?.message, error?.hint].filter(Boolean).join(" ")} code={error?.code} lang="en" />
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Doctor(): VNode {
  const { result, failure, isBusy, run } = useCall<Diagnosis>();
  const examine = (fix: boolean): void =>
    void run(async () => {
      const found = await send<Diagnosis>("doctor", { fix });
      announced.value = t(found.healthy ? "healthy" : "findings", { n: found.findings.length });
      return found;
    });
  return (
    <section>
      <h2>{t("doctor")}</h2>
      <p class="faint small">{t("doctorText")}</p>
      <div class="row">
        <button type="button" class="plain small" disabled={isBusy} onClick={() => examine(false)}>
          {t("examine")}
        </button>
        {result?.healthy === false && session.value?.write === true && (
          <button type="button" class="plain small" disabled={isBusy} onClick={() => examine(true)}>
            {t("repair")}
          </button>
        )}
        {isBusy && <span class="faint small pulse">{t("examining")}</span>}
      </div>
      {failure !== undefined && <Failed failure={failure} />}
      {result !== undefined && (
        <Notice tone={result.healthy ? "plain" : "warn"}>
          <Icon name={result.healthy ? "check" : "warn"} />{" "}
          {t(result.healthy ? "healthy" : "findings", { n: result.findings.length })}
        </Notice>
      )}
      {(result?.findings ?? []).length > 0 && (
        <ul class="uploads">
          {result!.findings.map(({ kind, message, scope, count, fixed, hint }) => (
            <li class="upload" key={`${kind} ${scope}`}>
              <div class="upload-words" lang="en">
                <span>{message}</span>
                <span class="small faint">{[kind, scope, count, hint].filter(Boolean).join(" · ")}</span>
              </div>
              {fixed && <span class="small">{t("repaired")}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Ages from which deleted documents are erased. **Units** hours. */
const ages = [168, 720, 0] as const;

function Vacuum(): VNode {
  const { result, failure, isBusy, run } = useCall<{ readonly chunks: number; readonly pending: boolean }>();
  const hours = useSignal<number>(ages[0]);
  const isAsked = useSignal(false);
  const vacuum = (): void => {
    isAsked.value = false;
    void run(async () => {
      const done = await send<{ chunks: number; pending: boolean }>("vacuum", { olderThanHours: hours.value });
      announced.value = t("vacuumed", { n: done.chunks });
      libraryVersion.value += 1;
      return done;
    });
  };
  return (
    <section>
      <h2>{t("vacuum")}</h2>
      <p class="faint small">{t("vacuumText")}</p>
      <div class="row">
        <label class="small">
          {t("deletedBefore")}{" "}
          <select value={hours.value} onChange={(event) => (hours.value = Number(event.currentTarget.value))}>
            {ages.map((each) => (
              <option value={each}>{t("daysAgo", { n: each / 24 })}</option>
            ))}
          </select>
        </label>
        <button type="button" class="plain small bad" disabled={isBusy} onClick={() => (isAsked.value = true)}>
          {t("purge")}
        </button>
      </div>
      {failure !== undefined && <Failed failure={failure} />}
      {result !== undefined && (
        <Notice tone={result.pending ? "warn" : "plain"}>
          {t("vacuumed", { n: result.chunks })} {result.pending && t("vacuumPending")}
        </Notice>
      )}
      {isAsked.value && (
        <Dialog title={t("vacuumTitle")} onClose={() => (isAsked.value = false)}>
          <p>{t("vacuumText")}</p>
          <div class="row end">
            <button type="button" class="plain" onClick={() => (isAsked.value = false)}>
              {t("cancel")}
            </button>
            <button type="button" class="danger" onClick={vacuum}>
              {t("purge")}
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

interface EventPage {
  readonly events: readonly {
    readonly name: string;
    readonly at: string;
    readonly scopes: readonly string[];
    readonly data: Readonly<Record<string, unknown>>;
  }[];
  readonly more: boolean;
}

/** Events, latest first. Their names and fields are those of the service, in English. */
function Events(): VNode {
  const name = useSignal("");
  const before = useSignal<string | undefined>(undefined);
  const { value, failure, again } = useLoaded(`${name.value} ${before.value}`, (signal) =>
    get<EventPage>(
      "events",
      { limit: 50, name: name.value === "" ? undefined : name.value, before: before.value },
      signal,
    ),
  );
  const seen = useSignal<ReadonlySet<string>>(new Set());
  const events = (value.value?.events ?? []).toReversed();
  const names = new Set([...seen.value, ...events.map((each) => each.name)]);
  const isOff = failure.value !== undefined && failure.value.status < 500 && failure.value.status !== 0;
  return (
    <section>
      <h2>{t("events")}</h2>
      {isOff && <p class="faint small">{failure.value!.message}</p>}
      {failure.value !== undefined && !isOff && <Failed failure={failure.value} onRetry={again} />}
      {!isOff && (
        <div class="row filters">
          <label class="small">
            {t("type")}{" "}
            <select
              value={name.value}
              onChange={(event) => {
                seen.value = names;
                name.value = event.currentTarget.value;
                before.value = undefined;
              }}
            >
              <option value="">{t("allTypes")}</option>
              {[...names].toSorted().map((each) => (
                <option value={each}>{each}</option>
              ))}
            </select>
          </label>
          <button type="button" class="plain small" onClick={again}>
            {t("refresh")}
          </button>
        </div>
      )}
      {value.value !== undefined && events.length === 0 && <p class="faint">{t("noEvents")}</p>}
      {events.length > 0 && (
        <div class="wide" tabIndex={0}>
          <table lang="en" dir="ltr">
            {events.map(({ name: kind, at, scopes, data }) => (
              <tr>
                <td class="nowrap">
                  <bdi>{momentText(at)}</bdi>
                </td>
                <td>{kind}</td>
                <td class="small">{scopes.join(", ")}</td>
                <td class="small event-data">{describe(data)}</td>
              </tr>
            ))}
          </table>
        </div>
      )}
      {value.value?.more === true && (
        <button type="button" class="plain more" onClick={() => (before.value = events.at(-1)!.at)}>
          {t("earlierEvents")}
        </button>
      )}
    </section>
  );
}

/** The value of a field in short: lists without their signs, and of a hash its beginning. */
function toWords(value: unknown): string {
  if (typeof value === "string") return /^[\da-f]{64}$/u.test(value) ? `${value.slice(0, 8)}…` : value;
  if (typeof value === "number") return value.toLocaleString(language.value, { maximumFractionDigits: 2 });
  return Array.isArray(value) ? value.map(toWords).join(", ") : JSON.stringify(value);
}

/** The fields of an event on one line. */
const describe = (data: Readonly<Record<string, unknown>>): string =>
  Object.entries(data)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${key} ${toWords(value)}`)
    .join(" · ");
