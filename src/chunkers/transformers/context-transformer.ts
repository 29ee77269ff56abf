import type { ChatModel } from "../../contracts/chat.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import type { ChunkTransformer, TransformContext } from "../../contracts/chunker.ts";
import type { TextDocument } from "../../contracts/document.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { hashParts } from "../../runtime/hash.ts";
import { createTransformer } from "./create-transformer.ts";
import { type ChunkDescriber, describeByModel } from "./describe-chunks.ts";

/**
 * Keeps sentences, so as not to ask for them again. Keys are hashes.
 *
 * @experimental
 */
export interface ContextCache {
  get(key: string): string | undefined | Promise<string | undefined>;
  set(key: string, sentence: string): void | Promise<void>;
}

/**
 * Source of a chunk's context: at most one of the three. Without one, nothing is written.
 *
 * @experimental
 */
export interface ContextTransformerOptions {
  /** A sentence on the whole document, for each of its chunks. */
  readonly summarise?:
    | ((document: TextDocument, options: { readonly signal?: AbortSignal }) => string | Promise<string>)
    | undefined;
  /** A language model, asked for a sentence on each chunk: what it is about, within its document. */
  readonly model?: ChatModel | undefined;
  /** Your own, for many chunks at once. */
  readonly describe?: ChunkDescriber | undefined;
  /** In the pipeline's fingerprint, with the model's. Default `"contextual-header"`. */
  readonly name?: string | undefined;
  /** Words before the sentence, in the fingerprint too. Default `"Context: "`; `""` for the sentence alone. */
  readonly label?: string | undefined;
  /** How many chunks are asked for at once. Default 8. */
  readonly batchSize?: number | undefined;
  /** Default: the 10,000 most recent, in memory. */
  readonly cache?: ContextCache | undefined;
}

const usualLabel = "Context: ";

/** A sentence, and no essay: what is longer is cut. **Units** UTF-16. */
const longestSentence = 400;

/**
 * Writes a sentence of context before each chunk whose text lacks it.
 *
 * **Shape** `Context: <sentence>`, a blank line, the text, with `label` for `Context: `; this comes on top of the chunker's size. Without a sentence nothing is written. With a model,
 * chunks go out in batches, as needed; a missing sentence is not written. Sentences are cached under a hash of the document's text and the chunk's.
 * **Errors** `invalid-argument` for more than one source, a blank name, an impossible batch or an unknown option; errors of the source, with `model-failed` around foreign ones;
 * `invalid-response` for another count of sentences.
 * **Cost** with a model, one call for every `batchSize` chunks, each with at most 6,000 characters of the document beside its chunks.
 * **Source** ToolUp `ITextSummariser`, off by default; Anthropic, "Contextual Retrieval" (2024).
 * @experimental
 * @example openKnowledgeBase("./kb", { transformers: [createContextTransformer({ model })] })
 */
export function createContextTransformer(options: ContextTransformerOptions = {}): ChunkTransformer {
  checkOptions("createContextTransformer", options, {
    summarise: true,
    model: true,
    describe: true,
    name: true,
    label: true,
    batchSize: true,
    cache: true,
  });
  const { summarise, model, describe, label = usualLabel, batchSize = 8, cache = createContextCache(10_000) } = options;
  const asked = [summarise, model, describe].filter((one) => one !== undefined).length;
  if (asked > 1 || !Number.isSafeInteger(batchSize) || batchSize < 1) {
    throw new IbidError(
      "invalid-argument",
      asked > 1
        ? "createContextTransformer takes one of summarise, model and describe."
        : `createContextTransformer: batchSize must be a whole number of at least 1, not ${String(batchSize)}.`,
      { hint: asked > 1 ? "Leave out the others, or chain transformers." : "Leave it out for 8." },
    );
  }
  const who = model === undefined ? "" : `:${model.provider}/${model.model}`;
  checkGiven("createContextTransformer", "label", label, "text");
  const name = `${options.name ?? "contextual-header"}${who}${label === usualLabel ? "" : `:${JSON.stringify(label)}`}`;
  const describer = describe ?? (model && describeByModel(model)) ?? (summarise && describeBySummary(summarise));
  const sentenceOf = describer && createAsking(describer, { name, batchSize, cache });
  return createTransformer({
    name,
    text: async (chunk, context) =>
      sentenceOf === undefined ? chunk.text : withContextualHeader(await sentenceOf(chunk, context), chunk.text, label),
  });
}

/**
 * A text with a label and a sentence of context before it.
 *
 * **Shape** the text alone when the sentence is blank; line breaks in it become spaces. **Source** ToolUp `Chunking.withContextualHeader`.
 *
 * @experimental
 */
export function withContextualHeader(sentence: string | undefined, text: string, label: string = usualLabel): string {
  checkGiven("withContextualHeader", "text", text, "text");
  checkGiven("withContextualHeader", "label", label, "text");
  if (sentence !== undefined) checkGiven("withContextualHeader", "sentence", sentence ?? "", "text");
  const line = (sentence ?? "").replaceAll(/\s+/g, " ").trim();
  return line === "" ? text : `${label}${line}\n\n${text}`;
}

/** One answer for a document, whichever of its chunks asks. */
function describeBySummary(summarise: NonNullable<ContextTransformerOptions["summarise"]>): ChunkDescriber {
  const summaries = new WeakMap<TextDocument, Promise<string>>();
  return async (chunks, { document, signal }) => {
    let summary = summaries.get(document);
    if (summary === undefined) {
      summary = Promise.resolve(summarise(document, signal === undefined ? {} : { signal }));
      summaries.set(document, summary);
    }
    const sentence = await summary;
    return chunks.map(() => sentence);
  };
}

/** Asks for the sentences of a batch when the first of them is wanted. */
function createAsking(
  describe: ChunkDescriber,
  { name, batchSize, cache }: { readonly name: string; readonly batchSize: number; readonly cache: ContextCache },
): (chunk: Chunk, context: TransformContext) => Promise<string> {
  const documentHashes = new WeakMap<TextDocument, string>();
  const hashOf = (document: TextDocument): string => {
    const hash = documentHashes.get(document) ?? hashParts(document.title, document.text);
    documentHashes.set(document, hash);
    return hash;
  };
  return async (chunk, context) => {
    const keyOf = (one: Chunk): string => hashParts(name, hashOf(context.document), one.id, one.urtext);
    const kept = await cache.get(keyOf(chunk));
    if (kept !== undefined) return kept;
    const wanted = [chunk];
    const chunks = context.chunks?.[chunk.index]?.id === chunk.id ? context.chunks : [];
    for (let next = chunk.index + 1; next < chunks.length && wanted.length < batchSize; next += 1) {
      const one = chunks[next]!;
      if ((await cache.get(keyOf(one))) === undefined) wanted.push(one);
    }
    const sentences = await describe(wanted, context);
    if (sentences.length !== wanted.length) {
      throw new IbidError("invalid-response", `"${name}" returned another number of sentences than chunks.`, {
        uri: context.document.uri,
        details: { expected: wanted.length, got: sentences.length },
      });
    }
    const short = sentences.map((sentence) => sentence.slice(0, longestSentence));
    for (const [index, one] of wanted.entries()) await cache.set(keyOf(one), short[index] ?? "");
    return short[0] ?? "";
  };
}

/** The most recently used sentences, in memory. */
function createContextCache(capacity: number): ContextCache {
  const kept = new Map<string, string>();
  return {
    get(key) {
      const sentence = kept.get(key);
      if (sentence !== undefined) {
        kept.delete(key);
        kept.set(key, sentence);
      }
      return sentence;
    },
    set(key, sentence) {
      kept.delete(key);
      kept.set(key, sentence);
      if (kept.size > capacity) kept.delete(kept.keys().next().value!);
    },
  };
}
