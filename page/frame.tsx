import type { Signal } from "@preact/signals";
import type { ComponentChildren, RefObject, VNode } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { IconButton } from "./shared.tsx";
import { t } from "./state.ts";

/** The pages on which a place stands, as `GET /geometry` gives them. */
export interface Geometry {
  readonly pageCount: number;
  readonly sizes: readonly { readonly width: number; readonly height: number }[];
  readonly pages: readonly {
    readonly number: number;
    readonly width: number;
    readonly height: number;
    readonly boxes: readonly {
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    }[];
  }[];
}

/** A role that the types of elements do not know. **Source** WAI-ARIA 1.3, `mark`. */
const asMark = { role: "mark" } as object;

/** A page as it is drawn, with the boxes of the place over it. The first of them comes into sight. */
export function PageFrame({
  frame,
  number,
  ratio,
  zoom,
  isDrawn,
  boxes,
  quote = "",
  children,
}: {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly number: number;
  /** Height over width. */
  readonly ratio: number;
  readonly zoom: number;
  readonly isDrawn: boolean;
  readonly boxes: Geometry["pages"][number] | undefined;
  /** Words of the place, for those who cannot see the first mark. */
  readonly quote?: string;
  readonly children: ComponentChildren;
}): VNode {
  useLayoutEffect(() => {
    frame.current?.querySelector(".pdf-mark")?.scrollIntoView({ block: "center" });
  }, [isDrawn, boxes, ratio]);
  useLayoutEffect(() => {
    frame.current?.querySelector(".pdf-mark")?.scrollIntoView({ block: "center", inline: "center" });
  }, [zoom]);
  const percent = (part: number, whole: number): string => `${(100 * part) / whole}%`;
  return (
    <div class="pdf-frame" tabIndex={zoom > 1 ? 0 : -1}>
      <div
        class="pdf-page"
        ref={frame}
        data-page={number}
        data-drawn={isDrawn}
        style={{ aspectRatio: `1 / ${ratio}`, width: `${zoom * 100}%` }}
      >
        {children}
        {boxes?.boxes.map(({ x, y, width, height }, index) => (
          <span
            {...asMark}
            class="pdf-mark"
            style={{
              left: percent(x, boxes.width),
              top: percent(y, boxes.height),
              width: percent(width, boxes.width),
              height: percent(height, boxes.height),
            }}
          >
            {index === 0 && quote !== "" && <span class="unseen">{quote}</span>}
          </span>
        ))}
      </div>
    </div>
  );
}

export function ZoomBar({ zoom }: { readonly zoom: Signal<number> }): VNode {
  const resize = (factor: number): void => void (zoom.value = Math.min(4, Math.max(1, zoom.value * factor)));
  return (
    <div class="row centre pdf-zoom">
      <IconButton icon="smaller" label={t("zoomOut")} disabled={zoom.value <= 1} onClick={() => resize(1 / 1.5)} />
      <button type="button" class="plain small" onClick={() => (zoom.value = 1)}>
        {t("fitWidth")}
      </button>
      <IconButton icon="larger" label={t("zoomIn")} disabled={zoom.value >= 4} onClick={() => resize(1.5)} />
    </div>
  );
}
