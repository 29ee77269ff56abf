import { IbidError } from "../../../src/contracts/errors.ts";
import type { IngestInput, IngestOptions, IngestResult, KnowledgeBase } from "../../../src/contracts/knowledge-base.ts";
import type { AccessContext } from "../../../src/contracts/scope.ts";
import { createRun } from "../../../src/runtime/create-run.ts";

/** A clock that goes on only when it is told to. */
export function fakeClock() {
  let time = 1000;
  const waits = new Set<{ readonly at: number; readonly end: () => void }>();
  const clock = {
    now: () => time,
    wait: (ms: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const each = {
          at: time + ms,
          end() {
            waits.delete(each);
            resolve();
          },
        };
        if (signal.aborted) {
          resolve();
          return;
        }
        waits.add(each);
        signal.addEventListener("abort", () => each.end(), { once: true });
      }),
    /** Ends the waits that are over by then, in their order. */
    async advance(ms: number) {
      const until = time + ms;
      for (;;) {
        const next = [...waits].toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined || next.at > until) break;
        time = Math.max(time, next.at);
        next.end();
        await turns();
      }
      time = until;
      await turns();
    },
    /** Goes on, so much at a time, until something has happened. */
    async until(happening: Promise<unknown>, stepMs = 0) {
      const end = { isOver: false };
      void happening.finally(() => (end.isOver = true));
      while (!end.isOver) await clock.advance(stepMs);
    },
  };
  return clock;
}

/** Lets everything happen that waits for nothing but its turn. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** What becomes of one document: an error fails it, a promise is waited for first. */
export type Behaviour = (
  text: string,
  options: IngestOptions,
) => IbidError | undefined | Promise<IbidError | undefined>;

/**
 * A knowledge base that keeps the texts it was given, and does what it is told. Of all verbs it has those that a queue uses.
 */
export function scriptedKnowledgeBase(behave: Behaviour = () => undefined) {
  const held = new Map<string, string>();
  const ingested: string[] = [];
  const view = (caller: AccessContext | undefined): KnowledgeBase =>
    ({
      ingest(input: IngestInput, options: IngestOptions = {}) {
        const { scope = "deployment" } = options;
        if (caller !== undefined && scope !== `user:${caller.userId}` && scope !== `team:${caller.teamId}`)
          throw new IbidError("access-denied", "Not theirs.");
        return createRun(async function* (): AsyncGenerator<IngestResult, never> {
          const uri = typeof input === "string" ? input : (input as { uri: string }).uri;
          const text = typeof input === "string" ? input : (input as { text: string }).text;
          ingested.push(uri);
          options.onEmbedding?.(uri);
          const error = await behave(text, options);
          if (options.signal?.aborted === true) throw new IbidError("aborted", "Stopped.");
          const facts = { uri, scope, documentId: uri, chunks: 1 };
          if (error === undefined) {
            const status = held.get(uri) === text ? "unchanged" : "added";
            held.set(uri, text);
            yield { ...facts, status };
          } else yield { ...facts, status: "failed", chunks: 0, error };
          return undefined as never;
        });
      },
      report() {},
      as: (context: AccessContext) => view(context),
    }) as unknown as KnowledgeBase;
  return { kb: view(undefined), held, ingested };
}
