import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const piece = "and so on ".repeat(100);
const event = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;

/** Answers of a model server that has no end, by their shape: how each begins, and how it goes on. */
export const floods = {
  words: ["", event({ content: piece })],
  thoughts: ["", event({ content: "", reasoning: piece })],
  calls: ["", event({ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: piece } }] })],
  "one line": ["data: ", piece],
  "one event": ["", `data: ${piece}\n`],
  comments: ["", `: ${piece}\n`],
  "empty lines": ["", "\n".repeat(1000)],
  "one text": ['{"choices":[{"message":{"content":"', piece],
  "one vector": ['{"data":[{"index":0,"embedding":[', "0.123456789,".repeat(100)],
} as const satisfies Record<string, readonly [string, string]>;

export interface FloodServer {
  readonly url: string;
  /** Bytes that were written to the client. */
  readonly sent: () => number;
  /** Whether the client closed the last connection before the end. */
  readonly isClosed: () => boolean;
  close(): Promise<void>;
}

/** A model server on loopback that answers each request with so many bytes of one shape, and then breaks off. */
export async function startFlood(
  shape: keyof typeof floods,
  totalBytes: number | (() => number),
): Promise<FloodServer> {
  const [first, more] = floods[shape];
  const block = more.repeat(Math.ceil(65_536 / more.length));
  let [sent, isClosed] = [0, false];
  const server = createServer(async (request, response) => {
    request.resume();
    response.on("close", () => (isClosed = true));
    response.on("error", () => {});
    const isStream = !shape.startsWith("one t") && shape !== "one vector";
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.write(first);
    sent = 0;
    const total = typeof totalBytes === "number" ? totalBytes : totalBytes();
    while (!response.destroyed && sent < total) {
      sent += block.length;
      await new Promise<void>((resolve) => void response.write(block, () => resolve()));
    }
    response.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    sent: () => sent,
    isClosed: () => isClosed,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
