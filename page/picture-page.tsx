import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { call, get } from "./api.ts";
import type { View } from "./evidence.tsx";
import { type Geometry, PageFrame, ZoomBar } from "./frame.tsx";
import { Notice } from "./shared.tsx";
import { t } from "./state.ts";

/** A picture, with the boxes of the words that were recognised in it. */
export function PicturePage({
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
  const address = useSignal<string | undefined>(undefined);
  const failed = useSignal<"noOriginal" | "pdfFailed" | undefined>(undefined);
  const ratio = useSignal(1.3);
  const isDrawn = useSignal(false);
  const zoom = useSignal(1);
  const frame = useRef<HTMLDivElement>(null);
  const { uri, scope, mediaType, contentHash } = view;
  useEffect(() => {
    const controller = new AbortController();
    let made: string | undefined;
    call(`original?${new URLSearchParams({ uri, scope })}`, { signal: controller.signal })
      .then(async (response) => {
        const blob = new Blob([await response.arrayBuffer()], { type: mediaType });
        if (!controller.signal.aborted) address.value = made = URL.createObjectURL(blob);
      })
      .catch((error: Error & { status?: number }) => {
        if (error.name !== "AbortError") failed.value = error.status === 404 ? "noOriginal" : "pdfFailed";
      });
    return () => {
      controller.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [uri, scope, contentHash]);
  useEffect(() => {
    const controller = new AbortController();
    get<Geometry>("geometry", { uri, scope, start, end: Math.max(end, start + 1) }, controller.signal).then(
      (found) => (geometry.value = found),
      (error: Error) => {
        if (error.name !== "AbortError") geometry.value = "unknown";
      },
    );
    return () => controller.abort();
  }, [view, start, end]);
  if (failed.value !== undefined) {
    return (
      <Notice tone="warn">
        <p>{t(failed.value)}</p>
        <button type="button" class="plain" onClick={onText}>
          {t("textView")}
        </button>
      </Notice>
    );
  }
  const known = geometry.value;
  if (address.value === undefined || known === undefined) return <p class="faint pulse">{t("loading")}</p>;
  const boxes = known === "unknown" || end <= start ? undefined : known.pages[0];
  return (
    <div class="pdf-pages">
      {end > start && boxes === undefined && <Notice tone="warn">{t("noGeometry")}</Notice>}
      <ZoomBar zoom={zoom} />
      <PageFrame frame={frame} number={1} ratio={ratio.value} zoom={zoom.value} isDrawn={isDrawn.value} boxes={boxes}>
        <img
          // Words were recognised in the pixels as they are stored.
          class={known === "unknown" ? undefined : "as-stored"}
          src={address.value}
          alt={view.title}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
            ratio.value = naturalHeight / naturalWidth;
            isDrawn.value = true;
          }}
          onError={() => (failed.value = "pdfFailed")}
        />
      </PageFrame>
    </div>
  );
}
