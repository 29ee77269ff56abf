import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";

/** The scopes that a node holds. */
export interface Placement {
  /** Sorted names, and beginnings that end in `*`; `*` alone is every scope. */
  readonly patterns: readonly string[];
  holds(scope: string): boolean;
  /** **Errors** `unsupported` for a scope that this node does not hold: an empty answer would be a wrong one. */
  check(scopes: readonly Scope[]): void;
}

/** Every caller may read it, and the store's own model is fitted on its chunks: each node holds it. */
const heldByAll = "deployment";

/** A scope, or the beginning of its name and `*`. */
export const placementPattern = /^(?:\*|platform|deployment|(?:team|user):(?:\*|.*\S.*))$/su;

const everywhere: Placement = { patterns: ["*"], holds: () => true, check() {} };

function holds(patterns: readonly string[], scope: string): boolean {
  return patterns.some((one) => (one.endsWith("*") ? scope.startsWith(one.slice(0, -1)) : one === scope));
}

export function readPlacement(given: readonly string[] | undefined): Placement {
  if (given === undefined) return everywhere;
  const patterns = [...new Set([heldByAll, ...given])].toSorted();
  if (patterns.includes("*")) return everywhere;
  return {
    patterns,
    holds: (scope) => holds(patterns, scope),
    check(scopes) {
      const missing = scopes.find((scope) => !holds(patterns, scope));
      if (missing === undefined) return;
      throw new IbidError("unsupported", `This node does not hold the scope ${missing}.`, {
        hint: "Ask a node that does, or add the scope to the option scopes of this one.",
        details: { scope: missing, held: patterns },
      });
    },
  };
}

/** The placement of a node that the server shows only some scopes. **Errors** `access-denied` for a scope that it does not show. */
export function narrowPlacement(placement: Placement, granted: readonly string[] | undefined): Placement {
  if (granted === undefined) return placement;
  if (placement === everywhere) return readPlacement(granted);
  const hidden = placement.patterns.find((one) => !holds(granted, one));
  if (hidden === undefined) return placement;
  throw new IbidError("access-denied", `The database shows this node no rows of the scope ${hidden}.`, {
    hint: "Have the owner of the tables grant it with grantScopes, or take it out of the option scopes.",
    details: { scope: hidden, granted },
  });
}

/** A condition on the name of a scope; `patterns` is an expression of SQL that gives them as JSON. */
export function isPlaced(name: string, patterns: string): string {
  return `EXISTS (SELECT 1 FROM json_array_elements_text(${patterns}) AS p(name) WHERE CASE WHEN p.name LIKE '%*' THEN starts_with(${name}, left(p.name, -1)) ELSE p.name = ${name} END)`;
}
