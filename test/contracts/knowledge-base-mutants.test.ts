import { describe } from "vitest";

import { createRun } from "../../src/runtime/create-run.ts";
import type { Answer, AnswerEvent } from "../../src/contracts/answer.ts";
import type { Excerpt } from "../../src/contracts/expansion.ts";
import type {
  AskRun,
  IngestInput,
  IngestResult,
  IngestRun,
  IngestSummary,
  KnowledgeBase,
} from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase as openInMemory } from "../../src/knowledge-base/open-in-memory.ts";
import { createKnowledgeBasePack } from "../../src/testing/knowledge-base-pack.ts";
import type { KnowledgeBaseParts } from "../../src/testing/knowledge-base-case.ts";
import type { KnowledgeBaseSubject } from "../../src/testing/knowledge-base-pack.ts";
import { runMutants } from "./mutants.ts";
import type { Mutant } from "./mutants.ts";

type Change = (good: KnowledgeBase, operator: KnowledgeBase) => Partial<KnowledgeBase>;

/** A good knowledge base, of which some verbs are changed, also for those who see it through `as`. */
function changed(good: KnowledgeBase, change: Change, operator: KnowledgeBase = good): KnowledgeBase {
  return { ...good, as: (context) => changed(good.as(context), change, operator), ...change(good, operator) };
}
const kb = (
  change: Change,
  parts: (given: KnowledgeBaseParts) => KnowledgeBaseParts = (given) => given,
): KnowledgeBaseSubject => ({
  open: async (given) => changed(await openInMemory(parts(given)), change),
});

/** A run whose answer, and whose events, are changed on the way out. */
function rewritten(run: AskRun, rewrite: (answer: Answer) => Answer): AskRun {
  return createRun(async function* (): AsyncGenerator<AnswerEvent, Answer> {
    for await (const event of run)
      yield event.type === "answer" ? { type: "answer", answer: rewrite(event.answer) } : event;
    return rewrite(await run);
  });
}
const answers = (rewrite: (answer: Answer) => Answer): KnowledgeBaseSubject =>
  kb((good) => ({ ask: (question, options) => rewritten(good.ask(question, options), rewrite) }));

function summarised(run: IngestRun, rewrite: (summary: IngestSummary) => IngestSummary): IngestRun {
  return createRun(async function* (): AsyncGenerator<IngestResult, IngestSummary> {
    yield* run;
    return rewrite(await run);
  });
}

const mutants: readonly Mutant<KnowledgeBaseSubject>[] = [
  ["restores nothing", "knowledge-base/deleted-until-vacuumed", kb(() => ({ restore: async () => [] }))],
  [
    "vacuums what is kept",
    "knowledge-base/deleted-until-vacuumed",
    kb((good) => ({ vacuum: () => good.vacuum({ olderThanMs: 0 }) })),
  ],
  [
    "resets by tombstones",
    "knowledge-base/a-reset-is-for-good",
    kb((good) => ({
      async reset(scope) {
        let chunks = 0;
        for (const deleted of await good.deleteByFilter({}, { scope })) chunks += deleted.chunks;
        return { chunks };
      },
    })),
  ],
  [
    "lists every scope's chunks for everybody",
    "knowledge-base/chunks-are-listed",
    kb((_, operator) => ({ chunks: (options) => operator.chunks(options) })),
  ],
  [
    "lets anybody vacuum",
    "knowledge-base/maintenance-is-the-operators",
    kb((_, operator) => ({ vacuum: (options) => operator.vacuum(options) })),
  ],
  [
    "counts misses as hits",
    "knowledge-base/says-how-the-last-minute-went",
    kb((good) => ({
      async health(options) {
        const health = await good.health(options);
        const { retrieval } = health;
        return { ...health, retrieval: { ...retrieval, hits: retrieval.hits + retrieval.misses, misses: 0 } };
      },
    })),
  ],
  [
    "tells its health to anybody",
    "knowledge-base/tells-nobody-else-what-others-do",
    kb((_, operator) => ({ health: (options) => operator.health(options) })),
  ],
  [
    "knows the active team alone",
    "knowledge-base/several-teams-and-strategies",
    kb((good) => ({
      as({ userId, teamId }, options) {
        return good.as({ ...(userId !== undefined && { userId }), ...(teamId !== undefined && { teamId }) }, options);
      },
    })),
  ],
  [
    "forgets a view's strategy",
    "knowledge-base/several-teams-and-strategies",
    kb((good) => ({ as: (context) => good.as(context) })),
  ],
  [
    "counts everything as added",
    "knowledge-base/twice-is-once",
    kb((good) => ({
      ingest: (...given) =>
        summarised(good.ingest(...given), (summary) => ({
          ...summary,
          unchanged: 0,
          added: summary.added + summary.unchanged,
        })),
    })),
  ],
  [
    "embeds it all again",
    "knowledge-base/twice-is-once",
    kb((good) => ({
      ingest: (input, options) => {
        let round = 0;
        const stamped = { ...options, metadata: { ...options?.metadata, round: round++ + Math.random() } };
        return good.ingest(input, stamped);
      },
    })),
  ],
  [
    "a rollback to nothing is well",
    "knowledge-base/nothing-to-embed-anew",
    kb((good) => ({ reembed: (options) => good.reembed({ ...options, rollback: false }) })),
  ],
  [
    "versions untold",
    "knowledge-base/nothing-to-embed-anew",
    kb((good) => ({ status: async () => ({ ...(await good.status()), versions: [] }) })),
  ],
  [
    "anybody may embed anew",
    "knowledge-base/reembedding-is-refused",
    kb((_, operator) => ({ reembed: (options) => operator.reembed(options) })),
  ],
  ["old words found", "knowledge-base/changed-words-and-changed-metadata", keepsOldWords()],
  [
    "metadata of the call ignored",
    "knowledge-base/changed-words-and-changed-metadata",
    kb((good) => ({ ingest: (input, { metadata: _metadata, ...options } = {}) => good.ingest(input, options) })),
  ],
  [
    "nothing is swept",
    "knowledge-base/sweeps-what-is-gone",
    kb((good) => ({ ingest: (input, options) => good.ingest(input, { ...options, sweep: false }) })),
  ],
  [
    "everything is swept",
    "knowledge-base/sweeps-what-is-gone",
    kb((good) => ({ ingest: (input, options) => good.ingest(input, { ...options, sweep: true }) })),
  ],
  [
    "the first failure ends it",
    "knowledge-base/one-failure-does-not-stop-the-rest",
    kb((good) => ({ ingest: (...given) => stopsAtFailure(good.ingest(...given)) })),
  ],
  [
    "given vectors dropped",
    "knowledge-base/given-vectors-taken-as-they-are",
    kb((good) => ({ ingest: (input, options) => good.ingest(withoutVectors(input), options) })),
  ],
  [
    "hits cut short",
    "knowledge-base/hits-are-slices-of-their-documents",
    kb((good) => ({
      search: async (...given) => (await good.search(...given)).map((hit) => ({ ...hit, text: hit.text.slice(0, 30) })),
    })),
  ],
  [
    "citation quotes altered",
    "knowledge-base/extractive-answers-are-cited",
    answers((answer) => ({
      ...answer,
      citations: answer.citations.map((each) => ({ ...each, quote: each.quote.replace("revoke", "revokes") })),
    })),
  ],
  [
    "citations one off",
    "knowledge-base/extractive-answers-are-cited",
    answers((answer) => ({
      ...answer,
      citations: answer.citations.map((each) => ({ ...each, start: each.start + 1, end: each.end + 1 })),
    })),
  ],
  [
    "answers without citations",
    "knowledge-base/extractive-answers-are-cited",
    answers((answer) => ({ ...answer, citations: [], text: answer.text.replaceAll(/\[\d+\]/gu, "") })),
  ],
  [
    "markers that lead nowhere",
    "knowledge-base/a-model's-citations-are-verified",
    answers((answer) => ({ ...answer, text: `${answer.text} [97]` })),
  ],
  [
    "removed markers kept quiet",
    "knowledge-base/a-model's-citations-are-verified",
    answers((answer) => ({ ...answer, removedMarkers: [] })),
  ],
  [
    "grounded whatever it says",
    "knowledge-base/a-model's-citations-are-verified",
    answers((answer) => ({ ...answer, grounded: true })),
  ],
  [
    "says something else in the end",
    "knowledge-base/answers-stream",
    answers((answer) => ({ ...answer, text: `${answer.text}!` })),
  ],
  [
    "never refuses",
    "knowledge-base/strict-refuses-without-a-model",
    kb((good) => ({ ask: (question, options) => good.ask(question, { ...options, grounding: "permissive" }) })),
  ],
  [
    "takes a failure for an answer",
    "knowledge-base/a-failing-model-fails-the-answer",
    kb((good) => ({ ask: (...given) => forgiving(good.ask(...given)) })),
  ],
  ["as is nobody", "knowledge-base/everybody-sees-their-own", kb((good) => ({ as: () => good }))],
  [
    "search for everybody",
    "knowledge-base/everybody-sees-their-own",
    kb((_, operator) => ({ search: (...given) => operator.search(...given) })),
  ],
  [
    "list for everybody",
    "knowledge-base/everybody-sees-their-own",
    kb((_, operator) => ({ list: () => operator.list() })),
  ],
  [
    "status for everybody",
    "knowledge-base/everybody-sees-their-own",
    kb((_, operator) => ({ status: () => operator.status() })),
  ],
  [
    "ask for everybody",
    "knowledge-base/everybody-sees-their-own",
    kb((_, operator) => ({ ask: (...given) => operator.ask(...given) })),
  ],
  [
    "platform for everybody",
    "knowledge-base/everybody-sees-their-own",
    kb(
      () => ({}),
      (given) => ({ ...given, access: { platform: true, ...given.access } }),
    ),
  ],
  [
    "documents by knowing their name",
    "knowledge-base/the-unreadable-does-not-exist",
    kb((_, operator) => ({ document: (...given) => operator.document(...given) })),
  ],
  [
    "deletes by knowing their name",
    "knowledge-base/the-unreadable-does-not-exist",
    kb((_, operator) => ({ delete: (...given) => operator.delete(...given) })),
  ],
  [
    "expands for everybody",
    "knowledge-base/excerpts-are-gated-too",
    kb((_, operator) => ({ expand: (...given) => operator.expand(...given) })),
  ],
  [
    "outlines by knowing a name",
    "knowledge-base/excerpts-are-gated-too",
    kb((_, operator) => ({ outline: (...given) => operator.outline(...given) })),
  ],
  [
    "sections by knowing a name",
    "knowledge-base/excerpts-are-gated-too",
    kb((_, operator) => ({ section: (...given) => operator.section(...given) })),
  ],
  [
    "neighbours of another section",
    "knowledge-base/neighbours-of-the-same-section-in-order",
    excerpts(async (excerpt, good) => {
      const whole = await good.section(excerpt.uri, "0", { maxLength: 1_000_000 });
      return whole === undefined ? excerpt : { ...whole, sectionId: excerpt.sectionId };
    }),
  ],
  [
    "neighbours in the order of their ids",
    "knowledge-base/neighbours-of-the-same-section-in-order",
    excerpts((excerpt) => ({
      ...excerpt,
      chunks: excerpt.chunks.toSorted((a, b) => (a.chunkId < b.chunkId ? -1 : 1)),
    })),
  ],
  [
    "neighbours without the chunk itself",
    "knowledge-base/neighbours-of-the-same-section-in-order",
    excerpts((excerpt, _, id) => ({ ...excerpt, chunks: excerpt.chunks.filter(({ chunkId }) => chunkId !== id) })),
  ],
  [
    "zooms out to the beginning alone",
    "knowledge-base/zooms-out-to-the-section-and-those-above",
    excerpts(async (excerpt, good, _, length) =>
      excerpt.truncated
        ? ((await good.section(excerpt.uri, excerpt.sectionId, { maxLength: length ?? 25_000 })) ?? excerpt)
        : excerpt,
    ),
  ],
  [
    "does not say that it cut",
    "knowledge-base/zooms-out-to-the-section-and-those-above",
    excerpts((excerpt) => ({ ...excerpt, truncated: false, whole: { start: excerpt.start, end: excerpt.end } })),
  ],
  [
    "hidden documents move scores",
    "knowledge-base/the-hidden-moves-no-score",
    kb((good, operator) => ({
      search: async (query, options) => {
        const mine = new Set((await good.search(query, options)).map(({ chunkId }) => chunkId));
        return (await operator.search(query, { ...options, topK: "all" })).filter(({ chunkId }) => mine.has(chunkId));
      },
    })),
  ],
  [
    "writes for everybody",
    "knowledge-base/writing-is-gated-too",
    kb((_, operator) => ({ ingest: (...given) => operator.ingest(...given) })),
  ],
  [
    "one may become another",
    "knowledge-base/writing-is-gated-too",
    { open: async (parts) => becomesAnybody(await openInMemory(parts)) },
  ],
  [
    "takes the first of several",
    "knowledge-base/ambiguous-uris-are-said-to-be",
    kb((good) => ({
      document: (uri, address) => good.document(uri, address).catch(() => good.document(uri, { scope: "platform" })),
    })),
  ],
  ["deletes nothing by filter", "knowledge-base/deleted-at-once", kb(() => ({ deleteByFilter: async () => [] }))],
  ["lists backwards", "knowledge-base/status-and-list", kb((good) => ({ list: () => backwards(good.list()) }))],
  ["open after close", "knowledge-base/closed-is-closed", kb(() => ({ [Symbol.asyncDispose]: async () => {} }))],
  [
    "unknown options pass",
    "knowledge-base/wrong-options-refused",
    kb((good) => ({ search: (query) => good.search(query) })),
  ],
  [
    "tells the query",
    "knowledge-base/traces-say-nothing-of-the-query",
    kb(
      () => ({}),
      ({ operations: { tracer } = {}, ...given }) => ({
        ...given,
        ...(tracer && {
          operations: {
            tracer: {
              ...tracer,
              trace: (trace, access) => tracer.trace({ ...trace, query: "signing" } as typeof trace, access),
            },
          },
        }),
      }),
    ),
  ],
  [
    "traces nothing",
    "knowledge-base/traces-say-nothing-of-the-query",
    kb(
      () => ({}),
      ({ operations: _operations, ...given }) => given,
    ),
  ],
];

describe("the knowledge base pack notices one with one fault [L2 L3 L7 L8 L10 B36 T26 T48]", () => {
  runMutants(createKnowledgeBasePack, mutants);
});

/** A knowledge base that changes what it makes of a chunk. */
function excerpts(
  rewrite: (excerpt: Excerpt, good: KnowledgeBase, id: string, maxLength?: number) => Excerpt | Promise<Excerpt>,
): KnowledgeBaseSubject {
  return kb((good) => ({
    expand: async (chunk, options) => {
      const made = await good.expand(chunk, options);
      const id = typeof chunk === "string" ? chunk : chunk.chunkId;
      return made && rewrite(made, good, id, "maxLength" in options ? options.maxLength : undefined);
    },
  }));
}

/** Keeps every text that it ever had, under names of its own. */
function keepsOldWords(): KnowledgeBaseSubject {
  let count = 0;
  return kb((good) => ({
    ingest(input, options) {
      const copies = Array.isArray(input)
        ? (input as { uri: string }[]).map((each) => ({ ...each, uri: `${each.uri}?${count++}` }))
        : [];
      const first = good.ingest(copies as unknown as IngestInput);
      const run = good.ingest(input, options);
      return createRun(async function* (): AsyncGenerator<IngestResult, IngestSummary> {
        await first;
        yield* run;
        return await run;
      });
    },
  }));
}

function stopsAtFailure(run: IngestRun): IngestRun {
  return createRun(async function* (): AsyncGenerator<IngestResult, IngestSummary> {
    for await (const result of run) {
      yield result;
      if (result.status === "failed") return { failed: 1 } as IngestSummary;
    }
    return await run;
  });
}

function withoutVectors(input: IngestInput): IngestInput {
  if (!Array.isArray(input)) return input;
  return (input as object[]).map((each) =>
    "embedding" in each ? { ...each, embedding: undefined } : each,
  ) as unknown as IngestInput;
}

/** An answer out of nowhere instead of an error. */
function forgiving(run: AskRun): AskRun {
  return createRun(async function* (): AsyncGenerator<AnswerEvent, Answer> {
    try {
      yield* run;
      return await run;
    } catch {
      return { text: "Something went wrong." } as Answer;
    }
  });
}

function becomesAnybody(good: KnowledgeBase): KnowledgeBase {
  const view = (mine: KnowledgeBase): KnowledgeBase => ({ ...mine, as: (context) => view(good.as(context)) });
  return view(good);
}

async function* backwards<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  yield* all.toReversed();
}
