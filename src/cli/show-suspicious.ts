import type { DocumentView } from "../contracts/knowledge-base.ts";
import { showSuspicion } from "../text/untrusted/describe-suspicions.ts";
import { findSuspicious } from "../text/untrusted/find-suspicious.ts";
import type { Output } from "./output.ts";
import { neutralise } from "./text-layout.ts";

/** `ibid show --suspicious`: text that addresses models rather than readers, one finding a line, its place first. */
export async function showSuspicious(output: Output, { uri, text }: DocumentView): Promise<void> {
  const suspicions = findSuspicious(text);
  if (output.json) {
    await output.object({ uri, suspicions });
    return;
  }
  const { dim } = output.style;
  for (const suspicion of suspicions) {
    const { kind, start, end } = suspicion;
    await output.line(
      `${`${start}:${end}`.padEnd(14)} ${kind.padEnd(10)} ${dim(neutralise(showSuspicion(suspicion)))}`,
    );
  }
}
