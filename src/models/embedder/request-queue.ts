import type { EmbeddingInput, EmbeddingModel, EmbedOptions, EmbedResult } from "../../contracts/embedding-model.ts";
import { IbidError, type IbidErrorCode } from "../../contracts/errors.ts";
import { abortError, throwIfAborted, untilAborted } from "../../runtime/abort.ts";
import { afterTurn } from "../../runtime/next-turn.ts";
import { type BatchLimits, isTooLarge } from "./batch-limits.ts";

/** Facts about an input that decide how it is sent. */
export interface Sendable {
  readonly input: EmbeddingInput;
  /** `undefined` for media. */
  readonly key: string | undefined;
  /** Estimated; 0 for what is not text. */
  readonly tokens: number;
}

/** Requests to one model, of all calls together. */
export interface RequestQueue {
  /** Sends a batch of one call when its turn comes, with others unless it goes alone. **Shape** the batch's own part of the answer. */
  send(batch: readonly Sendable[], options: EmbedOptions, isAlone?: boolean): Promise<EmbedResult>;
}

/** A batch on its way. */
interface Entry {
  readonly batch: readonly Sendable[];
  readonly tokens: number;
  readonly options: EmbedOptions;
  /** Whether no other batch goes with it. */
  isAlone: boolean;
  /** Renewed when the batch waits again. */
  turn: PromiseWithResolvers<Turn>;
  /** Answer of the batch, however often it waits. */
  answer?: Promise<EmbedResult>;
}

/** A batch leads a request of several, was in one that is answered, or waits again. */
type Turn = { readonly leads: readonly Entry[] } | { readonly answer: EmbedResult } | "again";

/**
 * Sends batches in the order of asking, at most `concurrency` requests at a time. Texts that wait go together: a request takes with it the waiting batches of its
 * purpose, as far as they fit.
 *
 * **Shape** a query begins at once where a request is allowed. Documents wait for the others of their turn of the event loop. Media travel alone.
 * A joined request goes on until all its calls are aborted. The tokens that the provider counted are shared out by the estimated ones, and add up.
 * When a joined request fails and one input may be at fault, each batch is sent once more, alone. So one bad text fails its own call only.
 * **Errors** for a batch as if it travelled alone. A fault that no input can have, such as `rate-limited` or a refused key, fails all batches of its request.
 */
export function createRequestQueue(model: EmbeddingModel, limits: BatchLimits, concurrency: number): RequestQueue {
  const waiting: Entry[] = [];
  let free = concurrency;
  let isTurnAwaited = false;

  function admit(): void {
    while (free > 0 && waiting.length > 0) {
      free--;
      const group = takeGroup();
      group[0]!.turn.resolve({ leads: group });
    }
  }

  function takeGroup(): readonly Entry[] {
    const first = waiting.shift()!;
    const group = [first];
    let { tokens } = first;
    let count = first.batch.length;
    const fits = (other: Entry): boolean =>
      !first.isAlone &&
      !other.isAlone &&
      other.options.purpose === first.options.purpose &&
      limits.allow(count + other.batch.length, tokens + other.tokens);
    for (const other of waiting.splice(0)) {
      if (fits(other)) {
        group.push(other);
        count += other.batch.length;
        tokens += other.tokens;
      } else waiting.push(other);
    }
    return group;
  }

  async function answerOf(entry: Entry): Promise<EmbedResult> {
    for (;;) {
      const turn = await entry.turn.promise;
      if (turn === "again") continue;
      if ("answer" in turn) return turn.answer;
      const [, ...others] = turn.leads;
      try {
        const [own, ...rest] = share(turn.leads, await request(model, turn.leads));
        for (const [i, { turn: its }] of others.entries()) its.resolve({ answer: rest[i]! });
        return own!;
      } catch (error) {
        if (others.length === 0 || !mayBeOfOneInput(error)) {
          for (const { turn: its } of others) its.reject(error);
          throw error;
        }
        sendApart(turn.leads, error);
      } finally {
        free++;
        admit();
      }
    }
  }

  /** Puts the batches of a failed request at the head, each alone. */
  function sendApart(group: readonly Entry[], error: unknown): void {
    for (const entry of group) {
      const { turn, options } = entry;
      entry.isAlone = true;
      entry.turn = Promise.withResolvers();
      if (options.signal?.aborted === true) entry.turn.reject(abortError(options.signal, "The embedding"));
      turn.resolve("again");
    }
    waiting.unshift(...group.filter(({ options }) => options.signal?.aborted !== true));
    if (!isTooLarge(error)) return;
    const refused = group.flatMap(({ batch }) => batch);
    void Promise.all(group.flatMap(({ answer }) => answer ?? [])).then(
      () => limits.learn(refused),
      () => {},
    );
  }

  return {
    async send(batch, options, isAlone = false) {
      const { purpose, signal } = options;
      throwIfAborted(signal, "The embedding");
      const entry: Entry = {
        batch,
        tokens: batch.reduce((sum, { tokens }) => sum + tokens, 0),
        options,
        isAlone: isAlone || batch.some(({ key }) => key === undefined),
        turn: Promise.withResolvers(),
      };
      const leave = (): void => {
        const at = waiting.indexOf(entry);
        if (at === -1) return;
        waiting.splice(at, 1);
        entry.turn.reject(abortError(signal!, "The embedding"));
      };
      signal?.addEventListener("abort", leave, { once: true });
      waiting.push(entry);
      if (purpose === "query") admit();
      else if (!isTurnAwaited) {
        isTurnAwaited = true;
        afterTurn(() => {
          isTurnAwaited = false;
          admit();
        });
      }
      entry.answer = answerOf(entry);
      try {
        return await untilAborted(entry.answer, signal, "The embedding");
      } finally {
        signal?.removeEventListener("abort", leave);
      }
    },
  };
}

/** The part of a joined answer that is each batch's own. */
function share(group: readonly Entry[], { embeddings, tokens }: EmbedResult): readonly EmbedResult[] {
  const estimated = group.reduce((sum, entry) => sum + entry.tokens, 0);
  // Rounded at the ends of the parts, so that they add up.
  const until = (weight: number): number => (estimated === 0 ? 0 : Math.round((tokens! * weight) / estimated));
  let from = 0;
  let weight = 0;
  return group.map((entry) => {
    const own = embeddings.slice(from, (from += entry.batch.length));
    const before = weight;
    weight += entry.tokens;
    if (tokens === undefined) return { embeddings: own };
    return { embeddings: own, tokens: group.length === 1 ? tokens : until(weight) - until(before) };
  });
}

/** Faults that every input meets. */
const faultsOfAll: readonly IbidErrorCode[] = [
  "rate-limited",
  "timeout",
  "aborted",
  "configuration-missing",
  "dependency-missing",
];

/** Whether another request without one of the inputs may pass. */
function mayBeOfOneInput(error: unknown): boolean {
  if (!IbidError.isInstance(error)) return true;
  const { status } = error.details;
  const isRefused = status === 401 || status === 402 || status === 403 || status === 404;
  return !isRefused && !faultsOfAll.includes(error.code);
}

async function request(model: EmbeddingModel, group: readonly Entry[]): Promise<EmbedResult> {
  const inputs = group.flatMap(({ batch }) => batch.map(({ input }) => input));
  const [first, ...others] = group.map(({ options }) => options);
  if (others.length === 0) return ask(model, inputs, first!);
  const shared = whenAllAborted(group.map(({ options }) => options.signal));
  try {
    const { signal } = shared;
    return await ask(model, inputs, { purpose: first!.purpose, ...(signal && { signal }) });
  } finally {
    shared.release();
  }
}

async function ask(
  model: EmbeddingModel,
  inputs: readonly EmbeddingInput[],
  options: EmbedOptions,
): Promise<EmbedResult> {
  const name = `${model.provider}/${model.model}`;
  const { signal } = options;
  throwIfAborted(signal, "The embedding");
  let answer: EmbedResult | undefined;
  try {
    const call = async () => model.embed(inputs, options);
    answer = await untilAborted(call(), signal, "The embedding");
  } catch (error) {
    if (IbidError.isInstance(error)) throw error;
    throwIfAborted(signal, "The embedding", { cause: error });
    throw new IbidError("embedding-failed", `Error generating embedding for provided chunk: ${name} failed.`, {
      hint: "See the cause; nothing of this call was stored.",
      details: { model: name, inputs: inputs.length },
      cause: error,
    });
  }
  const got = Array.isArray(answer?.embeddings) ? answer.embeddings.length : 0;
  if (answer === undefined || got !== inputs.length) {
    const what =
      got === 0
        ? "No embeddings generated for the provided chunk"
        : "Mismatch between number of chunks and embeddings generated";
    throw new IbidError("invalid-response", `${what}: expected ${inputs.length}, got ${got} from ${name}.`, {
      hint: "The model must answer with one embedding for each input, in order.",
      details: { expected: inputs.length, got },
    });
  }
  return answer;
}

/** A signal that fires when the last of several has; none where one of them is absent. */
function whenAllAborted(signals: readonly (AbortSignal | undefined)[]): {
  readonly signal?: AbortSignal;
  release(): void;
} {
  const all = signals.filter((one) => one !== undefined);
  if (all.length < signals.length) return { release() {} };
  const controller = new AbortController();
  const look = (): void => {
    const last = all.at(-1)!;
    if (all.every(({ aborted }) => aborted)) controller.abort((last as { readonly reason?: unknown }).reason);
  };
  for (const one of all) one.addEventListener("abort", look, { once: true });
  look();
  return {
    signal: controller.signal,
    release() {
      for (const one of all) one.removeEventListener("abort", look);
    },
  };
}
