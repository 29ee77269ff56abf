import type { AccessPolicy } from "../../contracts/scope.ts";
import { byOperator, inCode, type RulesOf } from "../../runtime/plan-options.ts";

/** Options for the shared scopes that callers may read. */
export const accessOptions = {
  platform: {
    doc: "Whether callers read the platform scope.",
    kind: { type: "boolean" },
    default: false,
    for: byOperator,
    flag: "--with-platform",
    spelling: { doc: "Also read the platform scope." },
  },
  platformFor: {
    doc: "Readers of the platform scope, where it is enabled: callers with a user or a team, or anonymous ones too.",
    kind: { type: "choice", values: { authenticated: true, everyone: true } },
    default: "authenticated",
    for: inCode,
  },
  deployment: {
    doc: "Whether callers read the deployment scope.",
    kind: { type: "boolean" },
    default: true,
    for: inCode,
  },
} as const satisfies RulesOf<AccessPolicy>;
