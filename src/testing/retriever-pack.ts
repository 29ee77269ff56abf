import type { Hit, Retriever, SearchMode, SearchOptions } from "../contracts/retriever.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import { check, close, equal, scribble, throwsCode } from "./assert.ts";
import { defineCases } from "./contract-case.ts";
import type { CaseDefinition, ContractCase } from "./contract-case.ts";
import { ada, deployment, forgedProofs, from, north, south } from "./store-fixtures.ts";
import { chunksCase } from "./retriever-chunks-case.ts";
import { facts, question, texts, uris } from "./retriever-fixtures.ts";
import { patternCase } from "./retriever-pattern-case.ts";
import type { RetrievableText } from "./retriever-fixtures.ts";
import { checkSubject } from "./check-subject.ts";

export type { RetrievableText } from "./retriever-fixtures.ts";

/**
 * How the pack gets retrievers over texts of its own.
 *
 * @experimental
 */
export interface RetrieverSubject {
  /** A retriever over these texts and no others. */
  create(texts: readonly RetrievableText[]): Promise<Retriever>;
  /** Ways of searching that it has. A mode that is left out is not asked for. */
  readonly modes: readonly SearchMode[];
  /** Whether it scores in its own way, like a fusion of several searches: its parts add up too, but are not the legs'. Default false. */
  readonly ownScores?: boolean | undefined;
}

/**
 * Contract of every {@link Retriever}: whole texts, best first, explained, and only from where the asker may read.
 *
 * @experimental
 */
export function createRetrieverPack(subject: RetrieverSubject): readonly ContractCase[] {
  checkSubject("createRetrieverPack", subject, { modes: "list" });
  const modes = subject.modes.filter((mode) => mode !== "regex");
  const shared: readonly CaseDefinition[] = modes.flatMap((mode) =>
    perMode(subject, mode).map(([name, items, run]) => [`${mode}/${name}`, items, run] as const),
  );
  return defineCases("retriever", [...shared, ...whole(subject)]);
}

function perMode(subject: RetrieverSubject, mode: SearchMode): readonly CaseDefinition[] {
  const find = async (
    retriever: Retriever,
    options: SearchOptions = {},
    scopes = from(deployment),
  ): Promise<readonly Hit[]> => retriever.retrieve(scopes, question, { mode, ...options });
  return [
    [
      "best-first-and-whole",
      "B19 B32 B34 T21 W19 L1 L5",
      async () => {
        const hits = await find(await subject.create(texts), { topK: "all" });
        equal(hits[0]?.source.uri, "keys.md", "the best hit");
        for (const [i, hit] of hits.entries()) {
          const given = texts.find(({ uri }) => uri === hit.source.uri);
          equal(hit.rank, i + 1, `rank of hit ${i}`);
          check(
            Number.isFinite(hit.score) && hit.score <= (hits[i - 1]?.score ?? Infinity),
            "scores do not rise",
            hit.score,
          );
          equal(hit.text, given?.text.slice(hit.source.start, hit.source.end), "the text of a hit, whole");
          equal([hit.scope, hit.origin], [given?.scope, given?.origin ?? "user-content"], "scope and origin");
          equal(hit.metadata["year"], given?.metadata?.["year"], "metadata");
          check(hit.chunkId !== "" && hit.documentId !== "", "ids of a hit");
          check(hit.embedding === undefined, "a vector came unasked");
        }
      },
    ],
    chunksCase(subject, find),
    [
      "only-what-may-be-read",
      "T24 T25 T26 T27 L3",
      async () => {
        const retriever = await subject.create(texts);
        const all: SearchOptions = { topK: "all" };
        for (const scopes of [[north], [south], [deployment, south]]) {
          const hits = await find(retriever, all, from(...scopes));
          check(
            hits.length > 0 && hits.every(({ scope }) => scopes.includes(scope)),
            `hits in ${scopes.join(" and ")}`,
            facts(hits),
          );
        }
        equal(await find(retriever, all, from()), [], "hits for somebody who may read nothing");
        equal(await find(retriever, all, from(ada)), [], "hits in a scope that holds nothing");
        for (const [i, proof] of forgedProofs("read").entries()) {
          await throwsCode(
            () => retriever.retrieve(proof as AuthorizedScopes, question, { mode }),
            "access-denied",
            `forged proof ${i}`,
          );
        }
      },
    ],
    [
      "the-hidden-moves-nothing",
      "T26 L3",
      async () => {
        const alone = await subject.create(texts.filter(({ scope }) => scope === deployment));
        const crowded = await subject.create([
          ...texts,
          ...Array.from({ length: 30 }, (_, i) => ({ scope: south, uri: `s${i}.md`, text: `${question} number ${i}` })),
        ]);
        for (const options of [{ topK: "all" }, { topK: 1 }, { topK: 2, minScore: 0 }] as const) {
          equal(
            facts(await find(crowded, options)),
            facts(await find(alone, options)),
            `hits with ${JSON.stringify(options)}`,
          );
        }
      },
    ],
    [
      "limits",
      "B20 T22 T45 L4",
      async () => {
        const many = Array.from({ length: 12 }, (_, i) => ({
          scope: deployment,
          uri: `d${i}.md`,
          text: `${question} in place ${"abcdefghijkl"[i]}`,
        }));
        const retriever = await subject.create(many);
        equal((await find(retriever)).length, 5, "hits by default");
        const all = await find(retriever, { topK: "all" });
        equal(all.length, 12, "all hits");
        for (const topK of [1, 3, 11, 40])
          equal(facts(await find(retriever, { topK })), facts(all.slice(0, topK)), `topK ${topK}`);
        for (const topK of [0, -1, 1.5])
          await throwsCode(() => find(retriever, { topK }), "invalid-argument", `topK ${topK}`);
      },
    ],
    [
      "filters-and-origins",
      "T22 T24 W9 W26 E23 L4",
      async () => {
        const crowd = Array.from({ length: 60 }, (_, i) => ({
          scope: deployment,
          uri: `keys-${i}.md`,
          text: `${question} ${question} ${i}`,
          metadata: { crowd: true },
        }));
        const retriever = await subject.create([...texts, ...crowd]);
        equal(
          uris(await find(retriever, { filter: { team: "ops" }, topK: 3 })),
          ["keys.md"],
          "hits of one team, not starved",
        );
        const dated = await find(retriever, { filter: { year: { gte: 2024 } }, topK: "all" });
        check(
          dated.length > 0 && dated.every(({ metadata }) => metadata["year"] === 2024),
          "hits of a year",
          uris(dated),
        );
        const notes = await find(retriever, { origins: ["note"], topK: "all" });
        check(
          notes.every(({ origin }) => origin === "note"),
          "hits of an origin",
          uris(notes),
        );
        equal(await find(retriever, { origins: [], topK: "all" }), [], "hits of no origin");
        const filter = { op: "near", key: "a" } as unknown as { year: number };
        await throwsCode(() => find(retriever, { filter }), "invalid-filter", "a filter that is none");
      },
    ],
    [
      "explained",
      "T24 L5",
      async () => {
        const hits = await find(await subject.create(texts), { explain: true, rerank: false, topK: "all" });
        check(hits.length > 0, "there are hits");
        for (const { score, explain, source } of hits) {
          const sum = explain?.parts.reduce((total, { value }) => total + value, 0);
          close(sum, score, `${source.uri}: the parts add up to the score`, 1e-12);
          check(Object.keys(explain?.legs ?? {}).length > 0, `${source.uri}: at least one leg found it`, explain);
          if (explain?.legs.lexical === undefined) continue;
          const { terms, name, document = 0, heading } = explain;
          const words = terms.reduce((total, term) => total + term.score, 0);
          const whole = words + (name?.value ?? 0) + document + (heading?.value ?? 0);
          close(whole, explain.legs.lexical.score, `${source.uri}: terms and parts add up`, 1e-12);
        }
        const [bare] = await find(await subject.create(texts));
        check(bare?.explain === undefined, "an explanation came unasked");
      },
    ],
    [
      "same-question-same-answer",
      "T28 L11",
      async () => {
        const [one, two] = [await subject.create(texts), await subject.create(texts)];
        const first = facts(await find(one, { topK: "all" }, from(deployment, north, south)));
        equal(
          facts(await find(one, { topK: "all" }, from(deployment, north, south))),
          first,
          "hits of the same question again",
        );
        equal(
          facts(await find(two, { topK: "all" }, from(south, deployment, north))),
          first,
          "hits of another retriever over the same texts",
        );
      },
    ],
    [
      "bad-questions-refused",
      "T28 W37",
      async () => {
        const retriever = await subject.create(texts);
        for (const query of ["", "  \n"]) {
          const ask = (): unknown => retriever.retrieve(from(deployment), query, { mode });
          await throwsCode(ask, "invalid-argument", `the query ${JSON.stringify(query)}`);
        }
        await throwsCode(() => find(retriever, { topk: 3 } as SearchOptions), "invalid-argument", "an unknown option");
        const strange = { fusion: "magic" } as unknown as SearchOptions;
        await throwsCode(() => find(retriever, strange), "invalid-argument", "an unknown fusion");
      },
    ],
    [
      "hits-not-aliased",
      "B27",
      async () => {
        const retriever = await subject.create(texts);
        const before = facts(await find(retriever));
        for (const hit of await find(retriever)) {
          scribble(hit);
        }
        const again = await find(retriever);
        equal(facts(again), before, "hits after a reader changed theirs");
        check(
          again.every(({ metadata }) => metadata["year"] !== -1),
          "metadata after a reader changed theirs",
        );
      },
    ],
    [
      "stops-when-told",
      "",
      async () => {
        const retriever = await subject.create(texts);
        await throwsCode(() => find(retriever, { signal: AbortSignal.abort() }), "aborted", "a signal that has fired");
      },
    ],
  ];
}

function whole(subject: RetrieverSubject): readonly CaseDefinition[] {
  return [
    [
      "snippets-are-cut-texts-never",
      "T24 T45",
      async () => {
        const long =
          `${"Filler about the weather and the tide. ".repeat(20)}Here we rotate signing keys by hand. ${"More about the weather. ".repeat(20)}`.trim();
        const retriever = await subject.create([{ scope: deployment, uri: "long.md", text: long }]);
        const [hit] = await retriever.retrieve(from(deployment), question, { snippetLength: 80 });
        equal(hit?.text, long.slice(hit?.source.start, hit?.source.end), "the text of a hit, whole");
        check(
          (hit?.snippet.length ?? Infinity) <= 80 + 2,
          "the snippet keeps its limit, but for two marks of omission",
          hit?.snippet,
        );
        const words = hit?.snippet.replaceAll("…", "").trim() ?? "";
        check(words !== "" && hit?.text.includes(words) === true, "the snippet stands in the text", hit?.snippet);
      },
    ],
    [
      "fused-by-ranks",
      "W50 T23 T24 L5",
      async () => {
        if (!subject.modes.includes("dense") || !subject.modes.includes("lexical") || subject.ownScores === true)
          return;
        const retriever = await subject.create(texts);
        const ask: SearchOptions = { fusion: "rrf", explain: true, topK: "all", rerank: false };
        const hits = await retriever.retrieve(from(deployment), question, ask);
        check(
          hits.some(({ explain }) => explain?.legs.dense !== undefined && explain.legs.lexical !== undefined),
          "both legs found something",
        );
        for (const { explain, score, source } of hits) {
          // The sum of 1 / (60 + rank) over the legs that found it.
          const ranks = [explain?.legs.dense?.rank, explain?.legs.lexical?.rank].filter((rank) => rank !== undefined);
          close(
            score,
            ranks.reduce((sum, rank) => sum + 1 / (60 + rank), 0),
            `${source.uri}: reciprocal ranks`,
            1e-12,
          );
        }
      },
    ],
    [
      "patterns-find-places",
      "E23 E26 L1",
      async () => {
        if (!subject.modes.includes("regex")) return;
        const retriever = await subject.create(texts);
        const hits = await retriever.retrieve(from(deployment), "key\\w?|days", { mode: "regex", topK: "all" });
        equal(new Set(uris(hits)), new Set(["keys.md", "backup.md", "holiday.md"]), "documents");
        for (const { matches = [], source } of hits) {
          const given = texts.find(({ uri }) => uri === source.uri)?.text ?? "";
          check(matches.length > 0, "a hit has matches");
          for (const { start, end } of matches)
            check(
              /^(?:key\w?|days)$/u.test(given.slice(start, end)),
              "a match is where it says",
              given.slice(start, end),
            );
        }
        await throwsCode(
          () => retriever.retrieve(from(deployment), "(", { mode: "regex" }),
          "invalid-regex",
          "a broken pattern",
        );
      },
    ],
    patternCase(subject),
  ];
}
