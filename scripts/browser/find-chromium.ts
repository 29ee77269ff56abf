import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Where Chromium is: at `IBID_CHROMIUM`, or on the PATH. `undefined` without one. */
export function findChromium(): string | undefined {
  const given = process.env["IBID_CHROMIUM"];
  if (given !== undefined && given !== "") return given;
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not there.
      }
    }
  }
  return undefined;
}

/** Switches without which Chromium does not run everywhere: no picture device, and as root no sandbox. */
export const chromiumSwitches: readonly string[] = [
  "--disable-gpu",
  "--disable-dev-shm-usage",
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];
