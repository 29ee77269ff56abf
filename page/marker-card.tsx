import { signal } from "@preact/signals";
import type { VNode } from "preact";
import type { Citation } from "./answer.ts";
import { cardText, nameOf, placeText } from "./shared.tsx";
import { t } from "./state.ts";

/** The passage of the marker that the pointer is on or that has the focus, and where its card stands. */
const shown = signal<
  { readonly citation: Citation; readonly left: number; readonly top: number; readonly isAbove: boolean } | undefined
>(undefined);
const cardId = "marker-card";
/** A pointer that goes from a marker to its card leaves both for a moment. **Units** milliseconds. */
const graceMs = 200;
let leaving: ReturnType<typeof setTimeout> | undefined;

export const hideCard = (): void => {
  clearTimeout(leaving);
  shown.value = undefined;
};
function leave(): void {
  clearTimeout(leaving);
  leaving = setTimeout(hideCard, graceMs);
}

function show(marker: HTMLElement, citation: Citation): void {
  clearTimeout(leaving);
  const { left, top, bottom } = marker.getBoundingClientRect();
  const width = Math.min(352, innerWidth - 16);
  const isAbove = bottom > innerHeight * 0.6;
  shown.value = {
    citation,
    left: Math.max(8, Math.min(left - 24, innerWidth - width - 8)),
    top: isAbove ? top : bottom,
    isAbove,
  };
}

/** A marker of an answer. Pointer or focus shows the passage before anyone opens it. **Source** WCAG 2.2, 1.4.13. */
export function Marker({ citation, onOpen }: { readonly citation: Citation; readonly onOpen: () => void }): VNode {
  const number = citation.marker.replaceAll(/[[\]]/gu, "");
  return (
    <button
      type="button"
      class="marker"
      aria-label={t("source", { n: Number(number) })}
      aria-describedby={shown.value?.citation === citation ? cardId : undefined}
      onPointerEnter={(event) => event.pointerType === "mouse" && show(event.currentTarget, citation)}
      onPointerLeave={leave}
      onFocus={(event) => event.currentTarget.matches(":focus-visible") && show(event.currentTarget, citation)}
      onBlur={hideCard}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || shown.value === undefined) return;
        event.stopPropagation();
        hideCard();
      }}
      onClick={() => {
        hideCard();
        onOpen();
      }}
    >
      {number}
    </button>
  );
}

/** The card of the marker that is looked at. It stands apart from the answer, whose text stays as it is. */
export function MarkerCard(): VNode | null {
  if (shown.value === undefined) return null;
  const { citation, left, top, isAbove } = shown.value;
  return (
    <div
      id={cardId}
      role="tooltip"
      class={`marker-card ${isAbove ? "marker-card-above" : ""}`}
      style={{ left: `${left}px`, top: `${top}px` }}
      onPointerEnter={() => clearTimeout(leaving)}
      onPointerLeave={leave}
    >
      <strong dir="auto">{citation.title}</strong>
      <span class="small faint" dir="auto">
        {placeText(citation) || nameOf(citation)}
      </span>
      <span class="quote" dir="auto">
        {cardText(citation.uri, citation.quote)}
      </span>
    </div>
  );
}
