import type { Scope } from "../../contracts/scope.ts";
import type { SegmentCore } from "../segments/segment-core.ts";

/** Upkeep of a copy, which no call waits for. */
export interface Tidying {
  /** Scopes in which a page left something to seal or to merge. */
  note(scopes: readonly Scope[]): void;
  /** Tidies them: once the copy has caught up, because segments of further pages may make a merge of theirs needless. */
  begin(): void;
  done(): Promise<unknown>;
}

export function createTidying(core: () => SegmentCore | undefined): Tidying {
  const untidy = new Set<Scope>();
  let upkeep: Promise<unknown> = Promise.resolve();
  async function tidy(scopes: readonly Scope[]): Promise<void> {
    for (const scope of scopes) await core()?.tidyFrom(scope, core()!.options.policy.sealAt);
  }
  return {
    note(scopes) {
      for (const scope of scopes) untidy.add(scope);
    },
    begin() {
      const scopes = [...untidy];
      untidy.clear();
      // The index works untidied too; the next write or settling comes back to it.
      upkeep = upkeep.then(() => tidy(scopes)).catch(() => {});
    },
    done: () => upkeep,
  };
}
