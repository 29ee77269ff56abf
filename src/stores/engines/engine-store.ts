import type { Engine } from "../../contracts/engine.ts";
import type { Store } from "../../contracts/store.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { composeStore } from "../compose/compose-store.ts";
import { createMemoryParts, type MemoryStoreOptions, memoryOptionNames } from "../memory/memory-store.ts";
import { withEngine } from "./engine-leg.ts";

/**
 * A store in this process's memory, as `createMemoryStore` makes it, over an engine: for tests of an engine, and for short work.
 *
 * **Shape** the engine's entries are of no use to another process, because the store's key goes with it. Reset its scopes before closing to remove them.
 * **Errors** `invalid-argument` for an unknown option; `unsupported` for a metric that the engine lacks.
 *
 * @experimental
 */
export function createEngineStore(engine: Engine, options: MemoryStoreOptions = {}): Store {
  checkGiven("createEngineStore", "engine", engine, "object", { capabilities: "object" });
  checkOptions("createEngineStore", options, memoryOptionNames);
  const parts = withEngine(createMemoryParts(options), engine, { metric: options.metric });
  return composeStore(parts, { name: "The memory store" });
}
