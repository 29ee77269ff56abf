import { signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { Filters } from "./answer.ts";
import { get } from "./api.ts";
import { Icon, useLoaded } from "./shared.tsx";
import { libraryVersion, session, t } from "./state.ts";

/** Limits of a question or a search, as the reader chose them. */
export interface Chosen {
  readonly scope: string;
  /** Ending of the names of files. */
  readonly kind: string;
  /** Day in ISO 8601. */
  readonly since: string;
  /** Prefix of the uris in a folder. */
  readonly folder: string;
}
export const noLimits: Chosen = { scope: "", kind: "", since: "", folder: "" };
/** The limits of questions; those of a search stand in its address. */
export const askLimits = signal<Chosen>(noLimits);

/** Endings of names that files have often. */
export const kinds = [
  "csv",
  "docx",
  "eml",
  "epub",
  "html",
  "ipynb",
  "md",
  "odt",
  "pdf",
  "pptx",
  "rtf",
  "txt",
  "xls",
  "xlsx",
];

interface Folder {
  readonly under: string;
  readonly name: string;
  readonly documents: number;
}

/** The limits in the filter language of the service. */
export function toFilters({ scope, kind, since, folder }: Chosen): Filters {
  const filter = {
    ...(kind !== "" && { fileName: { endsWith: `.${kind}` } }),
    ...(since !== "" && { modifiedAt: { gte: since } }),
  };
  return {
    ...(scope !== "" && { scopes: [scope] }),
    ...(folder !== "" && { under: folder }),
    ...(Object.keys(filter).length > 0 && { filter }),
  };
}

/** The folders that the reader may read documents of; none before somebody asks. */
export const useFolders = (isWanted: boolean): readonly Folder[] =>
  useLoaded(`${session.value?.name} ${isWanted} ${libraryVersion.value}`, (stop) =>
    isWanted ? get<{ folders: readonly Folder[] }>("folders", {}, stop) : Promise.resolve({ folders: [] }),
  ).value.value?.folders ?? [];

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
    get<{ scopes: readonly { readonly scope: string }[] }>("status", {}, stop),
  );
  const scopes = status.value.value?.scopes ?? [];
  const isOpen = useSignal(chosen.folder !== "");
  const folders = useFolders(isOpen.value);
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
                {scopes.map(({ scope }) => (
                  <option value={scope}>{scope}</option>
                ))}
              </select>
            </label>
          )}
          <FolderField
            folders={folders}
            chosen={chosen.folder}
            onChange={(folder) => onChange({ ...chosen, folder })}
          />
          <label class="small filter-kind">
            {t("type")}{" "}
            <select value={chosen.kind} onChange={(event) => onChange({ ...chosen, kind: event.currentTarget.value })}>
              <option value="">{t("allTypes")}</option>
              {kinds.map((kind) => (
                <option value={kind}>{kind}</option>
              ))}
            </select>
          </label>
          <label class="small filter-since">
            {t("since")}{" "}
            <input
              type="date"
              value={chosen.since}
              onChange={(event) => onChange({ ...chosen, since: event.currentTarget.value })}
            />
          </label>
        </div>
      </details>
      {held.map((name) => (
        <span class="chip small">
          {names[name]}: <bdi>{shown[name]}</bdi>
          <button
            type="button"
            title={t("removeFilter")}
            aria-label={`${t("removeFilter")}: ${names[name]}`}
            onClick={() => onChange({ ...chosen, [name]: "" })}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
    </div>
  );
}
