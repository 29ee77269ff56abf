import type { FitChunk } from "../../src/contracts/corpus-model.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Hit, WrapRetriever } from "../../src/contracts/retriever.ts";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import type { RawKnowledgeStore } from "../../src/stores/segments/raw-store.ts";
import { collect } from "../../src/testing/assert.ts";
import { type Fault, repeatingModel, type Subject } from "./subjects.ts";
import { scopes } from "./worlds.ts";

/** Ways to let something hidden show, one in each leg; the call that must notice, and what must see meaning for that. */
export const accessFaults: Readonly<Record<string, readonly [noticedBy: string, sees: Subject["sees"], fault: Fault]>> =
  {
    "dense search in every scope": [
      "search",
      "given",
      widened("doSearch", (raw) => (_, query) => raw.doSearch(scopes, query)),
    ],
    "vectors by filter alone in every scope": [
      "vectors",
      "given",
      widened("doSearch", (raw) => (own, query) => raw.doSearch(query.embedding === undefined ? scopes : own, query)),
    ],
    "latent search in every scope": [
      "search",
      "own",
      widened("doLatentSearch", (raw) => (_, query) => raw.doLatentSearch!(scopes, query)),
    ],
    "the latent model is fitted on everybody's chunks": ["search", "own", { model: fittedOnEverybody }],
    "lexical search in every scope": [
      "search",
      "nothing",
      widened("doLexicalSearch", (raw) => (_, query) => raw.doLexicalSearch(scopes, query)),
    ],
    "words are as rare as in every scope": [
      "search",
      "nothing",
      widened("doLexicalSearch", (raw) => async (own, query) => {
        const found = await raw.doLexicalSearch(scopes, { ...query, topK: Infinity });
        return { ...found, matches: found.matches.filter(({ scope }) => own.includes(scope)).slice(0, query.topK) };
      }),
    ],
    "regex search in every scope": [
      "search",
      "nothing",
      widened("doRegexSearch", (raw) => (_, query) => raw.doRegexSearch(scopes, query)),
    ],
    "a chunk is found by its id anywhere": [
      "neighbours",
      "nothing",
      widened("doChunks", (raw) => (own, options) => raw.doChunks(options.ids === undefined ? own : scopes, options)),
    ],
    "neighbours from every scope": [
      "neighbours",
      "nothing",
      widened(
        "doChunks",
        (raw) => (own, options) => raw.doChunks(options.documentId === undefined ? own : scopes, options),
      ),
    ],
    "chunks are listed from every scope": [
      "chunks",
      "nothing",
      widened("doChunks", (raw) => (_, options) => raw.doChunks(scopes, options)),
    ],
    "a document is found by its uri anywhere": [
      "document",
      "nothing",
      widened("doFind", (raw) => (own, uri) => raw.doFind(own.length > 1 ? scopes : own, uri)),
    ],
    "a document is read by its id anywhere": [
      "the",
      "nothing",
      widened("doDocument", (raw) => async (own, id) => (await raw.doDocument(own, id)) ?? raw.doDocument(scopes, id)),
    ],
    "citations are checked in every scope": [
      "ask",
      "nothing",
      widened("doDocument", (raw) => async (own, id) => (await raw.doDocument(own, id)) ?? raw.doDocument(scopes, id)),
    ],
    "what a model cites is checked in every scope": [
      "ask",
      "nothing",
      {
        ...widened(
          "doDocument",
          (raw) => async (own, id) => (await raw.doDocument(own, id)) ?? raw.doDocument(scopes, id),
        ),
        chatModel: repeatingModel,
      },
    ],
    "a model is shown what the operator finds": [
      "ask",
      "nothing",
      { view: (_, operator) => showing(operator, "ask"), chatModel: repeatingModel },
    ],
    "documents are listed from every scope": [
      "list",
      "nothing",
      widened("doDocuments", (raw) => () => raw.doDocuments(scopes, {})),
    ],
    "everything is counted": ["status", "nothing", widened("doStatus", (raw) => () => raw.doStatus(scopes))],
    "a delete goes through every scope": [
      "what",
      "nothing",
      widened("doDelete", (raw) => async (own, target, options) => {
        const gone = await raw.doDelete(own, target, options);
        for (const scope of scopes) await raw.doDelete(scope, target, { ...options, onMissing: "ignore" });
        return gone;
      }),
    ],
    "what another scope holds need not be embedded": [
      "ingest",
      "given",
      widened("doHeld", (raw) => async (own, documentId, version) => {
        const held = await Promise.all(scopes.map((scope) => raw.doHeld(scope, documentId, version)));
        return new Map([...held.flatMap((map) => [...map]), ...(await raw.doHeld(own, documentId, version))]);
      }),
    ],
    "searches are kept whoever asked": ["search", "nothing", { view: keepsSearches }],
    "a retriever around another keeps what others found": ["search", "nothing", { retriever: keepsHits }],
    "a retriever around another widens hits by what others read": ["search", "nothing", { retriever: keepsDocuments }],
    "a reranker learns from what it saw": ["search", "nothing", { reranker: learningReranker }],
    "the gate gives a team too many": [
      "document",
      "nothing",
      { view: (_, operator) => operator.as({ userId: "ada", teamId: "north", teams: ["north", "south"] }) },
    ],
    "outlines as the operator": ["outline", "nothing", { view: (_, operator) => showing(operator, "outline") }],
    "sections as the operator": ["section", "nothing", { view: (_, operator) => showing(operator, "section") }],
    "expansion as the operator": ["zoom", "nothing", { view: (_, operator) => showing(operator, "expand") }],
    "tools fetch as the operator": ["fetch", "nothing", { view: (_, operator) => showing(operator, "expand") }],
    "documents as the operator": ["document", "nothing", { view: (_, operator) => showing(operator, "document") }],
    "answers as the operator": ["ask", "nothing", { view: (_, operator) => showing(operator, "ask") }],
    "a scope that is named is believed": [
      "search",
      "nothing",
      {
        view: (good, operator) => ({
          search: (query, options) => (options?.scopes ? operator : good).search(query, options),
        }),
      },
    ],
    "the cache's rate is told to all": [
      "status",
      "given",
      {
        view: (good, operator) => ({
          status: async () => ({ ...(await good.status()), cacheHitRate: (await operator.status()).cacheHitRate ?? 0 }),
        }),
      },
    ],
    "the cache tells which texts are known": [
      "ingest",
      "given",
      {
        view: (good, operator) => ({
          ingest: (input, options) =>
            options?.scope?.startsWith("user:") === true
              ? operator.ingest(input, options)
              : good.ingest(input, options),
        }),
      },
    ],
    "what may not be read is refused, not missing": [
      "document",
      "nothing",
      {
        view: (good, operator) => ({
          async document(uri, address) {
            const found = await good.document(uri, address);
            const there = (await collect(operator.list())).some((document) => document.uri === uri);
            if (found === undefined && there) throw new IbidError("access-denied", `${uri} may not be read.`);
            return found;
          },
        }),
      },
    ],
    "a uri in several scopes is ambiguous, readable or not": [
      "delete",
      "nothing",
      {
        view: (good, operator) => ({
          delete: async (uri, options) => {
            if (options?.scope === undefined) await operator.document(uri);
            return good.delete(uri, options);
          },
        }),
      },
    ],
  };

/** A verb of somebody else's view. */
const showing = (kb: KnowledgeBase, verb: keyof KnowledgeBase): Partial<KnowledgeBase> => ({ [verb]: kb[verb] });

/** One operation of the store is another. */
export function widened<Name extends keyof RawKnowledgeStore>(
  name: Name,
  wider: (raw: RawKnowledgeStore) => RawKnowledgeStore[Name],
): Fault {
  // The store's secret and abilities are getters or plain values; its operations need no `this`.
  return { raw: (raw) => (raw[name] === undefined ? raw : { ...raw, [name]: wider(raw) }) };
}

function fittedOnEverybody() {
  const seen = new Map<string, FitChunk>();
  return {
    ...latentSemanticModel,
    project(...[terms, space, purpose]: Parameters<typeof latentSemanticModel.project>) {
      const id = terms.terms.join(" ");
      if (purpose === "document") seen.set(id, { id, terms });
      return latentSemanticModel.project(terms, space, purpose);
    },
    fit: (chunks: Iterable<FitChunk>) => latentSemanticModel.fit([...chunks, ...seen.values()]),
  };
}

const kept = new WeakMap<object, Map<string, Promise<readonly Hit[]>>>();

/** One cache for all views of a knowledge base. */
function keepsSearches(...[good, operator]: Parameters<NonNullable<Fault["view"]>>) {
  const searches = kept.get(operator) ?? new Map<string, Promise<readonly Hit[]>>();
  kept.set(operator, searches);
  return {
    search: (...[query, options]: Parameters<typeof good.search>) => {
      const key = JSON.stringify([query, options]);
      const found = searches.get(key) ?? good.search(query, options);
      searches.set(key, found);
      return found;
    },
  };
}

/** What it has seen before, for whomever, is worth less. */
function learningReranker() {
  const seen = new Map<string, number>();
  return {
    name: "learning",
    rerank: async (_: string, texts: readonly string[]) =>
      texts.map((text) => {
        for (const word of text.split(" ")) seen.set(word, (seen.get(word) ?? 0) + 1);
        return text.split(" ").reduce((sum, word) => sum + 1 / (seen.get(word) ?? 1), 0);
      }),
  };
}

/** One cache for all views, by the words of the query. */
function keepsHits(): WrapRetriever {
  const found = new Map<string, readonly Hit[]>();
  return (base) => ({
    async retrieve(scopes, query, options = {}) {
      const hits = [...(await base.retrieve(scopes, query, options)), ...(found.get(query) ?? [])];
      found.set(query, hits);
      return hits.map((hit, index) => ({ ...hit, rank: index + 1 }));
    },
  });
}

/** Documents by their id alone, as somebody or other once read them. */
function keepsDocuments(): WrapRetriever {
  const known = new Map<string, string>();
  return (base, { documents }) => ({
    async retrieve(scopes, query, options = {}) {
      const hits = await base.retrieve(scopes, query, options);
      return Promise.all(
        hits.map(async (hit) => {
          const read = known.get(hit.documentId) ?? (await documents.document(scopes, hit.documentId))?.document.text;
          if (read !== undefined) known.set(hit.documentId, read);
          return { ...hit, text: read ?? hit.text };
        }),
      );
    },
  });
}
