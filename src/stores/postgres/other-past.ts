import { IbidError } from "../../contracts/errors.ts";
import type { Postgres } from "./postgres-client.ts";

const otherPasts = {
  other: "has another base in the place of the one that was opened",
  ahead:
    "lacks commits that this copy has: a backup was restored, a standby answers, or the role was granted fewer scopes",
} as const;

/** An error for a copy that the base cannot bring up to date. */
export function otherPast(db: Postgres, standing: keyof typeof otherPasts): IbidError {
  return new IbidError("store-failed", `Postgres at ${db.name} ${otherPasts[standing]}.`, {
    hint: "Open the knowledge base again: the copy is then made anew from the rows.",
    details: { standing },
  });
}

/** Whether the base lacks commits that the copy has. */
export function isOfOtherPast(error: unknown): boolean {
  return IbidError.isInstance(error, "store-failed") && error.details["standing"] === "ahead";
}
