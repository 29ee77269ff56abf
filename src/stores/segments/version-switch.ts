import { versionKey } from "../../contracts/embedding.ts";
import type { VersionSwitch } from "../../contracts/store.ts";
import { readVersions } from "./read-versions.ts";
import type { SegmentCore } from "./segment-core.ts";

/** Two embedding versions side by side in a segment store; the code that changes them is loaded with the first change. */
export function segmentVersions({ look, write, change, view, analyze, tidy, options }: SegmentCore): VersionSwitch {
  const { now } = options;
  return {
    async versions(scopes) {
      return look((rows) => scopes.map((scope) => readVersions(rows, view, scope)));
    },
    async *lacking(scope, version) {
      const { listLacking } = await import("./scope-versions.ts");
      yield* listLacking(look, view, scope, version);
    },
    async addVectors(scope, version, vectors) {
      const { addVectors, prepareVectors } = await import("./scope-versions.ts");
      const key = versionKey(version);
      const waiting = await look((rows) => prepareVectors(rows, view.scope(rows, scope), key, vectors, analyze));
      if (waiting.length === 0) return 0;
      const { result } = await change(scope, (changes) => addVectors(changes, version, waiting, now()));
      await tidy(scope);
      return result;
    },
    async changeVersion(scope, version, { partial = false } = {}) {
      const { changeVersion } = await import("./scope-versions.ts");
      return write((rows) => changeVersion(rows, view, scope, version, { partial, now: now() }));
    },
  };
}
