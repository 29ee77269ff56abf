import type { Hit } from "../contracts/retriever.ts";
import { placeLabels } from "../text/place-labels.ts";

/** A hit in the form that `search --json` and `ask --json` promise: these keys, in this order. */
export function toHitJson(hit: Hit): object {
  const { uri, title, headings, start, end, language } = hit.source;
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
      ...placeLabels(hit.source),
      ...(language === undefined ? {} : { language }),
    },
    metadata: hit.metadata,
    ...(hit.matches === undefined ? {} : { matches: hit.matches }),
    ...(hit.explain === undefined ? {} : { explain: hit.explain }),
  };
}
