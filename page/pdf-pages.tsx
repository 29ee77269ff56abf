import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from "pdfjs-dist";
import { getBegun, keyHeaders } from "./api.ts";
import type { View } from "./evidence.tsx";
import { type Geometry, PageFrame, ZoomBar } from "./frame.tsx";
import { IconButton, Notice, textOf } from "./shared.tsx";
import { t } from "./state.ts";

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): string };
}

/** The one script that the page starts by its address is PDF.js's own, from this service. */
function startWorker(): Worker {
  const address = new URL("page-pdf-worker.js", location.href).href;
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const rules = {
    createScriptURL(asked: string): string {
      if (asked !== address) throw new TypeError("Only the worker of this page is a script.");
      return asked;
    },
  };
  const trusted = trustedTypes?.createPolicy("ibid", rules).createScriptURL(address) ?? address;
  return new Worker(trusted, { type: "module" });
}

/** Starts the worker, whose script takes the longest to load. */
export function warmUp(): void {
  GlobalWorkerOptions.workerPort ??= startWorker();
}

let last: { readonly key: string; readonly opened: Promise<PDFDocumentProxy> } | undefined;

function openPdf({ uri, scope, contentHash }: View): Promise<PDFDocumentProxy> {
  const key = `${uri} ${scope} ${contentHash}`;
  if (last?.key === key) return last.opened;
  void last?.opened.then((pdf) => pdf.loadingTask.destroy()).catch(() => {});
  warmUp();
  const url = new URL(`original?${new URLSearchParams({ uri, scope })}`, location.href).href;
  const opened = getDocument({
    url,
    httpHeaders: keyHeaders(),
    disableAutoFetch: true,
    disableStream: true,
    // A file of up to twice this length comes in one piece.
    rangeChunkSize: 2 ** 19,
    useWasm: false,
    enableXfa: false,
  }).promise;
  last = { key, opened };
  opened.catch(() => (last = undefined));
  return opened;
}

/** The pages of a PDF on which a place stands, with the boxes that the service knows for it. */
export function PdfPages({
  view,
  start,
  end,
  onText,
}: {
  readonly view: View;
  readonly start: number;
  readonly end: number;
  readonly onText: () => void;
}): VNode {
  const geometry = useSignal<Geometry | "unknown" | undefined>(undefined);
  const failed = useSignal<"file" | "page" | undefined>(undefined);
  const pdf = useSignal<PDFDocumentProxy | undefined>(undefined);
  // The page is drawn at once, and gets its marks when they are known.
  const shown = useSignal<readonly number[]>([view.place.page ?? 1]);
  const isTurned = useRef(false);
  const zoom = useSignal(1);
  const attempts = useSignal(0);
  useEffect(() => {
    const controller = new AbortController();
    const { uri, scope } = view;
    openPdf(view).then(
      (opened) => (pdf.value = opened),
      (error: { status?: number }) => (failed.value = error.status === 404 ? "file" : "page"),
    );
    getBegun<Geometry>("geometry", { uri, scope, start, end: Math.max(end, start + 1) }, controller.signal).then(
      (found) => {
        geometry.value = found;
        if (found.pages.length > 0 && end > start && !isTurned.current)
          shown.value = found.pages.map(({ number }) => number);
      },
      (error: Error) => {
        if (error.name === "AbortError") return;
        geometry.value = "unknown";
      },
    );
    return () => controller.abort();
  }, [view, start, end, attempts.value]);
  if (failed.value !== undefined) {
    return (
      <Notice tone="warn">
        <p>{t(failed.value === "file" ? "noOriginal" : "pdfFailed")}</p>
        <div class="row">
          {failed.value === "page" && (
            <button
              type="button"
              class="plain"
              onClick={() => {
                failed.value = undefined;
                attempts.value += 1;
              }}
            >
              {t("retry")}
            </button>
          )}
          <button type="button" class="plain" onClick={onText}>
            {t("textView")}
          </button>
        </div>
      </Notice>
    );
  }
  const known = geometry.value;
  if (pdf.value === undefined) return <p class="faint pulse">{t("loading")}</p>;
  const count = pdf.value.numPages;
  const [first, final] = [shown.value[0]!, shown.value.at(-1)!];
  const turn = (page: number): void => {
    isTurned.current = true;
    shown.value = [page];
  };
  const marked = known === "unknown" || known === undefined ? [] : known.pages;
  return (
    <div class="pdf-pages">
      {(known === "unknown" || (known !== undefined && end > start && marked.length === 0)) && (
        <Notice tone="warn">{t("noGeometry")}</Notice>
      )}
      <ZoomBar zoom={zoom} />
      {known === undefined && end > start && <p class="faint pulse small centre">{t("findingPlace")}</p>}
      {shown.value.map((number, index) => (
        <PdfPage
          quote={index === 0 && end > start ? textOf(view, start, end).trim() : ""}
          zoom={zoom.value}
          key={number}
          pdf={pdf.value!}
          number={number}
          boxes={end > start ? (marked.find((page) => page.number === number) ?? undefined) : undefined}
        />
      ))}
      <nav class="row centre" aria-label={t("pageView")}>
        <IconButton icon="previous" label={t("previous")} disabled={first <= 1} onClick={() => turn(first - 1)} />
        <span class="small">{t("pageOf", { n: first, all: count })}</span>
        <IconButton icon="next" label={t("next")} disabled={final >= count} onClick={() => turn(final + 1)} />
      </nav>
    </div>
  );
}

/** A page as a picture, and for those who hear it as text. */
function PdfPage({
  pdf,
  number,
  boxes,
  zoom,
  quote,
}: {
  /** The marked words, on the first of their pages. */
  readonly quote: string;
  readonly zoom: number;
  readonly pdf: PDFDocumentProxy;
  readonly number: number;
  readonly boxes: Geometry["pages"][number] | undefined;
}): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const ratio = useSignal(boxes === undefined ? 1.3 : boxes.height / boxes.width);
  const drawn = useSignal(0);
  const text = useSignal("");
  const isDrawn = drawn.value > 0;
  useEffect(() => {
    if (!isDrawn) return;
    let isOver = false;
    const read = async (): Promise<void> => {
      const { items } = await (await pdf.getPage(number)).getTextContent();
      if (!isOver)
        text.value = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
    };
    // A page whose text cannot be read is a picture alone; the text view has its words.
    void read().catch(() => {});
    return () => void (isOver = true);
  }, [pdf, number, isDrawn]);
  useEffect(() => {
    let isOver = false;
    let width = 0;
    let task: { cancel(): void; readonly promise: Promise<unknown> } | undefined;
    const draw = async (): Promise<void> => {
      const own = frame.current;
      if (own === null || isOver || Math.abs(own.clientWidth - width) < 2) return;
      width = own.clientWidth;
      const page = await pdf.getPage(number);
      const plain = page.getViewport({ scale: 1 });
      ratio.value = plain.height / plain.width;
      const scale = (width / plain.width) * Math.min(2.5, devicePixelRatio);
      const viewport = page.getViewport({ scale });
      task?.cancel();
      const target = canvas.current;
      if (target === null || isOver) return;
      const buffer = document.createElement("canvas");
      [buffer.width, buffer.height] = [Math.floor(viewport.width), Math.floor(viewport.height)];
      task = page.render({ canvas: buffer, viewport });
      await task.promise;
      if (isOver) return;
      [target.width, target.height] = [buffer.width, buffer.height];
      target.getContext("2d")!.drawImage(buffer, 0, 0);
      drawn.value += 1;
    };
    const attempt = (): void => void draw().catch(() => {});
    attempt();
    const observer = new ResizeObserver(attempt);
    observer.observe(frame.current!);
    return () => {
      isOver = true;
      task?.cancel();
      observer.disconnect();
    };
  }, [pdf, number]);
  return (
    <PageFrame
      frame={frame}
      number={number}
      ratio={ratio.value}
      zoom={zoom}
      isDrawn={isDrawn}
      boxes={boxes}
      quote={quote}
    >
      <canvas ref={canvas} role="img" aria-label={t("pageLabel", { n: number })} />
      <p class="unseen" dir="auto">
        {text.value}
      </p>
    </PageFrame>
  );
}
