/** One server-sent event. */
export interface ServerSentEvent {
  /** Number by which a client resumes after this event. */
  readonly id?: string;
  readonly event?: string;
  /** One line. */
  readonly data: string;
}

/** A comment breaks a silence of this length, so that proxies keep the connection open. */
const heartbeatMs = 15_000;

/**
 * A response of server-sent events.
 *
 * **Shape** an event is made when the client reads it. `left` is called when the client leaves before the end. **Source** HTML, server-sent events; the last header keeps nginx from collecting the stream.
 */
export function createEventResponse(
  events: AsyncGenerator<ServerSentEvent, void>,
  headers: Readonly<Record<string, string>> = {},
  left: () => void = () => {},
): Response {
  const encoder = new TextEncoder();
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        heartbeat = setInterval(() => {
          if ((controller.desiredSize ?? 0) >= 0) controller.enqueue(encoder.encode(": still there\n\n"));
        }, heartbeatMs);
        (heartbeat as { unref?: () => void }).unref?.();
      },
      async pull(controller) {
        try {
          const { done, value } = await events.next();
          if (done !== true) return controller.enqueue(encoder.encode(toText(value)));
          clearInterval(heartbeat);
          controller.close();
        } catch (error) {
          clearInterval(heartbeat);
          throw error;
        }
      },
      cancel() {
        clearInterval(heartbeat);
        left();
        // Not awaited: an event that is awaited may never come.
        void events.return().catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no", ...headers },
  });
}

function toText({ id, event, data }: ServerSentEvent): string {
  return `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`;
}

/** The same body; `ended` is called once: when the body was read to its end, failed or was cancelled. A cancelled one is given up. */
export function whenRead(
  body: ReadableStream<Uint8Array> | null,
  ended: (isGivenUp?: boolean) => void,
): ReadableStream<Uint8Array> | null {
  if (body === null) {
    ended();
    return null;
  }
  const reader = body.getReader();
  let isOver = false;
  const end = (isGivenUp = false): void => {
    if (!isOver) ended(isGivenUp);
    isOver = true;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          end();
          throw error;
        }
      },
      async cancel(reason) {
        await reader.cancel(reason).finally(() => end(true));
      },
    },
    { highWaterMark: 0 },
  );
}
