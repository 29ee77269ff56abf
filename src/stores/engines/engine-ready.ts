import { IbidError } from "../../contracts/errors.ts";

/** Codes of connections that are not there yet, of Node's and of gRPC's. */
const away: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  14,
]);

/** Whether a server answers a question. **Shape** `false` while it starts, or throttles. **Errors** the server's refusal of the caller, which no waiting changes. */
export async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (IbidError.isInstance(error, "store-busy") || IbidError.isInstance(error, "timeout") || isAway(error))
      return false;
    throw error;
  }
}

/** Clients keep the failure of a connection as a cause of their own error. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, name } = error as { code?: unknown; name: string };
  return away.has(code) || /^Mongo(?:ServerSelection|Network)/u.test(name) || isAway(error.cause);
}
