import type { Clock } from "../../contracts/clock.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { ReembeddedScope } from "../../contracts/reembedding.ts";
import type { Scope } from "../../contracts/scope.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { createPlatformClock } from "../../runtime/platform-clock.ts";

/**
 * Options of {@link createReembeddingQueue}.
 *
 * @experimental
 */
export interface ReembeddingQueueOptions {
  /** Time between two looks at every scope. Default: none, scopes come by `enqueue` alone. **Units** milliseconds. */
  readonly refreshMs?: number | undefined;
  /** Called for each scope that was done. */
  readonly onScope?: ((done: ReembeddedScope) => void) | undefined;
  /** Called for each scope that failed; its chunks keep the vectors that they had. */
  readonly onError?: ((scope: Scope, error: unknown) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Scopes that are re-embedded in the background, one after the other.
 *
 * @experimental
 */
export interface ReembeddingQueue extends AsyncDisposable {
  /** Whether the scope was taken: false for one that waits or is under way. */
  enqueue(scope: Scope): boolean;
  /** Resolves when nothing waits and nothing is under way. */
  drained(): Promise<void>;
  /** Nothing begins any more. Resolves when the scope under way has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a background service that re-embeds scopes after a change of model.
 *
 * **Shape** chunks with a vector of the current version are left alone; events and health are those of `kb.reembed`.
 * **Source** ToolUp's `ReembeddingQueue` and its background service.
 *
 * @experimental
 */
export function createReembeddingQueue(
  kb: Pick<KnowledgeBase, "reembed" | "status">,
  options: ReembeddingQueueOptions = {},
): ReembeddingQueue {
  checkOptions("createReembeddingQueue", options, { refreshMs: true, onScope: true, onError: true, clock: true });
  const { refreshMs, onScope, onError, clock = createPlatformClock({ staysFor: false }) } = options;
  const waiting = new Set<Scope>();
  let running: Promise<void> | undefined;
  let isStopped = false;
  let cancel = (): void => {};

  const tell = (call: () => void): void => {
    try {
      call();
    } catch {
      // A listener that throws does not end the service.
    }
  };

  async function work(): Promise<void> {
    for (const scope of waiting) {
      if (isStopped) return;
      try {
        const { scopes } = await kb.reembed({ scope });
        for (const done of scopes) tell(() => onScope?.(done));
      } catch (error) {
        tell(() => onError?.(scope, error));
      }
      waiting.delete(scope);
    }
  }

  function start(): void {
    running ??= work().finally(() => {
      running = undefined;
      if (waiting.size > 0 && !isStopped) start();
    });
  }

  function enqueue(scope: Scope): boolean {
    if (isStopped || waiting.has(scope)) return false;
    waiting.add(scope);
    start();
    return true;
  }

  async function refresh(): Promise<void> {
    try {
      for (const { scope } of (await kb.status()).scopes) enqueue(scope);
    } catch {
      // The next look may succeed.
    }
    refreshLater();
  }

  function refreshLater(): void {
    if (refreshMs !== undefined && !isStopped) cancel = clock.after(refreshMs, () => void refresh());
  }
  refreshLater();

  const drained = async (): Promise<void> => {
    if (running === undefined) return;
    await running;
    await drained();
  };
  const stop = async (): Promise<void> => {
    isStopped = true;
    cancel();
    waiting.clear();
    await drained();
  };
  return { enqueue, drained, stop, [Symbol.asyncDispose]: stop };
}
