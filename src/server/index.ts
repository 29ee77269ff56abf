/** `ibid/server`, in any runtime. */
export { createHandler, type Handler } from "./create-handler.ts";
export {
  type AccessKey,
  type ConnectionFacts,
  defaultPort,
  type HandlerOptions,
  type KnownCaller,
  type Login,
  type RequestLogEntry,
  type ServiceLimits,
} from "./handler-options.ts";
export { parseKeys } from "./caller-keys.ts";
export type { RunningService, ServiceLogger, ServiceOptions } from "./start-service.ts";
