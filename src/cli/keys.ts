import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { type Command, Option } from "commander";
import { IbidError } from "../contracts/errors.ts";
import { platformNow } from "../runtime/platform-clock.ts";
import type { AccessKey } from "../server/handler-options.ts";
import type { NewKey } from "../server/manage-keys.ts";
import { examples, note } from "./help-text.ts";
import type { CommonOptions, Context } from "./open.ts";
import { readCount, readDuration } from "./read-option.ts";
import { readText, writeText } from "./read-text.ts";
import { neutralise } from "./text-layout.ts";

interface KeysOptions extends CommonOptions {
  readonly keys?: string;
  readonly user?: string;
  readonly team?: string;
  readonly teams?: readonly string[];
  readonly operator?: true;
  readonly write?: true;
  readonly requestsPerMinute?: number;
  readonly requestsPerDay?: number;
  readonly bytesPerDay?: number;
  readonly tokensPerDay?: number;
  readonly expires?: number;
  readonly overlap?: number;
}

/** **Errors** `invalid-argument` where neither flag nor configuration names a file. */
function fileOf({ keys, settings }: KeysOptions): string {
  const file = keys ?? settings?.values.serve?.keys;
  if (file !== undefined) return file;
  throw new IbidError("invalid-argument", "No file of keys is named.", {
    hint: "Name one with --keys, or with serve.keys in the configuration.",
  });
}

/** The entries of a file of keys; none where it is not there yet. */
export async function readFileOfKeys(file: string): Promise<readonly AccessKey[]> {
  if (!existsSync(file)) return [];
  const { parseKeys } = await import("../server/caller-keys.ts");
  return parseKeys(await readText(file), { least: 0 });
}

/** The new file takes the place of the old one at once, so that no service reads half of it. Only its owner may read it. */
export async function writeKeys(file: string, keys: readonly AccessKey[]): Promise<void> {
  const { createKeyring } = await import("../server/caller-keys.ts");
  if (keys.length > 0) createKeyring(keys);
  const part = `${file}.${process.pid}.part`;
  await writeText(part, `${JSON.stringify({ keys }, undefined, 2)}\n`, 0o600);
  await rename(part, file);
}

async function showNew({ output }: Context, file: string, name: string, made: NewKey): Promise<number> {
  await writeKeys(file, made.keys);
  const ends = made.keys.flatMap((each) => (each.name === name ? [each.expiresAt] : []));
  const expiresAt = ends.pop();
  const formers = ends.filter((end) => end !== undefined);
  if (output.json) await output.object({ name, key: made.key, expiresAt, formersExpireAt: formers });
  else {
    await output.line(made.key);
    const until = expiresAt === undefined ? "has no end" : `opens until ${expiresAt}`;
    await output.aside(`The key of ${neutralise(name)} ${until}. It is shown once: ${file} has its hash alone.`);
    for (const end of formers) await output.aside(`The former key opens until ${end}.`);
    await output.aside("A running service reads the file again at SIGHUP.");
  }
  return 0;
}

async function add(context: Context, name: string, options: KeysOptions): Promise<number> {
  const { addKey } = await import("../server/manage-keys.ts");
  const { user, team, teams, operator, write, requestsPerMinute, expires } = options;
  const { requestsPerDay, bytesPerDay, tokensPerDay } = options;
  const file = fileOf(options);
  const entry = {
    name,
    ...(user !== undefined && { userId: user }),
    ...(team !== undefined && { teamId: team }),
    ...(teams !== undefined && { teams }),
    ...(operator && { operator }),
    ...(write && { write }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(requestsPerDay !== undefined && { requestsPerDay }),
    ...(bytesPerDay !== undefined && { bytesPerDay }),
    ...(tokensPerDay !== undefined && { tokensPerDay }),
    ...(expires !== undefined && { expiresAt: new Date(platformNow() + expires).toISOString() }),
  };
  return showNew(context, file, name, addKey(await readFileOfKeys(file), entry));
}

async function list({ output }: Context, options: KeysOptions): Promise<number> {
  const { isExpired } = await import("../server/manage-keys.ts");
  const file = fileOf(options);
  if (!existsSync(file)) {
    throw new IbidError("not-found", `There is no file of keys at ${file}.`, {
      hint: `Name another one with --keys, or make a key: ibid keys add <name> --keys ${file}`,
    });
  }
  const keys = await readFileOfKeys(file);
  const shown = keys.map(({ key: _key, sha256: _hash, ...entry }) => ({ ...entry, expired: isExpired({ ...entry }) }));
  if (output.json) await output.object({ keys: shown });
  else {
    for (const { name, operator, userId, teamId, teams = [], write, expiresAt, expired, ...limits } of shown) {
      const who = operator ? "operator" : [userId, teamId, ...teams].filter(Boolean).join(", ") || "shared scopes";
      const end = expiresAt === undefined ? "" : `, ${expired ? "expired" : "until"} ${expiresAt}`;
      const bounds = keyLimits.flatMap(([limit, unit]) =>
        limits[limit] === undefined ? [] : `, ${limits[limit].toLocaleString("en")} ${unit}`,
      );
      await output.line(`${neutralise(name)}  ${neutralise(who)}${write ? ", writes" : ""}${bounds.join("")}${end}`);
    }
  }
  return 0;
}

/** Limits of a key, with their words. */
const keyLimits = [
  ["requestsPerMinute", "requests a minute"],
  ["requestsPerDay", "requests a day"],
  ["bytesPerDay", "bytes a day"],
  ["tokensPerDay", "tokens a day"],
] as const satisfies readonly (readonly [keyof AccessKey, string])[];

/** `ibid keys` with its commands and its help. */
export function addKeysCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const keys = program
    .command("keys")
    .summary("make, replace and remove the keys of a service")
    .description("Make, replace and remove the keys of a service. The file has hashes alone.");
  const command = (name: string, summary: string): Command =>
    keys
      .command(name)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .option("--keys <file>", "file of the keys (default: serve.keys of the configuration)");
  const duration = (flags: string, doc: string): Option => new Option(flags, doc).argParser(readDuration);

  command("add <name>", "make a key, and print it once")
    .option("--user <user>", "bearer: this user")
    .option("--team <team>", "bearer: acts for this team")
    .addOption(
      new Option("--teams <teams>", "bearer: a member of these teams, with commas between them").argParser(
        (text: string) => text.split(",").map((team) => team.trim()),
      ),
    )
    .option("--operator", "bearer: the operator, who reads every scope")
    .option("--write", "the bearer may upload and delete")
    .addOption(new Option("--requests-per-minute <n>", "limit of the key").argParser(readCount))
    .addOption(new Option("--requests-per-day <n>", "limit of the key in a day of UTC").argParser(readCount))
    .addOption(new Option("--bytes-per-day <n>", "limit of the key's bodies in a day of UTC").argParser(readCount))
    .addOption(
      new Option("--tokens-per-day <n>", "limit of the tokens of its answers in a day of UTC").argParser(readCount),
    )
    .addOption(duration("--expires <time>", "the key ends after this time, such as 90d"))
    .addHelpText(
      "after",
      examples(["ibid keys add ada --user ada --team acme --write --keys keys.json", "ibid keys add ops --operator"]) +
        note("Without a bearer, the key reads what all callers may read."),
    )
    .action(async function (this: Command, name: string) {
      done(await add(context, name, this.optsWithGlobals()));
    });
  command("rotate <name>", "make a further key for a name, and let the former ones expire")
    .addOption(duration("--overlap <time>", "time in which both open, such as 7d (default: 1d)"))
    .addOption(duration("--expires <time>", "the new key ends after this time (default: when the former was to end)"))
    .action(async function (this: Command, name: string) {
      const options = this.optsWithGlobals<KeysOptions>();
      const { rotateKey } = await import("../server/manage-keys.ts");
      const file = fileOf(options);
      const { overlap: overlapMs = 86_400_000, expires: expiresMs } = options;
      const rotated = rotateKey(await readFileOfKeys(file), name, { overlapMs, expiresMs });
      done(await showNew(context, file, name, rotated));
    });
  command("revoke <name>", "remove all keys of a name").action(async function (this: Command, name: string) {
    const options = this.optsWithGlobals<KeysOptions>();
    const { revokeKey } = await import("../server/manage-keys.ts");
    const file = fileOf(options);
    await writeKeys(file, revokeKey(await readFileOfKeys(file), name));
    if (context.output.json) await context.output.object({ revoked: name });
    else await context.output.line(`Revoked the keys of ${neutralise(name)}.`);
    done(0);
  });
  command("list", "list the names and their bearers, without keys").action(async function (this: Command) {
    done(await list(context, this.optsWithGlobals()));
  });
}
