import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Hit, renameThread, type Thread } from "./answer.ts";
import { costOf } from "./ask-screen.tsx";
import { call, type Failure, get, send } from "./api.ts";
import { Empty } from "./empty.tsx";
import { EvidencePanel, PlaceView, type View } from "./evidence.tsx";
import { type Chosen, FilterBar, toFilters, toKept } from "./filters.tsx";
import { erase, type Status } from "./library.tsx";
import { lazy, Suspense } from "./lazy.tsx";
import {
  Dialog,
  Ended,
  Failed,
  IconButton,
  cardText,
  markWords,
  nameOf,
  Notice,
  placeText,
  titleOf,
  useLoaded,
} from "./shared.tsx";
import {
  announced,
  bytesText,
  dateText,
  documentAddress,
  go,
  language,
  libraryVersion,
  link,
  momentText,
  route,
  session,
  showPlace,
  t,
} from "./state.ts";

const Care = lazy(async () => (await import("./care.tsx")).Care);
const AboutDocument = lazy(async () => (await import("./about.tsx")).AboutDocument);
const Versions = lazy(async () => (await import("./care.tsx")).Versions);

/** The screen to search on. Words stand behind `#`, which browsers send to no server. */
export function SearchScreen({ documents }: { readonly documents: number | undefined }): VNode {
  const query = route.value.hash.get("q") ?? "";
  const mode = route.value.hash.get("mode") ?? "hybrid";
  const limit = (name: string): string => route.value.hash.get(name) ?? "";
  const only = route.value.hash.getAll("only");
  const chosen: Chosen = {
    scope: limit("scope"),
    kind: limit("kind"),
    since: limit("since"),
    folder: limit("folder"),
    only: only.length === 0 ? undefined : only.map((uri) => ({ uri })),
  };
  const limits = JSON.stringify(chosen);
  const count = useSignal(20);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => void (count.value = 20), [query, mode, limits]);
  const found = useLoaded(`${query} ${mode} ${limits} ${count.value}`, async (signal) => {
    if (query.trim() === "") return undefined;
    announced.value = t("searching");
    const started = performance.now();
    const body = { query, topK: count.value, merge: true, mode, ...toFilters(chosen) };
    const { hits } = await send<{ hits: readonly Hit[] }>("search", body, { signal });
    announced.value = t("results", { n: hits.length });
    return { query, hits, ms: performance.now() - started };
  });
  const change = ({ only: documents = [], ...values }: Partial<Chosen> & { q?: string; mode?: string }): void => {
    const { only: _, ...limits } = chosen;
    const hash = new URLSearchParams([
      ...Object.entries({ q: query, mode, ...limits, ...values }).filter(
        ([name, value]) => value !== "" && !(name === "mode" && value === "hybrid"),
      ),
      ...documents.map(({ uri }) => ["only", uri]),
    ]);
    go(`search#${hash}`, { replace: query === "" });
  };
  if (documents === 0) return <Empty />;
  const groups = Map.groupBy(found.value.value?.hits ?? [], ({ documentId }) => documentId);
  const hits = found.value.value?.hits ?? [];
  return (
    <div class="column">
      <h1 class="unseen">{t("search")}</h1>
      <form
        class="question-form"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          change({ ...chosen, q: field.current!.value });
        }}
      >
        <input
          ref={field}
          id="question"
          type="search"
          dir="auto"
          defaultValue={query}
          key={query}
          aria-label={t("searchPlaceholder")}
          placeholder={t("searchPlaceholder")}
          autoFocus
        />
        <button>{t("search")}</button>
      </form>
      <div class="row filters">
        <label class="small">
          {t("mode")}{" "}
          <select value={mode} onChange={(event) => change({ ...chosen, mode: event.currentTarget.value })}>
            <option value="hybrid">{t("modeHybrid")}</option>
            <option value="lexical">{t("modeLexical")}</option>
          </select>
        </label>
        <FilterBar chosen={chosen} onChange={(next) => change(next)} />
        {found.value.value !== undefined && (
          <span class="small faint">
            {t("resultsIn", { n: groups.size, hits: t("results", { n: hits.length }) })} ·{" "}
            {t("tookMs", { ms: Math.round(found.value.value.ms) })}
          </span>
        )}
      </div>
      {found.failure.value !== undefined && <Failed failure={found.failure.value} onRetry={found.again} />}
      {query !== "" && found.value.value?.query === query && hits.length === 0 && (
        <div class="empty small-empty">
          <h2>{t("nothingFound")}</h2>
          <p class="faint">
            {t(
              toKept(chosen) !== undefined
                ? "nothingInLimits"
                : mode === "lexical"
                  ? "nothingByWords"
                  : "nothingFoundHint",
            )}
          </p>
        </div>
      )}
      <ol class="hits">
        {[...groups.values()].map((own) => (
          <HitGroup key={own[0]!.documentId} hits={own} query={query} />
        ))}
      </ol>
      {hits.length >= count.value && count.value < 100 && (
        <button type="button" class="plain more" onClick={() => (count.value = Math.min(100, count.value * 2))}>
          {t("more")}
        </button>
      )}
    </div>
  );
}

function HitGroup({ hits, query }: { readonly hits: readonly Hit[]; readonly query: string }): VNode {
  const isOpen = useSignal(false);
  const { source } = hits[0]!;
  const places = hits.map(({ source: own, scope, documentId, replaced }) => ({ ...own, scope, documentId, replaced }));
  return (
    <li class="hit-group">
      <h2 class="hit-title" dir="auto">
        {titleOf(source)}
      </h2>
      <p class="small faint" dir="auto">
        {nameOf(source)}
      </p>
      {(isOpen.value ? hits : hits.slice(0, 1)).map((hit, index) => (
        <button type="button" class="hit" onClick={() => showPlace({ places, index })}>
          <span class="small faint" dir="auto">
            {placeText(hit.source)}
          </span>
          <span class="snippet" dir="auto">
            {markWords(cardText(source.uri, hit.snippet).replaceAll(/\n\s*\n/gu, "\n"), query)}
          </span>
          <Ended replaced={hit.replaced} isPlain />
        </button>
      ))}
      {hits.length > 1 && !isOpen.value && (
        <button type="button" class="plain small" onClick={() => (isOpen.value = true)}>
          {t("moreHits", { n: hits.length - 1 })}
        </button>
      )}
    </li>
  );
}

interface Outline {
  readonly sections: readonly {
    readonly id: string;
    readonly title: string;
    readonly level: number;
    readonly start: number;
    readonly end: number;
  }[];
}

/** One document: its text or pages, its outline, and for writers the way to the trash. */
export function DocumentScreen(): VNode {
  const { query, hash } = route.value;
  const old = hash.get("uri");
  const uri = query.get("uri") ?? old ?? "";
  const scope = query.get("scope") ?? hash.get("scope") ?? undefined;
  // An address that was cut shows the beginning of its document.
  const [, from = "0", to = "0"] = /^(\d{1,15}):(\d{1,15})$/u.exec(query.get("at") ?? hash.get("at") ?? "") ?? [];
  const [start, end] = [Number(from), Number(to)];
  const [contentHash, asOf] = [query.get("v") ?? undefined, query.get("asOf") ?? undefined];
  const outline = useLoaded(`${uri} ${scope}`, (signal) =>
    get<Outline>("outline", { uri, scope }, signal).catch(() => ({ sections: [] })),
  );
  const bounds = useSignal<readonly number[]>([]);
  useEffect(() => void (bounds.value = []), [uri, scope]);
  const deleted = useSignal<{ readonly title: string; readonly scope: string } | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const sections = outline.value.value?.sections.filter(({ level, title }) => level > 0 && title !== "") ?? [];
  const change = async (work: () => Promise<typeof deleted.value>): Promise<void> => {
    try {
      failure.value = undefined;
      deleted.value = await work();
      libraryVersion.value += 1;
    } catch (error) {
      failure.value = error as Failure;
    }
  };
  // An address may name no scope. The document that is shown is the one that goes.
  const toTrash = async (): Promise<typeof deleted.value> => {
    const own = scope ?? (await get<View>("view", { uri, start: 0, end: 1 })).scope;
    await erase({ uri, scope: own }, false);
    return { title: nameOf({ uri }), scope: own };
  };
  const restore = async (): Promise<undefined> => {
    await send("restore", { uri, scope: deleted.value!.scope });
  };
  if (deleted.value !== undefined) {
    return (
      <div class="column">
        <Notice>
          <p>{t("deleted", { title: deleted.value.title })}</p>
          <button type="button" class="plain" onClick={() => void change(restore)}>
            {t("undo")}
          </button>
        </Notice>
        {failure.value !== undefined && <Failed failure={failure.value} />}
        <a {...link("library")}>{t("library")}</a>
      </div>
    );
  }
  return (
    <div class="document-screen">
      {sections.length > 1 && asOf === undefined && (
        <nav class="outline" aria-label={t("outlineView")}>
          <h2 class="small faint">{t("outlineView")}</h2>
          <ol>
            {sections.slice(0, 400).map(({ id, title, level, start: at }) => (
              <li key={id} class={`level-${Math.min(level, 4)}`}>
                <a dir="auto" {...link(documentAddress({ uri, scope, start: at, end: at + title.length }))}>
                  {title}
                </a>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <section class="document-body">
        {failure.value !== undefined && <Failed failure={failure.value} />}
        <PlaceView
          key={`${uri} ${scope} ${start} ${end} ${asOf} ${libraryVersion.value}`}
          isWhole
          place={{ uri, scope, start, end, contentHash, asOf }}
          bounds={bounds.value}
          tools={
            session.value?.write === true && (
              <IconButton icon="trash" label={t("delete")} onClick={() => void change(toTrash)} />
            )
          }
        />
        {uri !== "" && (
          <Suspense fallback={null}>
            <Versions key={`${uri} ${scope}`} uri={uri} scope={scope} />
            <AboutDocument key={`about ${uri} ${scope}`} uri={uri} scope={scope} bounds={bounds} />
          </Suspense>
        )}
      </section>
    </div>
  );
}

/** The caller's threads by day. */
export function ThreadsScreen(): VNode {
  const keeps = session.value?.threads === true;
  const { value, failure, again } = useLoaded(`${session.value?.name}`, async (signal) =>
    keeps
      ? (
          await get<{ threads: readonly (Omit<Thread, "turns"> & { updatedAt: string; turns: number })[] }>(
            "threads",
            {},
            signal,
          )
        ).threads
      : [],
  );
  const refused = useSignal<Failure | undefined>(undefined);
  const renamed = useSignal<{ readonly id: string; readonly title: string } | undefined>(undefined);
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      refused.value = undefined;
      await work();
      again();
    } catch (error) {
      refused.value = error as Failure;
    }
  };
  const day = (iso: string): string => {
    // Days of the reader's own clock; one may have 23 hours or 25.
    const [now, then] = [new Date(), new Date(iso)].map((each) => each.setHours(0, 0, 0, 0));
    const days = Math.round((now! - then!) / 86_400_000);
    return days <= 0 ? t("today") : days === 1 ? t("yesterday") : dateText(iso);
  };
  return (
    <div class="column">
      <h1>{t("threads")}</h1>
      {!keeps && <p class="faint">{t("threadsOff")}</p>}
      {failure.value !== undefined && <Failed failure={failure.value} onRetry={again} />}
      {refused.value !== undefined && <Failed failure={refused.value} />}
      {keeps && value.value?.length === 0 && <p class="faint">{t("noThreads")}</p>}
      {[...Map.groupBy(value.value ?? [], ({ updatedAt }) => day(updatedAt))].map(([name, threads]) => (
        <section>
          <h2 class="small faint">{name}</h2>
          <ul class="uploads">
            {threads.map(({ id, title, turns }) => (
              <li class="upload">
                <a class="upload-words" {...link(`t?id=${id}`)}>
                  <span dir="auto">{title}</span>
                  <span class="small faint">{t("questions", { n: turns })}</span>
                </a>
                <div class="tools">
                  <IconButton
                    icon="edit"
                    label={`${t("rename")}: ${title}`}
                    onClick={() => (renamed.value = { id, title })}
                  />
                  <IconButton
                    icon="trash"
                    label={`${t("deleteThread")}: ${title}`}
                    onClick={() => void act(() => call(`thread?id=${id}`, { method: "DELETE" }))}
                  />
                </div>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {renamed.value !== undefined && (
        <Rename
          title={renamed.value.title}
          onClose={() => (renamed.value = undefined)}
          onRename={(title) => {
            const { id } = renamed.value!;
            renamed.value = undefined;
            void act(() => renameThread(id, title));
          }}
        />
      )}
    </div>
  );
}

function Rename({
  title,
  onClose,
  onRename,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly onRename: (title: string) => void;
}): VNode {
  const field = useRef<HTMLInputElement>(null);
  return (
    <Dialog title={t("rename")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const typed = field.current!.value.trim();
          if (typed !== "") onRename(typed);
        }}
      >
        <label>
          {t("title")}
          <input ref={field} type="text" dir="auto" maxLength={300} required defaultValue={title} />
        </label>
        <div class="row end">
          <button type="button" class="plain" onClick={onClose}>
            {t("cancel")}
          </button>
          <button>{t("save")}</button>
        </div>
      </form>
    </Dialog>
  );
}

interface Latencies {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Activity {
  readonly startedAt: string;
  readonly requests: { readonly count: number; readonly refused: number; readonly failed: number };
  readonly searches: Latencies;
  readonly answers: Latencies;
  readonly models: readonly {
    readonly model?: string;
    readonly calls: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cost?: number;
  }[];
}

interface Disk {
  readonly bytes: number;
  readonly parts: readonly { readonly part: string; readonly bytes: number }[];
}

/** Names of the parts of a knowledge base on the disk. */
const partNames: Readonly<Record<string, Parameters<typeof t>[0]>> = {
  database: "partDatabase",
  events: "events",
  originals: "partOriginals",
  threads: "threads",
  jobs: "queue",
  others: "partOthers",
};

interface Health {
  readonly ingestion: { readonly indexed: number; readonly failed: number };
  readonly queue: { readonly depth: number };
}

/** Size and health, for the operator. */
export function OperatorScreen(): VNode {
  const status = useLoaded(`${libraryVersion.value}`, (signal) => get<Status>("status", {}, signal));
  const health = useLoaded(`${libraryVersion.value}`, (signal) =>
    session.value?.operator === true ? get<Health>("health/rag", {}, signal) : Promise.resolve(undefined),
  );
  const activity = useLoaded(`${libraryVersion.value}`, (signal) =>
    session.value?.operator === true ? get<Activity>("activity", {}, signal) : Promise.resolve(undefined),
  );
  const disk = useLoaded(`${libraryVersion.value}`, (signal) =>
    session.value?.operator === true ? get<Disk>("disk", {}, signal) : Promise.resolve(undefined),
  );
  if (session.value?.operator !== true)
    return (
      <div class="column">
        <h1>{t("operator")}</h1>
        <p class="faint">{t("noRight")}</p>
      </div>
    );
  const { documents = 0, chunks = 0, bytes = 0, scopes = [], embeddingVersions = [] } = status.value.value ?? {};
  const fact = (name: string, value: string): VNode => (
    <div class="fact">
      <dt class="small faint">{name}</dt>
      <dd>{value}</dd>
    </div>
  );
  const own = health.value.value;
  const hour = activity.value.value;
  const used = disk.value.value;
  const latencies = ({ count, p50Ms, p99Ms }: Latencies): string =>
    count === 0 ? (0).toLocaleString(language.value) : t("latencies", { n: count, p50: p50Ms, p99: p99Ms });
  return (
    <div class="column wide-column">
      <h1>{t("operator")}</h1>
      {status.failure.value !== undefined && <Failed failure={status.failure.value} onRetry={status.again} />}
      <dl class="facts">
        {fact(t("library"), `${t("documents", { n: documents })} · ${t("passages", { n: chunks })}`)}
        {fact(t("size"), bytesText(bytes))}
        {embeddingVersions.map(({ model, chunks: count }) =>
          fact(`${t("model")} ${model}`, t("passages", { n: count })),
        )}
      </dl>
      {used !== undefined && used.parts.length > 0 && (
        <>
          <h2>{t("onDisk", { size: bytesText(used.bytes) })}</h2>
          <dl class="facts">
            {used.parts.map(({ part, bytes: size }) => fact(t(partNames[part] ?? "partOthers"), bytesText(size)))}
          </dl>
        </>
      )}
      {hour !== undefined && (
        <>
          <h2>{t("lastHour")}</h2>
          <dl class="facts">
            {fact(
              t("requests"),
              t("requestsOf", { n: hour.requests.count, refused: hour.requests.refused, failed: hour.requests.failed }),
            )}
            {fact(t("searches"), latencies(hour.searches))}
            {fact(t("answers"), latencies(hour.answers))}
          </dl>
          {hour.models.length > 0 && (
            <>
              <h2>{t("modelUsage", { date: momentText(hour.startedAt) })}</h2>
              <dl class="facts">
                {hour.models.map(({ model = t("model"), calls, ...usage }) =>
                  fact(model, [t("modelCalls", { n: calls }), ...costOf(usage)].join(" · ")),
                )}
              </dl>
            </>
          )}
        </>
      )}
      {own !== undefined && (
        <>
          <h2>{t("lastMinute")}</h2>
          <dl class="facts">
            {fact(t("ingestions"), own.ingestion.indexed.toLocaleString(language.value))}
            {fact(t("failures"), own.ingestion.failed.toLocaleString(language.value))}
          </dl>
        </>
      )}
      <h2>{t("scopes")}</h2>
      <div class="wide" tabIndex={0}>
        <table>
          <tr>
            <th>{t("scope")}</th>
            <th colSpan={2}>{t("library")}</th>
          </tr>
          {scopes.map((each) => (
            <tr>
              <td dir="auto">{each.scope}</td>
              <td>{t("documents", { n: each.documents })}</td>
              <td>{t("passages", { n: each.chunks })}</td>
            </tr>
          ))}
        </table>
      </div>
      <Suspense fallback={<p class="faint pulse">{t("loading")}</p>}>
        <Care />
      </Suspense>
    </div>
  );
}

export { EvidencePanel };
