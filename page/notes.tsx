import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { call, type Failure, get, send } from "./api.ts";
import { Dialog, Ended, Facts, Failed, Icon, IconButton, Notice, useLoaded } from "./shared.tsx";
import { announced, documentAddress, link, momentText, session, t } from "./state.ts";

/** A note, as the service gives it. */
interface Note {
  readonly id: string;
  readonly uri: string;
  readonly scope: string;
  readonly text: string;
  readonly key?: string;
  readonly subject: string;
  readonly validFrom: string;
  readonly validTo?: string;
  readonly supersededBy?: string;
  readonly ended?: true;
  readonly recordedAt: string;
  readonly by?: string;
  readonly session?: string;
  readonly file?: string;
  readonly suspicious?: readonly string[];
}

/** The end that its author gave to a note that holds. That of a replaced one is where the next begins. */
const ownEnd = ({ ended, supersededBy, validTo }: Note): string | undefined =>
  ended === true || supersededBy !== undefined ? undefined : validTo;

interface NotesPage {
  readonly scope: string;
  readonly notes: readonly Note[];
  readonly next?: string;
  readonly scopes?: readonly string[];
}

interface Remembered {
  readonly status: "added" | "replaced" | "unchanged";
  readonly doubts: readonly Note[];
}

interface Forgotten {
  readonly notes: readonly object[];
  readonly files: "absent" | "present" | "unchecked";
  readonly searched: "words" | "ids";
}

const proofs = { absent: "forgotAbsent", present: "forgotPresent", unchecked: "forgotUnchecked" } as const;

/** A note that was recorded before it begins, and does not hold yet. */
const isAhead = ({ validFrom, recordedAt }: Note): boolean =>
  Date.parse(validFrom) > Math.max(Date.now(), Date.parse(recordedAt));

/** The notes of a scope: what holds, what held, who said it and when; for writers also the ways to change them. */
export function NotesScreen(): VNode {
  const scope = useSignal<string | undefined>(undefined);
  const withEnded = useSignal(false);
  const asOf = useSignal("");
  const words = useSignal("");
  const version = useSignal(0);
  const edited = useSignal<Note | "new" | undefined>(undefined);
  const forgotten = useSignal<Note | undefined>(undefined);
  const said = useSignal<string | undefined>(undefined);
  const refused = useSignal<Failure | undefined>(undefined);
  const more = useSignal<{ readonly notes: readonly Note[]; readonly next: string | undefined } | undefined>(undefined);
  const chosen = {
    ...(withEnded.value && { all: "true" }),
    ...(asOf.value !== "" && { asOf: asOf.value }),
    limit: 200,
  };
  const first = useLoaded(
    `${session.value?.name} ${scope.value} ${JSON.stringify(chosen)} ${version.value}`,
    async (signal) => {
      const page = await get<NotesPage>("notes", { scope: scope.value, ...chosen }, signal);
      // Where one's own scope holds none, another one is shown.
      const [other] = page.scopes ?? [];
      const isElsewhere = scope.value === undefined && other !== undefined;
      if (!isElsewhere || page.scopes!.includes(page.scope)) return page;
      return get<NotesPage>("notes", { scope: other, ...chosen }, signal);
    },
  );
  useEffect(() => {
    const page = first.value.value;
    more.value = page && { notes: page.notes, next: page.next };
  }, [first.value.value]);
  const page = first.value.value;
  const mayWrite = session.value?.write === true;
  const act = async (work: () => Promise<string>): Promise<boolean> => {
    try {
      refused.value = undefined;
      said.value = await work();
      announced.value = said.value;
      version.value += 1;
      return true;
    } catch (error) {
      refused.value = error as Failure;
      return false;
    }
  };
  const inScope = page === undefined ? {} : { scope: page.scope };
  const save = (text: string, key: string): Promise<boolean> =>
    act(async () => {
      const before = edited.peek();
      const named =
        before === "new" || before === undefined
          ? { ...(key !== "" && { key }) }
          : { supersedes: before.id, file: before.file, validTo: ownEnd(before) };
      const done = await send<Remembered>("notes", { text, ...named, ...inScope });
      edited.value = undefined;
      if (done.status === "unchanged") return t("noteUnchanged");
      return done.doubts.length === 0 ? t("noteKept") : t("noteDoubts", { n: done.doubts.length });
    });
  const forget = (note: Note): Promise<boolean> =>
    act(async () => {
      const response = await call(`note?${new URLSearchParams({ id: note.id, scope: note.scope })}`, {
        method: "DELETE",
      });
      const { notes, files, searched } = (await response.json()) as Forgotten;
      return t(files === "absent" && searched === "ids" ? "forgotByIds" : proofs[files], { n: notes.length });
    });
  const load = (file: File): Promise<boolean> =>
    act(async () => {
      const body = { markdown: await file.text(), ...inScope };
      return t(
        "importedNotes",
        await send<{ added: number; replaced: number; unchanged: number }>("notes/import", body),
      );
    });
  const loadMore = async (): Promise<void> => {
    const { next = "", notes } = more.value!;
    const rest = await get<NotesPage>("notes", { scope: page!.scope, ...chosen, after: next });
    more.value = { notes: [...notes, ...rest.notes], next: rest.next };
  };
  const wanted = words.value.toLowerCase();
  const notes = (more.value?.notes ?? []).filter(({ text, key = "", by = "", file = "" }) =>
    `${text} ${key} ${by} ${file}`.toLowerCase().includes(wanted),
  );
  const scopes = page?.scopes ?? [];
  return (
    <div class="column wide-column">
      <div class="row">
        <h1>{t("memory")}</h1>
        <span class="spacer" />
        {page !== undefined && (
          <button
            type="button"
            class="plain small"
            onClick={() => void act(() => saveExport(page.scope, withEnded.value))}
          >
            {t("exportNotes")}
          </button>
        )}
        {mayWrite && <ImportChoice onFile={(file) => void load(file)} />}
        {mayWrite && (
          <button type="button" class="small" onClick={() => (edited.value = "new")}>
            {t("addNote")}
          </button>
        )}
      </div>
      <p class="faint">{t("memoryText")}</p>
      <div class="row filters">
        <input
          type="search"
          dir="auto"
          aria-label={t("filterNotes")}
          placeholder={t("filterNotes")}
          onInput={(event) => (words.value = event.currentTarget.value)}
        />
        {scopes.length > 1 && (
          <label class="small">
            {t("scope")}{" "}
            <select value={page!.scope} onChange={(event) => (scope.value = event.currentTarget.value)}>
              {scopes.map((one) => (
                <option value={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
        <label class="small">
          {t("asOf")}{" "}
          <input type="date" value={asOf.value} onChange={(event) => (asOf.value = event.currentTarget.value)} />
        </label>
        <label class="check small">
          <input type="checkbox" checked={withEnded.value} onChange={() => (withEnded.value = !withEnded.value)} />{" "}
          {t("showEnded")}
        </label>
        {page !== undefined && <span class="small faint">{t("notes", { n: notes.length })}</span>}
      </div>
      {said.value !== undefined && <Notice>{said.value}</Notice>}
      {refused.value !== undefined && edited.value === undefined && <Failed failure={refused.value} />}
      {first.failure.value !== undefined && <Failed failure={first.failure.value} onRetry={first.again} />}
      {page === undefined && first.failure.value === undefined && <p class="faint pulse">{t("loading")}</p>}
      {page !== undefined && notes.length === 0 && (
        <div class="empty small-empty">
          <h2>{t(page.notes.length === 0 ? "noNotes" : "nothingFound")}</h2>
          {page.notes.length === 0 && <p class="faint">{t("noNotesHint")}</p>}
        </div>
      )}
      <ul class="notes">
        {notes.map((note) => (
          <NoteCard
            key={note.uri}
            note={note}
            onEdit={mayWrite && note.ended !== true ? () => (edited.value = note) : undefined}
            onForget={mayWrite ? () => (forgotten.value = note) : undefined}
          />
        ))}
      </ul>
      {more.value?.next !== undefined && (
        <button type="button" class="plain more" onClick={() => void loadMore()}>
          {t("more")}
        </button>
      )}
      {edited.value !== undefined && (
        <NoteForm
          note={edited.value === "new" ? undefined : edited.value}
          failure={refused.value}
          onSave={save}
          onClose={() => {
            edited.value = undefined;
            refused.value = undefined;
          }}
        />
      )}
      {forgotten.value !== undefined && (
        <Dialog title={t("forgetTitle")} onClose={() => (forgotten.value = undefined)}>
          <blockquote class="note-words" dir="auto">
            {forgotten.value.text}
          </blockquote>
          <p>{t("forgetText")}</p>
          <div class="row end">
            <button type="button" class="plain" onClick={() => (forgotten.value = undefined)}>
              {t("cancel")}
            </button>
            <button
              type="button"
              class="danger"
              onClick={() => {
                const note = forgotten.value!;
                forgotten.value = undefined;
                void forget(note);
              }}
            >
              {t("forget")}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** Saves the export as a file. */
async function saveExport(scope: string, all: boolean): Promise<string> {
  const response = await call(`notes/export?${new URLSearchParams({ scope, ...(all && { all: "true" }) })}`);
  const address = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement("a"), { href: address, download: "notes.md" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return t("exportedNotes");
}

function NoteCard({
  note,
  onEdit,
  onForget,
}: {
  readonly note: Note;
  readonly onEdit: (() => void) | undefined;
  readonly onForget: (() => void) | undefined;
}): VNode {
  const { key, text, by, session: from, file, validFrom, validTo, supersededBy, suspicious = [] } = note;
  const span =
    validTo === undefined
      ? t("noteSince", { from: momentText(validFrom) })
      : t("noteSpan", { from: momentText(validFrom), to: momentText(validTo) });
  return (
    <li class={`note ${note.ended ? "note-ended" : ""}`}>
      <div class="note-body">
        {key !== undefined && (
          <p class="note-key small">
            <bdi>{key}</bdi>
          </p>
        )}
        <p class="note-words" dir="auto">
          {text}
        </p>
        <Facts of={[span, by, from && t("noteSession", { name: `\u2068${from}\u2069` }), file]} />
        {note.ended && (
          <Ended
            scope={note.scope}
            replaced={{ at: validTo!, ...(supersededBy !== undefined && { by: noteUri(note, supersededBy) }) }}
          />
        )}
        {isAhead(note) && <p class="small warn-text">{t("noteFuture")}</p>}
        {suspicious.length > 0 && (
          <p class="small warn-text">
            <Icon name="warn" /> {t("noteSuspicious")}
          </p>
        )}
      </div>
      <div class="tools">
        <a
          class="icon-button"
          title={t("open")}
          aria-label={`${t("open")}: ${key ?? text.slice(0, 60)}`}
          {...link(documentAddress({ uri: note.uri, scope: note.scope, start: 0, end: text.length }))}
        >
          <Icon name="file" />
        </a>
        {onEdit !== undefined && (
          <IconButton icon="edit" label={`${t("editNote")}: ${key ?? text.slice(0, 60)}`} onClick={onEdit} />
        )}
        {onForget !== undefined && (
          <IconButton icon="trash" label={`${t("forget")}: ${key ?? text.slice(0, 60)}`} onClick={onForget} />
        )}
      </div>
    </li>
  );
}

/** The uri of another version of the same statement. */
const noteUri = ({ uri }: Note, id: string): string => uri.slice(0, uri.lastIndexOf("/") + 1) + encodeURIComponent(id);

function NoteForm({
  note,
  failure,
  onSave,
  onClose,
}: {
  readonly note: Note | undefined;
  readonly failure: Failure | undefined;
  readonly onSave: (text: string, key: string) => Promise<boolean>;
  readonly onClose: () => void;
}): VNode {
  const text = useRef<HTMLTextAreaElement>(null);
  const key = useRef<HTMLInputElement>(null);
  const isBusy = useSignal(false);
  const submit = async (): Promise<void> => {
    isBusy.value = true;
    await onSave(text.current!.value, key.current?.value.trim() ?? "");
    isBusy.value = false;
  };
  return (
    <Dialog title={t(note === undefined ? "addNote" : "editNote")} onClose={onClose}>
      <form
        class="note-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label>
          {t("noteText")}
          <textarea ref={text} rows={5} dir="auto" required maxLength={65_536} defaultValue={note?.text ?? ""} />
        </label>
        {note === undefined && (
          <label>
            {t("noteKey")}
            <input ref={key} type="text" dir="auto" maxLength={200} />
          </label>
        )}
        <p class="small faint">{t(note === undefined ? "noteKeyHint" : "noteEditHint")}</p>
        {failure !== undefined && <Failed failure={failure} />}
        <div class="row end">
          <button type="button" class="plain" onClick={onClose}>
            {t("cancel")}
          </button>
          <button disabled={isBusy.value}>{t("save")}</button>
        </div>
      </form>
    </Dialog>
  );
}

/** A button that opens the browser's choice of files. */
function ImportChoice({ onFile }: { readonly onFile: (file: File) => void }): VNode {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="plain small" onClick={() => field.current!.click()}>
        {t("importNotes")}
      </button>
      <input
        ref={field}
        type="file"
        accept=".md,text/markdown"
        hidden
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          // The same file can be chosen again.
          event.currentTarget.value = "";
          if (file !== undefined) onFile(file);
        }}
      />
    </>
  );
}
