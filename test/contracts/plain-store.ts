import { assertAuthorized, assertSystem } from "../../src/access/gate.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { ChunkEntry, DocumentSummary, FolderCount, StoredDocument } from "../../src/contracts/document-store.ts";
import { embeddedText } from "../../src/text/embedded-text.ts";
import { versionKey, kindOf } from "../../src/contracts/embedding.ts";
import type {
  Embedding,
  HybridVector,
  Metric,
  SparseVector,
  Vector,
  VersionedEmbedding,
} from "../../src/contracts/embedding.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { Filter } from "../../src/contracts/filter.ts";
import type { DeleteTarget, Store } from "../../src/contracts/store.ts";
import type { WordMatch } from "../support/search-legs.ts";
import type { AuthorizedScopes, Scope } from "../../src/contracts/scope.ts";
import type { VectorMatch } from "../../src/contracts/vector-store.ts";
import { defaultAnalyzer } from "../../src/text/analyzer.ts";
import { checkNames } from "../../src/runtime/check-options.ts";
import { mayMatch } from "./mistaken-index.ts";
import { passes } from "./plain-filter.ts";
import { readPlainLucene } from "./plain-lucene.ts";
import { compareChunkPlaces } from "../../src/runtime/compare-text.ts";
import { addPlainWords, countWords, createPlainBm25, type Fields, plainFile, type PlainScore } from "./plain-bm25.ts";
import type { StoreFault } from "./store-faults.ts";
import { type PlainSearches, sessionOver } from "../support/session-over.ts";

interface Row {
  readonly scope: Scope;
  chunk: Chunk;
  embeddings: VersionedEmbedding[];
  /** When it was deleted; `undefined` while it lives. */
  deletedAt: number | undefined;
  readonly born: number;
  /** What an index that is not kept up to date takes the text for. */
  indexed?: string;
}

const nothing: PlainScore = { terms: [], name: 0, document: 0, heading: 0, score: 0 };

interface DocumentRow {
  summary: Omit<DocumentSummary, "chunks">;
  document: StoredDocument["document"];
  deletedAt: number | undefined;
}

/**
 * A knowledge store of two arrays and no cleverness: proof that the packs ask for nothing but the contracts, and the good side of every mutant.
 *
 * Slow on purpose. With a `fault`, broken in exactly that way.
 */
export function createPlainStore(
  fault?: StoreFault,
  disk?: { rows: Row[]; documents: DocumentRow[]; secret: Uint8Array },
): PlainStore {
  const broken = (name: StoreFault): boolean => fault === name;
  let rows: Row[] = disk?.rows ?? [];
  let documents: DocumentRow[] = disk?.documents ?? [];
  const graveyard: Row[] = [];
  const secret =
    disk?.secret ?? (broken("secret constant") ? new Uint8Array(32) : crypto.getRandomValues(new Uint8Array(32)));
  let closed = false;
  let clock = 0;
  let listing = false;

  const copy = <Value>(value: Value, side: "input aliased" | "output aliased"): Value =>
    broken(side) ? value : structuredClone(value);
  const fail = (code: ConstructorParameters<typeof IbidError>[0], message: string, details = {}): never => {
    throw new IbidError(code, message, { details });
  };
  const analyze = (text: string): readonly string[] =>
    broken("case matters in words") ? text.split(/\P{L}+/u).filter(Boolean) : defaultAnalyzer.analyze(text);
  const wordsOf = ({ scope, chunk }: Row): Fields => {
    const { title, headings, text, urtext, documentId } = chunk;
    const names = [
      ...(broken("title not indexed") ? [] : [title]),
      ...(broken("headings not indexed") ? [] : headings),
    ];
    const once = broken("a name counts twice") ? names : [...new Set(names)];
    const home = documents.find(({ summary }) => summary.scope === scope && summary.id === documentId)?.summary;
    return {
      names: once.flatMap(analyze),
      text: analyze(broken("urtext indexed") ? urtext : text),
      title: analyze(home?.title ?? ""),
      file: analyze(broken("whole path indexed") ? chunk.uri : plainFile(home?.uri ?? "")),
      heading: analyze(headings.at(-1) ?? ""),
      home: broken("documents of one id are one") ? documentId : `${scope} ${documentId}`,
    };
  };
  const open = (): void => {
    if (closed && !broken("open after close")) fail("store-closed", "The store is closed.");
  };
  const read = (proof: AuthorizedScopes): readonly Scope[] => {
    open();
    if (broken("forged proof accepted")) return proof?.scopes ?? [];
    if (broken("any right is good") && (proof as { right?: string } | undefined)?.right === "write")
      return proof.scopes;
    assertAuthorized(proof, "read");
    if (broken("empty store throws") && rows.length === 0) fail("internal", "There is nothing here.");
    return proof.scopes;
  };
  const write = (proof: AuthorizedScopes<"write">): Scope => {
    open();
    if (broken("forged proof accepted")) return proof?.scopes?.[0] ?? "deployment";
    if (broken("any right is good") && (proof as { right?: string } | undefined)?.right === "read")
      return proof.scopes[0] as Scope;
    assertAuthorized(proof, "write");
    if (listing && broken("an abandoned listing locks")) fail("store-busy", "Somebody is reading.");
    return proof.scopes[0] as Scope;
  };
  const known = (where: string, options: object | undefined, keys: readonly string[]): void => {
    if (!broken("unknown options pass")) checkNames(where, options, keys);
  };
  const check = (filter: Filter | undefined): void => {
    if (filter !== undefined && !broken("filter throws nothing")) passes(filter, {});
  };
  const matches = (row: Row, filter: Filter | undefined): boolean => {
    if (filter === undefined || broken("filter ignored")) return true;
    try {
      if (broken("ne fails on a missing key") && filter.op === "ne")
        return filter.key in row.chunk.metadata && passes(filter, row.chunk.metadata);
      if (broken("numbers compare with strings") && filter.op === "gte") {
        const value = row.chunk.metadata[filter.key];
        return value !== undefined && value !== null && (value as string) >= (filter.value as string);
      }
      return passes(filter, row.chunk.metadata);
    } catch (error) {
      if (broken("filter throws nothing")) return false;
      throw error;
    }
  };
  const alive = (row: Row): boolean => row.deletedAt === undefined || broken("delete hides nothing");
  const within = (scopes: readonly Scope[]): Row[] =>
    rows.filter((row) => alive(row) && (scopes.includes(row.scope) || broken("scope ignored")));
  const inOrder = (a: Row, b: Row): number =>
    a.chunk.id < b.chunk.id ? -1 : a.chunk.id > b.chunk.id ? 1 : a.scope < b.scope ? -1 : 1;
  const byPlace = (a: Row, b: Row): number =>
    compareChunkPlaces({ ...a.chunk, scope: a.scope }, { ...b.chunk, scope: b.scope });
  const rank = <Match extends { row: Row; score: number }>(found: Match[]): Match[] => {
    if (broken("unsorted")) return found;
    const ties = broken("ties unbroken")
      ? (a: Match, b: Match) => b.row.born - a.row.born
      : (a: Match, b: Match) => byPlace(a.row, b.row);
    return found.toSorted((a, b) => b.score - a.score || ties(a, b));
  };
  const limit = (topK: number | "all" | undefined): number => {
    if (topK === "all") return Infinity;
    if (topK === undefined) return 5;
    if ((!Number.isSafeInteger(topK) || topK < 1) && !broken("top-k unchecked"))
      fail("invalid-argument", "topK is a whole number from 1.");
    return broken("top-k off by one") ? topK - 1 : topK;
  };

  /** Filters and cuts in the right order, or, for two of the faults, in the wrong one. */
  const narrow = <Match extends { row: Row; score: number }>(
    found: Match[],
    query: {
      filter?: Filter | undefined;
      origins?: readonly string[] | undefined;
      topK?: number | "all" | undefined;
      minScore?: number | undefined;
    },
    scopes: readonly Scope[],
  ): Match[] => {
    const k = limit(query.topK);
    let ranked = rank(found);
    if (broken("top-k before the scopes")) ranked = ranked.slice(0, k).filter(({ row }) => scopes.includes(row.scope));
    if (broken("top-k before the filter")) ranked = ranked.slice(0, k);
    const floor = broken("min score ignored") ? undefined : query.minScore;
    return ranked
      .filter(({ row }) => matches(row, query.filter))
      .filter(
        ({ row }) =>
          query.origins === undefined || broken("origins ignored") || query.origins.includes(row.chunk.origin),
      )
      .filter(({ score }) => floor === undefined || (broken("min score exclusive") ? score > floor : score >= floor))
      .slice(0, k);
  };

  const checkVector = (version: VersionedEmbedding["version"], embedding: Embedding): void => {
    const kind = kindOf(embedding);
    const dense =
      kind === "dense" ? (embedding as Vector) : kind === "hybrid" ? (embedding as HybridVector).dense : undefined;
    const sparse =
      kind === "sparse"
        ? (embedding as SparseVector)
        : kind === "hybrid"
          ? (embedding as HybridVector).sparse
          : undefined;
    if (dense !== undefined && dense.length !== version.dimensions) {
      fail("dimension-mismatch", `Expected ${version.dimensions} dimensions, got ${dense.length}.`, {
        expected: version.dimensions,
        got: dense.length,
      });
    }
    const numbers = [...(dense ?? []), ...(sparse?.values ?? [])];
    if (!numbers.every(Number.isFinite) && !broken("NaN let through"))
      fail("invalid-argument", "A vector holds finite numbers.");
    if (sparse === undefined) return;
    if (sparse.indices.length !== sparse.values.length)
      fail("invalid-argument", "Indices and values run side by side.");
    if ([...sparse.indices].some((index, i) => i > 0 && index <= (sparse.indices[i - 1] as number)))
      fail("invalid-argument", "Indices ascend.");
  };
  const isBad = (id: string): boolean => id.trim() === "" || !id.isWellFormed() || id.includes("\0");
  const checkEntry = ({ chunk, embeddings }: ChunkEntry): void => {
    if (isBad(chunk.id) && !broken("blank id accepted")) fail("invalid-id", "A chunk needs an id.");
    if (broken("dimension unchecked on add")) return;
    for (const { version, embedding } of embeddings) checkVector(version, embedding);
  };
  const put = (scope: Scope, entry: ChunkEntry): void => {
    const { chunk, embeddings } = copy(entry, "input aliased");
    const { embedding, ...bare } = chunk;
    const kept = broken("chunk embedding kept") && embedding !== undefined ? chunk : bare;
    const stored = broken("text trimmed")
      ? { ...kept, text: kept.text.trim().replaceAll("\u0000", "") }
      : broken("text normalised")
        ? { ...kept, text: kept.text.normalize("NFC") }
        : kept;
    const same = rows.find(
      (row) => (row.scope === scope || broken("scope forgotten in identity")) && row.chunk.id === chunk.id,
    );
    const list = broken("sparse vector dropped")
      ? embeddings.filter((each) => kindOf(each.embedding) !== "sparse")
      : broken("bytes become numbers")
        ? embeddings.map((each) =>
            each.embedding instanceof Int8Array ? { ...each, embedding: Float32Array.from(each.embedding) } : each,
          )
        : [...embeddings];
    if (same === undefined || broken("same id appended")) {
      rows.push({ scope, chunk: stored, embeddings: list, deletedAt: undefined, born: clock++ });
      return;
    }
    if (broken("regex index keeps old texts")) same.indexed = same.chunk.urtext;
    same.chunk = stored;
    if (!broken("stale vector")) same.embeddings = list;
    same.deletedAt = undefined;
  };
  const kill = (row: Row): void => {
    row.deletedAt = Date.now();
  };
  const bury = (gone: readonly Row[]): void => {
    graveyard.push(...gone);
    rows = rows.filter((row) => !gone.includes(row));
  };
  const pick = (scope: Scope, target: DeleteTarget): Row[] => {
    const own = rows.filter((row) => row.scope === scope || broken("delete in every scope"));
    if ("scope" in target) return own;
    if ("ids" in target) return own.filter((row) => target.ids.includes(row.chunk.id));
    if ("documentIds" in target) return own.filter((row) => target.documentIds.includes(row.chunk.documentId));
    return own.filter((row) => alive(row) && matches(row, target.filter));
  };

  const similarity = (metric: Metric, a: Embedding, b: Embedding): { score: number; rawScore: number } => {
    const kind = kindOf(a);
    if (kind === "hybrid") {
      const [left, right] = [a as HybridVector, b as HybridVector];
      const [dense, sparse] = [
        similarity(metric, left.dense, right.dense),
        similarity(metric, left.sparse, right.sparse),
      ];
      return { score: dense.score + sparse.score, rawScore: dense.rawScore + sparse.rawScore };
    }
    const [left, right] =
      kind === "sparse" ? alignSparse(a as SparseVector, b as SparseVector) : [a as Vector, b as Vector];
    let [dot, leftSquare, rightSquare, distance] = [0, 0, 0, 0];
    for (let i = 0; i < left.length; i++) {
      const [x, y] = [left[i] ?? 0, right[i] ?? 0];
      dot += x * y;
      leftSquare += x * x;
      rightSquare += y * y;
      distance += (x - y) * (x - y);
    }
    if (metric === "euclidean") {
      const rawScore = Math.sqrt(distance);
      return {
        score: broken("euclidean by distance") || broken("distance as score") ? rawScore : 1 / (1 + rawScore),
        rawScore,
      };
    }
    if (metric === "dot" || broken("dot for cosine")) return { score: dot, rawScore: dot };
    const length = Math.sqrt(leftSquare) * Math.sqrt(rightSquare);
    const cosine =
      length === 0 || !Number.isFinite(length) ? (broken("zero vector NaN") ? Number.NaN : 0) : dot / length;
    const sign = broken("wrong sign") ? -1 : 1;
    const score = broken("distance as score") ? 1 - cosine : sign * cosine;
    return { score, rawScore: score };
  };
  const keyOf = (version: VersionedEmbedding["version"]): string =>
    broken("versions mixed")
      ? String(version.dimensions)
      : versionKey(broken("fingerprint ignored") ? { ...version, fingerprint: "" } : version);

  const summarise = (row: DocumentRow): DocumentSummary => ({
    ...row.summary,
    chunks: rows.filter(
      ({ scope, chunk, deletedAt }) =>
        scope === row.summary.scope && chunk.documentId === row.summary.id && deletedAt === undefined,
    ).length,
  });
  const standing = (row: DocumentRow): boolean => row.deletedAt === undefined;
  const documentRow = (scope: Scope, id: string): DocumentRow | undefined =>
    documents.find(({ summary }) => summary.scope === scope && summary.id === id);
  const hand = (row: DocumentRow): StoredDocument =>
    copy({ summary: summarise(row), document: row.document }, "output aliased");

  const receiptOf = (scope: Scope) => ({ scope, life: "0", stamp: ++clock });

  const searches: PlainSearches = {
    async search(scopes, query) {
      const readable = read(scopes);
      known("search", query, [
        "embedding",
        "version",
        "filter",
        "origins",
        "topK",
        "minScore",
        "metric",
        "includeEmbeddings",
      ]);
      check(query.filter);
      limit(query.topK);
      const { embedding, version, metric = "cosine" } = query;
      if (!["cosine", "dot", "euclidean"].includes(metric) && !broken("undeclared metric answered"))
        fail("invalid-argument", "An unknown metric.");
      if (embedding !== undefined) {
        if (version === undefined) return fail("invalid-argument", "An embedding needs its version.");
        if (!broken("dimension unchecked on search")) checkVector(version, embedding);
      }
      const pool = within(broken("top-k before the scopes") ? [...new Set(rows.map((row) => row.scope))] : readable);
      const found: { row: Row; score: number; rawScore: number; vector?: Embedding }[] = [];
      for (const row of pool) {
        if (embedding === undefined || version === undefined) {
          found.push({ row, score: 0, rawScore: 0 });
          continue;
        }
        const stored = row.embeddings.find((each) => keyOf(each.version) === keyOf(version));
        if (stored !== undefined)
          found.push({ row, ...similarity(metric, embedding, stored.embedding), vector: stored.embedding });
      }
      return narrow(found, query, readable).map(({ row, score, rawScore, vector }): VectorMatch => {
        const shown =
          (query.includeEmbeddings === true || broken("embeddings leaked")) && vector !== undefined
            ? { embedding: vector }
            : {};
        return copy({ scope: row.scope, chunk: row.chunk, score, rawScore, ...shown }, "output aliased");
      });
    },

    async lexicalSearch(scopes, query) {
      const readable = read(scopes);
      known("lexicalSearch", query, ["text", "syntax", "filter", "origins", "topK", "minScore"]);
      check(query.filter);
      limit(query.topK);
      if (broken("query parsed") && /["(~[]|^-|\*/u.test(query.text))
        throw new IbidError("invalid-argument", "A query that does not parse.");
      if (query.syntax !== undefined && !["literal", "lucene"].includes(query.syntax))
        fail("invalid-argument", "No such syntax.");
      const lucene =
        query.syntax === "lucene"
          ? readPlainLucene(query.text, analyze, {
              must: broken("needed words not needed"),
              not: broken("excluded words not excluded"),
              order: broken("phrases in any order"),
            })
          : undefined;
      const pool = broken("hidden scopes counted")
        ? rows.filter(alive)
        : broken("tombstones counted")
          ? rows.filter((row) => readable.includes(row.scope))
          : within(readable);
      const analysed = new Map(pool.map((row) => [row, wordsOf(row)]));
      const own = countWords(lucene?.words ?? analyze(query.text));
      const words = lucene === undefined ? addPlainWords(query.text, own, analyze, [...analysed.values()]) : own;
      const bm25 = createPlainBm25([...analysed.values()], {
        logOdds: broken("idf of another formula"),
        flat: broken("length not normalised"),
        oneLength: broken("fields share one length"),
        ...(broken("names weigh as text") ? { nameWeight: 1 } : {}),
        ...(broken("file names left out") ? { fileWeight: 0 } : {}),
        ...(broken("naming left out") ? { naming: 0 } : {}),
        ...(broken("whole documents left out") ? { document: 0 } : {}),
        ...(broken("innermost heading left out") ? { heading: 0 } : {}),
      });
      const weighed = Array.from(words, ([term, count]) => ({
        term,
        idf: bm25.idf(term),
        count: broken("repeated query terms count once") ? 1 : count,
        chunks: bm25.having(term),
        ...(!own.has(term) && { added: "joined" as const }),
      }));
      const asked = new Map(weighed.map(({ term, count }) => [term, count]));
      const found: { row: Row; score: number; parts: Omit<WordMatch, "scope" | "chunk" | "score"> }[] = [];
      for (const [row, fields] of analysed) {
        if (!alive(row) || !(readable.includes(row.scope) || broken("scope ignored"))) continue;
        const scored = bm25.score(fields, asked);
        if (!(lucene?.admits(fields) ?? scored !== undefined)) continue;
        const { terms, name, document, heading, score } = scored ?? nothing;
        const parts = { terms: terms.map((part) => ({ ...part, idf: bm25.idf(part.term) })), name, document, heading };
        found.push({ row, score: Math.max(score + (broken("terms do not add up") ? 0.01 : 0), 1e-9), parts });
      }
      const seen = new Set([...analysed.values()].flatMap(({ text, names }) => [...text, ...names]));
      return {
        matches: narrow(found, query, readable).map(({ row, score, parts }) =>
          copy({ scope: row.scope, chunk: row.chunk, score, ...parts }, "output aliased"),
        ),
        terms: weighed.filter(({ term }) => !broken("unseen terms left out") || seen.has(term)),
      };
    },

    async regexSearch(scopes, query) {
      const readable = read(scopes);
      known("regexSearch", query, ["pattern", "ignoreCase", "filter", "origins", "topK"]);
      check(query.filter);
      limit(query.topK);
      const pattern = plainPattern(
        query.pattern,
        query.ignoreCase === true || broken("regex case ignored"),
        broken("regex backtracks politely"),
        broken("regex gives up on hostile patterns"),
      );
      const found = within(readable).map((row) => {
        const from = broken("regex on text") ? row.chunk.text : row.chunk.urtext;
        const offset = broken("regex positions in the chunk") ? 0 : row.chunk.start;
        const { indexed = from } = row;
        const looked = mayMatch(fault, query, from) && (indexed === from || pattern(indexed).length > 0);
        const places = (looked ? pattern(from) : []).filter(
          ({ start, end }) => end > start || broken("regex empty matches"),
        );
        const score = broken("regex score by position")
          ? 1 / (2 + (places[0]?.start ?? 0))
          : places.length / (places.length + 1);
        return { row, score, places: places.map(({ start, end }) => ({ start: start + offset, end: end + offset })) };
      });
      const hits = found.filter(({ places }) => places.length > 0);
      return narrow(hits, query, readable).map(({ row, score, places }) =>
        copy({ scope: row.scope, chunk: row.chunk, score, matches: places }, "output aliased"),
      );
    },
  };

  const store: PlainStore = {
    secret,
    native: (authority) => assertSystem(authority),
    name: "The plain store",
    capabilities: {
      durability: "snapshot",
      embeddings: ["dense", "sparse", "hybrid"],
      legs: {},
      versions: false,
      trash: true,
      upkeep: false,
      history: false,
    },
    moment: async (scopes) => {
      assertAuthorized(scopes, scopes?.right ?? "read");
      open();
      return { stamps: new Map(scopes.scopes.map((scope) => [scope, { stamp: clock, life: "0" }])) };
    },
    async chunkCounts(scopes, asked) {
      const readable = read(scopes);
      return asked.map(
        ({ scope, documentId }) =>
          within(readable).filter((row) => row.scope === scope && row.chunk.documentId === documentId).length,
      );
    },
    [Symbol.asyncDispose]: () => store.close(),
    ready: async () => {},
    async delete(from, target, options) {
      const scope = write(from);
      known("delete", options, ["onMissing", "purge"]);
      if ("filter" in target) check(target.filter);
      const picked = pick(scope, target);
      const live = picked.filter((row) => row.deletedAt === undefined || broken("delete counts again"));
      if ("ids" in target && options?.onMissing === "error" && !broken("delete ignores onMissing")) {
        const missing = target.ids.find((id) => !live.some((row) => row.chunk.id === id));
        if (missing !== undefined) {
          if (broken("delete half before the error")) live.forEach(kill);
          fail("not-found", `Nothing with id "${missing}" is here.`);
        }
      }
      const forever =
        "scope" in target ? !broken("reset restorable") : options?.purge === true && !broken("purge restorable");
      live.forEach(kill);
      if (forever) bury(picked);
      const affected = new Set(live.map(({ chunk }) => chunk.documentId));
      if ("documentIds" in target) for (const id of target.documentIds) affected.add(id);
      for (const row of documents) {
        const whole = "scope" in target || ("documentIds" in target && target.documentIds.includes(row.summary.id));
        if (row.summary.scope === scope && whole && !broken("document outlives its chunks")) row.deletedAt = Date.now();
      }
      if (forever && !broken("document outlives its chunks"))
        documents = documents.filter(
          (row) => row.summary.scope !== scope || standing(row) || !affected.has(row.summary.id),
        );
      return { chunks: live.length, receipt: receiptOf(scope) };
    },
    trash: {
      async restore(into, target) {
        const scope = write(into);
        if (broken("restore takes back purged scopes"))
          rows.push(...graveyard.filter((row) => row.scope === scope && !rows.includes(row)));
        const back = pick(scope, target).filter((row) => row.deletedAt !== undefined);
        for (const row of back) {
          row.deletedAt = undefined;
          if (broken("restore forgets vectors")) row.embeddings = [];
          if (broken("regex index forgets the restored")) row.indexed = "";
          const document = documentRow(scope, row.chunk.documentId);
          if (document !== undefined) document.deletedAt = undefined;
        }
        return back.length;
      },
      async vacuum(authority, { olderThanMs }) {
        open();
        if (!broken("authority unchecked")) assertSystem(authority);
        const bound = Date.now() - olderThanMs;
        const old = rows.filter(
          (row) => row.deletedAt !== undefined && (row.deletedAt < bound || broken("vacuum takes all")),
        );
        const gone = broken("vacuum in one scope") ? old.filter((row) => row.scope === old[0]?.scope) : old;
        rows = rows.filter((row) => !gone.includes(row));
        documents = documents.filter((row) => row.deletedAt === undefined || row.deletedAt >= bound);
        return gone.length;
      },
      async *deleted(scopes) {
        const readable = read(scopes);
        for (const row of documents) {
          if (row.deletedAt === undefined || !readable.includes(row.summary.scope)) continue;
          yield { ...summarise(row), deletedAt: new Date(row.deletedAt).toISOString() };
        }
      },
    },
    async *chunks(scopes, options) {
      const readable = read(scopes);
      known("chunks", options, ["filter", "documentId", "ids", "includeEmbeddings", "includeDeleted"]);
      check(options?.filter);
      const isDeletedShown = options?.includeDeleted === true && !broken("list knows no deleted chunk");
      const list = (): Row[] =>
        (isDeletedShown ? rows.filter(({ scope }) => readable.includes(scope)) : within(readable))
          .filter((row) => matches(row, options?.filter))
          .filter(
            (row) =>
              options?.documentId === undefined ||
              broken("list ignores document") ||
              row.chunk.documentId === options.documentId,
          )
          .filter(
            (row) => options?.ids === undefined || broken("list ignores ids") || options.ids.includes(row.chunk.id),
          )
          .toSorted(
            broken("list unsorted")
              ? (a, b) => a.born - b.born
              : (a, b) => (a.scope < b.scope ? -1 : a.scope > b.scope ? 1 : inOrder(a, b)),
          );
      const give = (row: Row) => {
        const { scope, chunk, embeddings, deletedAt } = row;
        const shown = options?.includeEmbeddings === true || broken("embeddings leaked") ? { embeddings } : {};
        const gone = deletedAt === undefined ? {} : { deletedAt: new Date(deletedAt).toISOString() };
        return copy({ scope, chunk, ...shown, ...gone }, "output aliased");
      };
      if (broken("listing holds a snapshot of indexes")) {
        for (let i = 0; i < list().length; i++) yield give(list()[i] as Row);
        return;
      }
      listing = true;
      for (const row of list()) if (alive(row) || isDeletedShown) yield give(row);
      listing = false;
    },
    async scopes(authority) {
      open();
      if (!broken("authority unchecked")) assertSystem(authority);
      return [
        ...new Set([
          ...rows.filter((row) => alive(row) || broken("scopes list the emptied")).map((row) => row.scope),
          ...documents
            .filter((row) => standing(row) && !broken("scopes count chunks alone"))
            .map(({ summary }) => summary.scope),
        ]),
      ].toSorted();
    },

    async session(...asked) {
      open();
      return sessionOver(searches, store)(...asked);
    },

    async replace(into, entry) {
      const scope = write(into);
      if (broken("writes race")) {
        const mine = [...rows];
        await new Promise((resolve) => void setTimeout(resolve, 1));
        rows = mine;
      }
      const { document, keeps } = entry;
      const entries: ChunkEntry[] = [];
      if (Symbol.asyncIterator in entry.chunks) for await (const batch of entry.chunks) entries.push(...batch);
      else entries.push(...entry.chunks);
      const validate = (): void => {
        if (isBad(document.id)) fail("invalid-id", "A document needs an id.");
        for (const each of entries) {
          checkEntry(each);
          if (broken("partial batch stored")) put(scope, each);
        }
      };
      if (!broken("replace validates late")) validate();
      const old = rows.filter(
        (row) => (row.scope === scope || broken("replace clears other scopes")) && row.chunk.documentId === document.id,
      );
      const before = new Map(
        old.filter((row) => row.deletedAt === undefined && row.scope === scope).map((row) => [row.chunk.id, row]),
      );
      const relying =
        keeps === "all-without-vectors"
          ? entries.filter(({ embeddings }) => embeddings.length === 0).map(({ chunk }) => chunk.id)
          : (keeps ?? []);
      if (relying.some((id) => !before.has(id)) && !broken("kept chunks unchecked"))
        fail("store-busy", "A chunk that this relies on has gone.");
      if (!broken("replace keeps old chunks")) {
        const ids = new Set(entries.map(({ chunk }) => chunk.id));
        rows = rows.filter((row) => !old.includes(row) || (row.scope === scope && ids.has(row.chunk.id)));
      }
      if (broken("replace not atomic")) await new Promise((resolve) => void setTimeout(resolve, 1));
      validate();
      let kept = 0;
      for (const each of entries) {
        const same = before.get(each.chunk.id);
        if (same !== undefined) kept++;
        const keep =
          each.embeddings.length === 0 &&
          same !== undefined &&
          (same.chunk.text === each.chunk.text || broken("old vector for a new text")) &&
          !broken("replace drops vectors");
        put(scope, keep ? { ...each, embeddings: same.embeddings } : each);
      }
      documents = documents.filter(({ summary }) => summary.scope !== scope || summary.id !== document.id);
      const { blocks, ...stored } = copy(document, "input aliased");
      const { contentHash, metadataHash, fingerprint, bytes, folder, validators } = entry;
      const now = new Date().toISOString();
      documents.push({
        document: {
          ...stored,
          ...(broken("blocks kept") && blocks !== undefined ? { blocks } : {}),
          ...(broken("root not kept") ? { root: { ...stored.root, children: [] } } : {}),
          ...(broken("text normalised") ? { text: stored.text.normalize("NFC") } : {}),
          ...(broken("long texts cut") ? { text: stored.text.slice(0, 100_000) } : {}),
        },
        summary: {
          scope,
          id: document.id,
          uri: document.uri,
          title: document.title,
          mediaType: document.mediaType,
          contentHash,
          metadataHash,
          fingerprint,
          bytes,
          folder,
          ...(validators === undefined ? {} : { validators: copy(validators, "input aliased") }),
          ingestedAt: now,
          checkedAt: now,
        },
        deletedAt: undefined,
      });
      return { added: entries.length - kept, kept, removed: before.size - kept, receipt: receiptOf(scope) };
    },
    async held(into, documentId, version) {
      const scope = write(into);
      const own = rows.filter(
        (row) =>
          row.scope === scope &&
          row.chunk.documentId === documentId &&
          (row.deletedAt === undefined || broken("held counts the deleted")),
      );
      const having = own.filter(
        ({ embeddings }) =>
          version === undefined ||
          broken("held ignores the version") ||
          embeddings.some((each) => versionKey(each.version) === versionKey(version)),
      );
      return new Map(having.map(({ chunk }) => [chunk.id, embeddedText(chunk)]));
    },
    async find(scopes, uri) {
      const readable = read(scopes);
      return documents
        .filter(
          (row) =>
            standing(row) &&
            row.summary.uri === uri &&
            (readable.includes(row.summary.scope) || broken("find in any scope")),
        )
        .toSorted((a, b) => (a.summary.scope < b.summary.scope ? -1 : 1))
        .map(hand);
    },
    async document(scopes, id) {
      const readable = read(scopes);
      const row = documents.find(
        (each) =>
          standing(each) &&
          each.summary.id === id &&
          (readable.includes(each.summary.scope) || broken("document by id in any scope")),
      );
      if (row !== undefined) return hand(row);
      if (broken("unknown document throws")) fail("not-found", "There is no such document.");
      const posing = within(readable).find((each) => each.chunk.id === id)?.chunk;
      return broken("chunks pose as documents") && posing !== undefined
        ? ({ document: posing } as unknown as StoredDocument)
        : undefined;
    },
    async structure(scopes, id, options = {}) {
      const readable = read(scopes);
      checkNames("structure", options, ["chunks"]);
      const found = documents.find(
        (row) => standing(row) && row.summary.id === id && readable.includes(row.summary.scope),
      );
      if (found === undefined) return undefined;
      const { summary, document } = hand(found);
      const { text: _, ...bare } = document;
      const spans = rows
        .filter(({ scope, chunk }) => scope === summary.scope && chunk.documentId === id)
        .filter((row) => row.deletedAt === undefined || broken("spans of the deleted"))
        .map(({ chunk }) => ({ id: chunk.id, index: chunk.index, start: chunk.start, end: chunk.end }))
        .toSorted((a, b) => (broken("spans by id") ? (a.id < b.id ? 1 : -1) : a.index - b.index || a.start - b.start));
      return {
        summary,
        document: broken("structure with its text") ? document : bare,
        ...(options.chunks === true && { chunks: spans }),
      };
    },
    async readText(scopes, id, start, end) {
      const readable = read(scopes);
      const fits = Number.isSafeInteger(start) && Number.isSafeInteger(end) && 0 <= start && start <= end;
      if (!fits && !broken("slices unchecked")) fail("invalid-argument", "There is no such slice.");
      const { document } =
        documents.find(
          (row) =>
            standing(row) &&
            row.summary.id === id &&
            (readable.includes(row.summary.scope) || broken("slices in any scope")),
        ) ?? {};
      if (document === undefined) return undefined;
      const { text } = document;
      if (broken("slices count characters")) return Array.from(text).slice(start, end).join("");
      if (broken("slices shrink to the text") && end > text.length) return text.slice(start, text.length - 1);
      const part = 2 ** 20;
      const stop = broken("slices stop at a part") ? Math.min(end, (Math.floor(start / part) + 1) * part) : end;
      return text.slice(start, broken("slices with their end") ? stop + 1 : stop);
    },
    async *documents(scopes, options = {}) {
      const readable = read(scopes);
      checkNames("documents", options, ["under", "after", "limit", "order", "mediaType", "since", "before"]);
      const { order, after, limit = Infinity } = options;
      const type = options.mediaType?.toLowerCase();
      const isOfType = (own: string): boolean =>
        broken("any type listed") || type === undefined || own === type || (type.endsWith("/") && own.startsWith(type));
      const isInTime = (at: string): boolean =>
        broken("any time listed") || (at >= (options.since ?? "") && at < (options.before ?? "a"));
      const under = broken("documents under anything") ? "" : (options.under ?? "");
      const key = ({ summary }: DocumentRow): string =>
        broken("documents by id") ? summary.id : `${summary.uri}\u0000${summary.scope}`;
      const list = documents.filter(
        (row) =>
          standing(row) &&
          readable.includes(row.summary.scope) &&
          row.summary.uri.startsWith(under) &&
          isOfType(row.summary.mediaType.toLowerCase()) &&
          isInTime(row.summary.ingestedAt),
      );
      list.sort((a, b) => (key(a) < key(b) ? -1 : 1));
      if (order === undefined) {
        const isLater = ({ summary }: DocumentRow): boolean =>
          after === undefined || `${summary.uri}\u0000${summary.scope}` > `${after.uri}\u0000${after.scope}`;
        for (const row of list.filter(isLater).slice(0, limit)) yield hand(row).summary;
        return;
      }
      const facts = {
        newest: ({ ingestedAt = "" }) => -Date.parse(ingestedAt),
        oldest: ({ ingestedAt = "" }) => Date.parse(ingestedAt),
        largest: ({ bytes = 0 }) => -bytes,
        title: ({ title = "" }) => title.toLowerCase(),
      } as const satisfies Record<string, (one: Partial<DocumentSummary>) => number | string>;
      const wanted = broken("newest is oldest") && order === "newest" ? "oldest" : order;
      const fact: ((one: Partial<DocumentSummary>) => number | string) | undefined = facts[wanted];
      const needed = { newest: "ingestedAt", oldest: "ingestedAt", largest: "bytes", title: "title" } as const;
      if (fact === undefined || (after !== undefined && after[needed[wanted]] === undefined))
        throw new IbidError("invalid-argument", `There is no order ${order}, or no place in it.`);
      if (!broken("orders ignored"))
        list.sort((a, b) => (fact(a.summary) < fact(b.summary) ? -1 : fact(a.summary) > fact(b.summary) ? 1 : 0));
      const isBehind = ({ summary }: DocumentRow): boolean => {
        if (after === undefined) return true;
        const [own, other] = [fact(summary), fact(after)];
        if (own !== other || broken("equals are skipped")) return own > other;
        return `${summary.uri}\u0000${summary.scope}` > `${after.uri}\u0000${after.scope}`;
      };
      for (const row of list.filter(isBehind).slice(0, limit)) yield hand(row).summary;
    },
    async folders(scopes, options = {}) {
      const counts = new Map<string, FolderCount>();
      checkNames("folders", options, ["mediaType", "since", "before"]);
      const listed = broken("folders of any time") ? { mediaType: options.mediaType } : options;
      for await (const { scope, uri, mediaType } of store.documents(scopes, listed)) {
        const at = uri.lastIndexOf("/") + 1;
        const ending = uri.includes(".", at) ? uri.slice(uri.lastIndexOf(".") + 1).toLowerCase() : "";
        const base = uri.slice(0, at);
        const key = JSON.stringify([scope, base, mediaType, ending]);
        const row = { scope, uri: base, rootLabel: "", path: base, mediaType, ending, documents: 0 };
        counts.set(key, { ...row, documents: (counts.get(key)?.documents ?? 0) + 1 });
      }
      return [...counts.values()];
    },
    async touch(into, id, mark) {
      const row = documentRow(write(into), id);
      if (row === undefined || broken("touch does nothing")) return;
      row.summary = {
        ...row.summary,
        ...(broken("touch forgets what it is not told") ? { folder: null } : {}),
        ...copy(mark, "input aliased"),
        ...(broken("touch writes more") ? { contentHash: "", title: "touched" } : {}),
      };
    },
    async status(scopes) {
      const readable = read(scopes);
      const counts = (row: Row): boolean => row.deletedAt === undefined || broken("status counts the deleted");
      const mine = rows.filter((row) => counts(row) && (readable.includes(row.scope) || broken("status counts all")));
      const texts = documents.filter((row) => standing(row) && readable.includes(row.summary.scope));
      const held = [...new Set([...mine, ...texts.map(({ summary }) => summary)].map(({ scope }) => scope))].toSorted();
      const versions = Map.groupBy(
        mine.flatMap(({ embeddings }) => embeddings),
        ({ version }) => versionKey(version),
      );
      return {
        documents: texts.length,
        chunks: mine.length,
        bytes: texts.reduce((sum, { summary }) => sum + summary.bytes, 0),
        scopes: held.map((scope) => ({
          scope,
          documents: texts.filter(({ summary }) => summary.scope === scope).length,
          chunks: mine.filter((row) => row.scope === scope).length,
        })),
        embeddingVersions: [...versions.values()].flatMap(([first, ...rest]) =>
          first === undefined ? [] : [{ ...first.version, chunks: rest.length + 1 }],
        ),
      };
    },
    async close() {
      closed = true;
    },
    async reopen() {
      closed = true;
      const all = broken("reset comes back on reopen")
        ? [...rows, ...graveyard.map((row) => ({ ...row, deletedAt: undefined }))]
        : rows;
      const kept = broken("bytes lost on reopen") ? all.slice(0, -1) : all;
      return createPlainStore(fault, { rows: structuredClone(kept), documents: structuredClone(documents), secret });
    },
  };
  return store;
}

/** A knowledge store that can pretend to be restarted. */
export interface PlainStore extends Store {
  reopen(): Promise<PlainStore>;
}

function alignSparse(a: SparseVector, b: SparseVector): [number[], number[]] {
  const indices = [...new Set([...a.indices, ...b.indices])];
  const spread = ({ indices: own, values }: SparseVector): number[] =>
    indices.map((index) => values[[...own].indexOf(index)] ?? 0);
  return [spread(a), spread(b)];
}

/** The platform's own engine, with what the contract forbids refused, and the hostile patterns of the pack answered without running them. */
function plainPattern(
  pattern: string,
  ignoreCase: boolean,
  lenient: boolean,
  givesUp: boolean,
): (text: string) => { start: number; end: number }[] {
  if (/\(\?<?[=!]|\\[1-9]/u.test(pattern) && !lenient)
    throw new IbidError("invalid-regex", "Look-around and back-references are not supported.");
  let compiled: RegExp;
  try {
    compiled = new RegExp(pattern, ignoreCase ? "giu" : "gu");
  } catch (error) {
    throw new IbidError("invalid-regex", `The pattern does not parse: ${String(error)}`, { cause: error });
  }
  const hostile = /[+*]\)[+*]|\(a\|/u.test(pattern);
  if (hostile && givesUp) return () => [];
  if (hostile) return (text) => (pattern === "^(a+)+!$" && /^a+!$/u.test(text) ? [{ start: 0, end: text.length }] : []);
  return (text) =>
    Array.from(text.matchAll(compiled), ({ index, 0: { length } }) => ({ start: index, end: index + length }));
}
