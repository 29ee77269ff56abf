import { IbidError } from "../contracts/errors.ts";
import type { AccessContext, Scope } from "../contracts/scope.ts";

/**
 * Reads a scope's written form.
 *
 * **Errors** `invalid-argument` for anything but `platform`, `deployment`, `team:<id>` and `user:<id>` with an id that is not blank.
 *
 * @experimental
 */
export function parseScope(text: string): Scope {
  if (text === "platform" || text === "deployment") return text;
  const [, kind, id] = (typeof text === "string" && /^(team|user):(.*)$/su.exec(text)) || [];
  if ((kind === "team" || kind === "user") && id !== undefined && id.trim() !== "") return `${kind}:${id}`;
  throw new IbidError(
    "invalid-argument",
    `${typeof text === "string" ? `"${text}"` : `A value of the type ${typeof text}`} is not a scope.`,
    {
      hint: "Use platform, deployment, team:<id> or user:<id>.",
    },
  );
}

/** Default scope of a caller's documents: their team, else themselves; for the operator and an anonymous caller the deployment. */
export function homeScope(caller: AccessContext | undefined): Scope {
  if (caller?.teamId !== undefined) return `team:${caller.teamId}`;
  if (caller?.userId !== undefined) return `user:${caller.userId}`;
  return "deployment";
}
