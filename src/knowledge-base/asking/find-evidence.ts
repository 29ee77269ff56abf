import { locateVerbatim } from "../../answers/citations/locate-verbatim.ts";
import type { DocumentSlices } from "../../answers/citations/cite-quote.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { OnUsage } from "../../contracts/chat.ts";
import type { DocumentSummary } from "../../contracts/document-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Hit, RetrieveOptions, Retriever } from "../../contracts/retriever.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import type { Store } from "../../contracts/store.ts";
import type { GivenCitation } from "../../contracts/verification.ts";
import { narrowAsked } from "../../stores/compose/asked-state.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { placeLabels } from "../../text/place-labels.ts";

export interface EvidenceInput {
  readonly store: Pick<Store, "documents" | "structure" | "readText" | "chunks">;
  readonly retriever: Retriever;
  readonly scopes: AuthorizedScopes;
  readonly documents: DocumentSlices;
  readonly analyzer: Analyzer;
  /** As the knowledge base reads a uri that a person writes. */
  readonly resolveUri?: ((uri: string) => string) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onUsage?: OnUsage | undefined;
}

/** Looks for the evidence of an answer, in the documents that the caller may read. */
export interface EvidenceFinder {
  /** Documents that a citation names; empty where there is none of the name, or none that the caller may read. */
  named(citation: GivenCitation): Promise<readonly DocumentSummary[]>;
  /** Quoted words in one of these documents, as a hit that holds them alone. */
  locateIn(documents: readonly DocumentSummary[], quote: string): Promise<Hit | undefined>;
  /** Quoted words in any document. */
  locate(quote: string): Promise<Hit | undefined>;
  /** Chunks of these documents that have most of a sentence's terms, best first. */
  passages(documents: readonly DocumentSummary[], sentence: string): Promise<readonly Hit[]>;
  /** Hits for a sentence, best first. */
  search(sentence: string): Promise<readonly Hit[]>;
}

/** Documents of one name that are looked at. */
const mostNamed = 8;
/** Hits of a search by the words of a quote. **Source** our own choice. */
const quoteHits = 20;
/** Passages of a named document, and hits of a search, that a sentence is judged by. **Source** the default of searches. */
const mostPassages = 5;
/** **Units** UTF-16: well below the limit of a query. */
const longestQuery = 2000;

/**
 * **Cost** one listing of documents where a citation names a source, and each named document once. A quote that is not there costs one or two searches.
 */
export function createEvidenceFinder(input: EvidenceInput): EvidenceFinder {
  const { retriever, scopes, documents, analyzer, signal, onUsage } = input;
  const asking = { snippetLength: 0, rerank: false, signal, onUsage } satisfies RetrieveOptions;
  const { list, textOf, chunksOf } = createDocumentReader(input);
  /** A hit that holds `[start, end)` of a document alone, with the labels of that place. */
  const hitAt = async (near: Hit, start: number, end: number): Promise<Hit | undefined> => {
    const text = await documents.read(near.documentId, near.scope, start, end);
    if (text === undefined || text === "") return undefined;
    const place = (await documents.locate?.(near, start, end)) ?? near.source;
    const { uri, title, language } = near.source;
    const source = { uri, title, ...placeLabels(place), headings: place.headings, start, end };
    return { ...near, text, source: language === undefined ? source : { ...source, language } };
  };

  const retrieve = async (query: string, options: RetrieveOptions): Promise<readonly Hit[]> => {
    try {
      return await retriever.retrieve(scopes, query, { ...asking, ...options });
    } catch (error) {
      // A store may lack a leg.
      if (IbidError.isInstance(error) && error.code === "unsupported" && options.mode !== undefined) return [];
      throw error;
    }
  };

  /** The words around a hit that a quote could stand in. */
  const locateAround = async (hit: Hit, quote: string): Promise<Hit | undefined> => {
    const reach = 2 * quote.length + 64;
    const from = Math.max(0, hit.source.start - reach);
    const around = (await documents.read(hit.documentId, hit.scope, from, hit.source.end + reach)) ?? "";
    const found = locateVerbatim(around, quote);
    return found && hitAt(hit, from + found.start, from + found.end);
  };

  return {
    async named({ uri, title }) {
      const names = [uri, title].flatMap((name) => (name === undefined ? [] : [name]));
      if (names.length === 0) return [];
      return findNamed(await list(), names, input.resolveUri).slice(0, mostNamed);
    },

    async locateIn(summaries, quote) {
      for (const summary of summaries) {
        const found = locateVerbatim(await textOf(summary), quote);
        if (found === undefined) continue;
        const { start, end } = found;
        const hits = (await chunksOf(summary)).map(({ hit }) => hit);
        const near = hits.find(({ source }) => source.start <= start && start < source.end) ?? hits[0];
        if (near !== undefined) return hitAt(near, start, end);
      }
      return undefined;
    },

    async locate(quote) {
      const query = quote.trim().slice(0, longestQuery);
      if (query === "") return undefined;
      const pattern = query.split(/\s+/u).map(escapePattern).join("\\s+");
      const seen = new Set<string>();
      for (const [text, options] of [
        [query, { mode: "lexical", topK: quoteHits }],
        [pattern, { mode: "regex", topK: mostPassages }],
      ] as const) {
        for (const hit of await retrieve(text, options)) {
          const key = JSON.stringify([hit.scope, hit.chunkId]);
          if (seen.has(key)) continue;
          seen.add(key);
          const found = await locateAround(hit, quote);
          if (found !== undefined) return found;
        }
      }
      return undefined;
    },

    async passages(summaries, sentence) {
      const held: { readonly hit: Hit; readonly share: number }[] = [];
      for (const summary of summaries) {
        const all = await chunksOf(summary);
        const language = all[0]?.hit.source.language ?? "";
        const terms = new Set(analyzer.analyze(sentence, language));
        const weigh = (term: string): number =>
          Math.log(1 + all.length / (1 + all.filter((one) => one.terms.has(term)).length));
        const weights = new Map([...terms].map((term) => [term, weigh(term)]));
        for (const { hit, terms: own } of all) {
          let share = 0;
          for (const [term, weight] of weights) if (own.has(term)) share += weight;
          if (share > 0) held.push({ hit, share });
        }
      }
      return held
        .toSorted((a, b) => b.share - a.share || a.hit.source.start - b.hit.source.start)
        .slice(0, mostPassages)
        .map(({ hit }) => hit);
    },

    async search(sentence) {
      const query = sentence.trim().slice(0, longestQuery);
      return query === "" ? [] : retriever.retrieve(scopes, query, { ...asking, rerank: true, topK: mostPassages });
    },
  };
}

interface TermedHit {
  readonly hit: Hit;
  readonly terms: ReadonlySet<string>;
}

/** Reads documents, each once. */
function createDocumentReader({ store, scopes, analyzer, signal }: EvidenceInput) {
  const texts = new Map<string, Promise<string>>();
  const chunks = new Map<string, Promise<readonly TermedHit[]>>();
  let listing: Promise<readonly DocumentSummary[]> | undefined;
  const proofOf = ({ scope }: Pick<DocumentSummary, "scope">): AuthorizedScopes => narrowAsked(scopes, [scope]);
  const keyOf = ({ scope, id }: DocumentSummary): string => JSON.stringify([scope, id]);

  const read = async (): Promise<readonly DocumentSummary[]> => {
    const found: DocumentSummary[] = [];
    for await (const summary of store.documents(scopes)) {
      throwIfAborted(signal, "The verification");
      found.push(summary);
    }
    return found;
  };

  const textOf = (summary: DocumentSummary): Promise<string> => {
    const read = async (): Promise<string> =>
      (await store.readText(proofOf(summary), summary.id, 0, Number.MAX_SAFE_INTEGER)) ?? "";
    const text = texts.get(keyOf(summary)) ?? read();
    texts.set(keyOf(summary), text);
    return text;
  };

  const chunksOf = (summary: DocumentSummary): Promise<readonly TermedHit[]> => {
    const read = async (): Promise<readonly TermedHit[]> => {
      const found: TermedHit[] = [];
      for await (const { scope, chunk } of store.chunks(proofOf(summary), { documentId: summary.id })) {
        throwIfAborted(signal, "The verification");
        const { uri, title, headings, start, end, language } = chunk;
        const hit: Hit = {
          rank: 1,
          score: 0,
          chunkId: chunk.id,
          documentId: chunk.documentId,
          scope,
          text: chunk.urtext,
          snippet: "",
          source: {
            uri,
            title,
            headings,
            start,
            end,
            ...placeLabels(chunk),
            ...(language !== undefined && { language }),
          },
          metadata: chunk.metadata,
          origin: chunk.origin,
        };
        const terms = analyzer.analyze([title, ...headings, chunk.urtext].join("\n"), language ?? "");
        found.push({ hit, terms: new Set(terms) });
      }
      return found;
    };
    const known = chunks.get(keyOf(summary)) ?? read();
    chunks.set(keyOf(summary), known);
    return known;
  };

  return { list: () => (listing ??= read()), textOf, chunksOf };
}

const escapePattern = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&");

/** A place behind a name, as people and ibid write it: `keys.md:12`, `report.pdf, page 3`, `keys.md#rotation`. */
const placeBehind = /(?::\d+|,? (?:pages?|p\.|lines?|slides?) ?\d+(?:\s*[-–]\s*\d+)?|#[^\s]*)[.,;:]?$/iu;
/** A shorter title may stand in any text. */
const leastTitle = 4;

/**
 * The documents that one of the names means: by uri, else by title, else by file name. Else the longest of these that stands in a name counts.
 *
 * **Shape** in the order of the listing.
 */
function findNamed(
  all: readonly DocumentSummary[],
  names: readonly string[],
  resolveUri: ((uri: string) => string) | undefined,
): readonly DocumentSummary[] {
  const wanted = names.flatMap((name) => {
    const plain = name.trim();
    const bare = plain.replace(placeBehind, "");
    return [...new Set([plain, bare])].filter((one) => one !== "");
  });
  const uris = new Set(wanted.flatMap((name) => [name, resolveUri?.(name) ?? name]));
  const folded = new Set(wanted.map(fold));
  const files = new Set(wanted.map(fileNameOf));
  for (const isMeant of [
    ({ uri }: DocumentSummary) => uris.has(uri),
    ({ title }: DocumentSummary) => title !== "" && folded.has(fold(title)),
    ({ uri }: DocumentSummary) => files.has(fileNameOf(uri)),
  ]) {
    const found = all.filter(isMeant);
    if (found.length > 0) return found;
  }
  let longest = leastTitle - 1;
  let found: DocumentSummary[] = [];
  for (const summary of all) {
    for (const part of [summary.uri, fileNameOf(summary.uri), summary.title]) {
      if (part.length < longest || part.length < leastTitle || !wanted.some((name) => standsIn(name, part))) continue;
      if (part.length > longest) found = [];
      longest = part.length;
      if (!found.includes(summary)) found.push(summary);
    }
  }
  return found;
}

const fold = (text: string): string => text.toLowerCase().replaceAll(/\s+/gu, " ").trim();

function fileNameOf(uri: string): string {
  return uri.slice(Math.max(uri.lastIndexOf("/"), uri.lastIndexOf("\\")) + 1);
}

/** Whether a name holds a part as whole words. */
function standsIn(name: string, part: string): boolean {
  const text = fold(name);
  const wanted = fold(part);
  const at = text.indexOf(wanted);
  if (at === -1) return false;
  const around = [text[at - 1] ?? " ", text[at + wanted.length] ?? " "];
  return around.every((character) => !/[\p{L}\p{Nd}]/u.test(character));
}
