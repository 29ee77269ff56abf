import type { AnswerEvent } from "../contracts/answer.ts";
import { refusalBody, toRefusal } from "./refusal.ts";

export interface StreamOptions {
  readonly requestId: string;
  /** Told of what goes wrong once the stream has begun. */
  readonly fail: (error: unknown) => void;
  /** Called when whoever reads has left. */
  readonly stop: () => void;
}

/** Silence that long is broken by a comment, so that nobody between takes it for the end. */
const heartbeatMs = 15_000;

/**
 * An answer as server-sent events, as it is made: `hits`, then `text` and `citation`, then `answer`; or at last `error`.
 *
 * **Shape** resolves when there is a first event, so that what fails before it is still refused with a status. A slow reader is waited for.
 * **Source** the HTML standard, "Server-sent events".
 */
export async function streamEvents(
  events: AsyncIterable<AnswerEvent>,
  { requestId, fail, stop }: StreamOptions,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  const first = await iterator.next();
  let pending: Promise<IteratorResult<AnswerEvent>> | undefined = Promise.resolve(first);
  let timer: ReturnType<typeof setTimeout> | undefined;

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          pending ??= iterator.next();
          const silence = new Promise<"silence">((resolve) => {
            timer = setTimeout(() => resolve("silence"), heartbeatMs);
          });
          const next = await Promise.race([pending, silence]);
          if (next === "silence") return controller.enqueue(encoder.encode(": still at it\n\n"));
          pending = undefined;
          if (next.done === true) return controller.close();
          controller.enqueue(encoder.encode(toServerSentEvent(next.value)));
        } catch (error) {
          fail(error);
          const { error: told } = refusalBody(toRefusal(error), requestId) as { error: object };
          controller.enqueue(encoder.encode(`event: error\ndata: ${JSON.stringify(told)}\n\n`));
          controller.close();
        } finally {
          clearTimeout(timer);
        }
      },
      async cancel() {
        stop();
        // It is over when whoever wrote it has stopped, and not before.
        await pending?.catch(() => {});
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

function toServerSentEvent(event: AnswerEvent): string {
  const { type, ...data } = event;
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
