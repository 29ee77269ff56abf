/** `ibid/server`, in any runtime. */
export { createHandler, type Handler } from "./create-handler.ts";
export type { AccessKey, HandlerOptions, KnownCaller, RequestLogEntry, ServiceLimits } from "./handler-options.ts";
export { parseKeys } from "./caller-keys.ts";
export { defaultPort, type RunningService, type ServiceOptions } from "./start-service.ts";
