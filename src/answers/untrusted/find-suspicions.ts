import type { Hit } from "../../contracts/retriever.ts";
import type { DocumentSuspicion } from "../../contracts/suspicion.ts";
import { findSuspicious } from "../../text/untrusted/find-suspicious.ts";

/**
 * Finds passages of hits that address models rather than readers, with their places in the documents.
 *
 * **Shape** by hit, then by place; once, where hits overlap. At most {@link mostSuspicions}.
 */
export function findSuspicions(hits: readonly Hit[]): readonly DocumentSuspicion[] {
  const found = new Map<string, DocumentSuspicion>();
  for (const { text, source, scope } of hits) {
    for (const suspicion of findSuspicious(text)) {
      if (found.size === mostSuspicions) return [...found.values()];
      const start = source.start + suspicion.start;
      const end = source.start + suspicion.end;
      const key = JSON.stringify([scope, source.uri, suspicion.kind, start]);
      if (!found.has(key)) found.set(key, { ...suspicion, start, end, uri: source.uri, scope });
    }
  }
  return [...found.values()];
}

/** Beyond it nobody reads on. */
const mostSuspicions = 100;
