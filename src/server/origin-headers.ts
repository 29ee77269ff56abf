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
];

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
