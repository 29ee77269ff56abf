import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Leg, LegMatch, Why } from "../../contracts/leg.ts";
import type { Store } from "../../contracts/store.ts";
import { IbidError } from "../../contracts/errors.ts";
import { analyzeQuery } from "../../engine/bm25/query-words.ts";
import { termsFingerprint } from "../../engine/segments/chunk-terms.ts";
import type { Bm25Options } from "../../engine/bm25/bm25-settings.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { composeStore } from "../compose/compose-store.ts";
import { createSecret } from "../segments/create-secret.ts";
import { analyzerSetting, createSegmentCore } from "../segments/segment-core.ts";
import { createLexicalLeg } from "../segments/segment-legs.ts";
import { segmentReads } from "../segments/segment-reads.ts";
import { createSharedLook } from "../segments/share-look.ts";
import { decideStoreOptions } from "../segments/store-options.ts";
import { openPublishedDirectory, type PublishedDirectory, type ReadPublished } from "./published-directory.ts";

/**
 * Options of {@link openPublishedStore}.
 *
 * @experimental
 */
export interface PublishedStoreOptions {
  /** Reads a file of the publication by its name; `undefined` where there is none. A page calls `fetch`. */
  readonly read: ReadPublished;
  /** Most hits of one document. Default: no limit. */
  readonly perDocument?: number | undefined;
  /** The analyzer that the publication was made with. Default: `defaultAnalyzer`. */
  readonly analyzer?: Analyzer | undefined;
  readonly bm25?: Bm25Options | undefined;
}

/**
 * A store over the files of a {@link Publication}, for any JavaScript runtime. A search loads the files that it needs: the postings of its words, and the
 * texts of its hits.
 *
 * **Shape** searches by words alone, in the scope `deployment`. Scores are those of the published store, times the weight of the document.
 * **Errors** `unsupported` for every write; `store-corrupt` for a file that is missing or damaged; `invalid-argument` for another analyzer; errors of `read`.
 * **Cost** `manifest.ibid` once; for a search a file for each word and for each hit, at once where they are known.
 *
 * @experimental
 */
export async function openPublishedStore(options: PublishedStoreOptions): Promise<Store> {
  checkGiven("openPublishedStore", "options", options, "object");
  checkOptions("openPublishedStore", options, { read: true, perDocument: true, analyzer: true, bm25: true });
  if (typeof options.read !== "function") {
    throw new IbidError("invalid-argument", "openPublishedStore: read is not a function.", {
      hint: "Give a function that takes the name of a file and gives its bytes.",
    });
  }
  const { read, perDocument = Infinity, ...given } = options;
  if (!(perDocument >= 1)) {
    throw new IbidError("invalid-argument", `openPublishedStore: perDocument is ${String(perDocument)}.`, {
      hint: "Give a number from 1.",
    });
  }
  const decided = decideStoreOptions(given);
  const directory = await openPublishedDirectory(read, decided.analyzer);
  await directory.read((rows) => checkAnalyzer(rows.setting(analyzerSetting), decided.analyzer));
  const secret = createSecret();
  const core = createSegmentCore(directory, { ...decided, secret, embeddings: [] });
  const lexical = createLexicalLeg({ ...core, ...decided, look: createSharedLook(core.look) });
  return composeStore(
    {
      documents: {
        durability: directory.durability,
        embeddings: [],
        ...segmentReads(core),
        replace: refuse,
        delete: refuse,
        touch: refuse,
        close: () => directory.close(),
      },
      legs: [weighted(lexical, directory, decided.analyzer, perDocument)],
      secret,
    },
    { name: "The published store" },
  );
}

/** No write is taken. */
async function refuse(): Promise<never> {
  throw new IbidError("unsupported", "A published store cannot be written to.", {
    hint: "Change the documents where they are published from, and publish them again.",
  });
}

function checkAnalyzer(published: string | undefined, analyzer: Analyzer): void {
  if (published === termsFingerprint(analyzer)) return;
  throw new IbidError("invalid-argument", "The publication was made with another analyzer.", {
    hint: "Give openPublishedStore the analyzer of createPublication, or publish again with this version of ibid.",
  });
}

/** Candidates for each wanted match, so that a weighted document can rise into the result. */
const candidates = 4;
const leastCandidates = 100;

/** The lexical leg with the weights of documents, and at most some matches of each. */
function weighted(leg: Leg, directory: PublishedDirectory, analyzer: Analyzer, perDocument: number): Leg {
  return {
    ...leg,
    async search(query, k, within) {
      await directory.expect(analyzeQuery(analyzer, query.text, directory.languages).flat());
      const most = k === "all" || within.only !== undefined ? k : Math.max(leastCandidates, k * candidates);
      const found = await leg.search(query, most, within);
      const ordered = found.matches
        .map((match) => weigh(match, directory.weightOf(match.id)))
        .sort((a, b) => b.score - a.score);
      const counts = new Map<string, number>();
      const kept =
        within.only !== undefined
          ? ordered
          : ordered.filter(({ id }) => {
              const document = directory.documentOf(id);
              const count = (counts.get(document) ?? 0) + 1;
              counts.set(document, count);
              return count <= perDocument;
            });
      const matches = k === "all" || within.only !== undefined ? kept : kept.slice(0, k);
      return { ...found, matches, complete: found.complete && matches.length === kept.length };
    },
  };
}

/** The match with its score, and all parts of its explanation, times the weight. */
function weigh(match: LegMatch, weight: number): LegMatch {
  if (weight === 1) return match;
  const { scope, id, revision, score } = match;
  return {
    scope,
    id,
    revision,
    score: score * weight,
    get why() {
      return weighWhy(match.why, weight);
    },
  };
}

function weighWhy(why: Why, weight: number): Why {
  if (why.kind !== "terms") return why;
  const { terms, name, document, heading, fields } = why;
  return {
    kind: "terms",
    terms: terms.map(({ stated, ...term }) => ({
      ...term,
      score: term.score * weight,
      ...(stated !== undefined && { stated: stated * weight }),
    })),
    ...(name && { name: { ...name, value: name.value * weight } }),
    ...(document !== undefined && { document: document * weight }),
    ...(heading && { heading: { ...heading, value: heading.value * weight } }),
    ...(fields && {
      fields: { text: fields.text * weight, names: fields.names * weight, file: fields.file * weight },
    }),
  };
}
