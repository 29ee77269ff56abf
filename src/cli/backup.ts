import type { Command } from "commander";
import { IbidError } from "../contracts/errors.ts";
import { folderOf } from "../knowledge-base/open/location.ts";
import type { Backup } from "../knowledge-base/open/backups.ts";
import { examples } from "./help-text.ts";
import { type CommonOptions, type Context, readCaller } from "./open.ts";
import { count, formatBytes, neutralise } from "./text-layout.ts";

/** `ibid backup`: copies the knowledge base while others use it, and verifies the copy. */
async function backUp({ output }: Context, target: string, options: CommonOptions): Promise<number> {
  const folder = requireFolder(options);
  const { backUpFolder, verifyBackup } = await import("../knowledge-base/open/backups.ts");
  await backUpFolder(folder, target);
  // The list is read back from the disk, and so is every file.
  const backup = await verifyBackup(target);
  if (output.json) await output.object({ backup: target, ...backup });
  else await output.prose(`Backed up to ${neutralise(target)}: ${describe(backup)}.`);
  return 0;
}

/** `ibid backup --verify`: checks a backup against its list. */
async function verify({ output }: Context, target: string): Promise<number> {
  const { verifyBackup } = await import("../knowledge-base/open/backups.ts");
  const backup = await verifyBackup(target);
  if (output.json) await output.object({ backup: target, ...backup });
  else await output.prose(`${neutralise(target)} of ${backup.at} is whole: ${describe(backup)}.`);
  return 0;
}

/** `ibid restore --from`: makes a knowledge base of a backup. */
export async function restoreFrom({ output }: Context, backup: string, options: CommonOptions): Promise<number> {
  const folder = requireFolder(options);
  const { restoreFolder } = await import("../knowledge-base/open/backups.ts");
  const restored = await restoreFolder(backup, folder);
  if (output.json) await output.object({ kb: folder, ...restored });
  else await output.prose(`Restored ${neutralise(folder)} as of ${restored.at}: ${describe(restored)}.`);
  return 0;
}

function requireFolder(options: CommonOptions): string {
  if (readCaller(options) !== undefined)
    throw new IbidError("access-denied", "A backup holds every scope, so only the operator may make or restore one.", {
      hint: "Leave out --as-user, --as-team and --as-teams.",
    });
  const folder = folderOf(options.kb);
  if (folder !== undefined) return folder;
  throw new IbidError("unsupported", "This knowledge base is in a database, not in a folder.", {
    hint: "Back it up with the tools of the database, such as pg_dump.",
  });
}

function describe({ files, format }: Backup): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${count(files.length, "file")}, ${formatBytes(bytes)}, format ${format}, verified`;
}

/** `ibid backup` with its options and its help. */
export function addBackupCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  program
    .command("backup")
    .summary("copy the knowledge base while it is in use, and verify the copy")
    .description("Copy the knowledge base into a new folder while others read and write it, and verify the copy.")
    .argument("<folder>", "the backup, a folder that does not exist yet")
    .option("--verify", "check an existing backup instead")
    .addHelpText(
      "after",
      examples([
        "ibid backup /backups/monday",
        "ibid backup /backups/monday --verify",
        "ibid restore --from /backups/monday --kb ./restored",
      ]),
    )
    .action(async function (this: Command, folder: string) {
      const options = this.optsWithGlobals<CommonOptions & { readonly verify?: true }>();
      done(options.verify === true ? await verify(context, folder) : await backUp(context, folder, options));
    });
}
