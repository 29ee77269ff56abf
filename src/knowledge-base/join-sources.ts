import type { Source } from "../contracts/reader.ts";

/** Several sources as one: their items one after another, all their folders; one has what any of them has. */
export function joinSources(sources: readonly Source[]): Source {
  return {
    folders: sources.flatMap((source) => source.folders),
    async *items(signal) {
      for (const source of sources) yield* source.items(signal);
    },
    async has(uri) {
      for (const source of sources) if ((await source.has?.(uri)) ?? false) return true;
      return sources.every((source) => source.has === undefined);
    },
  };
}
