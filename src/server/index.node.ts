/** `ibid/server` on Node. */
export * from "./index.ts";
export { startService } from "./start-service.ts";
export { openSearchPool, type SearchPool, type SearchPoolOptions, serveSearches } from "./search-pool.ts";
export { type ClaimRules, type ClaimValue, firstOf, trustHeaders, type TrustedHeaders } from "./identity.ts";
export { type LoginOptions, openLogin, type TokenOptions, verifyTokens } from "./oidc.ts";
export { createServiceMetrics, type ServiceMetrics } from "./service-metrics.ts";
export type { Config, McpSettings, ServeSettings } from "./config-options.ts";
