import { IbidError } from "../contracts/errors.ts";
import type { AccessContext, Scope, ScopeStrategy, ScopeStrategyName } from "../contracts/scope.ts";
import { parseScope } from "./scopes.ts";

type Named = (scope: Scope, caller: AccessContext) => boolean;

const isActiveTeam: Named = (scope, { teamId }) => teamId !== undefined && scope === `team:${teamId}`;
const isUser: Named = (scope, { userId }) => userId !== undefined && scope === `user:${userId}`;

/** **Source** ToolUp's names. Each has its literal meaning: the deployment's scope is in `all` alone. */
const strategies: Readonly<Record<ScopeStrategyName, Named>> = {
  "active-team": isActiveTeam,
  "active-team-plus-user": (scope, caller) => isActiveTeam(scope, caller) || isUser(scope, caller),
  "active-team-plus-platform": (scope, caller) => isActiveTeam(scope, caller) || scope === "platform",
  all: () => true,
};

/**
 * The scopes among `readable` that a strategy names. The operator has no team and no user of their own.
 *
 * **Errors** `invalid-argument` for a strategy that is not known and for what is no scope; whatever a strategy of your own throws.
 */
export async function chooseScopes(
  strategy: ScopeStrategy,
  caller: AccessContext | "operator",
  readable: readonly Scope[],
): Promise<readonly Scope[]> {
  checkStrategy(strategy);
  if (typeof strategy !== "function") {
    const who = caller === "operator" ? {} : caller;
    return readable.filter((scope) => strategies[strategy](scope, who));
  }
  const named: unknown = await strategy(caller, readable);
  if (!Array.isArray(named)) throw new IbidError("invalid-argument", "A scope strategy gives a list of scopes.");
  const wanted = named.map(parseScope);
  return readable.filter((scope) => wanted.includes(scope));
}

/** **Errors** `invalid-argument` for a strategy that is not known. */
export function checkStrategy(strategy: ScopeStrategy): void {
  if (typeof strategy === "function" || (typeof strategy === "string" && Object.hasOwn(strategies, strategy))) return;
  throw new IbidError(
    "invalid-argument",
    typeof strategy === "string"
      ? `There is no scope strategy "${strategy}".`
      : `A scope strategy is no ${typeof strategy}.`,
    {
      hint: `Known strategies: ${Object.keys(strategies).join(", ")}, or a function of your own.`,
    },
  );
}
