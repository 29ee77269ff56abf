/** Request headers that a page of an allowed origin may send. */
export const allowedHeaders = [
  "authorization",
  "content-type",
  "accept",
  "x-request-id",
  "if-none-match",
  "mcp-protocol-version",
  "mcp-session-id",
  "mcp-method",
  "mcp-name",
  "last-event-id",
  "tus-resumable",
  "upload-length",
  "upload-metadata",
  "upload-offset",
  // Clients of OpenAI's API send these with each request, also from a browser.
  "idempotency-key",
  "openai-beta",
  "openai-organization",
  "openai-project",
  "user-agent",
  ...["arch", "custom-poll-interval", "helper-method", "lang", "os", "package-version", "poll-helper"].map(stainless),
  ...["retry-count", "runtime", "runtime-version", "timeout"].map(stainless),
];

function stainless(name: string): string {
  return `x-stainless-${name}`;
}

/** Response headers that a page of an allowed origin may read. */
export const exposedHeaders = [
  "x-request-id",
  "retry-after",
  "ratelimit",
  "ratelimit-policy",
  "etag",
  "location",
  "tus-extension",
  "tus-max-size",
  "tus-resumable",
  "tus-version",
  "upload-expires",
  "upload-length",
  "upload-offset",
];
