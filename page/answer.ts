import { events, Failure, get, send } from "./api.ts";
import type { Replaced } from "../src/contracts/retriever.ts";
import { grounding, type Place, session, t } from "./state.ts";

/** A sentence of an answer, as the service judges it. */
export interface Sentence {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly claims?: boolean;
  readonly verdict?: "supported" | "partly" | "unsupported" | "uncited" | undefined;
  readonly withheld?: boolean | undefined;
}

export interface Citation extends Place {
  readonly marker: string;
  readonly quote: string;
  /** The names of the columns, where the quote begins in the body of a table. */
  readonly header?: { readonly quote: string };
  readonly title: string;
  readonly rootLabel?: string;
  readonly path?: string;
  readonly chunkId?: string;
}

/** Places of a hit in the lists that were joined, and the words by which it was found. */
export interface Explanation {
  readonly legs: Readonly<Partial<Record<string, { readonly rank: number }>>>;
  readonly terms: readonly { readonly term: string }[];
}

export interface Hit {
  readonly chunkId: string;
  readonly documentId: string;
  readonly scope: string;
  readonly snippet: string;
  readonly text: string;
  readonly score: number;
  readonly replaced?: Replaced;
  readonly explain?: Explanation;
  readonly parts?: readonly { readonly explain?: Explanation }[];
  readonly source: Place & { readonly title: string; readonly path?: string; readonly rootLabel?: string };
}

/** An answer as it is shown, fresh from the service or read from a thread. */
export interface Answer {
  readonly kind: "quotes" | "written" | "refused";
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly sentences: readonly Sentence[];
  readonly nearest?: readonly (Omit<Citation, "marker"> & { readonly marker?: string })[];
  readonly withheld?: readonly { readonly text: string; readonly verdict?: string }[];
  readonly refusal?: string;
  readonly incomplete?: string;
  readonly relevance?: { readonly value: number; readonly threshold: number };
  readonly model?: string | null;
  readonly ms?: number;
  readonly usage?: Usage;
  /** The documents that the model was given. */
  readonly sources?: readonly Source[];
}

/** Tokens of all calls of models. **Units** of the cost: the currency of the prices that the service was given. */
interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cost?: number;
}

interface Source {
  readonly uri: string;
  readonly scope?: string | undefined;
  readonly documentId: string;
}

/** A question with its answer so far. */
export interface Turn {
  readonly question: string;
  readonly state: "searching" | "writing" | "done" | "stopped" | "failed";
  readonly draft: string;
  readonly hits: readonly Hit[];
  readonly answer?: Answer;
  readonly failure?: Failure;
  readonly requestId?: string | undefined;
  readonly limits?: KeptLimits | undefined;
}

interface StoredTurn {
  readonly question: string;
  readonly limits?: KeptLimits;
  readonly kind: Answer["kind"];
  readonly refusal?: string;
  readonly model?: string | null;
  readonly ms?: number;
  readonly sources?: readonly Source[];
  readonly sentences: readonly {
    readonly text?: string;
    readonly gap?: string;
    readonly verdict?: Sentence["verdict"];
    readonly withheld?: true;
    readonly places: readonly (Place & {
      readonly marker: string;
      readonly quote?: string;
      readonly title?: string;
      readonly rootLabel?: string;
      readonly path?: string;
      readonly changed?: true;
      readonly gone?: true;
    })[];
  }[];
}

export interface Thread {
  readonly id: string;
  readonly title: string;
  readonly own: boolean;
  readonly turns: readonly StoredTurn[];
}

export interface Filters {
  readonly scopes?: readonly string[] | undefined;
  readonly filter?: object;
  readonly under?: string;
  readonly uris?: readonly string[];
}

/** Limits of a question, as a thread keeps them. */
export interface KeptLimits {
  readonly scope?: string;
  readonly under?: string;
  readonly kind?: string;
  readonly since?: string;
  readonly documents?: readonly Source[];
}

/** Asks, and tells each state of the answer. The text that came stays, whatever happens next. */
export async function ask(
  question: string,
  before: readonly Turn[],
  { filters, limits }: { readonly filters: Filters; readonly limits: KeptLimits | undefined },
  signal: AbortSignal,
  tell: (turn: Turn) => void,
): Promise<Turn> {
  let turn: Turn = { question, state: "searching", draft: "", hits: [], limits };
  const update = (more: Partial<Turn>): void => tell((turn = { ...turn, ...more }));
  update({});
  const history = before.flatMap(({ question: asked, answer }) =>
    answer === undefined || answer.kind === "refused"
      ? []
      : [
          { role: "user", content: asked },
          { role: "assistant", content: answer.text },
        ],
  );
  try {
    const body = {
      question,
      merge: true,
      explain: true,
      grounding: grounding.peek(),
      ...(history.length > 0 && { history: history.slice(-8) }),
      ...filters,
    };
    for await (const { type, data, requestId } of events("ask", body, signal)) {
      if (type === "hits") update({ hits: (data as { hits: readonly Hit[] }).hits, requestId });
      else if (type === "text") update({ state: "writing", draft: turn.draft + (data as { delta: string }).delta });
      else if (type === "answer") {
        const { answer } = data as { answer: Answer & { readonly hits: readonly Hit[] } };
        const scopes = new Map(answer.hits.map((hit) => [hit.documentId, hit.scope]));
        const placed = <Quoted extends Place>(each: Quoted): Quoted => ({
          ...each,
          scope: scopes.get(each.documentId ?? ""),
        });
        update({
          state: "done",
          hits: answer.hits,
          answer: {
            ...answer,
            citations: answer.citations.map(placed),
            nearest: answer.nearest?.map(placed) ?? [],
            sources: [
              ...new Map(
                answer.hits.map(({ documentId, scope, source: { uri } }) => [documentId, { uri, scope, documentId }]),
              ).values(),
            ],
          },
        });
      } else if (type === "error") {
        const told = data as { code?: string; message: string; hint?: string; requestId?: string };
        const { code, message, hint, requestId: id } = told;
        throw new Failure([message, hint].filter(Boolean).join(" "), 500, id ?? requestId, "en", code);
      }
    }
    if (turn.answer === undefined) throw new Failure(t("brokenStream"), 0, turn.requestId);
  } catch (error) {
    if (signal.aborted || (error as Error).name === "AbortError") update({ state: "stopped" });
    else
      update({
        state: "failed",
        failure: error instanceof Failure ? error : new Failure(String(error), 0, turn.requestId),
      });
  }
  return turn;
}

/**
 * Keeps a thread: the function that it returns takes all turns, and sends those that the service lacks, one call after another.
 *
 * Turns that are kept stay as the service holds them, since a page is not shown all of them. A thread that is full or gone is followed by a new one.
 * **Shape** the id of the thread; `undefined` where none is kept.
 */
export function createKeeping(id?: string, kept = 0): (turns: readonly Turn[]) => Promise<string | undefined> {
  let [own, count] = [id, kept];
  let last: Promise<unknown> = Promise.resolve();
  const keep = async (turns: readonly Turn[]): Promise<string | undefined> => {
    const added = turns
      .slice(count)
      .flatMap(({ question, answer, limits }) => (answer === undefined ? [] : [toStored(question, answer, limits)]));
    if (session.value?.threads !== true || added.length === 0) return own;
    own = await addTurns(own, added);
    count = turns.length;
    return own;
  };
  return (turns) => {
    const done = last.then(() => keep(turns));
    last = done.catch(() => {});
    return done;
  };
}

async function addTurns(id: string | undefined, added: readonly StoredTurn[]): Promise<string> {
  if (id !== undefined)
    try {
      return (await send<{ id: string }>(`thread?id=${id}`, { added }, { method: "PUT" })).id;
    } catch (error) {
      if (!(error instanceof Failure) || !followedByNew.has(error.status)) throw error;
    }
  return (await send<{ id: string }>("threads", { title: added[0]!.question.slice(0, 300), turns: added })).id;
}

/** Answers of the service that a thread is gone, or full. */
const followedByNew: ReadonlySet<number> = new Set([404, 413]);

/** Facts of a citation by which its place is found again; its words are read from there. */
const storedFields = [
  "marker",
  "uri",
  "scope",
  "documentId",
  "contentHash",
  "start",
  "end",
  "page",
  "lastPage",
  "line",
  "slide",
  "time",
  "sheet",
  "cells",
  "part",
  "headings",
] as const satisfies readonly (keyof Citation)[];

/** Gives a thread another title. Its turns stay. */
export async function renameThread(id: string, title: string): Promise<void> {
  await send(`thread?id=${id}`, { title }, { method: "PUT" });
}

function toStored(
  question: string,
  { kind, text, citations, sentences, refusal, model, ms, sources }: Answer,
  limits: KeptLimits | undefined,
): StoredTurn {
  const bare = (citation: Citation) =>
    Object.fromEntries(
      storedFields.filter((name) => citation[name] !== undefined).map((name) => [name, citation[name]]),
    ) as unknown as StoredTurn["sentences"][number]["places"][number];
  const facts = {
    question,
    kind,
    ...(limits !== undefined && { limits }),
    ...(refusal !== undefined && { refusal }),
    ...(model !== undefined && { model }),
    ...(ms !== undefined && { ms }),
    ...(kind === "written" && sources !== undefined && { sources }),
  };
  if (kind === "refused") return { ...facts, sentences: [] };
  if (kind === "quotes")
    return {
      ...facts,
      sentences: citations.map((citation) => ({
        verdict: "supported" as const,
        gap: "\n\n",
        places: [bare(citation)],
      })),
    };
  let at = 0;
  return {
    ...facts,
    sentences: sentences.flatMap((sentence) => {
      const gap = text.slice(at, sentence.start).slice(0, 200);
      at = sentence.end;
      // The words in its place are this page's own.
      if (sentence.withheld === true) return [];
      const own = text.slice(sentence.start, sentence.end);
      const places = citations.filter(({ marker }) => own.includes(marker)).map(bare);
      return [{ text: own, gap, ...(sentence.verdict !== undefined && { verdict: sentence.verdict }), places }];
    }),
  };
}

export async function readThread(
  id: string,
  signal: AbortSignal,
): Promise<{ readonly thread: Thread; readonly turns: readonly Turn[] }> {
  const thread = await get<Thread>("thread", { id }, signal);
  return { thread, turns: thread.turns.map(fromStored) };
}

function fromStored({ sentences: stored, question, limits, ...facts }: StoredTurn): Turn {
  let text = "";
  const sentences: Sentence[] = [];
  const citations = new Map<string, Citation>();
  for (const { text: kept = "", gap = " ", verdict, withheld, places } of stored) {
    // A quotation without its words says so in their place.
    const isGone = kept.trim() === "" && places.some((place) => place.gone === true);
    const own = isGone ? t("gone") : kept;
    if (text !== "" || gap.trim() !== "") text += gap;
    const start = text.length;
    const markers = facts.kind === "quotes" ? places.map(({ marker }) => ` ${marker}`).join("") : "";
    text += withheld === true ? t("withheldSentence") : own + markers;
    sentences.push({ text: own, start, end: text.length, verdict, withheld: withheld ?? (isGone || undefined) });
    for (const place of places)
      citations.set(place.marker, { ...place, quote: place.quote ?? "", title: place.title ?? place.uri });
  }
  return {
    question,
    state: "done",
    draft: "",
    hits: [],
    limits,
    answer: { ...facts, text, sentences, citations: [...citations.values()] },
  };
}
