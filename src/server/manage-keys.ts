import { IbidError } from "../contracts/errors.ts";
import { sha256 } from "../runtime/hash.ts";
import { isWithinEdits } from "../runtime/edit-distance.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import type { AccessKey } from "./handler-options.ts";

/** A changed list, and the key itself, which stands nowhere else. */
export interface NewKey {
  readonly keys: readonly AccessKey[];
  readonly key: string;
}

/** Makes a key of 192 random bits. The list gets its hash alone. **Errors** `invalid-argument` for a name that has a key. */
export function addKey(keys: readonly AccessKey[], entry: Omit<AccessKey, "key" | "sha256">): NewKey {
  if (keys.some(({ name }) => name === entry.name)) {
    throw new IbidError("invalid-argument", `"${entry.name}" has a key already.`, {
      hint: `Replace it with: ibid keys rotate ${entry.name}`,
    });
  }
  return withNew(keys, entry);
}

/** Times of {@link rotateKey}. **Units** milliseconds. */
export interface Rotation {
  /** Time in which the former keys and the new one open. */
  readonly overlapMs: number;
  /** Time after which the new key ends. Default: it ends when the former one was to end. */
  readonly expiresMs?: number | undefined;
}

/**
 * Makes a further key for a name. The former ones expire after the overlap, or at their own time where that is earlier.
 *
 * **Errors** `not-found` for a name without a key; `invalid-argument` without `expiresMs` for a key whose time is over.
 */
export function rotateKey(
  keys: readonly AccessKey[],
  name: string,
  { overlapMs, expiresMs }: Rotation,
  now = platformNow(),
): NewKey {
  const latest = keys.findLast((each) => each.name === name);
  if (latest === undefined) throw unknownName(name, keys);
  if (expiresMs === undefined && isExpired(latest, now)) {
    throw new IbidError(
      "invalid-argument",
      `The key of "${name}" ended at ${latest.expiresAt}, and so would a new one.`,
      {
        hint: `Give the new key a time: ibid keys rotate ${name} --expires 90d`,
      },
    );
  }
  const end = new Date(now + overlapMs).toISOString();
  const kept = keys
    .filter((each) => each.name !== name || !isExpired(each, now))
    .map((each) => {
      const isEarlier = each.expiresAt !== undefined && Date.parse(each.expiresAt) <= now + overlapMs;
      return each.name !== name || isEarlier ? each : { ...each, expiresAt: end };
    });
  const { key: _key, sha256: _hash, ...entry } = latest;
  const expiresAt = expiresMs === undefined ? undefined : new Date(now + expiresMs).toISOString();
  return withNew(kept, { ...entry, ...(expiresAt !== undefined && { expiresAt }) });
}

/** Removes all keys of a name. **Errors** `not-found` for a name without a key. */
export function revokeKey(keys: readonly AccessKey[], name: string): readonly AccessKey[] {
  const kept = keys.filter((each) => each.name !== name);
  if (kept.length === keys.length) throw unknownName(name, keys);
  return kept;
}

/** Whether the time of a key is over. */
export function isExpired({ expiresAt }: AccessKey, now = platformNow()): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}

function withNew(keys: readonly AccessKey[], entry: Omit<AccessKey, "key" | "sha256">): NewKey {
  const key = `ibid_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")}`;
  return { keys: [...keys, { ...entry, sha256: sha256(key) }], key };
}

function unknownName(name: string, keys: readonly AccessKey[]): IbidError {
  const near = keys.find((each) => isWithinEdits(each.name.toLowerCase(), name.toLowerCase(), name.length < 5 ? 1 : 2));
  return new IbidError("not-found", `No key has the name "${name}".`, {
    hint: near === undefined ? "List the names with: ibid keys list" : `Did you mean ${near.name}?`,
  });
}
