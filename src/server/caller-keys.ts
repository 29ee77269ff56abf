import { z } from "zod";
import { readCaller } from "../access/callers.ts";
import { IbidError } from "../contracts/errors.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { AccessContext } from "../contracts/scope.ts";
import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import { sha256 } from "../runtime/hash.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import type { AccessKey, ConnectionFacts, HandlerOptions, KnownCaller, ServiceLimits } from "./handler-options.ts";
import { isLoopbackAddress } from "./loopback.ts";
import { isExpired } from "./manage-keys.ts";
import { describeIssue } from "./read-request.ts";
import { Refusal } from "./refusal.ts";
import type { Caller } from "./route.ts";

/** Shorter keys can be guessed; 16 random characters cannot. */
const leastKeyLength = 16;
const mostKeys = 10_000;

/** An entry of a list of keys. */
export const accessKey = z.strictObject({
  name: z.string().trim().min(1).max(100),
  key: z.string().min(leastKeyLength).max(1000).optional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/iu, "must be 64 hexadecimal digits")
    .optional(),
  userId: z.string().optional(),
  teamId: z.string().optional(),
  teams: z.array(z.string()).optional(),
  operator: z.boolean().optional(),
  write: z.boolean().optional(),
  requestsPerMinute: z.int().min(1).optional(),
  requestsPerDay: z.int().min(0).optional(),
  bytesPerDay: z.int().min(0).optional(),
  tokensPerDay: z.int().min(0).optional(),
  expiresAt: z.iso.datetime({ offset: true, error: "must be a time such as 2027-01-31T00:00:00Z" }).optional(),
});

const keysFile = z.strictObject({ keys: z.array(accessKey).max(mostKeys) });

/**
 * Parses a file of keys: `{"keys": [{"name": "ada", "sha256": "…", "userId": "ada", "teams": ["support"]}]}`.
 *
 * **Shape** `least` is the number of keys that the file must have. **Errors** `invalid-argument`, with the path of the wrong field or the name of a contradictory entry, and never a key.
 *
 * @experimental
 */
export function parseKeys(json: string, options: { readonly least?: 0 | 1 | undefined } = {}): readonly AccessKey[] {
  checkGiven("parseKeys", "json", json, "text");
  checkOptions("parseKeys", options, { least: true });
  const { least = 1 } = options;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The parser's message would quote the file, and so its keys.
    throw wrong("the text is not JSON");
  }
  const parsed = keysFile.safeParse(value);
  if (!parsed.success) {
    throw wrong(describeIssue(parsed.error.issues[0]!));
  }
  // Drops fields that are undefined.
  const keys = JSON.parse(JSON.stringify(parsed.data.keys)) as readonly AccessKey[];
  if (keys.length < least) throw wrong("keys must have at least 1 entry");
  createKeyring(keys);
  return keys;
}

/** A checked key with the access that it gives. */
export interface KnownKey {
  readonly entry: AccessKey;
  readonly access: AccessContext | "operator";
}

/** The keys of a service. */
export interface Keyring {
  readonly known: readonly KnownKey[];
  /** **Cost** the same for each key and for an unknown one, so that the time reveals nothing. */
  find(presented: string): KnownKey | undefined;
}

/** **Errors** `invalid-argument` for an incomplete or contradictory entry, for a key that is given twice, and for one name with two rights. */
export function createKeyring(keys: readonly AccessKey[], now: () => number = platformNow): Keyring {
  if (!Array.isArray(keys)) throw wrong("they are no list");
  const digests: Uint8Array[] = [];
  const seen = new Set<string>();
  const rightsOf = new Map<string, string>();
  const known = keys.map((entry): KnownKey => {
    const checked = accessKey.safeParse(entry);
    const [issue] = checked.error?.issues ?? [];
    if (issue !== undefined) throw wrong(describeIssue(issue));
    const { name, key, operator = false, userId, teamId, teams } = entry;
    if ((key === undefined) === (entry.sha256 === undefined)) throw wrong(`"${name}" needs one of key and sha256`);
    const isSomebody = userId !== undefined || teamId !== undefined || teams !== undefined;
    if (operator && isSomebody)
      throw wrong(`"${name}" has operator and also userId, teamId or teams; only one of the two is possible`);
    const digest = (key === undefined ? entry.sha256! : sha256(key)).toLowerCase();
    if (seen.has(digest)) throw wrong(`"${name}" has the same key as another`);
    seen.add(digest);
    digests.push(bytesOf(digest));
    const access = operator
      ? ("operator" as const)
      : readCaller({
          ...(userId !== undefined && { userId }),
          ...(teamId !== undefined && { teamId }),
          ...(teams !== undefined && { teams }),
        });
    // Jobs, threads and limits go by the name, so one name is one caller.
    const rights = JSON.stringify([access, userId, teamId, teams?.toSorted()]);
    if ((rightsOf.get(name) ?? rights) !== rights)
      throw wrong(`"${name}" names two keys with different rights; keys of one name are one caller`);
    rightsOf.set(name, rights);
    return { entry, access };
  });
  return {
    known,
    find(presented) {
      const digest = bytesOf(sha256(presented));
      let found = -1;
      for (let index = 0; index < digests.length; index++) {
        const isSame = Number(difference(digests[index]!, digest) === 0);
        found = isSame * index + (1 - isSame) * found;
      }
      const one = known[found];
      return one === undefined || isExpired(one.entry, now()) ? undefined : one;
    },
  };
}

/** 0 for equal bytes. It compares all bytes, also after a difference. */
function difference(one: Uint8Array, other: Uint8Array): number {
  let bits = 0;
  for (let i = 0; i < one.length; i++) bits |= one[i]! ^ other[i]!;
  return bits;
}

function bytesOf(hexadecimal: string): Uint8Array {
  return Uint8Array.from(hexadecimal.match(/../gu) ?? [], (pair) => Number.parseInt(pair, 16));
}

function wrong(problem: string): IbidError {
  return new IbidError("invalid-argument", `The keys are invalid: ${problem}.`, {
    hint: 'Write {"keys": [{"name": "ada", "key": "…", "userId": "ada"}]}. Each entry needs a name, and either key or sha256. Then give operator, or userId, teamId and teams.',
  });
}

/** Finds the caller of a request; `undefined` for an unknown one. */
export type IdentifyCaller = (request: Request, connection: ConnectionFacts) => Promise<Caller | undefined>;

/** Limits of one caller, which a key may change. */
type CallerLimits = Pick<
  Required<ServiceLimits>,
  "requestsPerMinute" | "requestsPerDay" | "bytesPerDay" | "tokensPerDay"
>;

/** Headers of proxies. A proxy on this machine forwards requests from elsewhere. */
const forwardedBy = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"] as const;

/**
 * Makes the function that finds the caller: by key, then by `authenticate`, or, with neither, by the address of this machine.
 *
 * **Errors** `invalid-argument` for wrong keys and contexts, at once.
 */
export function createIdentification(
  kb: KnowledgeBase,
  { keys, authenticate, local }: HandlerOptions,
  limits: CallerLimits,
): IdentifyCaller {
  const seenBy = (access: AccessContext | "operator"): KnowledgeBase => (access === "operator" ? kb : kb.as(access));
  const toCaller = ({ name, access, write = false }: KnownCaller, own: Partial<CallerLimits> = {}): Caller => ({
    name,
    kb: seenBy(access),
    access,
    isOperator: access === "operator",
    mayWrite: write,
    perMinute: own.requestsPerMinute ?? limits.requestsPerMinute,
    perDay: {
      requests: own.requestsPerDay ?? limits.requestsPerDay,
      bytes: own.bytesPerDay ?? limits.bytesPerDay,
      tokens: own.tokensPerDay ?? limits.tokensPerDay,
    },
  });

  const authenticated = async (request: Request, connection: ConnectionFacts): Promise<Caller | undefined> => {
    const known = await authenticate?.(request, connection);
    return known && toCaller(known);
  };
  if (keys === undefined && authenticate !== undefined) return authenticated;
  if (keys !== undefined) {
    // A list that is read anew may be empty: its last key was revoked.
    if (typeof keys !== "function" && Array.isArray(keys) && keys.length === 0) throw wrong("the list has no key");
    const read = (list: readonly AccessKey[]) => {
      const ring = createKeyring(list);
      const callers = new Map(
        ring.known.map((each) => {
          const { name, write } = each.entry;
          const known = { name, access: each.access, ...(write !== undefined && { write }) };
          return [each, toCaller(known, each.entry)] as const;
        }),
      );
      return { list, ring, callers };
    };
    const listNow = (): readonly AccessKey[] => (typeof keys === "function" ? keys() : keys);
    let known = read(listNow());
    return async (request, connection) => {
      const list = listNow();
      if (list !== known.list) known = read(list);
      const presented = bearerToken(request);
      const found = presented === undefined ? undefined : known.ring.find(presented);
      return found === undefined ? authenticated(request, connection) : known.callers.get(found);
    };
  }
  const here = toCaller({ access: "operator", ...local, name: "local" });
  return async (request, { remoteAddress: address }) => {
    const isHere = address !== undefined && isLoopbackAddress(address);
    const isForwarded = forwardedBy.some((name) => request.headers.has(name));
    if (isHere && !isForwarded) return here;
    throw new Refusal(
      403,
      "access-denied",
      "This service has no keys, so it answers only requests from its own machine.",
      {
        hint: "Ask from that machine without a proxy, or start the service with --keys.",
      },
    );
  };
}

function bearerToken(request: Request): string | undefined {
  const [, token] = /^Bearer +(\S{1,1000})$/iu.exec(request.headers.get("authorization")?.trim() ?? "") ?? [];
  return token;
}
