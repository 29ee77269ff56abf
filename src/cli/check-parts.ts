import { storeChoices, takeStore } from "../knowledge-base/open/assemble.ts";
import { openEngine, placeNamedStore } from "../knowledge-base/open/open-engine.ts";
import { openKnowledgeBase } from "../knowledge-base/open/open-knowledge-base.ts";
import type { Config, ServeSettings } from "../server/config-options.ts";
import { given } from "../server/given.ts";
import { isAddress } from "./find-config.ts";
import { openCallers } from "./open-callers.ts";
import { checkJudge } from "./serve.ts";

/**
 * Checks all parts of a configuration, given by name or as code, as `ibid serve` does. An empty knowledge base in memory has the place of the named one.
 *
 * **Shape** no engine and no server is asked, and no port is opened. **Errors** as `openKnowledgeBase` and `startService`; `not-found` for a file of keys that cannot be read.
 */
export async function checkParts(values: Config, location: string): Promise<void> {
  const { kb: _kb, serve = {}, mcp, history: _history, ...rest } = values;
  const placed = placeNamedStore(rest);
  const { store: _store, engine, snapshots, replica, ...options } = placed;
  // An engine connects when it is first used. A store, or the place of one, is not read.
  const opened = engine === undefined ? undefined : await openEngine(engine, snapshots);
  const whole = { ...placed, engine: opened } as Parameters<typeof takeStore>[0];
  if ((await takeStore(whole)) === undefined) storeChoices(whole);
  const { embedding, ...models } = options.models ?? {};
  checkJudge(models.chat, models.judge);
  const kb = await openKnowledgeBase({
    ...options,
    // The command line has a name for no model.
    models: { ...models, ...(embedding !== "none" && { embedding }) },
    ...(!isAddress(location) && replica && { replica }),
  });
  try {
    await checkService(kb, serve, mcp);
  } finally {
    await kb.close();
  }
}

async function checkService(
  kb: Awaited<ReturnType<typeof openKnowledgeBase>>,
  serve: ServeSettings,
  mcp: Config["mcp"],
): Promise<void> {
  const [{ checkServiceOptions }, { createServiceMetrics }] = await Promise.all([
    import("../server/start-service.ts"),
    import("../server/service-metrics.ts"),
  ]);
  const { who } = await openCallers({ write: serve.write ?? false, keys: serve.keys }, serve);
  const metrics = serve.metrics === false ? undefined : createServiceMetrics(given({ meter: serve.meter }));
  try {
    const { hosts, origins, host, port, page, limits, entities, threadDays } = serve;
    const { basePath, trustedProxies, webhookNetworks, metricsPort } = serve;
    await checkServiceOptions(kb, {
      ...who,
      ...given({ hosts, origins, host, port, page, limits, entities, threadDays, mcp }),
      ...given({ basePath, trustedProxies, webhookNetworks, metricsPort, metrics }),
    });
  } finally {
    metrics?.close();
  }
}
