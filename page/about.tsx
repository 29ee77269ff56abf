import type { Signal } from "@preact/signals";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { type Failure, get } from "./api.ts";
import { Facts, Failed, placeText, useLoaded } from "./shared.tsx";
import { bytesText, documentAddress, libraryVersion, link, momentText, type Place, session, t } from "./state.ts";

interface ChunkSpan extends Place {
  readonly id: string;
  readonly index: number;
  readonly embeddedBy?: string;
}

interface ChunkPage {
  readonly total: number;
  readonly chunks: readonly ChunkSpan[];
  readonly next?: number;
}

interface Described {
  readonly title: string;
  readonly scope: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly ingestedAt: string;
  readonly length: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface Address {
  readonly uri: string;
  readonly scope: string | undefined;
}

/** What is known of a document, folded away until somebody asks: its metadata, and its passages with their bounds. */
export function AboutDocument({ uri, scope, bounds }: Address & { readonly bounds: Signal<readonly number[]> }): VNode {
  const wants = useSignal({ metadata: false, chunks: false });
  return (
    <>
      <details class="versions" onToggle={() => (wants.value = { ...wants.value, metadata: true })}>
        <summary class="small">{t("metadata")}</summary>
        {wants.value.metadata && <Metadata uri={uri} scope={scope} />}
      </details>
      <details class="versions chunks" onToggle={() => (wants.value = { ...wants.value, chunks: true })}>
        <summary class="small">{t("chunks")}</summary>
        {wants.value.chunks && <Chunks uri={uri} scope={scope} bounds={bounds} />}
      </details>
    </>
  );
}

const toText = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.map(toText).join(", ") : JSON.stringify(value);

function Metadata({ uri, scope }: Address): VNode {
  const { value, failure, again } = useLoaded(
    `${session.value?.name} ${uri} ${scope} ${libraryVersion.value}`,
    (stop) => get<Described>("document", { uri, scope, start: 0, end: 0 }, stop),
  );
  if (failure.value !== undefined) return <Failed failure={failure.value} onRetry={again} />;
  if (value.value === undefined) return <p class="faint small pulse">{t("loading")}</p>;
  const { scope: own, mediaType, bytes, ingestedAt, metadata } = value.value;
  const fact = (name: string, words: string): VNode => (
    <div class="fact" key={name}>
      <dt class="small faint" dir="auto">
        {name}
      </dt>
      <dd class="small" dir="auto">
        {words}
      </dd>
    </div>
  );
  return (
    <dl class="facts">
      {fact(t("type"), mediaType)}
      {fact(t("size"), bytesText(bytes))}
      {fact(t("scope"), own)}
      {fact(t("readAt"), momentText(ingestedAt))}
      {Object.entries(metadata).map(([name, each]) => fact(name, toText(each)))}
    </dl>
  );
}

function Chunks({ uri, scope, bounds }: Address & { readonly bounds: Signal<readonly number[]> }): VNode {
  const loaded = useSignal<readonly ChunkSpan[]>([]);
  const failure = useSignal<Failure | undefined>(undefined);
  const load = (after: number, stop?: AbortSignal): Promise<ChunkPage> => get("chunks", { uri, scope, after }, stop);
  const first = useLoaded(`${session.value?.name} ${uri} ${scope} ${libraryVersion.value}`, (stop) => load(0, stop));
  if (first.failure.value !== undefined) return <Failed failure={first.failure.value} onRetry={first.again} />;
  if (first.value.value === undefined) return <p class="faint small pulse">{t("loading")}</p>;
  const { total, chunks } = first.value.value;
  const all = [...chunks, ...loaded.value];
  const isDrawn = bounds.value.length > 0;
  const draw = (shown: readonly ChunkSpan[]): void => void (bounds.value = shown.map(({ start }) => start));
  const more = async (): Promise<void> => {
    try {
      const next = await load(all.length);
      loaded.value = [...loaded.value, ...next.chunks];
      if (isDrawn) draw([...all, ...next.chunks]);
    } catch (error) {
      failure.value = error as Failure;
    }
  };
  return (
    <>
      <label class="check small">
        <input type="checkbox" checked={isDrawn} onChange={() => draw(isDrawn ? [] : all)} /> {t("drawBounds")}
      </label>
      <ol class="uploads">
        {all.map((each) => (
          <li class="upload" key={each.id}>
            <a class="upload-words" {...link(documentAddress({ uri, scope, start: each.start, end: each.end }))}>
              <span>{t("chunk", { n: each.index + 1 })}</span>
              <Facts
                of={[
                  placeText(each),
                  t("signs", { n: each.end - each.start }),
                  each.embeddedBy === undefined ? t("notEmbedded") : t("embeddedBy", { model: each.embeddedBy }),
                ]}
              />
            </a>
          </li>
        ))}
      </ol>
      {failure.value !== undefined && <Failed failure={failure.value} />}
      {all.length < total && (
        <button type="button" class="plain more" onClick={() => void more()}>
          {t("more")}
        </button>
      )}
    </>
  );
}
