import type { AskKept, Source, SourceItem, SourceRefusal, SourceUnchanged } from "../../contracts/reader.ts";

/** Several sources as one: their items one after another, all their folders; one has what any of them has. */
export function joinSources(sources: readonly Source[]): Source {
  return {
    // Asked for anew each time: a source may find that a folder cannot be walked whole.
    get folders() {
      return sources.flatMap((source) => source.folders);
    },
    async *items(signal) {
      for (const source of sources) yield* source.items(signal);
    },
    async *changes(kept: AskKept, signal?: AbortSignal): AsyncGenerator<SourceItem | SourceRefusal | SourceUnchanged> {
      for (const source of sources) yield* source.changes?.(kept, signal) ?? source.items(signal);
    },
    async has(uri) {
      for (const source of sources) if ((await source.has?.(uri)) ?? false) return true;
      return sources.every((source) => source.has === undefined);
    },
  };
}
