import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { call, events, type Failure, failureOf, keyHeaders, send as post } from "./api.ts";
import { chosenFiles, type NamedFile } from "./dropped-files.ts";
import { Icon, nameOf, Told } from "./shared.tsx";
import {
  announced,
  bytesText,
  language,
  documentAddress,
  go,
  keep,
  libraryVersion,
  link,
  locked,
  readKept,
  route,
  session,
  t,
} from "./state.ts";

/** One file on its way into the library. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly state:
    | "waiting"
    | "sending"
    | "interrupted"
    | "reading"
    | "ready"
    | "unchanged"
    | "failed"
    | "cancelled"
    | "lost";
  /** Id and batch of the service's job for it. */
  readonly job?: string;
  readonly batch?: string;
  readonly percent?: number;
  /** Whether the whole file is at the service, and others are read first. */
  readonly isQueued?: boolean;
  /** Pages that are read so far. */
  readonly pages?: { readonly done: number; readonly of: number } | undefined;
  readonly chunks?: number;
  /** Status of the document after the upload: `updated` where its name was taken. */
  readonly status?: string;
  readonly notes?: readonly string[];
  readonly reason?: string;
  /** The code of the service with the reason. */
  readonly code?: string | undefined;
  readonly uri?: string;
  readonly scope?: string;
}

const isSending = ({ state }: Upload): boolean => state === "sending" || state === "interrupted";
const isUnderWay = (row: Upload): boolean => row.state === "waiting" || isSending(row) || row.state === "reading";

function readRows(kept: string | undefined): readonly Upload[] {
  try {
    return JSON.parse(kept ?? "[]") as readonly Upload[];
  } catch {
    return [];
  }
}

/** Rows survive a reload; the bytes of a file do not, so a row that was not sent whole says so. */
export const uploads = signal<readonly Upload[]>(
  readRows(readKept("uploads")).map((row) =>
    isUnderWay(row) && !(row.state === "reading" && row.job !== undefined) ? { ...row, state: "lost" } : row,
  ),
);
/** Ids of rows that this window has had. */
const known = new Set(uploads.value.map(({ id }) => id));
const files = new Map<string, File>();
const running = new Map<string, AbortController>();
/** Files that are sent at once. */
const atOnce = 2;
/** A name by chance. `randomUUID` exists at addresses with HTTPS and of this machine alone. */
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
/** Name that the jobs of this visit share. */
const ownBatch = newId();

/** Shows these rows and keeps them for the next visit, beside rows that another window has added meanwhile. */
function setRows(rows: readonly Upload[]): void {
  for (const { id } of rows) known.add(id);
  const others = readRows(readKept("uploads")).filter(({ id }) => !known.has(id));
  for (const { id } of others) known.add(id);
  uploads.value = [...others, ...rows];
  keep("uploads", JSON.stringify(uploads.value.slice(-300)));
}

function change(id: string, more: Partial<Upload>): void {
  setRows(uploads.value.map((row) => (row.id === id ? { ...row, ...more } : row)));
}

/** Takes over what another window did: its rows, with their states, and those that it dismissed. */
addEventListener("storage", ({ key, newValue }) => {
  if (key !== "ibid-uploads" || newValue === null) return;
  const own = new Map(uploads.value.filter(({ id }) => files.has(id)).map((row) => [row.id, row]));
  const theirs = readRows(newValue).map((row) => own.get(row.id) ?? row);
  const there = new Set(theirs.map(({ id }) => id));
  uploads.value = [...theirs, ...[...own.values()].filter((row) => isUnderWay(row) && !there.has(row.id))];
  for (const { id } of theirs) known.add(id);
});

/** Ends a row, unless its reader ended it before. */
function settle(id: string, more: Partial<Upload>): void {
  const row = uploads.value.find((each) => each.id === id);
  if (row === undefined || !isUnderWay(row)) return;
  change(id, more);
  if (more.state === "ready" || more.state === "unchanged") {
    files.delete(id);
    libraryVersion.value += 1;
  }
  if (!uploads.value.some(isUnderWay))
    announced.value = t("documents", { n: uploads.value.filter(({ state }) => state === "ready").length });
}

/** Sends files to the library, and shows their rows. */
export function addFiles(given: readonly NamedFile[]): void {
  if (given.length === 0) return;
  if (route.peek().screen !== "add") go("add");
  const rows = given.map(({ name, file }): Upload => {
    const id = newId();
    files.set(id, file);
    return { id, name, size: file.size, state: "waiting" };
  });
  const isBack = ({ state, name, size }: Upload): boolean =>
    state === "lost" && rows.some((row) => row.name === name && row.size === size);
  setRows([...uploads.value.filter((row) => !isBack(row)), ...rows]);
  pump();
}

function pump(): void {
  for (const row of uploads.value) {
    if (running.size >= atOnce) return;
    const file = files.get(row.id);
    if (row.state === "waiting" && file !== undefined && !running.has(row.id)) void send(row, file);
  }
}

/** A file that was moved or changed after it was chosen gives no bytes, which would look like a broken connection. */
const canRead = (file: File): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );

async function send({ id, name }: Upload, file: File): Promise<void> {
  const { maxUploadBytes = Infinity } = session.value ?? {};
  if (file.size > maxUploadBytes)
    return change(id, { state: "failed", reason: t("accepted", { size: bytesText(maxUploadBytes) }) });
  const stop = new AbortController();
  running.set(id, stop);
  change(id, { state: "sending", percent: 0 });
  let batch = ownBatch;
  try {
    if (!(await canRead(file))) throw new Error(t("fileGone"));
    const { sendFile } = await import("./send-file.ts");
    await sendFile(file, {
      uri: name,
      batch,
      headers: keyHeaders(),
      signal: stop.signal,
      onBegin(job, own) {
        batch = own;
        change(id, { job, batch });
      },
      onProgress: (percent) => change(id, { state: "sending", percent }),
      onBreak: () => change(id, { state: "interrupted" }),
      failureOf: async (response) => (response === undefined ? new Error(t("networkDown")) : failureOf(response)),
    });
    change(id, { state: "reading", isQueued: true });
    void follow(batch);
  } catch (error) {
    if (!stop.signal.aborted)
      settle(id, { state: "failed", reason: (error as Error).message, code: (error as Failure).code });
  } finally {
    running.delete(id);
    pump();
  }
}

/** A job, as the service tells. */
interface Job {
  readonly id: string;
  readonly state: string;
  readonly progress?: { readonly pages?: { readonly done: number; readonly of: number } };
  readonly error?: { readonly code?: string; readonly message: string; readonly hint?: string };
  readonly result?: {
    readonly status: string;
    readonly chunks: number;
    readonly notes?: readonly string[];
    readonly uri: string;
    readonly scope: string;
  };
}

function takeJob({ id: job, state, progress, error, result }: Job): void {
  const row = uploads.value.find((each) => each.job === job && each.state === "reading");
  if (row === undefined) return;
  if (result !== undefined) settle(row.id, { state: state === "unchanged" ? "unchanged" : "ready", ...result });
  else if (state === "cancelled") settle(row.id, { state: "cancelled" });
  else if (error !== undefined && state === "failed")
    settle(row.id, {
      state: "failed",
      reason: [error.message, error.hint].filter(Boolean).join(" "),
      code: error.code,
    });
  else change(row.id, { isQueued: state === "queued", pages: progress?.pages ?? row.pages });
}

const followed = new Set<string>();
const secondsBetween = 2;
/** Hears of the jobs of a batch, until no row waits for one. A connection that ends is opened again. */
async function follow(batch: string): Promise<void> {
  if (followed.has(batch)) return;
  followed.add(batch);
  const waiting = (): readonly Upload[] =>
    uploads.value.filter((row) => row.batch === batch && row.state === "reading");
  while (waiting().length > 0) {
    const untold = new Map(waiting().map(({ id, job }) => [job, id]));
    try {
      for await (const { type, data } of events(`jobs/events?${new URLSearchParams({ batch })}`)) {
        if (type === "job") {
          untold.delete((data as Job).id);
          takeJob(data as Job);
        } else if (type === "removed") takeJob({ id: (data as Job).id, state: "cancelled" });
        else if (type === "end" && (data as { reason: string }).reason === "over") {
          // A service that keeps no files forgets its jobs with its end.
          for (const id of untold.values()) settle(id, { state: "lost" });
        }
      }
    } catch {
      // Without a key or a connection the rows wait.
    }
    while (waiting().length > 0) {
      await new Promise((resolve) => setTimeout(resolve, secondsBetween * 1000));
      if (locked.value === undefined) break;
    }
  }
  followed.delete(batch);
}
for (const { batch } of uploads.value.filter(({ state }) => state === "reading")) void follow(batch!);

function cancel(id: string): void {
  const { job, ...row } = uploads.value.find((each) => each.id === id)!;
  // A job that is over meanwhile tells so itself.
  if (row.state === "reading") void post("jobs/cancel", { ids: [job] }).catch(() => {});
  else {
    settle(id, { state: "cancelled" });
    running.get(id)?.abort();
  }
}

const dismiss = (wanted: (row: Upload) => boolean): void => {
  for (const { id, job, state } of uploads.value.filter(wanted)) {
    files.delete(id);
    // A failed job keeps its file at the service.
    if (state === "failed" && job !== undefined)
      void call(`job?${new URLSearchParams({ id: job })}`, { method: "DELETE" }).catch(() => {});
  }
  setRows(uploads.value.filter((row) => !wanted(row)));
};
/** The file of a failed job lies at the service, that of any other row in this window. */
const mayTryAgain = ({ id, state, job }: Upload): boolean =>
  (state === "failed" && job !== undefined) || ((state === "failed" || state === "cancelled") && files.has(id));
const again = (wanted: (row: Upload) => boolean): void => {
  for (const row of uploads.value) if (wanted(row) && mayTryAgain(row)) void tryAgain(row);
  pump();
};

/** Has a failed job done again, or sends the file again. */
async function tryAgain({ id, job, batch, state, reason = "" }: Upload): Promise<void> {
  const isHere = files.has(id);
  if (state === "failed" && job !== undefined && batch !== undefined) {
    change(id, { state: "reading", isQueued: true, reason: "", pages: undefined });
    try {
      const { ids } = await post<{ ids: readonly string[] }>("jobs/retry", { ids: [job] });
      if (ids.length > 0) return await follow(batch);
    } catch (error) {
      if (!isHere) return change(id, { state: "failed", reason: (error as Error).message });
    }
    // The service has removed the job, which it does some days after its end.
    if (!isHere) return change(id, { state: "lost", reason });
  }
  change(id, { state: "waiting", reason: "" });
  pump();
}

/** Buttons that choose files and folders. */
export function FileChoice(): VNode {
  const [one, folder] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const take = (event: Event): void => {
    const input = event.currentTarget as HTMLInputElement;
    addFiles(chosenFiles(input.files ?? []));
    input.value = "";
  };
  return (
    <div class="drop">
      <Icon name="add" />
      <p class="drop-words">{t("dropHere")}</p>
      <div class="row centre">
        <button type="button" onClick={() => one.current!.click()}>
          {t("chooseFiles")}
        </button>
        <button type="button" class="plain" onClick={() => folder.current!.click()}>
          {t("chooseFolder")}
        </button>
      </div>
      <input ref={one} type="file" multiple hidden aria-label={t("chooseFiles")} onChange={take} />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label={t("chooseFolder")}
        onChange={take}
        {...{ webkitdirectory: true }}
      />
      <p class="small faint">{t("accepted", { size: bytesText(session.value?.maxUploadBytes ?? 0) })}</p>
    </div>
  );
}

/** The screen to add documents on. */
export function AddScreen(): VNode {
  if (session.value?.write !== true) {
    return (
      <div class="column">
        <h1>{t("add")}</h1>
        <p>{t(session.value?.operator === true ? "emptyOperator" : "mayNotAdd")}</p>
        {session.value?.operator === true && <pre class="code">ibid ingest ./documents</pre>}
      </div>
    );
  }
  const rows = uploads.value;
  return (
    <div class="column">
      <h1>{t("add")}</h1>
      <FileChoice />
      {rows.length > 0 && (
        <>
          <div class="row">
            {rows.some(mayTryAgain) && (
              <button type="button" class="plain small" onClick={() => again(mayTryAgain)}>
                {t("retryAll")}
              </button>
            )}
            <button type="button" class="plain small" onClick={() => dismiss((row) => !isUnderWay(row))}>
              {t("dismissAll")}
            </button>
            <button type="button" class="plain small" onClick={() => saveList(rows)}>
              {t("downloadList")}
            </button>
          </div>
          <ul class="uploads">
            {rows.map((row, index) => (
              <UploadRow key={row.id} row={row} ahead={rows.slice(0, index).filter(isUnderWay).length} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function UploadRow({ row, ahead }: { readonly row: Upload; readonly ahead: number }): VNode {
  const { id, name, size, percent = 0, pages, chunks = 0, status, notes = [], reason, uri, scope } = row;
  const state = row.state === "reading" && row.isQueued === true ? "waiting" : row.state;
  const percentText = percent.toLocaleString(language.value, { style: "percent" });
  const said = {
    waiting: () => (ahead === 0 ? t("stateQueued") : t("stateWaiting", { n: ahead })),
    sending: () => t("stateSending", { percent: percentText }),
    interrupted: () => t("stateInterrupted", { percent: percentText }),
    reading: () => (pages === undefined ? t("stateReading") : t("stateReadingPages", { n: pages.done, of: pages.of })),
    ready: () =>
      [
        t("stateReady", { n: chunks }),
        status === "updated" ? t("stateReplaced") : "",
        notes.length > 0 ? t("remarks", { n: notes.length }) : "",
      ]
        .filter(Boolean)
        .join(" · "),
    unchanged: () => t("stateUnchanged"),
    failed: () => t("stateFailed"),
    cancelled: () => t("stateCancelled"),
    lost: () => t("stateLost"),
  }[state]();
  return (
    <li class="upload" data-state={state}>
      <Icon
        name={
          state === "ready" || state === "unchanged"
            ? "check"
            : state === "failed" || state === "lost"
              ? "warn"
              : "file"
        }
      />
      <div class="upload-words">
        <span class="upload-name" dir="auto" title={name}>
          {name}
        </span>
        <span class="small faint">
          {bytesText(size)} · {said}
        </span>
        {reason !== undefined && reason !== "" && (
          <span class="small reason">
            <Told message={reason} code={row.code} lang={row.code === undefined ? undefined : "en"} />
          </span>
        )}
        {notes.map((note) => (
          <span class="small faint" dir="auto">
            {note}
          </span>
        ))}
        {(isSending(row) || state === "reading") && (
          <progress max={1} value={state !== "reading" ? percent : pages && pages.done / pages.of} aria-label={said} />
        )}
      </div>
      {isUnderWay(row) ? (
        <button type="button" class="plain small" onClick={() => cancel(id)}>
          {t("cancel")}
        </button>
      ) : (
        <div class="row">
          {uri !== undefined && (
            <a class="button plain small" {...link(documentAddress({ uri, scope }))}>
              {t("open")}
            </a>
          )}
          {mayTryAgain(row) && (
            <button type="button" class="plain small" onClick={() => again((each) => each.id === id)}>
              {t("retry")}
            </button>
          )}
          <button type="button" class="plain small" onClick={() => dismiss((each) => each.id === id)}>
            {t("dismiss")}
          </button>
        </div>
      )}
    </li>
  );
}

/** The rows as CSV. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function saveList(rows: readonly Upload[]): void {
  const cell = (text: string): string => `"${(/^[=+@-]/u.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const lines = [
    [t("fileName"), t("fileSize"), t("fileState"), ""],
    ...rows.map(({ name, size, state, reason = "" }) => [nameOf({ uri: name }), String(size), state, reason]),
  ];
  const address = URL.createObjectURL(
    new Blob([lines.map((line) => line.map(cell).join(",")).join("\r\n")], { type: "text/csv" }),
  );
  Object.assign(document.createElement("a"), { href: address, download: "uploads.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
