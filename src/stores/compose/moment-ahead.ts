import type { Leg, Moment } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";

/** Lists of scopes whose moment may be given before it is proved. */
const asked = new WeakSet<readonly Scope[]>();

/** Proofs of moments that were given before. */
const proofs = new WeakMap<Moment, Promise<Moment>>();

/** Searches that change nothing and ask nobody, so that one on an old state may be done again. */
const repeatable = new WeakSet<Leg["search"]>();

/** Asks for the moment of these scopes ahead of its proof. **Shape** scopes that no other call has. */
export function askAhead(scopes: readonly Scope[]): readonly Scope[] {
  const own = [...scopes];
  asked.add(own);
  return own;
}

export function isAskedAhead(scopes: readonly Scope[]): boolean {
  return asked.has(scopes);
}

/** Says that a moment may be old. `proof` ends with the moment itself once that is known to be the newest, and else with the newest. */
export function proveLater(moment: Moment, proof: Promise<Moment>): Moment {
  // A session that is left asks for nothing.
  proof.catch(() => {});
  proofs.set(moment, proof);
  return moment;
}

/** `undefined` for a moment that is the newest. */
export function proofOf(moment: Moment): Promise<Moment> | undefined {
  return proofs.get(moment);
}

/** Says of a leg that its search changes nothing and asks nobody. A function that calls the search is another. */
export function noteRepeatable<Each extends Leg>(leg: Each): Each {
  repeatable.add(searchOf(leg));
  return leg;
}

export function isRepeatable(leg: Leg): boolean {
  return repeatable.has(searchOf(leg));
}

const searchOf = (leg: Leg): Leg["search"] => Reflect.get(leg, "search");
