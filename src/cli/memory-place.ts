import { userInfo } from "node:os";
import { IbidError } from "../contracts/errors.ts";
import type { AccessContext, Scope } from "../contracts/scope.ts";
import { ownScope } from "../knowledge-base/own-scope.ts";
import { aScope } from "../search/search-options.ts";
import { findRepositoryRoot, repositoryScope } from "./repository-root.ts";

/**
 * Scope of the notes of a command.
 *
 * **Shape** `caller`: the caller's own, for the operator that of the login name. `repository`: that of the working folder's repository. Else a scope as it is written.
 * `true`: the caller's own where one is named, else the repository's, else that of the login name. A service without a named place has each caller's own.
 * **Errors** `not-found` outside a repository; `invalid-argument` for no scope.
 */
export function memoryPlace(
  where: true | string,
  caller: AccessContext | undefined,
  isService = false,
): { readonly scope?: Scope } {
  if (isService && (where === true || where === "caller")) return {};
  const own = (): Scope => (caller === undefined ? `user:${requireLoginName()}` : ownScope(caller));
  if (where === "caller") return { scope: own() };
  if (where !== true && where !== "repository") {
    if (aScope.pattern.test(where)) return { scope: where as Scope };
    throw new IbidError("invalid-argument", `"${where}" is not a scope.`, { hint: `Use ${aScope.expects}.` });
  }
  const root = where === true && caller !== undefined ? undefined : findRepositoryRoot(process.cwd());
  if (root !== undefined) return { scope: repositoryScope(root) };
  if (where === true) return { scope: own() };
  throw new IbidError("not-found", `${process.cwd()} lies in no repository.`, {
    hint: "Start in a folder of a repository, or give --memory caller.",
  });
}

/** Login name of the process. **Shape** `undefined` for a user without one, as in a container with a number alone. */
export function loginName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

function requireLoginName(): string {
  const name = loginName();
  if (name !== undefined) return name;
  throw new IbidError("not-found", "The user of this process has no login name.", {
    hint: "Name a caller with --as-user, or a scope such as user:ada with --memory or --in.",
  });
}
