import type { Engine } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import { pause, untilAborted } from "../../runtime/abort.ts";

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
export async function answers(ask: () => Promise<unknown>, onFailure?: (reason: unknown) => void): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    const isPassing = IbidError.isInstance(error, "store-busy") || IbidError.isInstance(error, "timeout");
    if (!isPassing && !isAway(error)) throw error;
    onFailure?.(error);
    return false;
  }
}

/** Clients keep the failure of a connection as a cause of their own error; that of Redis calls it `originalError`. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, name, originalError } = error as { code?: unknown; name: string; originalError?: unknown };
  return away.has(code) || /^Mongo(?:ServerSelection|Network)/u.test(name) || isAway(originalError ?? error.cause);
}

/** Pause between two looks. **Units** milliseconds. */
const pauseMs = 250;

/**
 * Waits until an engine takes requests.
 *
 * **Errors** `timeout`, `aborted`, with the engine and its last failure; the server's refusal of the caller, at once.
 */
export async function untilReady(engine: Engine, signal: AbortSignal): Promise<void> {
  const what = `Waiting until ${engine.name} is ready`;
  let last: Error | undefined;
  const note = (reason: unknown): void => void (last = reason instanceof Error ? reason : new Error(String(reason)));
  const look = async (): Promise<boolean> => (await engine.ready?.(signal, note)) ?? true;
  try {
    while (!(await untilAborted(look(), signal, what))) await pause(pauseMs, signal, what);
  } catch (error) {
    if (!signal.aborted || !IbidError.isInstance(error)) throw error;
    // A server that takes a connection and says nothing has no failure of its own.
    throw new IbidError(error.code, `${what} ended: ${last?.message ?? "the server has not answered"}`, {
      hint: `${(IbidError.isInstance(last) ? last.hint : undefined) ?? "Check the address, and look at the server."} timeoutMs says how long it is waited for.`,
      details: { store: engine.name, operation: "ready" },
      cause: last ?? error,
    });
  }
}
