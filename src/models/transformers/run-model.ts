import { IbidError } from "../../contracts/errors.ts";
import { findPlace, type ModelPlace, type PlaceOptions } from "./find-place.ts";
import type {
  NativeInputs,
  NativeModel,
  NativeTensor,
  NativeTokenizer,
  TransformersLibrary,
} from "./load-transformers.ts";

/** Pooling of token vectors to the vector of a text: their mean, the first one, or the last one. */
export type Pooling = "mean" | "cls" | "last";

/** Model that a runner loads, with plain values only: a thread gets the same. */
export interface RunnerSettings {
  /** Provider and model, as messages name them. */
  readonly provider: string;
  readonly model: string;
  readonly kind: "AutoModel" | "AutoModelForSequenceClassification";
  /** Files of the model, or a name under which they are searched. */
  readonly source: ModelPlace | { readonly name: string; readonly options: PlaceOptions };
  /** Longest input. **Units** tokens. Default: the tokenizer's. */
  readonly maxTokens?: number | undefined;
  readonly pooling?: Pooling | undefined;
  readonly tooLong?: "cut" | "error" | undefined;
}

/** Vector of one text, and the tokens that the model read. */
export interface EmbeddedText {
  readonly vector: Float32Array;
  readonly tokens: number;
}

/** A loaded model. It runs one text at a time: the scales of a quantised model depend on everything in a batch. */
export interface ModelRunner {
  /** **Errors** `embedding-failed`, `invalid-response`. */
  embed(text: string): Promise<EmbeddedText>;
  /** Score of a text beside a query, from 0 to 1. **Errors** `model-failed`, `invalid-response`. */
  score(query: string, text: string): Promise<number>;
}

/** Loads a model with the package. **Errors** errors of the package. */
export async function loadRunner(
  load: () => Promise<TransformersLibrary>,
  settings: RunnerSettings,
): Promise<ModelRunner> {
  const { source, kind } = settings;
  const library = await load();
  const { place, native } = "place" in source ? source : findPlace(source.name, library, source.options);
  const tokenizer = await library.AutoTokenizer.from_pretrained(place, native);
  const model = await library[kind].from_pretrained(place, native);
  const inTurn = createTurns();
  const read = createReading(tokenizer, settings);
  return {
    async embed(text) {
      const { inputs, tokens } = read(text);
      const output = await inTurn(() => run(model, inputs, "embedding-failed", settings));
      const found = output["sentence_embedding"] ?? output["last_hidden_state"] ?? output["token_embeddings"];
      return { vector: poolTokens(found, settings), tokens };
    },
    async score(query, text) {
      const length = settings.maxTokens === undefined ? {} : { max_length: settings.maxTokens };
      const pair = tokenizer([query], { text_pair: [text], padding: false, truncation: true, ...length });
      const { logits } = await inTurn(() => run(model, pair, "model-failed", settings));
      return readScore(logits, settings);
    },
  };
}

/** One thing after another: a model uses every core by itself, and two runs at once only want twice the memory. */
function createTurns(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}

async function run(
  model: NativeModel,
  inputs: NativeInputs,
  code: "embedding-failed" | "model-failed",
  { provider, model: name }: RunnerSettings,
): ReturnType<NativeModel> {
  try {
    return await model(inputs);
  } catch (cause) {
    throw new IbidError(code, `${provider}/${name} failed.`, {
      hint: "Look at the cause.",
      details: { provider, model: name, retryable: false },
      cause,
    });
  }
}

/**
 * Turns a text into tokens, within the limit.
 *
 * **Shape** with a limit of its own, a text that is cut keeps the token that ends every text: the package drops it. **Errors** `embedding-failed` with
 * `tooLong: "error"`.
 */
function createReading(
  tokenizer: NativeTokenizer & { readonly model_max_length?: number },
  { provider, model, maxTokens, tooLong = "cut" }: RunnerSettings,
): (text: string) => { readonly inputs: NativeInputs; readonly tokens: number } {
  const limit = maxTokens ?? tokenizer.model_max_length ?? Number.POSITIVE_INFINITY;
  const closing = maxTokens === undefined ? undefined : lastOf(tokenizer([""], { padding: false, truncation: false }));
  return (text) => {
    // Tokens are counted before anything is cut: a text that is too long is never cut in silence where an error was asked for.
    const whole = tokenizer([text], { padding: false, truncation: false });
    const count = whole["input_ids"]?.dims[1] ?? 0;
    if (count <= limit) return { inputs: whole, tokens: count };
    if (tooLong === "error") {
      throw new IbidError("embedding-failed", `${provider}/${model} got more text than it accepts: ${count} tokens.`, {
        hint: `Use a smaller chunk size; the model accepts ${limit} tokens.`,
        details: { provider, model, tokens: count, maxTokens: limit, retryable: false },
      });
    }
    const cut = tokenizer([text], { padding: false, truncation: true, ...(maxTokens && { max_length: maxTokens }) });
    if (closing !== undefined) closeWith(closing, cut["input_ids"]);
    return { inputs: cut, tokens: limit };
  };
}

/** Replaces the last token of an input. */
function closeWith(closing: number | bigint, ids: NativeTensor | undefined): void {
  const tokens: { [at: number]: number | bigint } = ids?.data ?? [];
  tokens[(ids?.data.length ?? 0) - 1] = closing;
}

/** Last token of an input. */
function lastOf({ input_ids }: NativeInputs): number | bigint | undefined {
  return input_ids === undefined ? undefined : input_ids.data[input_ids.data.length - 1];
}

/**
 * Pools the token vectors of one text into one of length 1; a zero vector stays zero.
 *
 * **Shape** input `[1, tokens, dimensions]`, or `[1, dimensions]` from models that pool themselves.
 */
function poolTokens(
  output: NativeTensor | undefined,
  { provider, model, pooling = "mean" }: RunnerSettings,
): Float32Array {
  const [batch, rows = 1, dimensions = rows] = output?.dims ?? [];
  if (
    output === undefined ||
    batch !== 1 ||
    output.data.length !== (output.dims.length === 2 ? 1 : rows) * dimensions
  ) {
    throw new IbidError(
      "invalid-response",
      `${provider}/${model} returned an unusable answer: it has no token vectors.`,
      {
        hint: "Use an embedding model.",
        details: { provider, model },
      },
    );
  }
  const count = output.dims.length === 2 ? 1 : rows;
  const [from, to] = pooling === "mean" ? [0, count] : pooling === "cls" ? [0, 1] : [count - 1, count];
  const sum = new Float64Array(dimensions);
  for (let row = from; row < to; row++) {
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + Number(output.data[row * dimensions + at]);
  }
  // The mean's divisor goes with the length.
  const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
  return Float32Array.from(sum, (value) => (length === 0 ? 0 : value / length));
}

function readScore(logits: NativeTensor | undefined, { provider, model }: RunnerSettings): number {
  const values = Array.from(logits?.data ?? [], Number);
  const last = values.at(-1);
  if (last === undefined || !values.every(Number.isFinite)) {
    throw new IbidError("invalid-response", `${provider}/${model} returned an unusable answer: it has no score.`, {
      hint: "Use a reranking model (a cross-encoder).",
      details: { provider, model },
    });
  }
  const logit = values.length === 1 ? last : last - (values[0] ?? 0);
  return 1 / (1 + Math.exp(-logit));
}
