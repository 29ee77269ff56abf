/** `ibid/server` on Node. */
export * from "./index.ts";
export { startService } from "./start-service.ts";
export { openSearchPool, type SearchPool, type SearchPoolOptions, serveSearches } from "./search-pool.ts";
export { createServiceMetrics, type ServiceMetrics } from "./service-metrics.ts";
export type { Config, ServeSettings } from "./config-options.ts";
