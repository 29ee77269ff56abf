/**
 * The door `ibid/server`: a knowledge base over HTTP. It is a door of its own because it loads a package (zod), which `import "ibid"` must not.
 */
export { createHandler, type ConnectionFacts, type Handler } from "./create-handler.ts";
export type { Failure } from "./describe-failure.ts";
export type { HandlerOptions, KnownCaller, RequestLogEntry, ServiceLimits } from "./handler-options.ts";
export { type AccessKey, parseKeys } from "./keys.ts";
export { defaultPort, type RunningService, type ServiceOptions, startService } from "./start-service.ts";
