import type { Hit, Retriever, SearchOptions } from "../contracts/retriever.ts";
import { check, equal } from "./assert.ts";
import type { CaseDefinition } from "./contract-case.ts";
import { cutText, facts, type RetrievableText, texts, uris } from "./retriever-fixtures.ts";
import { deployment, south } from "./store-fixtures.ts";

/** Hits of a document that has several chunks: whatever a retriever joins, widens or narrows, each is a place in it. */
export function chunksCase(
  subject: { create(texts: readonly RetrievableText[]): Promise<Retriever> },
  find: (retriever: Retriever, options: SearchOptions) => Promise<readonly Hit[]>,
): CaseDefinition {
  return [
    "a-document-in-chunks",
    "B7 E11 E12 L1 L3 L5",
    async () => {
      const hidden = { ...cutText, scope: south };
      const retriever = await subject.create([...texts, cutText, hidden]);
      const hits = await find(retriever, { topK: "all", explain: true });
      check(uris(hits).includes(cutText.uri), "a chunk of it is found", uris(hits));
      for (const [i, hit] of hits.entries()) {
        const { start, end, uri } = hit.source;
        const given = [...texts, cutText].find((each) => each.uri === uri);
        equal(hit.text, given?.text.slice(start, end), "the text of a hit, in the midst of its document");
        check(hit.text !== "", "a hit has a text");
        equal(hit.scope, deployment, "the scope, where another one holds the same document");
        check(Number.isFinite(hit.score), "a score is a number", hit.score);
        const before = hits[i - 1];
        check(
          before === undefined ||
            before.score > hit.score ||
            (before.score === hit.score &&
              (before.source.uri < uri || (before.source.uri === uri && before.source.start < start))),
          "best first, equal scores by uri and start",
          facts(hits),
        );
      }
      const places = hits.map(({ source }) => `${source.uri} ${source.start} ${source.end}`);
      equal(new Set(places).size, places.length, "places, each once");
    },
  ];
}
