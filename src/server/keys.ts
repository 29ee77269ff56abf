import * as z from "zod";
import { readCaller } from "../access/callers.ts";
import { IbidError } from "../contracts/errors.ts";
import type { AccessContext } from "../contracts/scope.ts";
import { sha256 } from "../runtime/hash.ts";

/** A key, and who has it: an operator, or somebody with a user, a team and teams; with none of those it reads what is everybody's. */
export interface AccessKey extends AccessContext {
  /** What the log calls its bearer. */
  readonly name: string;
  /** The key itself. Give this or `sha256`. */
  readonly key?: string;
  /** Of the key's UTF-8, in hexadecimal: then the file does not tell the key. */
  readonly sha256?: string;
  /** Reads every scope, and health. Default false. */
  readonly operator?: boolean;
  /** Uploads and deletes, in the scopes that the gate lets its bearer write. Default false. */
  readonly write?: boolean;
  /** Default: `limits.requestsPerMinute`. */
  readonly requestsPerMinute?: number;
}

/** Short keys are guessed: 16 characters of a random generator cannot be. */
const leastKeyLength = 16;
const mostKeys = 10_000;

const accessKey = z.strictObject({
  name: z.string().trim().min(1).max(100),
  key: z.string().min(leastKeyLength, `must have ${leastKeyLength} characters or more`).max(1000).optional(),
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
});

const keysFile = z.strictObject({ keys: z.array(accessKey).min(1, "must not be empty").max(mostKeys) });

/**
 * The keys of a keys file: `{"keys": [{"name": "ada", "sha256": "…", "userId": "ada", "teams": ["support"]}]}`.
 *
 * **Errors** `invalid-argument` for what is no such file, naming what is wrong in it and never a key.
 */
export function parseKeys(json: string): readonly AccessKey[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // What the parser says would quote the file, and the file has keys in it.
    throw wrong("it is not JSON");
  }
  const parsed = keysFile.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw wrong(`${issue?.path.join(".") || "it"}: ${issue?.message ?? "is not as it should be"}`);
  }
  // What JSON leaves out is left out, and not undefined.
  return JSON.parse(JSON.stringify(parsed.data.keys)) as readonly AccessKey[];
}

/** A key as it is looked for, with what it opens. */
export interface KnownKey {
  readonly entry: AccessKey;
  readonly access: AccessContext | "operator";
}

/** The keys of a service. */
export interface Keyring {
  readonly known: readonly KnownKey[];
  /** **Cost** the same for every key, and for none: each is compared to its end, so that time tells nothing. */
  find(presented: string): KnownKey | undefined;
}

/** **Errors** `invalid-argument` for a key that says nothing or too much, and for two that are the same. */
export function createKeyring(keys: readonly AccessKey[]): Keyring {
  if (!Array.isArray(keys) || keys.length === 0) throw wrong("there is no key among them");
  const digests: Uint8Array[] = [];
  const seen = new Set<string>();
  const known = keys.map((entry): KnownKey => {
    const checked = accessKey.safeParse(entry);
    const [issue] = checked.error?.issues ?? [];
    if (issue !== undefined) throw wrong(`${issue.path.join(".") || "one of them"}: ${issue.message}`);
    const { name, key, operator = false, userId, teamId, teams } = entry;
    if ((key === undefined) === (entry.sha256 === undefined)) throw wrong(`"${name}" needs one of key and sha256`);
    const isSomebody = userId !== undefined || teamId !== undefined || teams !== undefined;
    if (operator && isSomebody) throw wrong(`"${name}" is the operator's and somebody's; it can be one of them`);
    const digest = (key === undefined ? entry.sha256! : sha256(key)).toLowerCase();
    if (seen.has(digest)) throw wrong(`"${name}" has the same key as another`);
    seen.add(digest);
    digests.push(bytesOf(digest));
    return {
      entry,
      access: operator
        ? "operator"
        : readCaller({
            ...(userId !== undefined && { userId }),
            ...(teamId !== undefined && { teamId }),
            ...(teams !== undefined && { teams }),
          }),
    };
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
      return known[found];
    },
  };
}

/** 0 when they are the same; looks at every byte, whatever the first ones are. */
function difference(one: Uint8Array, other: Uint8Array): number {
  let bits = 0;
  for (let i = 0; i < one.length; i++) bits |= one[i]! ^ other[i]!;
  return bits;
}

function bytesOf(hexadecimal: string): Uint8Array {
  return Uint8Array.from(hexadecimal.match(/../gu) ?? [], (pair) => Number.parseInt(pair, 16));
}

function wrong(what: string): IbidError {
  return new IbidError("invalid-argument", `The keys cannot be used: ${what}.`, {
    hint: 'Write {"keys": [{"name": "ada", "key": "…", "userId": "ada"}]}; a key has a name, key or sha256, and operator, or userId, teamId and teams.',
  });
}
