import { takeStore } from "../knowledge-base/open/assemble.ts";
import { openEngine, placeNamedStore } from "../knowledge-base/open/open-engine.ts";
import { checkModelNames } from "../knowledge-base/open/remembered-models.ts";
import type { Config } from "../server/config-options.ts";
import { openIdentities } from "./open-identities.ts";

/**
 * Checks the parts of a configuration that are given by name or as text: engines, models, networks, paths, logins.
 *
 * **Shape** nothing that they name is opened or asked. **Errors** `invalid-argument` as the command that uses the part; `dependency-missing` for a part whose package is not installed.
 */
export async function checkParts(values: Config): Promise<void> {
  const placed = placeNamedStore(values);
  const { engine, snapshots, models = {}, serve = {} } = placed;
  await takeStore(placed as Parameters<typeof takeStore>[0]);
  // An engine connects when it is first used.
  if (engine !== undefined) await openEngine(engine, snapshots);
  const { chat, judge, embedding, formerEmbeddings = [], reranker } = models;
  const chosen = [
    chat,
    judge,
    ...(embedding === "none" ? [] : [embedding]),
    ...(reranker === "proximity" ? [] : [reranker]),
    ...formerEmbeddings,
  ];
  await checkModelNames(chosen.filter((model) => typeof model === "string"));
  const { basePath, trustedProxies = [], webhookNetworks = [] } = serve;
  const [{ readBasePath }, { readNetworks }] = await Promise.all([
    import("../server/start-service.ts"),
    import("../server/client-address.ts"),
  ]);
  readBasePath(basePath);
  readNetworks("trustedProxies", trustedProxies);
  readNetworks("webhookNetworks", webhookNetworks);
  await openIdentities(serve);
}
