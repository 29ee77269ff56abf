import { useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { h } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { begin, Failure, get, call } from "./api.ts";
import { askOnly } from "./filters.tsx";
import { lazy, Suspense } from "./lazy.tsx";
import {
  CopyButton,
  Ended,
  Facts,
  Failed,
  Icon,
  IconButton,
  Notice,
  nameOf,
  placeText,
  textOf,
  useLoaded,
} from "./shared.tsx";
import {
  closePlace,
  documentAddress,
  isRightToLeft,
  link,
  momentText,
  openPlace,
  panelWidth,
  panelWidths,
  type Place,
  resizePanel,
  session,
  showPlace,
  t,
} from "./state.ts";

interface Run {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly syntax?: true;
  readonly shown?: string;
  readonly styles?: readonly ("strong" | "emphasis" | "strike" | "code" | "link")[];
}

interface Block {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly level?: number;
  readonly isHard?: true;
  readonly runs?: readonly Run[];
  readonly rows?: readonly {
    readonly isHeader?: true;
    readonly isSyntax?: true;
    readonly cells: readonly (readonly Run[])[];
  }[];
}

/** A stretch of a document, as `GET /view` gives it. */
export interface View extends Place {
  readonly documentId: string;
  readonly scope: string;
  readonly title: string;
  readonly rootLabel?: string;
  readonly path?: string;
  readonly mediaType: string;
  readonly contentHash: string;
  readonly length: number;
  readonly pages?: number;
  readonly language?: string;
  readonly place: Partial<Place>;
  readonly blocks: readonly Block[];
}

const loadPdf = () => import("./pdf-pages.tsx");
const PdfPages = lazy(async () => (await loadPdf()).PdfPages);
const PicturePage = lazy(async () => (await import("./picture-page.tsx")).PicturePage);
type Cited = Pick<Place, "uri" | "scope" | "start" | "end">;
/** Documents at most whose places are made ready for an answer. */
const mostReady = 3;
const ready = new Set<string>();
const isPdfName = (uri: string): boolean => /\.pdf$/iu.test(uri);
const loadForPdf = (): void =>
  void loadPdf().then(
    ({ warmUp }) => warmUp(),
    () => {},
  );
/** The query for the boxes of a place. */
const stretchOf = ({ uri, scope, start, end }: Cited) => ({ uri, scope, start, end: Math.max(end, start + 1) });
/** Loads for a place that is being opened what draws it, and its boxes, beside the text. */
const prepareToOpen = (place: Cited): void => {
  if (!isPdfName(place.uri)) return;
  loadForPdf();
  if (session.peek()?.originals !== true) return;
  ready.add(place.uri);
  begin("geometry", stretchOf(place));
};

/**
 * Loads what draws pages of PDFs before a reader opens one that an answer has cited.
 * Where no places of a file are kept, the service reads it when the first one is asked for, which takes seconds for a long file.
 */
export const prepareForPdf = (cited: readonly Cited[]): void => {
  const pdfs = new Map(cited.flatMap((place) => (isPdfName(place.uri) ? [[place.uri, place]] : [])));
  if (pdfs.size === 0) return;
  loadForPdf();
  const own = [...pdfs.values()].slice(0, mostReady).filter(({ uri }) => !ready.has(uri));
  if (session.peek()?.originals !== true) return;
  for (const { uri } of own) ready.add(uri);
  void (async () => {
    for (const place of own) await get("geometry", stretchOf(place)).catch(() => ready.delete(place.uri));
  })();
};
const isPdf = (mediaType: string): boolean => mediaType === "application/pdf" || mediaType === "application/x-pdf";
/** Pictures that browsers draw. */
const isPicture = (mediaType: string): boolean => /^image\/(?:png|jpeg|gif|webp|bmp)$/u.test(mediaType);
/** Text around a place. **Units** UTF-16 code units. */
const around = 3000;
const slice = 12_000;

/** The panel beside an answer: the open place, and the ways from it. */
export function EvidencePanel(): VNode | null {
  const open = openPlace.value;
  const panel = useRef<HTMLElement>(null);
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    if (open === undefined) return;
    if (!panel.current?.contains(document.activeElement)) opener.current = document.activeElement;
    panel.current?.focus({ preventScroll: true });
  }, [open]);
  // However it is closed, the focus is where it was.
  useEffect(
    () => () => {
      const { activeElement } = document;
      if (activeElement === document.body || panel.current?.contains(activeElement) === true)
        (opener.current as HTMLElement | null)?.focus({ preventScroll: true });
    },
    [],
  );
  if (open === undefined) return null;
  const { places, index } = open;
  const place = places[index]!;
  return (
    <aside
      class="evidence"
      ref={panel}
      tabIndex={-1}
      aria-label={t("evidence")}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        closePlace();
      }}
    >
      <Divider />
      <PlaceView
        key={`${place.uri} ${place.start}`}
        place={place}
        tools={
          <>
            {places.length > 1 && (
              <>
                <IconButton
                  icon="previous"
                  label={t("previous")}
                  disabled={index === 0}
                  onClick={() => showPlace({ ...open, index: index - 1 })}
                />
                <span class="small faint nowrap">{t("placeOf", { n: index + 1, all: places.length })}</span>
                <IconButton
                  icon="next"
                  label={t("next")}
                  disabled={index === places.length - 1}
                  onClick={() => showPlace({ ...open, index: index + 1 })}
                />
              </>
            )}
            <IconButton icon="close" label={t("close")} onClick={closePlace} />
          </>
        }
      />
    </aside>
  );
}

/** The edge of the panel, which is drawn or moved by arrow keys. A click makes the panel wide, and another one makes it usual. */
function Divider(): VNode {
  const start = useRef<{ readonly x: number; isMoved: boolean } | undefined>(undefined);
  const percentAt = (edge: HTMLElement, x: number): number => {
    const { left, right, width } = edge.closest(".stage")!.getBoundingClientRect();
    return (100 * (isRightToLeft.value ? x - left : right - x)) / width;
  };
  const usual = (): void => resizePanel(panelWidth.value === panelWidths.usual ? panelWidths.most : panelWidths.usual);
  return (
    <div
      class="divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t("panelWidth")}
      aria-valuemin={panelWidths.least}
      aria-valuemax={panelWidths.most}
      aria-valuenow={panelWidth.value}
      onKeyDown={({ key }) => {
        const towards = isRightToLeft.value ? -1 : 1;
        const steps = { ArrowLeft: 4 * towards, ArrowRight: -4 * towards, Home: -100, End: 100 };
        if (Object.hasOwn(steps, key)) resizePanel(panelWidth.value + steps[key as keyof typeof steps]);
        else if (key === "Enter") usual();
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, isMoved: false };
        event.preventDefault();
      }}
      onPointerMove={(event) => {
        const began = start.current;
        if (began === undefined || (!began.isMoved && Math.abs(event.clientX - began.x) < 4)) return;
        began.isMoved = true;
        resizePanel(percentAt(event.currentTarget, event.clientX));
      }}
      onPointerUp={() => {
        if (start.current?.isMoved === false) usual();
        start.current = undefined;
      }}
    />
  );
}

const noBounds: readonly number[] = [];

/** A place in its document, on the page or in the text. */
export function PlaceView({
  place,
  tools,
  isWhole = false,
  bounds = noBounds,
}: {
  readonly place: Place;
  /** Starts of passages, which are drawn over the text. */
  readonly bounds?: readonly number[] | undefined;
  readonly tools?: ComponentChildren;
  readonly isWhole?: boolean;
}): VNode {
  const { uri, scope, start } = place;
  const asOf = useSignal(place.asOf);
  const { value, failure, again } = useLoaded(`${uri} ${scope} ${start} ${place.end} ${asOf.value}`, (signal) =>
    get<View>("view", { uri, scope, start, end: Math.max(place.end, start + 1), around, asOf: asOf.value }, signal),
  );
  const view = value.value;
  const isFormer = asOf.value !== undefined;
  const { contentHash } = place;
  const isOther = view !== undefined && contentHash !== undefined && !view.contentHash.startsWith(contentHash);
  const isChanged = !isFormer && (place.changed === true || isOther);
  // Other words than the cited ones get no mark, and neither do words that nothing is known of.
  const isGone = place.gone ?? place.changed !== true;
  const end = isChanged && isGone ? start : place.end;
  useEffect(() => prepareToOpen(place), [uri, start]);
  const mode = useSignal<"page" | "text" | undefined>(undefined);
  if (failure.value !== undefined) {
    const shown =
      failure.value.status === 404 || uri === ""
        ? new Failure(`${t("notReadable")} ${t("notReadableHint")}`, 404)
        : failure.value;
    return (
      <>
        {!isWhole && (
          <header class="place-head">
            <span class="spacer" />
            {tools}
          </header>
        )}
        <Failed failure={shown} onRetry={failure.value.status === 404 ? undefined : again} />
      </>
    );
  }
  const hasPages = view !== undefined && (isPdf(view.mediaType) || isPicture(view.mediaType));
  const canPage = hasPages && session.value?.originals === true && !isFormer;
  const chosen = bounds.length > 0 ? "text" : (mode.value ?? (canPage ? "page" : "text"));
  const where = placeText(
    place.page === undefined && view !== undefined
      ? { ...view.place, ...place, title: view.title, headings: place.headings ?? view.place.headings }
      : place,
  );
  return (
    <>
      <header class="place-head">
        <div class="place-names">
          <h2 dir="auto">{(view?.title ?? place.title) || nameOf(view ?? place)}</h2>
          <Facts of={[view === undefined ? "" : nameOf(view), where]} />
        </div>
        <div class="tools">{tools}</div>
      </header>
      {isChanged && <Changed place={place} isGone={place.gone === true} onFormer={(former) => (asOf.value = former)} />}
      {isFormer && (
        <Notice tone="warn">
          <p>{t("formerVersion", { date: momentText(asOf.value!) })}</p>
          {isWhole ? (
            <a class="button plain small" {...link(documentAddress({ uri, scope }))}>
              {t("showPresent")}
            </a>
          ) : (
            <button type="button" class="plain small" onClick={() => (asOf.value = undefined)}>
              {t("showPresent")}
            </button>
          )}
        </Notice>
      )}
      {(view ?? place).replaced !== undefined && (
        <Notice tone="warn">
          <Ended replaced={(view ?? place).replaced} scope={view?.scope ?? scope} />
        </Notice>
      )}
      {view !== undefined && (
        <PlaceTools
          view={view}
          place={{ ...place, end }}
          mode={chosen}
          canPage={canPage}
          isWhole={isWhole}
          onMode={(next) => (mode.value = next)}
        />
      )}
      <div class="place-body">
        {view === undefined ? (
          <p class="faint pulse">{t("loading")}</p>
        ) : chosen === "page" ? (
          <Suspense fallback={<p class="faint pulse">{t("loading")}</p>}>
            {h(isPicture(view.mediaType) ? PicturePage : PdfPages, {
              view,
              start,
              end,
              onText: () => (mode.value = "text"),
            })}
          </Suspense>
        ) : (
          <TextView view={view} asOf={asOf.value} start={start} end={end} bounds={bounds} />
        )}
      </div>
    </>
  );
}

/** A version of a document, as `GET /versions` gives it. */
export interface Version {
  readonly from: string;
  readonly to?: string;
  readonly title: string;
  readonly chunks: number;
  readonly bytes: number;
  readonly contentHash: string;
}

/** Says that a document has changed since it was cited, and leads to the version that was, where it is kept. */
function Changed({
  place: { uri, scope, contentHash = "" },
  isGone,
  onFormer,
}: {
  readonly place: Place;
  readonly isGone: boolean;
  readonly onFormer: (asOf: string) => void;
}): VNode {
  const { value } = useLoaded(`${uri} ${scope}`, (signal) =>
    get<{ versions: readonly Version[] }>("versions", { uri, scope }, signal).catch(() => ({ versions: [] })),
  );
  const versions = value.value?.versions;
  const index =
    contentHash === "" ? -1 : (versions?.findIndex((each) => each.contentHash.startsWith(contentHash)) ?? -1);
  const former = versions?.[index];
  return (
    <Notice tone="warn">
      <div>
        <p>{t(isGone ? "gone" : "changed")}</p>
        {former !== undefined && <p>{t("citedVersion", { n: versions!.length - index, all: versions!.length })}</p>}
        {versions !== undefined && former === undefined && <p class="small">{t("formerNotKept")}</p>}
      </div>
      {former !== undefined && (
        <button type="button" class="plain small" onClick={() => onFormer(former.from)}>
          {t("showCited")}
        </button>
      )}
    </Notice>
  );
}

function PlaceTools({
  view,
  place,
  mode,
  canPage,
  isWhole,
  onMode,
}: {
  readonly view: View;
  readonly place: Place;
  readonly mode: "page" | "text";
  readonly canPage: boolean;
  readonly isWhole: boolean;
  readonly onMode: (mode: "page" | "text") => void;
}): VNode {
  const { uri, scope, contentHash: version } = view;
  const address = documentAddress({ uri, scope, start: place.start, end: place.end, version });
  const failure = useSignal<Failure | undefined>(undefined);
  const quote = (): string => {
    const text = textOf(view, place.start, place.end);
    return `“${text.trim()}”\n${[view.title, placeText({ ...view.place, ...place, title: view.title })].filter(Boolean).join(", ")}`;
  };
  return (
    <div class="place-tools">
      {canPage && (
        <div class="switch" role="group" aria-label={t("fullScreen")}>
          {(["page", "text"] as const).map((each) => (
            <button type="button" aria-pressed={mode === each} onClick={() => onMode(each)}>
              {t(each === "page" ? "pageView" : "textView")}
            </button>
          ))}
        </div>
      )}
      {isWhole && (
        <button type="button" class="plain small nowrap" onClick={() => askOnly([view])}>
          {t("askThis")}
        </button>
      )}
      <div class="tools">
        {place.end > place.start && <CopyButton name="tool-copy" icon="copy" label={t("copyQuote")} text={quote} />}
        <CopyButton icon="link" label={t("copyLink")} text={() => new URL(address, location.href).href} />
        {session.value?.originals === true && (
          <IconButton
            name="tool-original"
            icon="download"
            label={t("original")}
            onClick={() => {
              failure.value = undefined;
              void download(view).catch((error: Failure) => (failure.value = error));
            }}
          />
        )}
        {!isWhole && (
          <a class="icon-button" title={t("fullScreen")} aria-label={t("fullScreen")} {...link(address)}>
            <Icon name="file" />
          </a>
        )}
      </div>
      {failure.value !== undefined && <Failed failure={failure.value} />}
    </div>
  );
}

/** The file, fetched with the reader's key: a link could not carry it. **Errors** `Failure`. */
async function download({ uri, scope, path }: View): Promise<void> {
  const response = await call(`original?${new URLSearchParams({ uri, scope })}`);
  const address = URL.createObjectURL(await response.blob());
  const anchor = Object.assign(document.createElement("a"), {
    href: address,
    download: (path ?? uri).split("/").at(-1)!,
  });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The text of a document around a place, as its blocks; more of it loads at both ends. */
export function TextView({
  view,
  asOf,
  start,
  end,
  bounds = noBounds,
}: {
  readonly view: View;
  /** Time of the version that is shown, of which more text loads. */
  readonly asOf: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly bounds?: readonly number[];
}): VNode {
  const failed = useSignal<{ readonly failure: Failure; readonly again: () => void } | undefined>(undefined);
  const blocks = useSignal(view.blocks);
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => void (blocks.value = view.blocks), [view]);
  // A mark stays in sight when the panel or the window changes its size.
  useLayoutEffect(() => {
    const own = body.current!;
    const show = (): void => {
      // A row begins with the name of its column, which is not drawn.
      const mark = own.querySelector("mark:not(.syntax)") ?? own.querySelector("mark");
      if (mark !== null && !isInSight(mark, own.parentElement!)) mark.scrollIntoView({ block: "center" });
    };
    show();
    const observer = new ResizeObserver(() => show());
    observer.observe(own.parentElement!);
    // Blocks get their height when they come near the window, which moves what stands below them.
    const later = setTimeout(show, 250);
    return () => {
      clearTimeout(later);
      observer.disconnect();
    };
  }, [view, start]);
  const first = blocks.value[0]?.start ?? 0;
  const last = blocks.value.at(-1)?.end ?? view.length;
  const load = async (from: number, to: number): Promise<void> => {
    failed.value = undefined;
    try {
      const { uri, scope } = view;
      const more = await get<View>("view", { uri, scope, start: Math.max(0, from), end: to, asOf });
      const fresh = more.blocks.filter((block) => block.end <= first || block.start >= last);
      blocks.value = from < first ? [...fresh, ...blocks.value] : [...blocks.value, ...fresh];
    } catch (error) {
      failed.value = { failure: error as Failure, again: () => void load(from, to) };
    }
  };
  // Without a direction, these words would decide that of the text beside them.
  const own = isRightToLeft.value ? "rtl" : "ltr";
  return (
    <div class="text-view" ref={body} dir="auto" lang={view.language}>
      {first > 0 && (
        <button type="button" class="plain more" dir={own} onClick={() => void load(first - slice, first)}>
          {t("earlier")}
        </button>
      )}
      {drawBlocks(blocks.value, start, end, bounds)}
      {last < view.length - 1 && (
        <button type="button" class="plain more" dir={own} onClick={() => void load(last, last + slice)}>
          {t("later")}
        </button>
      )}
      {failed.value !== undefined && <Failed failure={failed.value.failure} onRetry={failed.value.again} />}
    </div>
  );
}

/** Whether a mark stands in the frame that scrolls and in the window, clear of the head above it and of the bar at the window's foot. */
function isInSight(mark: Element, frame: Element): boolean {
  const [{ top, bottom }, around] = [mark.getBoundingClientRect(), frame.getBoundingClientRect()];
  const head = frame.parentElement?.querySelector(".place-head")?.getBoundingClientRect().bottom ?? 0;
  return (
    top >= Math.max(0, head, around.top) &&
    bottom <= Math.min(document.documentElement.clientHeight - 80, around.bottom)
  );
}

function drawBlocks(
  blocks: readonly Block[],
  start: number,
  end: number,
  bounds: readonly number[],
): ComponentChildren[] {
  const drawRun = (run: Run, isBullet = false): ComponentChildren =>
    drawBounded(run, bounds, (part) => drawWords(part, start, end, isBullet));
  return blocks.map((block) => {
    const { kind, level = 1, runs = [], rows, isHard } = block;
    const inner = (): ComponentChildren => runs.map((run, index) => drawRun(run, kind === "item" && index === 0));
    const key = block.start;
    if (rows !== undefined) {
      return (
        <div class="wide" tabIndex={0} key={key}>
          <table>
            {rows
              .filter((row) => row.isSyntax !== true)
              .map((row) => (
                <tr>
                  {row.cells.map((cell) =>
                    h(
                      row.isHeader === true ? "th" : "td",
                      { dir: "auto" },
                      cell.map((run) => drawRun(run)),
                    ),
                  )}
                </tr>
              ))}
          </table>
        </div>
      );
    }
    if (kind === "heading") return h(`h${Math.min(6, level + 2)}`, { key, dir: "auto" }, inner());
    if (kind === "code" || kind === "markup")
      return (
        <pre key={key} class={kind} tabIndex={0} dir="ltr">
          {inner()}
        </pre>
      );
    if (kind === "rule") return <hr key={key} />;
    const tag = kind === "quote" ? "blockquote" : "p";
    return h(
      tag,
      {
        key,
        dir: "auto",
        class: `${kind === "item" ? `item item-${Math.min(6, level)}` : ""} ${isHard === true ? "hard" : ""}`,
      },
      inner(),
    );
  });
}

/** Draws a run, with a number wherever a passage begins in it. The signs of a run that is shown otherwise stay together. */
function drawBounded(run: Run, bounds: readonly number[], draw: (part: Run) => ComponentChildren): ComponentChildren {
  const own = bounds.flatMap((at, index) => (at >= run.start && at < run.end ? [{ at, n: index + 1 }] : []));
  if (own.length === 0) return draw(run);
  const sign = (n: number): VNode => (
    <span class="bound small" aria-label={t("chunk", { n })} role="img">
      {n}
    </span>
  );
  if (run.shown !== undefined) return [own.map(({ n }) => sign(n)), draw(run)];
  const cut = (from: number, to: number): ComponentChildren =>
    from < to && draw({ ...run, text: run.text.slice(from - run.start, to - run.start), start: from, end: to });
  return [cut(run.start, own[0]!.at), own.map(({ at, n }, index) => [sign(n), cut(at, own[index + 1]?.at ?? run.end)])];
}

/** Signs that are not drawn may hold words, such as the name of a column: they are drawn where the place begins or ends among them. */
function isCutWithin(run: Run, start: number, end: number): boolean {
  const holds = (at: number): boolean => run.start < at && at < run.end;
  const isInside = run.start <= start && end <= run.end;
  return (holds(start) || holds(end) || isInside) && /[\p{L}\p{N}]/u.test(run.text);
}

/** Draws a run; `isBullet`: an item begins with it, and the sign of a list that it holds is shown. */
function drawWords(run: Run, start: number, end: number, isBullet: boolean): ComponentChildren {
  const [from, to] = [Math.max(run.start, start), Math.min(run.end, end)];
  const isMarked = from < to;
  const isSign = run.syntax === true && !(isBullet && /^\s*(?:[-*+•]|\d+[.)])\s*$/u.test(run.text));
  if (isSign && !(isMarked && isCutWithin(run, start, end)))
    return isMarked ? <mark class="syntax">{run.text}</mark> : <span class="syntax">{run.text}</span>;
  const styled = (text: string): ComponentChildren =>
    (run.styles ?? []).reduce<ComponentChildren>(
      (inner, style) =>
        h(
          style === "code"
            ? "code"
            : style === "strong"
              ? "strong"
              : style === "emphasis"
                ? "em"
                : style === "strike"
                  ? "s"
                  : "span",
          { class: style === "link" ? "was-link" : undefined },
          inner,
        ),
      text,
    );
  if (!isMarked) return styled(run.shown ?? run.text);
  if (run.shown !== undefined) return <mark data-text={run.text}>{run.shown}</mark>;
  return [
    from > run.start && styled(run.text.slice(0, from - run.start)),
    <mark>{styled(run.text.slice(from - run.start, to - run.start))}</mark>,
    to < run.end && styled(run.text.slice(to - run.start)),
  ];
}
