import type { Hit, Retriever, SearchMode, SearchOptions } from "../contracts/retriever.ts";
import { check, close, equal, throwsCode } from "./assert.ts";
import type { CaseDefinition } from "./contract-case.ts";
import { facts, question, type RetrievableText, texts, uris } from "./retriever-fixtures.ts";
import { deployment, from } from "./store-fixtures.ts";

/** A pattern as a further leg: not a filter, not a search of its own. */
export function patternCase(subject: {
  create(texts: readonly RetrievableText[]): Promise<Retriever>;
  readonly modes: readonly SearchMode[];
  readonly ownScores?: boolean | undefined;
}): CaseDefinition {
  return [
    "a-pattern-beside-the-query",
    "E23 E26 T23 L3 L5",
    async () => {
      if (!subject.modes.includes("regex") || !subject.modes.includes("hybrid")) return;
      const retriever = await subject.create(texts);
      const ask = (options: SearchOptions = {}): Promise<readonly Hit[]> =>
        retriever.retrieve(from(deployment), question, { topK: "all", explain: true, rerank: false, ...options });
      const plain = await ask();
      const hits = await ask({ pattern: "TWENTY\\s+five|night", ignoreCase: true });
      // One that the question finds too, and one that the pattern alone does.
      check(
        ["backup.md", "holiday.md"].every((uri) => uris(hits).includes(uri)),
        "what the pattern matches is a hit",
        uris(hits),
      );
      check(
        plain.every(({ source }) => uris(hits).includes(source.uri)),
        "and so is what the words match",
        uris(hits),
      );
      for (const { source, matches, explain, score } of hits) {
        const matched = ["backup.md", "holiday.md"].includes(source.uri);
        equal(matches?.length, matched ? 1 : undefined, `${source.uri}: matches`);
        equal(explain?.legs.pattern?.score, matched ? 0.5 : undefined, `${source.uri}: score of the leg, n / (n + 1)`);
        if (subject.ownScores === true) continue;
        const part = explain?.parts.find(({ name }) => name === "pattern")?.value;
        check(matched ? (part ?? 0) > 0 : part === 0, `${source.uri}: part of the pattern`, explain?.parts);
        const before = plain.find((hit) => hit.source.uri === source.uri)?.score;
        if (before !== undefined && explain?.fusion === plain[0]?.explain?.fusion)
          close(score, before + (part ?? 0), `${source.uri}: the score rises by that part`, 1e-9);
      }
      check(
        plain.every(({ matches, explain }) => matches === undefined && explain?.legs.pattern === undefined),
        "no pattern, no leg",
      );
      const narrowed = await ask({ pattern: "twenty", origins: ["user-content"] });
      check(!uris(narrowed).includes("holiday.md"), "a pattern finds only what the origins admit", uris(narrowed));
      const elsewhere = await ask({ pattern: "northern" });
      equal(facts(elsewhere), facts(await ask({ pattern: "nowhere" })), "what may not be read moves nothing");
      await throwsCode(() => ask({ pattern: "(" }), "invalid-regex", "a broken pattern");
      await throwsCode(() => ask({ pattern: "" }), "invalid-argument", "an empty pattern");
      await throwsCode(
        () => ask({ pattern: "x", mode: "lexical" }),
        "invalid-argument",
        "a pattern in a search of one leg",
      );
    },
  ];
}
