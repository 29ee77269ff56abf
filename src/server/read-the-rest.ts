import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServiceLimits } from "./handler-options.ts";

const checkEachMs = 50;

/**
 * Reads and drops the rest of a body after its response, such as a refusal.
 *
 * A socket that closes with unread bytes is reset. A reset takes the response away from a client that still sends (RFC 9112, section 9.6). The server of hono stops after half
 * a second, and a stream that was read in part stops it at once. So the end of the response is sent, and the socket stays open until the client stops, or a limit is reached.
 *
 * **Cost** no memory; of the connections a sixteenth, and further ones close as they are. **Shape** a listener for `request`. It comes before all that Node does at the end of a response.
 */
export function createRestReader({
  maxBufferedBytes,
  bodyTimeoutMs,
  connections,
}: Pick<Required<ServiceLimits>, "maxBufferedBytes" | "bodyTimeoutMs" | "connections">): (
  request: IncomingMessage,
  response: ServerResponse,
) => void {
  const most = Math.ceil(connections / 16);
  let open = 0;
  const read = (request: IncomingMessage): void => {
    const { socket } = request;
    if (request.complete || socket.destroyed || open >= most) return;
    open += 1;
    const last = socket.bytesRead + maxBufferedBytes;
    const until = performance.now() + bodyTimeoutMs;
    let isClosing = false;
    let isOver = false;
    // `destroySoon` is the way in which both Node and hono close a connection.
    socket.destroySoon = () => {
      isClosing = true;
      socket.end();
    };
    const finish = (): void => {
      if (isOver) return;
      isOver = true;
      open -= 1;
      clearInterval(timer);
      socket.off("close", finish);
      Reflect.deleteProperty(socket, "destroySoon");
      if (isClosing) socket.destroySoon();
    };
    const timer = setInterval(() => {
      if (socket.bytesRead <= last && performance.now() < until) return;
      isClosing = true;
      finish();
    }, checkEachMs).unref();
    socket.once("close", finish);
    request.once("end", finish);
    // A web stream that nothing reads pauses the request at each part.
    request.removeAllListeners("data");
    request.resume();
  };
  return (request, response) => {
    response.prependOnceListener("finish", () => read(request));
  };
}
