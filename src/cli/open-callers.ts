import { IbidError } from "../contracts/errors.ts";
import type { AccessContext } from "../contracts/scope.ts";
import type { AccessKey, HandlerOptions, ServeSettings } from "../server/index.node.ts";
import { readFileOfKeys, writeKeys } from "./keys.ts";
import { openIdentities } from "./open-identities.ts";
import { readText } from "./read-text.ts";

/** The keys of a file: as the service uses them, and read anew. */
export interface KeyFile {
  readonly options: Required<Pick<HandlerOptions, "keys" | "changeKeys">>;
  /** **Shape** the number of keys. */
  readonly reload: () => Promise<number>;
}

/** The callers that flags and configuration name for a service. */
interface ChosenCallers {
  /** All callers are this one, on this machine. */
  readonly caller?: AccessContext | undefined;
  /** Whether that one writes. */
  readonly write: boolean;
  /** File of keys. */
  readonly keys?: string | undefined;
}

/** Callers of a service. */
interface OpenCallers {
  readonly keys?: KeyFile | undefined;
  /** Whether a caller may write. */
  readonly takes: boolean;
  readonly who: Pick<
    HandlerOptions,
    "keys" | "changeKeys" | "local" | "authenticate" | "authorizationServers" | "login"
  >;
}

/**
 * Reads the file of keys, and opens the other ways to name callers.
 *
 * **Errors** `invalid-argument` for invalid keys and settings, and for two ways that exclude each other; `not-found` for a file that cannot be read.
 */
export async function openCallers(
  { caller, write, keys: file }: ChosenCallers,
  set: ServeSettings,
): Promise<OpenCallers> {
  const isOne = caller !== undefined || write;
  if (file !== undefined && isOne) {
    throw new IbidError(
      "invalid-argument",
      "--keys cannot be combined with --as-user, --as-team, --as-teams or --write: each key has its own caller.",
      {
        hint: "Leave out one side, also of serve.keys and serve.write. The entry of a key names its user and teams, and has write.",
      },
    );
  }
  const { parseKeys } = await import("../server/index.node.ts");
  const keys = file === undefined ? undefined : await openKeys(file, parseKeys);
  const known = await openIdentities(set);
  if (known.authenticate !== undefined && isOne)
    throw new IbidError(
      "invalid-argument",
      "A login cannot be combined with --as-user, --as-team, --as-teams or --write.",
      {
        hint: "Leave them out, and serve.write too: claims say which callers may write.",
      },
    );
  const takes = write || keys !== undefined || known.authenticate !== undefined;
  if (known.authenticate !== undefined) return { keys, takes, who: { ...known, ...keys?.options } };
  return { keys, takes, who: keys?.options ?? { local: { access: caller ?? "operator", write } } };
}

async function openKeys(
  file: string,
  parse: (json: string, options?: { readonly least: 0 }) => readonly AccessKey[],
): Promise<KeyFile> {
  let keys = await readKeys(file, parse);
  let written: Promise<unknown> = Promise.resolve();
  return {
    options: {
      keys: () => keys,
      changeKeys(change) {
        // One change after another, each of the file as it is.
        const done = written.then(async () => {
          const changed = change(await readFileOfKeys(file));
          await writeKeys(file, changed);
          keys = changed;
        });
        written = done.catch(() => {});
        return done;
      },
    },
    async reload() {
      // The last key may have been revoked.
      keys = await readKeys(file, (json) => parse(json, { least: 0 }));
      return keys.length;
    },
  };
}

async function readKeys(file: string, parse: (json: string) => readonly AccessKey[]): Promise<readonly AccessKey[]> {
  const json = await readText(file, `Check the path, or make the first key with: ibid keys add NAME --keys ${file}`);
  try {
    return parse(json);
  } catch (error) {
    if (!IbidError.isInstance(error)) throw error;
    const { code, hint, message } = error;
    const named = message.replace(/^The keys/u, () => `The keys in ${file}`);
    throw new IbidError(code, named, { cause: error, ...(hint !== undefined && { hint }) });
  }
}
