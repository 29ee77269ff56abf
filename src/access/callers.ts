import type { AccessContext } from "../contracts/scope.ts";
import { IbidError } from "../contracts/errors.ts";

/**
 * Copies the caller's context, so that it cannot be changed from outside.
 *
 * **Errors** `invalid-argument` for an id that is blank or no string: `null` in a request body must not become the team "null". Also for an active team that the
 * caller does not belong to.
 */
export function readCaller({ userId, teamId, teams }: AccessContext): AccessContext {
  if (userId !== undefined) checkName("userId", userId);
  if (teamId !== undefined) checkName("teamId", teamId);
  if (teams === undefined)
    return Object.freeze({ ...(userId !== undefined && { userId }), ...(teamId !== undefined && { teamId }) });
  if (!Array.isArray(teams)) throw new IbidError("invalid-argument", "teams must be a list of the teams' ids.");
  for (const team of teams) checkName("teams", team);
  if (teamId !== undefined && !teams.includes(teamId)) {
    throw new IbidError("invalid-argument", `The active team ${teamId} is not among the caller's teams.`, {
      hint: "Give in teams every team that the caller belongs to, the active one included.",
    });
  }
  return Object.freeze({
    ...(userId !== undefined && { userId }),
    ...(teamId !== undefined && { teamId }),
    teams: Object.freeze([...new Set(teams as readonly string[])].toSorted()),
  });
}

/** Whether two contexts are the same person in the same teams, acting for the same one. */
export function isSameCaller(one: AccessContext, other: AccessContext): boolean {
  const [left, right] = [teamsOf(one), teamsOf(other)];
  return (
    one.userId === other.userId &&
    one.teamId === other.teamId &&
    left.size === right.size &&
    [...left].every((team) => right.has(team))
  );
}

const teamsOf = ({ teamId, teams }: AccessContext): ReadonlySet<string> =>
  new Set(teams ?? (teamId === undefined ? [] : [teamId]));

function checkName(what: string, name: unknown): void {
  if (typeof name === "string" && name.trim() !== "") return;
  throw new IbidError(
    "invalid-argument",
    `${what} has ${typeof name === "string" ? "a blank id" : `a value of the type ${typeof name}`} in it.`,
    {
      hint: "Give a text that is not blank, or leave it out for a caller without one.",
    },
  );
}
