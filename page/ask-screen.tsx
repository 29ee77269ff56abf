import { useSignal } from "@preact/signals";
import { type ComponentChildren, lazy, Suspense } from "./lazy.tsx";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import {
  type Answer,
  ask,
  type Citation,
  createKeeping,
  type Hit,
  readThread,
  type Sentence,
  type Turn,
} from "./answer.ts";
import { Failure } from "./api.ts";
import { keepAsked, takeAsked } from "./asked.ts";
import { Empty } from "./empty.tsx";
import { prepareForPdf } from "./evidence.tsx";
import { askLimits, FilterBar, fromKept, LimitsLine, noLimits, toFilters, toKept } from "./filters.tsx";
import { hideCard, Marker, MarkerCard } from "./marker-card.tsx";
import { Ended, Facts, Failed, Icon, cardText, nameOf, Notice, placeText, sentenceOf, titleOf } from "./shared.tsx";
import {
  announced,
  go,
  grounding,
  groundings,
  isPlaceEntry,
  keep,
  language,
  libraryVersion,
  locked,
  openPlace,
  type Place,
  route,
  session,
  showPlace,
  t,
} from "./state.ts";

const Markdown = lazy(async () => (await import("./markdown.tsx")).Markdown);

/** The screen to ask on, and a thread of questions. */
export function AskScreen({ documents }: { readonly documents: number | undefined }): VNode {
  const id = route.value.screen === "t" ? (route.value.query.get("id") ?? undefined) : undefined;
  const turns = useSignal<readonly Turn[]>([]);
  const thread = useSignal<{ readonly id: string | undefined; readonly own: boolean }>({ id: undefined, own: true });
  const keeping = useRef(createKeeping());
  const failure = useSignal<Failure | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  const isShown = useRef(true);
  const isBegun = useRef(false);
  useEffect(
    () => () => {
      isShown.current = false;
      hideCard();
    },
    [],
  );
  // Forward, on a phone, opens the place again that Back has closed.
  useEffect(() => {
    if (openPlace.peek() === undefined) reopenPlace(turns.peek());
  }, [route.value]);
  /** Shows the question that a reload has cut off, which is asked again by a press alone. */
  const showAsked = (): void => {
    const asked = takeAsked(id);
    if (asked === undefined) return;
    const { question, limits } = asked;
    const cut: Turn = {
      question,
      limits,
      state: "failed",
      draft: "",
      hits: [],
      failure: new Failure(t("reloaded"), 0),
    };
    turns.value = [...turns.value, cut];
    askLimits.value = { chosen: fromKept(limits), thread: id };
  };
  useEffect(() => {
    if (id === undefined) showAsked();
  }, []);
  useEffect(() => {
    // The limits of a thread stay with it.
    if (id === undefined && askLimits.peek().thread !== undefined)
      askLimits.value = { chosen: noLimits, thread: undefined };
    if (id === thread.value.id) return;
    running.current?.abort();
    openPlace.value = undefined;
    failure.value = undefined;
    if (isBegun.current) keepAsked(undefined);
    turns.value = [];
    thread.value = { id, own: true };
    keeping.current = createKeeping(id);
    if (id === undefined) return;
    const controller = new AbortController();
    readThread(id, controller.signal).then(
      (read) => {
        turns.value = read.turns;
        thread.value = { id, own: read.thread.own };
        askLimits.value = { chosen: fromKept(read.turns.at(-1)?.limits), thread: id };
        // Another's thread is followed by one of one's own, with all that this reader was shown.
        keeping.current = read.thread.own ? createKeeping(id, read.turns.length) : createKeeping();
        showAsked();
        reopenPlace(read.turns);
      },
      (error: Failure) => {
        if (error.name !== "AbortError") failure.value = error;
      },
    );
    return () => controller.abort();
  }, [id, session.value?.name]);

  const start = async (question: string): Promise<void> => {
    const { chosen } = askLimits.peek();
    const within = { filters: toFilters(chosen), limits: toKept(chosen) };
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    openPlace.value = undefined;
    const before = turns.value.filter(({ answer }) => answer !== undefined);
    keepAsked({ thread: thread.value.id, question, limits: within.limits });
    isBegun.current = true;
    announced.value = t("searching");
    const follow = createFollowing();
    const done = await ask(question, before, within, controller.signal, (turn) => {
      if (running.current !== controller && turn.state !== "stopped") return;
      turns.value = [...before, turn];
      if (before.length > 0) requestAnimationFrame(follow);
    });
    if (done.state !== "failed" && running.current === controller) keepAsked(undefined);
    if (done.state === "done") {
      announced.value = t("answerReady", { n: done.answer!.citations.length });
      prepareForPdf(done.answer!.citations);
      const keptId = await keeping.current([...before, done]).catch(() => undefined);
      if (keptId !== undefined && keptId !== thread.value.id && running.current === controller) {
        thread.value = { id: keptId, own: true };
        askLimits.value = { chosen: askLimits.peek().chosen, thread: keptId };
        // A reader who went on to another screen stays there.
        if (!isShown.current) return;
        const source = openPlace.peek()?.source;
        go(`t?id=${keptId}${source === undefined ? "" : `#source=${source}`}`, { replace: turns.value.length > 1 });
      }
    } else
      announced.value =
        done.state === "stopped" ? t("stopped") : (sentenceOf(done.failure?.code) ?? done.failure?.message ?? "");
  };
  // A question that came without a valid key is asked again with one.
  useEffect(() => {
    const last = turns.peek().at(-1);
    if (locked.value === undefined && last?.failure?.status === 401) void start(last.question);
  }, [locked.value]);
  const isBusy = turns.value.some(({ state }) => state === "searching" || state === "writing");
  if (documents === 0 && turns.value.length === 0 && id === undefined) return <Empty />;
  return (
    <div class="column">
      {failure.value !== undefined && (
        <Failed
          failure={
            failure.value.status === 404
              ? new Failure(`${t("notReadable")} ${t("notReadableHint")}`, 404)
              : failure.value
          }
        />
      )}
      {!thread.value.own && <Notice>{t("shared")}</Notice>}
      {turns.value.length === 0 && failure.value === undefined && id === undefined && (
        <div class="welcome">
          <h1>{t("askPlaceholder")}</h1>
          {documents !== undefined && <p class="faint">{t("documents", { n: documents })}</p>}
        </div>
      )}
      {turns.value.map((turn, index) => (
        <TurnView key={index} turn={turn} onRetry={() => void start(turn.question)} />
      ))}
      <MarkerCard />
      <div class="dock">
        <FilterBar
          chosen={askLimits.value.chosen}
          onChange={(chosen) => (askLimits.value = { ...askLimits.value, chosen })}
        />
        <QuestionForm
          isFollowUp={turns.value.length > 0}
          isBusy={isBusy}
          onAsk={(question) => void start(question)}
          onStop={() => running.current?.abort()}
          key={libraryVersion.value === -1 ? "" : (id ?? "new")}
        />
      </div>
    </div>
  );
}

/** Keeps a follow-up at the top while its answer grows, until the reader scrolls. */
function createFollowing(): () => void {
  let left: number | undefined;
  return () => {
    if (left !== undefined && Math.abs(scrollY - left) > 2) return;
    document.querySelector(".turn:last-of-type")?.scrollIntoView({ block: "start" });
    left = scrollY;
  };
}

/** The place that was open when the thread was left, which the address names. */
function reopenPlace(turns: readonly Turn[]): void {
  const marker = route.value.hash.get("source");
  const [turn, number] = (marker ?? "").split(".").map(Number);
  const places = turns[turn ?? -1]?.answer?.citations ?? [];
  const index = places.findIndex((place) => place.marker === `[${number}]`);
  if (index >= 0)
    openPlace.value = { places, index, source: marker!, ...(isPlaceEntry() && { isEntry: true as const }) };
}

function QuestionForm({
  isFollowUp,
  isBusy,
  onAsk,
  onStop,
}: {
  readonly isFollowUp: boolean;
  readonly isBusy: boolean;
  readonly onAsk: (question: string) => void;
  readonly onStop: () => void;
}): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const submit = (): void => {
    const text = field.current!.value.trim();
    if (text === "" || isBusy) return;
    field.current!.value = "";
    grow();
    onAsk(text);
  };
  const grow = (): void => {
    const own = field.current!;
    own.style.height = "auto";
    own.style.height = `${own.scrollHeight + 2}px`;
  };
  const label = t(isFollowUp ? "followUpPlaceholder" : "askPlaceholder");
  return (
    <form
      class="question-form"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={field}
        id="question"
        rows={1}
        dir="auto"
        aria-label={label}
        placeholder={label}
        autoFocus={!isFollowUp}
        onInput={grow}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      <select
        class="plain small"
        aria-label={t("grounding")}
        title={t("grounding")}
        value={grounding.value}
        onChange={(event) => {
          grounding.value = event.currentTarget.value as keyof typeof groundings;
          keep("grounding", grounding.value);
        }}
      >
        {Object.entries(groundings).map(([name, message]) => (
          <option value={name}>{t(message)}</option>
        ))}
      </select>
      {isBusy ? (
        <button type="button" class="plain" onClick={onStop}>
          {t("stop")}
        </button>
      ) : (
        <button>{t("ask")}</button>
      )}
    </form>
  );
}

function TurnView({ turn, onRetry }: { readonly turn: Turn; readonly onRetry: () => void }): VNode {
  const { question, state, draft, hits, answer, failure, limits } = turn;
  return (
    <article class="turn" data-state={state}>
      <h2 class="asked" dir="auto">
        {question}
      </h2>
      {limits !== undefined && <LimitsLine limits={limits} />}
      {state === "searching" && (
        <p class="faint pulse">{hits.length === 0 ? t("searching") : t("considered", { n: hits.length })}</p>
      )}
      {answer === undefined && draft !== "" && (
        <div class="answer" dir="auto">
          <Suspense hasWords fallback={<p class="hard">{draft}</p>}>
            <Markdown
              text={draft}
              drawText={state === "writing" ? drawDraft : (value) => value.replaceAll(/ ?\[\d+\]/gu, "")}
            />
          </Suspense>
        </div>
      )}
      {state === "writing" && <p class="faint pulse small">{t("writing")}</p>}
      {state === "stopped" && <Notice>{t("stopped")}</Notice>}
      {failure !== undefined && <Failed failure={failure} onRetry={onRetry} />}
      {answer !== undefined && <AnswerView answer={answer} hits={hits} />}
    </article>
  );
}

const refusals = {
  "no-question": "refusedNoQuestion",
  "no-evidence": "refusedNoEvidence",
  "nothing-supported": "refusedNothingSupported",
  "model-declined": "refusedModelDeclined",
} as const;
const stops = { length: "incompleteLength", "content-filter": "incompleteFilter", error: "incompleteError" } as const;

function AnswerView({ answer, hits }: { readonly answer: Answer; readonly hits: readonly Hit[] }): VNode {
  const { kind, citations, nearest = [], refusal, relevance, incomplete, model, ms, usage } = answer;
  const onlySupported = useSignal(false);
  const hasDoubt = answer.sentences.some(isDoubtful);
  const pathOf = new Map(hits.map(({ documentId, source }) => [documentId, nameOf(source)]));
  const open = (places: readonly Place[], index: number): void => openAt(places, index);
  return (
    <>
      {kind === "refused" ? (
        <div class="notice notice-plain refusal">
          <Icon name="warn" />
          <div>
            <p>{t(refusals[refusal as keyof typeof refusals] ?? "refusedNoEvidence")}</p>
            {refusal !== "no-question" && <p class="faint small">{t("refusedHint")}</p>}
          </div>
        </div>
      ) : (
        <>
          <p class="label">{kind === "quotes" ? t("quotedLabel") : t("writtenLabel", { model: model ?? "" })}</p>
          {relevance !== undefined && relevance.value < relevance.threshold && (
            <Notice tone="warn">{t("mayNotAnswer")}</Notice>
          )}
          <div class={`answer answer-${kind} ${onlySupported.value ? "only-supported" : ""}`} dir="auto">
            <Suspense hasWords fallback={<p class="hard">{answer.text}</p>}>
              <Markdown text={answer.text} drawText={drawSentences(answer, (index) => open(citations, index))} />
            </Suspense>
          </div>
          {incomplete !== undefined && (
            <Notice tone="warn">{t(stops[incomplete as keyof typeof stops] ?? "incompleteError")}</Notice>
          )}
        </>
      )}
      {hasDoubt && (
        <label class="check small">
          <input
            type="checkbox"
            checked={onlySupported.value}
            onChange={() => (onlySupported.value = !onlySupported.value)}
          />{" "}
          {t("onlySupported")}
        </label>
      )}
      {(answer.withheld ?? []).length > 0 && (
        <p class="faint small">{t("withheldSentences", { n: answer.withheld!.length })}</p>
      )}
      {citations.length > 0 && (
        <section class="sources" aria-label={t("sources")}>
          <h3>{t("sources")}</h3>
          <ol>
            {citations.map((citation, index) => (
              <li>
                <SourceCard
                  isBrief={kind === "quotes"}
                  citation={citation}
                  name={pathOf.get(citation.documentId ?? "")}
                  onOpen={() => open(citations, index)}
                />
              </li>
            ))}
          </ol>
        </section>
      )}
      {nearest.length > 0 && (
        <section class="sources nearest" aria-label={t("nearest")}>
          <h3>{t("nearest")}</h3>
          <ol>
            {nearest.slice(0, 3).map((quotation, index) => (
              <li>
                <SourceCard
                  citation={{ ...quotation, marker: "" }}
                  name={pathOf.get(quotation.documentId ?? "")}
                  onOpen={() => open(nearest, index)}
                />
              </li>
            ))}
          </ol>
        </section>
      )}
      <WhyThese hits={hits} />
      {(ms !== undefined || usage !== undefined) && (
        <p class="faint small meta">
          {[ms !== undefined && t("tookMs", { ms: Math.round(ms) }), ...costOf(usage)].filter(Boolean).join(" · ")}
        </p>
      )}
    </>
  );
}

/** Tokens of an answer, and its price where the service knows one. */
export function costOf(usage: Answer["usage"] = {}): readonly string[] {
  const { inputTokens, outputTokens, cost } = usage;
  const tokens = (inputTokens ?? 0) + (outputTokens ?? 0);
  return [
    ...(tokens > 0 ? [t("tokens", { n: tokens })] : []),
    ...(cost === undefined
      ? []
      : [t("cost", { sum: cost.toLocaleString(language.value, { maximumSignificantDigits: 2 }) })]),
  ];
}

const legs = { lexical: "legWords", dense: "legMeaning", latent: "legMeaning" } as const;

/** The place of each source in the lists by words and by meaning, and the words that it shares with the question. */
function WhyThese({ hits }: { readonly hits: readonly Hit[] }): VNode | null {
  const reasons = hits.flatMap((hit) => {
    const explain = hit.explain ?? hit.parts?.[0]?.explain;
    return explain === undefined ? [] : [{ hit, explain }];
  });
  if (reasons.length === 0) return null;
  return (
    <details class="why small">
      <summary>{t("whyThese")}</summary>
      <ol>
        {reasons.map(({ hit: { chunkId, source }, explain }) => (
          <li key={chunkId}>
            <bdi>{titleOf(source)}</bdi>{" "}
            <Facts
              of={[
                placeText(source),
                ...Object.entries(legs).map(([leg, message]) => {
                  const rank = explain.legs[leg]?.rank;
                  return rank === undefined ? undefined : t(message, { n: rank });
                }),
                explain.terms.map(({ term }) => term).join(", "),
              ]}
            />
          </li>
        ))}
      </ol>
    </details>
  );
}

function openAt(places: readonly Place[], index: number): void {
  const marker = places[index]?.marker?.replaceAll(/[[\]]/gu, "") ?? "";
  const turn = [...document.querySelectorAll(".turn")].findIndex((each) => each.contains(document.activeElement));
  const source = marker === "" ? undefined : `${Math.max(0, turn)}.${marker}`;
  const address =
    source !== undefined && route.value.screen === "t" ? `t${location.search}#source=${source}` : undefined;
  showPlace({ places, index, ...(source !== undefined && { source }) }, address);
}

function SourceCard({
  citation,
  name,
  isBrief = false,
  onOpen,
}: {
  /** Whether the quote stands in the answer already. */
  readonly isBrief?: boolean;
  readonly citation: Citation;
  readonly name: string | undefined;
  readonly onOpen: () => void;
}): VNode {
  const where = placeText(citation);
  const shown = name ?? nameOf(citation);
  return (
    <button type="button" class="source" onClick={onOpen} data-marker={citation.marker}>
      <span class="source-title" dir="auto">
        {citation.marker !== "" && <span class="number">{citation.marker.replaceAll(/[[\]]/gu, "")}</span>}
        {citation.title}
      </span>
      <Facts of={[shown === citation.title ? "" : shown, where]} />
      {!isBrief && citation.header !== undefined && (
        <span class="quote" dir="auto">
          <strong>{citation.header.quote}</strong>
        </span>
      )}
      {!isBrief && (
        <span class="quote" dir="auto">
          {cardText(citation.uri, citation.quote)}
        </span>
      )}
      {citation.changed === true && (
        <span class="small warn-text">{t(citation.gone === true ? "gone" : "changed")}</span>
      )}
      <Ended replaced={citation.replaced} isPlain />
    </button>
  );
}

const doubts = { partly: "verdictPartly", unsupported: "verdictUnsupported", uncited: "verdictUncited" } as const;
const isDoubtful = ({ verdict }: Sentence): boolean =>
  verdict === "unsupported" || verdict === "partly" || verdict === "uncited";

/** A text whose markers are drawn by `drawMarker`. A marker keeps to the word before it, and the full stop behind it. */
function drawMarkers(value: string, drawMarker: (marker: string) => ComponentChildren): ComponentChildren {
  return value.split(/((?:[^\s[\]]{1,24} ?)?(?:\[\d+\])+[.,;:!?…]?)/u).map((part, index) => {
    if (index % 2 === 0) return part;
    return (
      <span class="marked">{part.split(/(\[\d+\])/u).map((each, at) => (at % 2 === 0 ? each : drawMarker(each)))}</span>
    );
  });
}

/** Text that is being written: its citations come with the whole answer, and until then its markers open nothing. */
const drawDraft = (value: string): ComponentChildren =>
  drawMarkers(value, (marker) => <span class="number">{marker.slice(1, -1)}</span>);

/** Plain text of an answer with its markers as buttons, and its doubtful sentences named as such. */
function drawSentences(
  { text, sentences, citations }: Answer,
  open: (index: number) => void,
): (value: string, offset: number | undefined) => ComponentChildren {
  const withMarkers = (value: string): ComponentChildren =>
    drawMarkers(value, (part) => {
      const index = citations.findIndex(({ marker }) => marker === part);
      if (index === -1) return part;
      return <Marker citation={citations[index]!} onOpen={() => open(index)} />;
    });
  // The last sign of a sentence may be one of Markdown, which is not drawn: the bar behind a table's last cell.
  const isDrawn = (to: number, { end }: Sentence): boolean => !/[\p{L}\p{N}]/u.test(text.slice(to, end));
  return (value, offset) => {
    if (offset === undefined) return withMarkers(value);
    const end = offset + value.length;
    const cuts = [
      offset,
      ...sentences.flatMap((sentence) => [sentence.start, sentence.end]).filter((at) => at > offset && at < end),
      end,
    ];
    return [...new Set(cuts)]
      .toSorted((a, b) => a - b)
      .slice(0, -1)
      .map((from, index, all) => {
        const to = all[index + 1] ?? end;
        const part = withMarkers(value.slice(from - offset, to - offset));
        const sentence = sentences.find((each) => each.start <= from && each.end > from);
        if (sentence?.withheld === true) return <span class="faint withheld">{part}</span>;
        if (sentence === undefined || !isDoubtful(sentence)) return part;
        return (
          <span class={`doubt doubt-${sentence.verdict}`} data-verdict={sentence.verdict}>
            {part}
            {isDrawn(to, sentence) && (
              <small class="verdict" dir="auto">
                {t(doubts[sentence.verdict as keyof typeof doubts])}
              </small>
            )}
          </span>
        );
      });
  };
}
