import type { StoreParts } from "../../contracts/store.ts";
import type { StoreOptions } from "../segments/store-options.ts";

/** The parts with the engine of the options, if one is given. The code for engines is loaded only then. */
export async function overEngine(parts: StoreParts, { engine, metric }: StoreOptions): Promise<StoreParts> {
  if (engine === undefined) return parts;
  const { withEngine } = await import("./engine-leg.ts");
  return withEngine(parts, engine, { metric });
}
