import { checkGiven } from "../runtime/check-options.ts";
import type { Hit, HitSource } from "../contracts/retriever.ts";
import { placeLabels } from "../text/place-labels.ts";

/**
 * A hit as JSON: everything of it but the vector.
 *
 * @experimental
 */
export type HitJson = Omit<Hit, "embedding">;

/**
 * Renders a hit for programs. The command line, HTTP and MCP print these keys, in this order; other shapes are made from it.
 *
 * **Shape** keys without a value are absent.
 * @experimental
 */
export function toHitJson(hit: Hit): HitJson {
  checkGiven("toHitJson", "hit", hit, "object", { source: "object" });
  const {
    rank,
    score,
    chunkId,
    documentId,
    scope,
    text,
    snippet,
    structure,
    metadata,
    origin,
    matches,
    copies,
    parts,
    explain,
    source,
  } = hit;
  return {
    rank,
    score,
    chunkId,
    documentId,
    scope,
    text,
    snippet,
    source: toSourceJson(source),
    ...(structure && { structure }),
    metadata,
    origin,
    ...(hit.replaced && { replaced: hit.replaced }),
    ...(hit.evidence !== undefined && { evidence: hit.evidence }),
    ...(matches && { matches }),
    ...(copies && { copies }),
    ...(parts && { parts }),
    ...(explain && { explain }),
  };
}

function toSourceJson(source: HitSource): HitSource {
  const { uri, rootLabel, path, title, headings, start, end, language } = source;
  return {
    uri,
    ...(rootLabel !== undefined && { rootLabel }),
    ...(path !== undefined && { path }),
    title,
    headings,
    start,
    end,
    ...placeLabels(source),
    ...(language !== undefined && { language }),
  };
}
