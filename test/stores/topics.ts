import type { CorpusModel } from "../../src/contracts/corpus-model.ts";
import type { ChunkEntry } from "../../src/contracts/document-store.ts";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { entry } from "./build.ts";

/** Words of one topic keep each other's company and nobody else's. */
export const topics: readonly (readonly string[])[] = [
  ["anchor", "harbour", "rigging", "mast", "keel", "sailor", "tide", "rudder", "galley", "buoy"],
  ["oven", "flour", "yeast", "crust", "dough", "baker", "loaf", "knead", "butter", "pastry"],
  ["orbit", "comet", "lunar", "rocket", "nebula", "eclipse", "asteroid", "telescope", "gravity", "crater"],
  ["violin", "sonata", "tempo", "cello", "chord", "opera", "flute", "melody", "quartet", "rhythm"],
];

/** A chunk of three words of topic `i % 4`, in an order of its own. */
export function topicText(i: number): string {
  const words = topics[i % topics.length]!;
  const round = Math.floor(i / topics.length);
  return [0, 1 + (round % 3), 4 + (round % 5)].map((step) => words[(round + step) % words.length]!).join(" ");
}

/** Chunks `from` to `to`, without vectors. */
export function topicEntries(from: number, to: number): ChunkEntry[] {
  return Array.from({ length: to - from }, (_, i) =>
    entry(`c${String(from + i).padStart(4, "0")}`, topicText(from + i)),
  );
}

export interface WatchedModel extends CorpusModel {
  /** How many fits have run to their end. */
  readonly fits: number;
}

/** The real model, with a threshold that a test can reach and something to do between two slices of a fit. */
export function watchedModel(leastChunks: number, between: (share: number) => void = () => {}): WatchedModel {
  let fits = 0;
  return {
    ...latentSemanticModel,
    leastChunks,
    get fits() {
      return fits;
    },
    async *fit(chunks) {
      const steps = latentSemanticModel.fit(chunks);
      for (let step = await steps.next(); ; step = await steps.next()) {
        if (step.done === true) {
          fits++;
          return step.value;
        }
        between(step.value);
        yield step.value;
      }
    },
  };
}
