import type { Hit } from "../contracts/retriever.ts";

/** A hit in the form that `search --json` and `ask --json` promise: these keys, in this order. */
export function toHitJson(hit: Hit): object {
  const { uri, title, headings, start, end, page, line, language } = hit.source;
  return {
    rank: hit.rank,
    score: hit.score,
    chunkId: hit.chunkId,
    text: hit.text,
    source: {
      uri,
      title,
      headings,
      start,
      end,
      ...(page === undefined ? {} : { page }),
      ...(line === undefined ? {} : { line }),
      ...(language === undefined ? {} : { language }),
    },
    metadata: hit.metadata,
    ...(hit.matches === undefined ? {} : { matches: hit.matches }),
    ...(hit.explain === undefined ? {} : { explain: hit.explain }),
  };
}
