import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMarkdownReader } from "../../src/readers/markdown/markdown-reader.ts";
import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import type { ChatModel } from "../../src/contracts/chat.ts";
import type { CorpusModel } from "../../src/contracts/corpus-model.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Store, StoreParts } from "../../src/contracts/store.ts";
import type { Reranker, WrapRetriever } from "../../src/contracts/retriever.ts";
import type { AccessPolicy } from "../../src/contracts/scope.ts";
import { plainTextReader } from "../../src/readers/text/plain-text-reader.ts";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { assembleKnowledgeBase, storeChoices } from "../../src/knowledge-base/open/assemble.ts";
import { composeStore } from "../../src/stores/compose/compose-store.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import { type CompleteParts, createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions, type StoreOptions } from "../../src/stores/segments/store-options.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { createFixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";

/** How a knowledge base is put together. */
export interface Subject {
  readonly name: string;
  readonly store: "memory" | "SQLite";
  /** The store's parts, composed otherwise. */
  readonly compose?: (parts: StoreParts) => StoreParts;
  /** What sees meaning: the store's own model, fitted early; one that is given; nothing. */
  readonly sees: "own" | "given" | "nothing";
  readonly reranker?: () => Reranker | "proximity";
  readonly retriever?: WrapRetriever;
  /** Who writes the answers; without one they are made of sentences. */
  readonly chatModel?: () => ChatModel;
}

/** One way to be wrong. */
export interface Fault {
  /** A store whose operations are given more scopes than the guard let through. */
  readonly raw?: (parts: CompleteParts) => CompleteParts;
  /** A view of somebody's that shows too much, or says too much. */
  readonly view?: (good: KnowledgeBase, operator: KnowledgeBase) => Partial<KnowledgeBase>;
  readonly model?: () => CorpusModel;
  readonly reranker?: () => Reranker;
  readonly chatModel?: () => ChatModel;
  /** A retriever around the built-in one that keeps or shows what it must not. */
  readonly retriever?: () => WrapRetriever;
}

export interface Opened {
  readonly kb: KnowledgeBase;
  readonly store: Store;
  close(): Promise<void>;
}

/** So early that a world of a dozen documents is fitted, and fitted anew. */
const leastChunks = 4;

export async function open(subject: Subject, access: AccessPolicy, fault: Fault = {}): Promise<Opened> {
  const embeddingModel = { own: undefined, given: letterModel(), nothing: null }[subject.sees];
  const choices = storeChoices({ models: { embedding: embeddingModel }, access });
  const corpusModel = choices.corpusModel && { ...(fault.model?.() ?? latentSemanticModel) };
  if (corpusModel && access.deployment !== false) Object.assign(corpusModel, { leastChunks });
  else if (corpusModel) Object.assign(corpusModel, { leastChunks: choices.corpusModel?.leastChunks });
  const options: StoreOptions = {
    ...choices,
    ...(corpusModel && { corpusModel }),
    segments: { sealAt: 4, settleAt: 2 },
  };
  const { store, remove } = await openStore(subject, options, fault);
  const reranker = fault.reranker?.() ?? subject.reranker?.();
  const retriever = fault.retriever?.() ?? subject.retriever;
  const model = fault.chatModel?.() ?? subject.chatModel?.();
  const good = await assembleKnowledgeBase(
    store,
    {
      access,
      models: { embedding: embeddingModel, reranker, chat: model },
      search: { retriever },
    },
    { readers: [createMarkdownReader(), plainTextReader] },
  );
  const kb: KnowledgeBase = {
    ...good,
    as: (...given) => ({ ...good.as(...given), ...fault.view?.(good.as(...given), good) }),
  };
  return {
    kb,
    store,
    async close() {
      await good.close();
      remove();
    },
  };
}

async function openStore(
  subject: Subject,
  options: StoreOptions,
  fault: Fault,
): Promise<{ store: Store; remove: () => void }> {
  if (subject.store === "SQLite") {
    const folder = mkdtempSync(join(tmpdir(), "ibid-access-"));
    const store = await openSqliteStore(join(folder, "ibid.sqlite"), options);
    return { store, remove: () => rmSync(folder, { recursive: true }) };
  }
  const raw = createSegmentStore(createMemoryDirectory(), {
    ...decideStoreOptions(options),
    embeddings: ["dense", "sparse", "hybrid"],
    secret: createSecret(),
  });
  const given = fault.raw?.(raw) ?? raw;
  return { store: composeStore(subject.compose?.(given) ?? given), remove: () => {} };
}

/** A model that has read nothing: how often a text has each of a few letters. */
function letterModel() {
  const letters = ["a", "e", "i", "o", "r", "n"];
  return createFixedEmbeddingModel(
    {},
    { dimensions: letters.length, otherwise: (text) => letters.map((letter) => text.split(letter).length) },
  );
}

/** Says again what it was shown, each sentence with a marker for each of the first sources; it is for the answer to find out which of them stand. */
export const repeatingModel = (): ChatModel =>
  createScriptedChatModel((messages) => {
    const said = JSON.stringify(messages).match(/The \w+ and the \w+ are here\./gu) ?? [];
    return [...new Set(said)].map((sentence) => `${sentence.slice(0, -1)} [1] [2] [3].`).join(" ") || "Nothing.";
  });

/** Prefers what has more of the query's words, then what is shorter. */
export const wordReranker = (): Reranker => ({
  name: "words",
  rerank: async (query, texts) =>
    texts.map((text) => query.split(" ").filter((word) => text.includes(word)).length + 1 / text.length),
});
