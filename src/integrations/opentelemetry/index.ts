/** `ibid/opentelemetry`. */
export type { OpenTelemetryApi } from "./load-api.ts";
export { createOpenTelemetry, type OpenTelemetryOptions } from "./open-telemetry.ts";
