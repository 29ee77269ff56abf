import { useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Failure } from "./api.ts";
import type { View } from "./evidence.tsx";
import { describeTime } from "../src/text/place-labels.ts";
import type { Replaced } from "../src/contracts/retriever.ts";
import { announced, documentAddress, language, link, locked, momentText, type Place, t } from "./state.ts";

/** Outlines of icons, drawn on a grid of 24. */
const paths = {
  ask: "M4 5h16v11H9l-5 4z",
  search: "M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM15.5 15.5 20 20",
  library: "M5 4v16M9 4v16M13 5l5 15M4 20h16",
  add: "M12 5v14M5 12h14",
  threads: "M5 6h14M5 12h14M5 18h9",
  operator: "M4 19V9M10 19V5M16 19v-7M20 19H3",
  close: "M6 6l12 12M18 6 6 18",
  previous: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  copy: "M9 9h10v11H9zM5 15V4h10",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  larger: "M12 6v12M6 12h12",
  smaller: "M6 12h12",
  more: "M5 11h2v2H5zM11 11h2v2h-2zM17 11h2v2h-2z",
  check: "M5 13l4 4L19 7",
  memory: "M6 4h12v16l-6-4-6 4z",
  edit: "M5 19l1-4L16 5l3 3L9 18zM14 7l3 3",
  warn: "M12 4 2.5 20h19zM12 10v5M12 17.5v.5",
} as const;

export function Icon({ name }: { readonly name: keyof typeof paths }): VNode {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

export function IconButton({
  icon,
  label,
  onClick,
  disabled = false,
  name = "",
}: {
  readonly icon: keyof typeof paths;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  /** Class by which shortcuts find it. */
  readonly name?: string;
}): VNode {
  return (
    <button
      type="button"
      class={`icon-button ${name}`}
      title={label}
      aria-label={label}
      onClick={onClick}
      disabled={disabled}
    >
      <Icon name={icon} />
    </button>
  );
}

/** Sentences of the catalogues for codes of the service, which speaks English. */
const sentences = {
  "access-denied": "failAccess",
  aborted: "failAborted",
  binary: "failBinary",
  busy: "failBusy",
  "store-busy": "failBusy",
  "embedding-failed": "failModel",
  "model-failed": "failModel",
  "invalid-response": "failModel",
  empty: "failEmpty",
  encrypted: "failEncrypted",
  internal: "failInternal",
  "invalid-argument": "failRequest",
  "invalid-filter": "failRequest",
  "not-found": "notReadable",
  "rate-limited": "failTooMany",
  timeout: "failTime",
  "too-large": "failTooLarge",
  "disk-full": "failDiskFull",
  unreadable: "failUnreadable",
  "unsupported-media": "failMedia",
} as const;

/** The sentence for a code in the reader's language; none in English, where the service's own words are better. */
export const sentenceOf = (code: string | undefined): string | undefined =>
  language.value !== "en" && code !== undefined && Object.hasOwn(sentences, code)
    ? t(sentences[code as keyof typeof sentences])
    : undefined;

/** The words of the service behind the sentence of the page, which says the same in the reader's language. */
export function Told({ message, code, lang }: Pick<Failure, "message" | "code" | "lang">): VNode {
  const own = sentenceOf(code);
  return (
    <>
      {own !== undefined && <span class="told">{own} </span>}
      <span class={own === undefined ? undefined : "faint small"} dir="auto" lang={lang}>
        {message}
      </span>
    </>
  );
}

/** A failure in words, with the request that the log has, and a way on. */
export function Failed({
  failure,
  onRetry,
}: {
  readonly failure: Failure;
  readonly onRetry?: (() => void) | undefined;
}): VNode {
  useEffect(() => void (announced.value = sentenceOf(failure.code) ?? failure.message), [failure]);
  return (
    <div class="notice notice-bad">
      <Icon name="warn" />
      <div>
        <p>
          <Told message={failure.message} code={failure.code} lang={failure.lang} />
        </p>
        {failure.requestId !== undefined && <p class="faint small">{t("requestId", { id: failure.requestId })}</p>}
      </div>
      {onRetry !== undefined && (
        <button type="button" class="plain" onClick={onRetry}>
          {t("retry")}
        </button>
      )}
    </div>
  );
}

export function Notice({
  children,
  tone = "plain",
}: {
  readonly children: ComponentChildren;
  readonly tone?: "plain" | "warn";
}): VNode {
  return <div class={`notice notice-${tone}`}>{children}</div>;
}

/** Says of a note that it holds no longer, and leads to the one in its place. */
export function Ended({
  replaced,
  scope,
  isPlain = false,
}: {
  readonly replaced: Replaced | undefined;
  readonly scope?: string | undefined;
  /** Within a button there is no link. */
  readonly isPlain?: boolean;
}): VNode | null {
  if (replaced === undefined) return null;
  return (
    <span class="small warn-text ended">
      {t("holdsNoLonger", { date: momentText(replaced.at) })}{" "}
      {replaced.by !== undefined && !isPlain && (
        <a {...link(documentAddress({ uri: replaced.by, scope }))}>{t("showReplacement")}</a>
      )}
    </span>
  );
}

/** Whether the text of a document has the signs of Markdown. */
export const isMarkdown = (uri: string): boolean => /\.(?:md|mdx|markdown|html?|ipynb)$/iu.test(uri);

/** A passage as plain text, for a card that holds nothing else: rows of tables without their bars, and Markdown without its signs. */
export const cardText = (uri: string, passage: string): string =>
  isMarkdown(uri)
    ? plainText(passage)
    : passage.replaceAll(/\n\|[|:\- ]+$/gmu, "").replaceAll(/^\|.*$/gmu, (row) => plainText(row));

/** A passage without the signs of Markdown. */
const plainText = (passage: string): string =>
  passage
    .replaceAll(/^\s*(?:#{1,6}|>|[|:\- ]{3,}$)\s*/gmu, "")
    .replaceAll(/!?\[([^\]\n]*)\]\([^)\n]*\)/gu, "$1")
    .replaceAll(/(\*\*|__|`+|~~)(?=\S)(.+?)(?<=\S)\1/gu, "$2")
    .replaceAll(/(?<![\p{L}\p{N}*_])([*_])(?=\S)([^*_\n]+?)(?<=\S)\1(?![\p{L}\p{N}*_])/gu, "$2")
    .replaceAll(/^\s*\|\s*|\s*\|\s*$/gmu, "")
    .replaceAll(/\s+\|\s+/gu, " · ");

/** The name of a document as readers know it, without where it lies on the server. */
export function nameOf({
  uri,
  rootLabel,
  path,
}: {
  readonly uri: string;
  readonly rootLabel?: string | undefined;
  readonly path?: string | undefined;
}): string {
  // The uri of a note is a key and a time, which stand beside it in words.
  if (uri.startsWith("note:")) return t("memory");
  return path === undefined
    ? uri.split("/").at(-1)!
    : [rootLabel, path].filter((part) => part !== undefined && part !== "").join("/");
}

/** The heading of a document in a list: a note without a key has no title. */
export const titleOf = (document: Parameters<typeof nameOf>[0] & { readonly title: string }): string =>
  document.title === "" ? nameOf(document) : document.title;

/** Facts on one line. The first decides the direction of the line, and the others keep their own within it. */
export function Facts({ of: [first, ...others] }: { readonly of: readonly (string | undefined)[] }): VNode {
  const rest = others.filter(Boolean);
  return (
    <span class="small faint" dir={first === undefined || first === "" ? undefined : "auto"}>
      {first}
      {rest.map((fact, index) => (
        <>
          {(index > 0 || Boolean(first)) && " · "}
          <bdi>{fact}</bdi>
        </>
      ))}
    </span>
  );
}

/** A place in a reader's words: "page 6 · 3.3 Results". The title of the document and the name of a sheet are not said again. */
export function placeText({
  page,
  lastPage,
  slide,
  time,
  sheet,
  cells,
  part,
  line,
  title,
  headings: all = [],
}: Partial<Place>): string {
  const headings = all.filter(
    (heading, index) => heading !== sheet && heading !== part && (index > 0 || heading !== title),
  );
  const where = [
    part,
    page === undefined
      ? undefined
      : lastPage === undefined || lastPage === page
        ? t("pageLabel", { n: page })
        : t("pagesLabel", { n: `${page}–${lastPage}` }),
    slide === undefined ? undefined : t("slideLabel", { n: slide }),
    time === undefined ? undefined : describeTime(time),
    sheet === undefined ? undefined : [sheet, cells].filter(Boolean).join(" "),
    headings.length === 0 ? undefined : headings.join(" › "),
    page === undefined && slide === undefined && sheet === undefined && headings.length === 0 && (line ?? 1) > 1
      ? t("lineLabel", { n: line! })
      : undefined,
  ];
  const pieces = where.filter((piece) => piece !== undefined && piece !== "");
  // Beside Arabic or Hebrew, numbers of one piece would stand in the next: each is set apart. **Source** Unicode UAX 9, isolates.
  const isMixed = pieces.length > 1 && /[\p{sc=Arabic}\p{sc=Hebrew}]/u.test(pieces.join(""));
  return (isMixed ? pieces.map((piece) => `\u2068${piece}\u2069`) : pieces).join(" · ");
}

/** The words of a view from `start` to `end`. */
export const textOf = ({ blocks }: View, start: number, end: number): string =>
  blocks
    .flatMap(({ runs, rows }) => runs ?? rows!.flatMap((row) => row.cells.flat()))
    .map((run) => run.text.slice(Math.max(0, start - run.start), Math.max(0, end - run.start)))
    .join("");

/** Copies a text. **Shape** whether the browser did. At an address without HTTPS it has no clipboard, and copies what is selected instead. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const before = document.activeElement as HTMLElement | null;
    const field = Object.assign(document.createElement("textarea"), { value: text, className: "unseen" });
    // Below an open dialog nothing can be selected.
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    before?.focus({ preventScroll: true });
    return isDone;
  }
}

/** A button that copies a text, and shows that it did. */
export function CopyButton({
  icon,
  label,
  name = "",
  text,
}: {
  readonly icon: "copy" | "link";
  readonly label: string;
  readonly name?: string;
  readonly text: () => string;
}): VNode {
  const said = useSignal<"copied" | "notCopied" | undefined>(undefined);
  const copy = async (): Promise<void> => {
    said.value = (await copyText(text())) ? "copied" : "notCopied";
    announced.value = t(said.value);
    setTimeout(() => (said.value = undefined), 4000);
  };
  return (
    <span class="copying">
      <IconButton
        name={name}
        icon={said.value === "copied" ? "check" : icon}
        label={label}
        onClick={() => void copy()}
      />
      {said.value !== undefined && (
        <span class="bubble small" aria-hidden="true">
          {t(said.value)}
        </span>
      )}
    </span>
  );
}

/** A dialog of the browser's own: focus stays in it, and Escape closes it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose?: (() => void) | undefined;
  readonly children: ComponentChildren;
}): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const own = dialog.current!;
    if (!own.open) own.showModal();
    return () => own.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <header class="row">
        <h2 id="dialog-title">{title}</h2>
        {onClose !== undefined && <IconButton icon="close" label={t("close")} onClick={onClose} />}
      </header>
      {children}
    </dialog>
  );
}

/** Loads a value when `key` changes; the last load wins. */
export function useLoaded<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>) {
  const value = useSignal<Value | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const turn = useSignal(0);
  useEffect(() => {
    const controller = new AbortController();
    failure.value = undefined;
    load(controller.signal).then(
      (loaded) => {
        if (!controller.signal.aborted) value.value = loaded;
      },
      (error: Failure) => {
        if (!controller.signal.aborted && error.name !== "AbortError") failure.value = error;
      },
    );
    return () => controller.abort();
  }, [key, turn.value]);
  // A load that was refused for its key is made again with the next key.
  useEffect(() => {
    if (locked.value === undefined && failure.peek()?.status === 401) turn.value += 1;
  }, [locked.value]);
  return { value, failure, again: () => (turn.value += 1) };
}

/** The words of a text that a query has, marked. **Shape** whole words by their beginning, so that inflected forms count. */
export function markWords(text: string, query: string): ComponentChildren[] {
  const words = (query.match(/[\p{L}\p{N}]{2,}/gu) ?? []).filter(
    (word) => word.length > 3 || !/^(?:the|and|how|what|wie|was|und|der|die|das|is|of|to|in|a|do|are)$/iu.test(word),
  );
  if (words.length === 0) return [text];
  const stems = words.map((word) =>
    word.slice(0, Math.max(3, Math.ceil(word.length * 0.8))).replaceAll(/[$()*+.?[\\\]^{|}-]/gu, String.raw`\$&`),
  );
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])((?:${stems.join("|")})[\\p{L}\\p{N}]*)`, "giu");
  return text.split(pattern).map((part, index) => (index % 2 === 1 ? <mark>{part}</mark> : part));
}
