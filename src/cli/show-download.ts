import type { DownloadProgress } from "../contracts/download-progress.ts";
import type { Context } from "./open.ts";
import { createProgressLine, type ProgressLine } from "./progress.ts";
import { formatBytes, neutralise } from "./text-layout.ts";

/** Shows the download of a model: as a moving line at a terminal, else as one line at its beginning. */
export function showDownload({ output, stderr }: Context): (progress: DownloadProgress) => void {
  let line: ProgressLine | undefined;
  const begun = new Set<string>();
  return ({ model, received, total }) => {
    line ??= createProgressLine(stderr, { enabled: !(output.json && output.isTerminal) });
    if (!begun.has(model) && !line.isShown)
      stderr.write(`Downloading ${neutralise(model)}, ${formatBytes(total)}, once.\n`);
    begun.add(model);
    line.say(`Downloading ${model} … ${formatBytes(received)} of ${formatBytes(total)}`);
    if (received >= total) line.clear();
  };
}
