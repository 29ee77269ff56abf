import { IbidError } from "../../contracts/errors.ts";
import { inCode, planOptions, type RulesOf } from "../../runtime/plan-options.ts";
import { type Placement, placementPattern, readPlacement } from "./placement.ts";

/**
 * A node's copy of a base: its place, its scopes, and how it stays up to date.
 *
 * @experimental
 */
export interface ReplicaOptions {
  /**
   * Folder of this node's copies, one for each base. Default: `IBID_REPLICAS`, or `ibid/replicas` in the user's cache folder. Processes of one machine may
   * share it. It holds every text of the node's scopes: keep it as private as the base.
   */
  readonly replicas?: string | undefined;
  /**
   * Scopes that this node holds: names, and beginnings such as `"user:*"`. `deployment` always is. Other scopes are neither copied nor answered. Default: all.
   */
  readonly scopes?: readonly string[] | undefined;
  /** How old a state may be that is read without asking the database. **Units** milliseconds. Default 0: each read asks. A search may say otherwise. */
  readonly atMostMs?: number | undefined;
  /**
   * Whether this process holds no copy. It reads what a search needs from the database, where a node shares its index, and writes nothing. For functions and
   * other short processes. Default false.
   */
  readonly lazy?: boolean | undefined;
  /** Bytes of the index that a process without a copy keeps in memory between questions, beside the vectors' codes that it has searched. Default 256,000,000. */
  readonly keepBytes?: number | undefined;
  /** Whether this node writes its index to the database when it settles, for processes without a copy. Default false. */
  readonly shareIndex?: boolean | undefined;
  /**
   * Whether the copy is brought up to date while nobody reads. `"poll"` asks every `pollMs`; `"listen"` also hears of each commit, over a connection of its own.
   * Default: only reads ask.
   */
  readonly follow?: "poll" | "listen" | undefined;
  /** Address of the server itself for `follow: "listen"`, where the other one leads to a pooler. */
  readonly listenAt?: string | undefined;
  /** **Units** milliseconds. Default 200. */
  readonly pollMs?: number | undefined;
  /** No answer comes from a state that is older, whatever `atMostMs` says. **Units** milliseconds. Default 60,000. */
  readonly leaseMs?: number | undefined;
  /** How long a call waits for other writers, for a lost connection, and for the copy. **Units** milliseconds. Default 30,000. */
  readonly busyTimeoutMs?: number | undefined;
}

/** The options of {@link ReplicaOptions}, for the tables of options. */
export const replicaOptions = {
  replicas: {
    doc: "Folder of this node's copies.",
    kind: { type: "string" },
    otherwise: "`IBID_REPLICAS`, or `ibid/replicas` in the user's cache folder",
    for: inCode,
  },
  scopes: {
    doc: "Scopes that this node holds: names, and beginnings such as `user:*`; `deployment` always is.",
    kind: {
      type: "list",
      of: { type: "string", pattern: placementPattern, expects: "a scope, or a beginning that ends in *" },
    },
    otherwise: "all",
    for: inCode,
  },
  atMostMs: {
    doc: "How old a state may be, in milliseconds, that is read without asking the database.",
    kind: { type: "integer", min: 0 },
    default: 0,
    for: inCode,
  },
  lazy: {
    doc: "Whether this process holds no copy, and reads what a search needs from the database.",
    kind: { type: "boolean" },
    default: false,
    for: inCode,
  },
  keepBytes: {
    doc: "Bytes of the index that a process without a copy keeps in memory between questions.",
    kind: { type: "integer", min: 0 },
    default: 256_000_000,
    for: inCode,
  },
  shareIndex: {
    doc: "Whether this node writes its index to the database when it settles, for processes without a copy.",
    kind: { type: "boolean" },
    default: false,
    for: inCode,
  },
  follow: {
    doc: "Whether the copy is brought up to date while nobody reads: by asking, or by hearing of commits too.",
    kind: { type: "choice", values: { poll: true, listen: true } },
    otherwise: "only reads ask",
    for: inCode,
  },
  listenAt: {
    doc: "Address of the server itself for `listen`, where the other one leads to a pooler.",
    kind: { type: "string" },
    otherwise: "the same address",
    for: inCode,
  },
  pollMs: {
    doc: "How often a follower asks, in milliseconds.",
    kind: { type: "integer", min: 1 },
    default: 200,
    for: inCode,
  },
  leaseMs: {
    doc: "No answer comes from a state that is older, in milliseconds.",
    kind: { type: "integer", min: 1 },
    default: 60_000,
    for: inCode,
  },
  busyTimeoutMs: {
    doc: "How long a call waits for other writers, a lost connection and the copy, in milliseconds.",
    kind: { type: "integer", min: 0 },
    default: 30_000,
    for: inCode,
  },
} as const satisfies RulesOf<ReplicaOptions>;

/** Options of the copy with their defaults. */
export interface ReplicaPlan extends Readonly<
  Record<"atMostMs" | "pollMs" | "leaseMs" | "busyTimeoutMs" | "keepBytes", number>
> {
  readonly replicas: string | undefined;
  readonly follow: "poll" | "listen" | undefined;
  readonly listenAt: string | undefined;
  readonly placement: Placement;
  readonly lazy: boolean;
  readonly shareIndex: boolean;
}

/** **Errors** `invalid-argument`. */
export function readReplicaOptions(options: ReplicaOptions): ReplicaPlan {
  const given = Object.fromEntries(
    Object.keys(replicaOptions).map((name) => [name, options[name as keyof ReplicaOptions]]),
  );
  const { scopes, follow, listenAt, ...rest } = planOptions(
    "openPostgresStore",
    replicaOptions,
    given as ReplicaOptions,
  );
  if (listenAt !== undefined && follow !== "listen") {
    throw new IbidError("invalid-argument", 'listenAt is for follow: "listen" alone.', {
      hint: 'Add follow: "listen", or leave listenAt out.',
    });
  }
  const forCopies = (["replicas", "follow", "listenAt", "shareIndex"] as const).find((name) => options[name]);
  if (rest.lazy && forCopies !== undefined) {
    throw new IbidError("invalid-argument", `${forCopies} is for a copy, and lazy is without one.`, {
      hint: `Leave ${forCopies} or lazy out.`,
    });
  }
  if (!rest.lazy && options.keepBytes !== undefined) {
    throw new IbidError("invalid-argument", "keepBytes is for a process without a copy.", {
      hint: "Add lazy: true, or leave keepBytes out.",
    });
  }
  return { ...rest, follow, listenAt, placement: readPlacement(scopes) };
}
