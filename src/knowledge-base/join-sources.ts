import type { Source } from "../contracts/reader.ts";

/** Several sources as one: their items one after another, all their folders. */
export function joinSources(sources: readonly Source[]): Source {
  return {
    folders: sources.flatMap((source) => source.folders),
    async *items(signal) {
      for (const source of sources) yield* source.items(signal);
    },
  };
}
