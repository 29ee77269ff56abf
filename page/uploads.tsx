import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { failureOf, keyHeaders } from "./api.ts";
import { Icon, nameOf } from "./shared.tsx";
import { announced, bytesText, documentAddress, keep, libraryVersion, link, readKept, session, t } from "./state.ts";

/** One file on its way into the library. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly state: "waiting" | "sending" | "reading" | "ready" | "unchanged" | "failed" | "cancelled" | "lost";
  readonly percent?: number;
  readonly chunks?: number;
  readonly notes?: readonly string[];
  readonly reason?: string;
  readonly uri?: string;
  readonly scope?: string;
}

const isUnderWay = ({ state }: Upload): boolean => state === "waiting" || state === "sending" || state === "reading";

/** Rows survive a reload; the bytes of a file do not, so a row that was under way says so. */
function readRows(): readonly Upload[] {
  try {
    const rows = JSON.parse(readKept("uploads") ?? "[]") as readonly Upload[];
    return rows.map((row) => (isUnderWay(row) ? { ...row, state: "lost" as const } : row));
  } catch {
    return [];
  }
}

export const uploads = signal<readonly Upload[]>(readRows());
const files = new Map<string, File>();
const running = new Map<string, XMLHttpRequest>();
/** Files that are sent at once. */
const atOnce = 2;

function change(id: string, more: Partial<Upload>): void {
  uploads.value = uploads.value.map((row) => (row.id === id ? { ...row, ...more } : row));
  keep("uploads", JSON.stringify(uploads.value.slice(-300)));
}

export function addFiles(given: Iterable<File>): void {
  const rows = [...given].map((file): Upload => {
    const id = crypto.randomUUID();
    files.set(id, file);
    return {
      id,
      name: (file as { webkitRelativePath?: string }).webkitRelativePath || file.name,
      size: file.size,
      state: "waiting",
    };
  });
  uploads.value = [...uploads.value, ...rows];
  pump();
}

function pump(): void {
  for (const row of uploads.value) {
    if (running.size >= atOnce) return;
    const file = files.get(row.id);
    if (row.state === "waiting" && file !== undefined && !running.has(row.id)) send(row, file);
  }
}

function send({ id, name }: Upload, file: File): void {
  const { maxUploadBytes = Infinity } = session.value ?? {};
  if (file.size > maxUploadBytes) {
    change(id, { state: "failed", reason: t("accepted", { size: bytesText(maxUploadBytes) }) });
    return;
  }
  // A request of this kind tells how much is sent; `fetch` does not.
  const request = new XMLHttpRequest();
  running.set(id, request);
  const finish = (more: Partial<Upload>): void => {
    running.delete(id);
    change(id, more);
    if (more.state === "ready" || more.state === "unchanged") {
      files.delete(id);
      libraryVersion.value += 1;
    }
    if (!uploads.value.some(isUnderWay))
      announced.value = t("documents", { n: uploads.value.filter(({ state }) => state === "ready").length });
    pump();
  };
  request.upload.onprogress = ({ loaded, total }) =>
    change(id, { state: "sending", percent: total === 0 ? 1 : loaded / total });
  request.upload.onload = () => change(id, { state: "reading" });
  request.onabort = () => finish({ state: "cancelled" });
  request.onerror = () => finish({ state: "failed", reason: t("networkDown") });
  request.onload = () => {
    if (request.status >= 200 && request.status < 300) {
      const { status, chunks, notes, uri, scope } = JSON.parse(request.responseText) as {
        status: string;
        chunks: number;
        notes?: string[];
        uri: string;
        scope: string;
      };
      finish({
        state: status === "unchanged" ? "unchanged" : "ready",
        chunks,
        uri,
        scope,
        ...(notes !== undefined && { notes }),
      });
      return;
    }
    void failureOf(new Response(request.responseText, { status: request.status })).then((failure) =>
      finish({ state: "failed", reason: failure.message }),
    );
  };
  const metadata = JSON.stringify({ fileName: file.name, modifiedAt: new Date(file.lastModified).toISOString() });
  request.open("PUT", `document?${new URLSearchParams({ uri: name, metadata })}`);
  for (const [header, value] of Object.entries(keyHeaders())) request.setRequestHeader(header, value);
  request.setRequestHeader("content-type", file.type || "application/octet-stream");
  request.send(file);
  change(id, { state: "sending", percent: 0 });
}

function cancel(id: string): void {
  const request = running.get(id);
  if (request === undefined) change(id, { state: "cancelled" });
  else request.abort();
}

const dismiss = (wanted: (row: Upload) => boolean): void => {
  for (const { id } of uploads.value.filter(wanted)) files.delete(id);
  uploads.value = uploads.value.filter((row) => !wanted(row));
  keep("uploads", JSON.stringify(uploads.value));
};
const again = (wanted: (row: Upload) => boolean): void => {
  for (const row of uploads.value)
    if (wanted(row) && files.has(row.id)) change(row.id, { state: "waiting", reason: "" });
  pump();
};

/** Buttons that choose files and folders. */
export function FileChoice(): VNode {
  const [one, folder] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const take = (event: Event): void => {
    const input = event.currentTarget as HTMLInputElement;
    addFiles(input.files ?? []);
    input.value = "";
  };
  return (
    <div class="drop">
      <Icon name="add" />
      <p>{t("dropHere")}</p>
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
        <p>{t(session.value?.operator === true ? "emptyOperator" : "emptyRead")}</p>
        {session.value?.operator === true && <pre class="code">ibid ingest ./documents</pre>}
      </div>
    );
  }
  const rows = uploads.value;
  const isFailed = ({ state }: Upload): boolean => state === "failed" || state === "cancelled";
  return (
    <div class="column">
      <h1>{t("add")}</h1>
      <FileChoice />
      {rows.length > 0 && (
        <>
          <div class="row">
            {rows.some((row) => isFailed(row) && files.has(row.id)) && (
              <button type="button" class="plain" onClick={() => again(isFailed)}>
                {t("retryAll")}
              </button>
            )}
            <button type="button" class="plain" onClick={() => dismiss((row) => !isUnderWay(row))}>
              {t("dismissAll")}
            </button>
            <button type="button" class="plain" onClick={() => saveList(rows)}>
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
  const { id, name, size, state, percent = 0, chunks = 0, notes = [], reason, uri, scope } = row;
  const percentText = percent.toLocaleString(undefined, { style: "percent" });
  const said = {
    waiting: () => t("stateWaiting", { n: ahead }),
    sending: () => t("stateSending", { percent: percentText }),
    reading: () => t("stateReading"),
    ready: () =>
      [t("stateReady", { n: chunks }), notes.length > 0 ? t("notes", { n: notes.length }) : ""]
        .filter(Boolean)
        .join(", "),
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
        <span class="upload-name" dir="auto">
          {name}
        </span>
        <span class="small faint">
          {bytesText(size)} · {said}
        </span>
        {reason !== undefined && reason !== "" && <span class="small reason">{reason}</span>}
        {notes.map((note) => (
          <span class="small faint">{note}</span>
        ))}
        {(state === "sending" || state === "reading") && (
          <progress max={1} value={state === "reading" ? undefined : percent} aria-label={said} />
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
          {(state === "failed" || state === "cancelled") && files.has(id) && (
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
