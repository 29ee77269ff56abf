import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { call, type Failure, get, send } from "./api.ts";
import { Empty } from "./empty.tsx";
import { askOnly, FolderField, KindField, searchOnly, useFolders } from "./filters.tsx";
import { Dialog, Facts, Failed, Icon, nameOf, titleOf, useLoaded } from "./shared.tsx";
import {
  announced,
  bytesText,
  dateText,
  documentAddress,
  language,
  libraryVersion,
  link,
  route,
  session,
  t,
} from "./state.ts";

interface Summary {
  readonly uri: string;
  readonly rootLabel?: string;
  readonly path?: string;
  readonly scope: string;
  readonly documentId: string;
  readonly title: string;
  readonly mediaType: string;
  readonly chunks: number;
  readonly bytes: number;
  readonly ingestedAt: string;
}

export interface Status {
  readonly documents: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly scopes: readonly { readonly scope: string; readonly documents: number; readonly chunks: number }[];
  readonly embeddingVersions: readonly { readonly model: string; readonly chunks: number }[];
}

/** Short names of kinds of files; a note is no file. */
const kindOf = ({ uri, mediaType, path = "" }: Summary): string =>
  uri.startsWith("note:")
    ? "note"
    : (/\.([a-z0-9]{1,6})$/iu.exec(path)?.[1]?.toLowerCase() ?? mediaType.split("/").at(-1)!);

const orders = { name: undefined, date: "newest", size: "largest" } as const;
/** Documents of the first page, and of each further one. */
const [firstPage, furtherPage] = [200, 1000];

/**
 * All documents, by pages of the service. A filter of names or types looks at each of them, so the rest of the list is loaded; the folder and the order are
 * the service's own.
 */
export function LibraryScreen(): VNode {
  const documents = useSignal<readonly Summary[]>([]);
  const next = useSignal<string | undefined>(undefined);
  const [words, kind, folder] = [useSignal(""), useSignal(""), useSignal("")];
  const sort = useSignal<keyof typeof orders>("name");
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const isTrash = route.value.query.has("trash");
  const query = { under: folder.value === "" ? undefined : folder.value, sort: orders[sort.value] };
  const key = `${session.value?.name} ${libraryVersion.value} ${folder.value} ${sort.value}`;
  const load = (limit: number, after: string | undefined, signal?: AbortSignal) =>
    get<{ documents: readonly Summary[]; next?: string }>("documents", { ...query, limit, after }, signal);
  const first = useLoaded(key, (signal) => load(firstPage, undefined, signal));
  const status = useLoaded(`${session.value?.name} ${libraryVersion.value}`, (signal) =>
    get<Status>("status", {}, signal),
  );
  useEffect(() => {
    documents.value = first.value.value?.documents ?? [];
    next.value = first.value.value?.next;
    chosen.value = new Set();
  }, [first.value.value]);
  const { folders, kinds: counted } = useFolders(true, folder.value);
  const failure = useSignal<Failure | undefined>(undefined);
  const isLooking = next.value !== undefined && (words.value !== "" || kind.value !== "");
  const loadMore = async (limit: number, signal?: AbortSignal): Promise<void> => {
    try {
      const page = await load(limit, next.value, signal);
      if (signal?.aborted === true) return;
      documents.value = [...documents.value, ...page.documents];
      next.value = page.next;
    } catch (error) {
      if ((error as Failure).name !== "AbortError") failure.value = error as Failure;
    }
  };
  useEffect(() => {
    if (!isLooking || failure.value !== undefined) return;
    const controller = new AbortController();
    void loadMore(furtherPage, controller.signal);
    return () => controller.abort();
  }, [isLooking, next.value, failure.value]);
  if (first.failure.value !== undefined)
    return (
      <div class="column">
        <Failed failure={first.failure.value} onRetry={() => (libraryVersion.value += 1)} />
      </div>
    );
  if (first.value.value === undefined)
    return (
      <div class="column">
        <p class="faint pulse">{t("loading")}</p>
      </div>
    );
  // A document without an ending is known by its media type once it is listed.
  const others = Map.groupBy(documents.value, kindOf);
  for (const { kind: each } of counted) others.delete(each);
  const kinds = [...counted, ...Array.from(others, ([each, own]) => ({ kind: each, documents: own.length }))];
  const wanted = words.value.toLowerCase();
  const fitting = documents.value.filter(
    (each) =>
      `${each.title} ${nameOf(each)}`.toLowerCase().includes(wanted) &&
      (kind.value === "" || kindOf(each) === kind.value),
  );
  const shown =
    sort.value === "name" ? fitting.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), language.value)) : fitting;
  const all = status.value.value?.documents ?? documents.value.length;
  const isWhole = wanted === "" && kind.value === "" && folder.value === "";
  const mayWrite = session.value?.write === true;
  const idOf = ({ scope, uri }: Summary): string => `${scope} ${uri}`;
  const picked = shown.filter((each) => chosen.value.has(idOf(each)));
  const choose = (each: Summary, isChosen: boolean): void => {
    const changed = new Set(chosen.value);
    if (isChosen) changed.add(idOf(each));
    else changed.delete(idOf(each));
    chosen.value = changed;
  };
  const deletePicked = async (): Promise<void> => {
    try {
      for (const each of picked) await erase(each, false);
      announced.value = t("deletedMany", { n: picked.length });
    } catch (error) {
      failure.value = error as Failure;
    }
    libraryVersion.value += 1;
  };
  return (
    <div class="column wide-column">
      <div class="row">
        <h1>{t(isTrash ? "trash" : "library")}</h1>
        <span class="spacer" />
        {mayWrite && (
          <a class="button plain small" {...link(isTrash ? "library" : "library?trash")}>
            {t(isTrash ? "library" : "trash")}
          </a>
        )}
      </div>
      {failure.value !== undefined && <Failed failure={failure.value} onRetry={() => (failure.value = undefined)} />}
      {isTrash ? (
        <Trash />
      ) : all === 0 && isWhole ? (
        <Empty />
      ) : (
        <>
          <div class="row filters">
            <input
              type="search"
              dir="auto"
              aria-label={t("filterNames")}
              placeholder={t("filterNames")}
              onInput={(event) => (words.value = event.currentTarget.value)}
            />
            <FolderField folders={folders} chosen={folder.value} onChange={(under) => (folder.value = under)} />
            <KindField kinds={kinds} chosen={kind.value} onChange={(each) => (kind.value = each)} />
            <label class="small">
              {t("sortBy")}{" "}
              <select onChange={(event) => (sort.value = event.currentTarget.value as "name")}>
                <option value="name">{t("sortName")}</option>
                <option value="date">{t("sortDate")}</option>
                <option value="size">{t("sortSize")}</option>
              </select>
            </label>
            <span class="small faint">{t("documents", { n: isWhole ? all : shown.length })}</span>
            {isLooking && (
              <span class="small faint pulse">{t("lookedThrough", { n: documents.value.length, all })}</span>
            )}
          </div>
          {shown.length > 1 && (
            <label class="check small">
              <input
                type="checkbox"
                checked={picked.length === shown.length}
                onChange={(event) => (chosen.value = new Set(event.currentTarget.checked ? shown.map(idOf) : []))}
              />{" "}
              {t("chooseAll", { n: shown.length })}
            </label>
          )}
          {picked.length > 0 && (
            <div class="row picked">
              <button type="button" class="small" onClick={() => askOnly(picked)}>
                {t("askOnly", { n: picked.length })}
              </button>
              <button type="button" class="plain small" onClick={() => searchOnly(picked)}>
                {t("searchOnly", { n: picked.length })}
              </button>
              {mayWrite && (
                <button type="button" class="plain small bad" onClick={() => void deletePicked()}>
                  {t("deleteMany", { n: picked.length })}
                </button>
              )}
              <button type="button" class="plain small" onClick={() => (chosen.value = new Set())}>
                {t("cancel")}
              </button>
            </div>
          )}
          {shown.length === 0 && !isLooking && <p class="faint">{t("nothingMatches")}</p>}
          <ul class="documents">
            {shown.map((each) => (
              <li key={idOf(each)} class="document-row">
                <input
                  type="checkbox"
                  aria-label={t("choose", { name: nameOf(each) })}
                  checked={chosen.value.has(idOf(each))}
                  onChange={(event) => choose(each, event.currentTarget.checked)}
                />
                <a class="document" {...link(documentAddress(each))}>
                  <span class="kind" aria-hidden="true">
                    {kindOf(each)}
                  </span>
                  <span class="document-words">
                    <span class="document-title" dir="auto">
                      {titleOf(each)}
                    </span>
                    {nameOf(each) !== titleOf(each) && (
                      <span class="small faint" dir="auto" title={nameOf(each)}>
                        {nameOf(each)}
                      </span>
                    )}
                  </span>
                  <span class="small faint nowrap document-facts">
                    {t("passages", { n: each.chunks })} · {bytesText(each.bytes)} · {dateText(each.ingestedAt)}
                  </span>
                </a>
              </li>
            ))}
          </ul>
          {next.value !== undefined && !isLooking && (
            <button type="button" class="plain more" onClick={() => void loadMore(furtherPage)}>
              {t("more")}
            </button>
          )}
        </>
      )}
    </div>
  );
}

interface Deleted extends Omit<Summary, "documentId" | "chunks" | "ingestedAt"> {
  readonly deletedAt: string;
}

function Trash(): VNode {
  const { value, failure, again } = useLoaded(`${libraryVersion.value}`, (signal) =>
    get<{ documents: readonly Deleted[] }>("trash", {}, signal),
  );
  const purged = useSignal<Deleted | undefined>(undefined);
  const refused = useSignal<Failure | undefined>(undefined);
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      refused.value = undefined;
      await work();
      libraryVersion.value += 1;
      again();
    } catch (error) {
      refused.value = error as Failure;
    }
  };
  if (failure.value !== undefined) return <Failed failure={failure.value} onRetry={again} />;
  return (
    <>
      {refused.value !== undefined && <Failed failure={refused.value} />}
      {value.value?.documents.length === 0 && <p class="faint">{t("trashEmpty")}</p>}
      <ul class="uploads">
        {value.value?.documents.map((each) => (
          <li class="upload">
            <Icon name="trash" />
            <div class="upload-words">
              <span dir="auto">{titleOf(each)}</span>
              <Facts of={[nameOf(each), dateText(each.deletedAt)]} />
            </div>
            <div class="row">
              <button
                type="button"
                class="plain small"
                onClick={() => void act(() => send("restore", { uri: each.uri, scope: each.scope }))}
              >
                {t("restore")}
              </button>
              <button type="button" class="plain small bad" onClick={() => (purged.value = each)}>
                {t("purge")}
              </button>
            </div>
          </li>
        ))}
      </ul>
      {purged.value !== undefined && (
        <Purge
          document={purged.value}
          onClose={() => (purged.value = undefined)}
          onPurge={(each) => void act(() => erase(each, true))}
        />
      )}
    </>
  );
}

/** Moves a document to the trash, or erases it for good. */
export async function erase(
  { uri, scope }: { readonly uri: string; readonly scope: string },
  purge: boolean,
): Promise<void> {
  await call(`document?${new URLSearchParams({ uri, scope, purge: String(purge) })}`, { method: "DELETE" });
}

function Purge({
  document,
  onClose,
  onPurge,
}: {
  readonly document: Deleted;
  readonly onClose: () => void;
  readonly onPurge: (document: Deleted) => void;
}): VNode {
  const typed = useSignal("");
  const name = nameOf(document).split("/").at(-1)!;
  return (
    <Dialog title={t("purgeTitle", { title: document.title })} onClose={onClose}>
      <p>{t("purgeText")}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.value !== name) return;
          onClose();
          onPurge(document);
        }}
      >
        <label>
          {t("purgeConfirm", { name })}
          <input type="text" dir="auto" onInput={(event) => (typed.value = event.currentTarget.value)} />
        </label>
        <div class="row end">
          <button type="button" class="plain" onClick={onClose}>
            {t("cancel")}
          </button>
          <button class="danger" disabled={typed.value !== name}>
            {t("purge")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
