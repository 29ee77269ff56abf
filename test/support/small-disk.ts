import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of a few megabytes. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all the room that is left, to the last byte. */
  fill(): void;
  /** Gives that room back. */
  clear(): void;
  remove(): void;
}

/** Mounts one in memory. **Shape** `undefined` where this process may not mount. */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "ibid-disk-"));
  const ballast = join(folder, "ballast");
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  return {
    folder,
    fill() {
      const handle = openSync(ballast, "a");
      for (const size of [65_536, 4096, 1]) {
        try {
          for (;;) writeSync(handle, Buffer.alloc(size, 7));
        } catch {
          // No room for another block of that size.
        }
      }
      closeSync(handle);
    },
    clear: () => rmSync(ballast, { force: true }),
    remove() {
      execFileSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
