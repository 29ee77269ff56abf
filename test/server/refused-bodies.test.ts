import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import OpenAI, { toFile } from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryBlobStore } from "../../src/stores/index.ts";
import { keys, startWorld } from "./service.ts";

const mebibyte = 2 ** 20;
const most = mebibyte;
const body = Buffer.alloc(most + 10 * mebibyte, "a");
// The service reads the rest of a refused body up to `maxBufferedBytes`.
const limits = { maxJsonBytes: most, maxUploadBytes: most, maxBufferedBytes: 2 * body.length };

interface Refused {
  readonly title: string;
  readonly method?: "POST" | "PUT";
  readonly path: string;
  readonly key?: string;
  readonly type?: string;
  readonly status: number;
  readonly code: string;
}

const ada = keys.ada.key;
const text = "text/plain";
const refusals: readonly Refused[] = [
  { title: "JSON that is too large", path: "/search", status: 413, code: "too-large" },
  {
    title: "a file that is too large",
    method: "PUT",
    path: "/document?uri=a.txt",
    type: text,
    status: 413,
    code: "too-large",
  },
  { title: "a wrong key", path: "/search", key: "wrong-wrong-wrong", status: 401, code: "unauthenticated" },
  {
    title: "no right to write",
    method: "PUT",
    path: "/document?uri=a.txt",
    key: keys.bob.key,
    type: text,
    status: 403,
    code: "access-denied",
  },
  { title: "an unknown route", path: "/nowhere", status: 404, code: "not-found" },
  { title: "another method", method: "PUT", path: "/search", status: 405, code: "method-not-allowed" },
  { title: "another kind of body", path: "/search", type: text, status: 415, code: "unsupported-media" },
  { title: "an unknown parameter", path: "/search?wrong=1", status: 400, code: "invalid-argument" },
];

const sentHeaders = ({ key = ada, type = "application/json" }: Refused) => ({
  authorization: `Bearer ${key}`,
  "content-type": type,
});

/** A client that reads nothing before all is sent, as Python's `http.client` does. */
async function sendFirst(port: number, refused: Refused, isChunked: boolean, pauseMs = 0): Promise<string> {
  const socket = await open(port);
  const { method = "POST", path } = refused;
  const lines = Object.entries(sentHeaders(refused)).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = isChunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`;
  await write(socket, `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join("")}${length}\r\n\r\n`);
  const part = mebibyte / 4;
  for (let at = 0; at < body.length; at += part) {
    const bytes = body.subarray(at, at + part);
    if (at === 20 * part) await setTimeout(pauseMs);
    await write(
      socket,
      isChunked ? Buffer.concat([Buffer.from(`${part.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]) : bytes,
    );
  }
  if (isChunked) await write(socket, "0\r\n\r\n");
  return readResponse(socket);
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  // Each write tells its own failure.
  socket.on("error", () => {});
  socket.pause();
  await once(socket, "connect");
  return socket;
}

const write = (socket: Socket, bytes: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });

/** One response, by its length. **Errors** that of the socket, and one for a socket that ends before. */
function readResponse(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    socket.once("error", reject);
    socket.once("end", () => reject(new Error(`The response ends early: ${said}`)));
    socket.on("data", (part) => {
      said += part.toString("latin1");
      const head = said.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/iu.exec(said)?.[1]);
      if (head >= 0 && said.length >= head + 4 + length) resolve(said);
    });
    socket.resume();
  });
}

describe("a body that is refused", () => {
  it.each(refusals)("$title: each kind of client reads the refusal", async (refused) => {
    const { service } = await startWorld({ limits });
    const { method = "POST", path, status, code } = refused;
    const url = new URL(path, service.url);
    const parts = (): ReadableStream<Uint8Array> => {
      let sent = 0;
      return new ReadableStream({
        pull(controller) {
          const next = new Uint8Array(body.subarray(sent, sent + mebibyte / 16));
          sent += next.length;
          if (next.length === 0) controller.close();
          else controller.enqueue(next);
        },
      });
    };
    for (const given of [() => body, parts]) {
      const init = { method, headers: sentHeaders(refused), body: given(), duplex: "half" };
      const response = await fetch(url, init as RequestInit);
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: { code } });
    }
    for (const isChunked of [false, true]) {
      const said = await sendFirst(service.port, refused, isChunked);
      expect(said).toContain(`HTTP/1.1 ${status} `);
      expect(said).toContain(`"code":"${code}"`);
    }
  });

  it("a client that pauses while it sends reads the refusal", async () => {
    const { service } = await startWorld({ limits });
    // The server of hono would close after half a second.
    expect(await sendFirst(service.port, { ...refusals[0]!, path: "/nowhere" }, true, 1000)).toContain("HTTP/1.1 404 ");
  });

  it("the package openai gives the sentence of the service", async () => {
    const { service } = await startWorld({ limits, files: createMemoryBlobStore() });
    const upload = async (apiKey: string) => {
      const client = new OpenAI({ apiKey, baseURL: `${service.url}v1`, maxRetries: 0 });
      return client.files.create({ file: await toFile(body, "a.txt"), purpose: "assistants" });
    };
    await expect(upload("wrong-wrong-wrong")).rejects.toMatchObject({
      status: 401,
      message: expect.stringMatching(/Send a key/u),
    });
    await expect(upload(ada)).rejects.toMatchObject({
      status: 413,
      message: expect.stringMatching(/more than 1048576 bytes/u),
    });
  });

  it("a service without room says so to a client that still sends", async () => {
    const { service } = await startWorld({ limits: { ...limits, maxBufferedBytes: most, concurrent: 1 } });
    const held = await open(service.port);
    const head = `POST /search HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${ada}\r\ncontent-type: application/json\r\n`;
    await write(held, `${head}content-length: ${most}\r\n\r\n${"a".repeat(most - 1)}`);
    const [refused] = refusals;
    const fits = body.subarray(0, most);
    const response = await fetch(new URL("/search", service.url), {
      method: "POST",
      headers: sentHeaders(refused!),
      body: fits,
    });
    expect([response.status, await response.json()]).toMatchObject([503, { error: { code: "busy" } }]);
  });

  it("is read up to the bytes of all bodies, then the connection closes", async () => {
    const { service } = await startWorld({ limits: { ...limits, maxBufferedBytes: 2 * mebibyte } });
    const socket = await open(service.port);
    await write(socket, `POST /nowhere HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${2 ** 40}\r\n\r\n`);
    const sendAlways = async (): Promise<never> => {
      for (;;) await write(socket, body);
    };
    await expect(sendAlways()).rejects.toThrow(/EPIPE|ECONNRESET/u);
  });

  it("is awaited as long as a body, then the connection closes", async () => {
    const { service } = await startWorld({ limits: { ...limits, bodyTimeoutMs: 300 } });
    const socket = await open(service.port);
    await write(socket, `POST /nowhere HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\nhalf`);
    expect(await readResponse(socket)).toContain("HTTP/1.1 404 ");
    socket.resume();
    await once(socket, "end");
    // The server has closed, so what is sent now comes back as a reset.
    const failed = once(socket, "error");
    const sending = setInterval(() => socket.write("more"), 20);
    onTestFinished(() => clearInterval(sending));
    await failed.catch(() => {});
  });

  it("holds a sixteenth of the connections at most", async () => {
    const { service } = await startWorld({ limits: { ...limits, connections: 16 } });
    const begin = async (): Promise<Socket> => {
      const socket = await open(service.port);
      await write(
        socket,
        `PUT /document?uri=a.txt HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${ada}\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      return socket;
    };
    const first = await begin();
    expect(await readResponse(first)).toContain("HTTP/1.1 413 ");
    const second = await begin();
    const closed = once(second, "error").catch((error: unknown) => error);
    const sending = setInterval(() => second.write("more"), 20);
    onTestFinished(() => clearInterval(sending));
    expect(await readResponse(second)).toContain("HTTP/1.1 413 ");
    await closed;
    await write(first, body);
  });
});
