import type { FitChunk } from "../../src/contracts/corpus-model.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { Leg, LegMatch } from "../../src/contracts/leg.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Hit, WrapRetriever } from "../../src/contracts/retriever.ts";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import type { CompleteParts } from "../../src/stores/segments/segment-store.ts";
import { collect } from "../../src/testing/assert.ts";
import { type Fault, repeatingModel, type Subject } from "./subjects.ts";
import { scopes } from "./worlds.ts";

/** Every chunk has a document in its own scope; a document of the same id in another one may say more. */
function documentOfOthers(raw: CompleteParts["documents"]): CompleteParts["documents"]["document"] {
  return async (own, id) => {
    const others = scopes.filter((scope) => !own.includes(scope));
    return (await raw.document(others, id)) ?? raw.document(own, id);
  };
}

/** Ways to let something hidden show, one in each leg; the call that must notice, and what must see meaning for that. */
export const accessFaults: Readonly<Record<string, readonly [noticedBy: string, sees: Subject["sees"], fault: Fault]>> =
  {
    "dense search in every scope": ["search", "given", widenedLeg("dense", inEveryScope)],
    "a listing of chunks in every scope": [
      "vectors",
      "given",
      widened(
        "documents",
        "chunks",
        (raw) => (own, options) =>
          raw.chunks(options?.ids === undefined && options?.documentId === undefined ? scopes : own, options),
      ),
    ],
    "latent search in every scope": ["search", "own", widenedLeg("latent", inEveryScope)],
    "the latent model is fitted on everybody's chunks": ["search", "own", { model: fittedOnEverybody }],
    "lexical search in every scope": ["search", "nothing", widenedLeg("lexical", inEveryScope)],
    "words are as rare as in every scope": ["search", "nothing", widenedLeg("lexical", countingEveryScope)],
    "names and documents count as in every scope": ["search", "nothing", widenedLeg("lexical", namingEveryScope)],
    "a chunk is found by its id anywhere": [
      "neighbours",
      "nothing",
      widened(
        "documents",
        "chunks",
        (raw) =>
          (own, options = {}) =>
            raw.chunks(options.ids === undefined ? own : scopes, options),
      ),
    ],
    "neighbours from every scope": [
      "neighbours",
      "nothing",
      widened(
        "documents",
        "chunks",
        (raw) =>
          (own, options = {}) =>
            raw.chunks(options.documentId === undefined ? own : scopes, options),
      ),
    ],
    "chunks are listed from every scope": [
      "chunks",
      "nothing",
      widened("documents", "chunks", (raw) => (_, options) => raw.chunks(scopes, options)),
    ],
    "a document is found by its uri anywhere": [
      "document",
      "nothing",
      widened(
        "documents",
        "documents",
        (raw) => (own, options) => raw.documents(options?.under === undefined ? own : scopes, options),
      ),
    ],
    "what another scope holds counts as ingested": [
      "ingest",
      "nothing",
      widened("documents", "find", (raw) => (_, uri) => raw.find(scopes, uri)),
    ],
    "a document is read by its id anywhere": [
      "the",
      "nothing",
      widened(
        "documents",
        "document",
        (raw) => async (own, id) => (await raw.document(own, id)) ?? raw.document(scopes, id),
      ),
    ],
    "citations are checked in every scope": ["ask", "nothing", widened("documents", "document", documentOfOthers)],
    "what a model cites is checked in every scope": [
      "ask",
      "nothing",
      {
        ...widened("documents", "document", documentOfOthers),
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
      widened(
        "documents",
        "documents",
        (raw) => (own, options) => raw.documents(options?.under === undefined ? scopes : own, options),
      ),
    ],
    "folders are counted in every scope": [
      "folders",
      "nothing",
      widened("documents", "folders", (raw) => () => raw.folders!(scopes)),
    ],
    "everything is counted": ["status", "nothing", widened("documents", "status", (raw) => () => raw.status(scopes))],
    "a delete goes through every scope": [
      "what",
      "nothing",
      widened("documents", "delete", (raw) => async (own, target, options) => {
        const gone = await raw.delete(own, target, options);
        for (const scope of scopes) await raw.delete(scope, target, { ...options, onMissing: "ignore" });
        return gone;
      }),
    ],
    "what another scope holds need not be embedded": [
      "ingest",
      "given",
      widened("documents", "held", (raw) => async (own, documentId, version) => {
        const held = await Promise.all(scopes.map((scope) => raw.held(scope, documentId, version)));
        return new Map([...held.flatMap((map) => [...map]), ...(await raw.held(own, documentId, version))]);
      }),
    ],
    "copies are counted in every scope": ["search", "nothing", { view: countsEveryCopy }],
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
          delete: async (target, options) => {
            if (typeof target === "string" && options?.scope === undefined) await operator.document(target);
            return good.delete(target, options);
          },
        }),
      },
    ],
  };

/** A verb of somebody else's view. */
const showing = (kb: KnowledgeBase, verb: keyof KnowledgeBase): Partial<KnowledgeBase> => ({ [verb]: kb[verb] });

/** One operation of the store is another. */
export function widened<Part extends "documents", Name extends keyof CompleteParts[Part]>(
  part: Part,
  name: Name,
  wider: (raw: CompleteParts[Part]) => CompleteParts[Part][Name],
): Fault {
  return {
    raw: (parts) =>
      parts[part][name] === undefined ? parts : { ...parts, [part]: { ...parts[part], [name]: wider(parts[part]) } },
  };
}

/** A store one of whose legs is another. */
export function widenedLeg(name: string, change: (leg: Leg) => Leg["search"]): Fault {
  return {
    raw: (parts) => ({
      ...parts,
      legs: parts.legs.map((leg) => (leg.name === name ? { ...leg, search: change(leg) } : leg)),
    }),
  };
}

/** Copies from every scope: the store drops those outside the session's scopes, so nobody sees them. */
export const widenedCopies: Fault = widened("documents", "readChunks", (raw) => (refs, options) => {
  return raw.readChunks(refs, { ...options, copiesIn: options.copiesIn && scopes });
});

/** A pattern that matches in every scope: the store drops matches outside the session's scopes, so nobody sees them. */
export const widenedPatterns: Fault = widenedLeg("pattern", inEveryScope);

/** Searches every scope, whatever the session is for. */
function inEveryScope(leg: Leg): Leg["search"] {
  return (query, k, within) => {
    const embeddings = query.embeddings.map((each) => ({ ...each, scopes }));
    return leg.search({ ...query, embeddings }, k, { ...within, scopes });
  };
}

/** Finds in the session's scopes, with the statistics of all. */
export function countingEveryScope(leg: Leg): Leg["search"] {
  return async (query, k, within) => {
    const found = await leg.search(query, "all", { ...within, scopes });
    const own = found.matches.filter(({ scope }) => within.scopes.includes(scope));
    return { ...found, matches: k === "all" ? own : own.slice(0, k), complete: k === "all" || own.length < k };
  };
}

/** Words are weighed among readable chunks; the parts of names, documents and headings come from every scope. */
function namingEveryScope(leg: Leg): Leg["search"] {
  return async (query, k, within) => {
    const [own, wide] = [await leg.search(query, "all", within), await leg.search(query, "all", { ...within, scopes })];
    const partsOf = ({ why }: LegMatch): number =>
      why.kind !== "terms" ? 0 : (why.name?.value ?? 0) + (why.document ?? 0) + (why.heading?.value ?? 0);
    const matches = own.matches
      .map((match) => {
        const there = wide.matches.find(({ scope, id }) => scope === match.scope && id === match.id);
        return there === undefined ? match : { ...match, score: match.score - partsOf(match) + partsOf(there) };
      })
      .sort((a, b) => b.score - a.score);
    return { ...own, matches: k === "all" ? matches : matches.slice(0, k), complete: true };
  };
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

/** Hits with the copies that the operator sees. */
function countsEveryCopy(good: KnowledgeBase, operator: KnowledgeBase): Partial<KnowledgeBase> {
  return {
    async search(query, options) {
      const [hits, all] = [await good.search(query, options), await operator.search(query, { topK: "all" })];
      const copiesOf = ({ text }: Hit) => all.find((hit) => hit.text === text)?.copies;
      const counted = hits.map((hit) => ({ ...hit, copies: hit.copies ?? copiesOf(hit) }));
      return Object.assign(counted, { warnings: hits.warnings });
    },
  };
}
