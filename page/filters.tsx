import { signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import type { Filters, KeptLimits } from "./answer.ts";
import { get } from "./api.ts";
import { Facts, Icon, nameOf, useLoaded } from "./shared.tsx";
import { dateText, go, libraryVersion, link, session, t } from "./state.ts";

/** A document that alone is asked, or one of several. */
export interface OnlyDocument {
  readonly uri: string;
  readonly scope?: string | undefined;
  /** Absent in addresses of searches. */
  readonly documentId?: string;
}

/** Limits of a question or a search, as the reader chose them. */
export interface Chosen {
  readonly scope: string;
  /** Ending of the names of files. */
  readonly kind: string;
  /** Day in ISO 8601. */
  readonly since: string;
  /** Prefix of the uris in a folder. */
  readonly folder: string;
  /** The documents that alone are asked; `undefined` for all. */
  readonly only?: readonly OnlyDocument[] | undefined;
}
export const noLimits: Chosen = { scope: "", kind: "", since: "", folder: "" };
/** The limits of questions, and the thread that they belong to; those of a search stand in its address. */
export const askLimits = signal<{ readonly chosen: Chosen; readonly thread: string | undefined }>({
  chosen: noLimits,
  thread: undefined,
});

/** Goes to a new question that asks some documents alone. */
export function askOnly(only: readonly OnlyDocument[]): void {
  askLimits.value = { chosen: { ...noLimits, only }, thread: undefined };
  go("./");
}

/** Goes to a search through some documents alone. */
export const searchOnly = (only: readonly OnlyDocument[]): void =>
  go(`search#${new URLSearchParams(only.map(({ uri }) => ["only", uri]))}`);

/** The limits as a thread keeps them; `undefined` where there are none. */
export function toKept({ scope, kind, since, folder, only }: Chosen): KeptLimits | undefined {
  const kept = {
    ...(scope !== "" && { scope }),
    ...(folder !== "" && { under: folder }),
    ...(kind !== "" && { kind }),
    ...(since !== "" && { since }),
    ...(only !== undefined && {
      documents: only.map(({ uri, scope: own, documentId = "" }) => ({ uri, scope: own, documentId })),
    }),
  };
  return Object.keys(kept).length === 0 ? undefined : kept;
}
export const fromKept = ({ scope = "", under = "", kind = "", since = "", documents }: KeptLimits = {}): Chosen => ({
  scope,
  folder: under,
  kind,
  since,
  only: documents,
});

interface Folder {
  readonly under: string;
  readonly name: string;
  readonly documents: number;
}

/** The limits in the filter language of the service. */
export function toFilters({ scope, kind, since, folder, only }: Chosen): Filters {
  const filter = {
    ...(kind !== "" && { fileName: { endsWith: `.${kind}` } }),
    ...(since !== "" && { modifiedAt: { gte: since } }),
  };
  return {
    ...(scope !== "" && { scopes: [scope] }),
    ...(folder !== "" && { under: folder }),
    ...(only !== undefined && { uris: only.map(({ uri }) => uri) }),
    ...(Object.keys(filter).length > 0 && { filter }),
  };
}

interface Folders {
  readonly folders: readonly Folder[];
  readonly kinds: readonly { readonly kind: string; readonly documents: number }[];
}

/** The folders that the reader may read documents of, and the kinds of files below one of them; none before somebody asks. */
export function useFolders(isWanted: boolean, under: string): Folders {
  const none: Folders = { folders: [], kinds: [] };
  return (
    useLoaded(`${session.value?.name} ${isWanted} ${under} ${libraryVersion.value}`, (stop) =>
      isWanted ? get<Folders>("folders", { under: under === "" ? undefined : under }, stop) : Promise.resolve(none),
    ).value.value ?? none
  );
}

/** A choice among kinds of files, each with the number of its documents where that is known. */
export function KindField({
  kinds,
  chosen,
  onChange,
}: {
  readonly kinds: Folders["kinds"];
  readonly chosen: string;
  readonly onChange: (kind: string) => void;
}): VNode {
  const others = chosen !== "" && kinds.every(({ kind }) => kind !== chosen) ? [{ kind: chosen, documents: 0 }] : [];
  return (
    <label class="small filter-kind">
      {t("type")}{" "}
      <select value={chosen} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{t("allTypes")}</option>
        {[...kinds, ...others].map(({ kind, documents: n }) => (
          <option value={kind}>{t("folderOf", { name: kind, n })}</option>
        ))}
      </select>
    </label>
  );
}

/** A choice among folders, each with the number of its documents; nothing where there is none. */
export function FolderField({
  folders,
  chosen,
  onChange,
}: {
  readonly folders: readonly Folder[];
  /** Prefix of the uris in a folder; empty for all. */
  readonly chosen: string;
  readonly onChange: (folder: string) => void;
}): VNode | null {
  if (folders.length === 0) return null;
  return (
    <label class="small filter-folder">
      {t("folder")}{" "}
      <select value={chosen} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{t("allFolders")}</option>
        {folders.map(({ under, name, documents }) => (
          <option value={under}>{t("folderOf", { name, n: documents })}</option>
        ))}
      </select>
    </label>
  );
}

/** Fields to choose limits by, folded away until somebody asks for them; a chip for each limit that holds. */
export function FilterBar({
  chosen,
  onChange,
}: {
  readonly chosen: Chosen;
  readonly onChange: (chosen: Chosen) => void;
}): VNode {
  const status = useLoaded(`${session.value?.name}`, (stop) =>
    get<{ scopes: readonly { readonly scope: string; readonly documents: number }[] }>("status", {}, stop),
  );
  const scopes = status.value.value?.scopes ?? [];
  const isOpen = useSignal(chosen.folder !== "");
  const { folders, kinds } = useFolders(isOpen.value, chosen.folder);
  const names = { scope: t("scope"), folder: t("folder"), kind: t("type"), since: t("since") };
  const shown = { ...chosen, folder: folders.find(({ under }) => under === chosen.folder)?.name ?? chosen.folder };
  const held = (["scope", "folder", "kind", "since"] as const).filter((name) => chosen[name] !== "");
  return (
    <div class="filter-bar">
      <details onToggle={(event) => (isOpen.value ||= event.currentTarget.open)}>
        <summary class="small">{t("filter")}</summary>
        <div class="row filters">
          {scopes.length > 1 && (
            <label class="small filter-scope">
              {t("scope")}{" "}
              <select
                value={chosen.scope}
                onChange={(event) => onChange({ ...chosen, scope: event.currentTarget.value })}
              >
                <option value="">{t("allScopes")}</option>
                {scopes.map(({ scope, documents }) => (
                  <option value={scope}>{t("folderOf", { name: scope, n: documents })}</option>
                ))}
              </select>
            </label>
          )}
          <FolderField
            folders={folders}
            chosen={chosen.folder}
            onChange={(folder) => onChange({ ...chosen, folder })}
          />
          <KindField kinds={kinds} chosen={chosen.kind} onChange={(kind) => onChange({ ...chosen, kind })} />
          <label class="small filter-since">
            {t("since")}{" "}
            <input
              type="date"
              value={chosen.since}
              onChange={(event) => onChange({ ...chosen, since: event.currentTarget.value })}
            />
          </label>
          <a class="small" {...link("library")}>
            {t("chooseDocuments")}
          </a>
        </div>
      </details>
      {held.map((name) => (
        <Chip key={name} name={names[name]} words={shown[name]} onRemove={() => onChange({ ...chosen, [name]: "" })} />
      ))}
      {chosen.only !== undefined && (chosen.only.length === 0 || chosen.only.length > mostChips) ? (
        <Chip
          name={t("only")}
          words={t("documents", { n: chosen.only.length })}
          onRemove={() => onChange({ ...chosen, only: undefined })}
        />
      ) : (
        chosen.only?.map(({ uri }) => {
          const rest = chosen.only!.filter((each) => each.uri !== uri);
          return (
            <Chip
              key={uri}
              name={t("only")}
              words={nameOf({ uri })}
              onRemove={() => onChange({ ...chosen, only: rest.length === 0 ? undefined : rest })}
            />
          );
        })
      )}
    </div>
  );
}

/** Documents that have a chip each; more of them are counted. */
const mostChips = 3;

function Chip({
  name,
  words,
  onRemove,
}: {
  readonly name: string;
  readonly words: string;
  readonly onRemove: () => void;
}): VNode {
  const own = useRef<HTMLSpanElement>(null);
  return (
    <span class="chip small" ref={own}>
      <span class="chip-words" title={words}>
        {name}: <bdi>{words}</bdi>
      </span>
      <button
        type="button"
        title={t("removeFilter")}
        aria-label={`${t("removeFilter")}: ${name}, ${words}`}
        onClick={() => {
          // The focus goes on to what is left.
          own.current?.closest(".filter-bar")?.querySelector<HTMLElement>("summary")?.focus();
          onRemove();
        }}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

/** The limits of a question that was asked within some, in one line of words. */
export function LimitsLine({ limits }: { readonly limits: KeptLimits }): VNode {
  const { scope, under, kind, since, documents } = limits;
  const words = [
    scope,
    under,
    kind,
    since !== undefined && `${t("since")} ${dateText(since)}`,
    documents !== undefined &&
      (documents.length > 0 && documents.length <= mostChips
        ? documents.map(nameOf).join(", ")
        : t("documents", { n: documents.length })),
  ].filter(Boolean) as readonly string[];
  return (
    <p class="small faint limits">
      {t("askedWithin")} <Facts of={["", ...words]} />
    </p>
  );
}
