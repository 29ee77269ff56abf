import type { Leg, LegMatch } from "../../src/contracts/leg.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import type { DocumentStore, StoreParts } from "../../src/contracts/store.ts";

interface Rumour extends LegMatch {
  readonly text: string;
}

/**
 * Parts with one more leg, over a copy of the chunks that nobody maintains. It gives chunks of every scope, remembers deleted and replaced ones, knows of each write only
 * with the next one to its scope, and ignores filters, given chunks and thresholds.
 */
export function withRumours(parts: StoreParts): StoreParts {
  const { documents } = parts;
  const told = new Map<string, Rumour>();
  const untold = new Map<Scope, readonly Rumour[]>();

  async function hear<Result>(scope: Scope, write: () => Promise<Result>): Promise<Result> {
    const result = await write();
    for (const rumour of untold.get(scope) ?? []) told.set(`${scope} ${rumour.id} ${rumour.revision}`, rumour);
    const refs = [];
    for await (const { chunk } of documents.chunks([scope])) refs.push({ scope, id: chunk.id });
    const read = await documents.readChunks(refs, {});
    const heard = refs.flatMap((ref, i): readonly Rumour[] => {
      const one = read[i];
      if (one === undefined) return [];
      const { revision, chunk } = one;
      return [{ ...ref, revision, score: 0, text: chunk.text, why: { kind: "other", details: "heard" } }];
    });
    untold.set(scope, heard);
    return result;
  }

  const heard: DocumentStore = {
    ...documents,
    close: () => documents.close(),
    replace: (scope, write) => hear(scope, () => documents.replace(scope, write)),
    delete: (scope, target, options) => hear(scope, () => documents.delete(scope, target, options)),
  };
  const leg: Leg = {
    name: "rumour",
    capabilities: { exact: false, filters: "none", visibility: "later", scoresGivenChunks: true },
    accepts: () => true,
    async search({ text }, k) {
      const words = text.split(" ");
      const all = [...told.values()]
        .map(({ text: said, ...match }) => ({ ...match, score: words.filter((word) => said.includes(word)).length }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score || compare(a.id, b.id) || compare(a.scope, b.scope));
      const matches = k === "all" ? all : all.slice(0, k);
      return {
        matches,
        complete: matches.length === all.length,
        exact: false,
        calibration: { weight: 0.5, scale: 2, half: 1 },
      };
    },
  };
  return { ...parts, documents: heard, legs: [...parts.legs, leg] };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
