import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { startService } from "../../src/server/index.node.ts";
import { keys, openWorld, send, startWorld } from "./service.ts";

describe("probes", () => {
  it("answer any host name, with keys and without, also where only agents are served, and stand in no log", async () => {
    for (const options of [{}, { keyless: true as const }, { hosts: ["search.example"] }, { only: "mcp" as const }]) {
      const { service, log } = await startWorld(options);
      for (const host of ["10.1.2.3:9090", "pod-7.internal", "evil.example", "search.example"]) {
        const headers = { host, origin: "https://evil.example" };
        const live = await send(service.url, "/livez", { headers });
        expect([live.status, live.text]).toEqual([200, "ok\n"]);
        const ready = await send(service.url, "/readyz", { headers });
        expect([ready.status, ready.text]).toEqual([200, "ready\n"]);
      }
      expect((await send(service.url, "/livez", { method: "HEAD" })).status).toBe(200);
      // Nothing else is open so far.
      expect((await send(service.url, "/documents", { headers: { host: "evil host" } })).status).toBe(400);
      expect(log.some(({ path }) => path === "/livez" || path === "/readyz")).toBe(false);
    }
  });

  it("answer a name that no URL may have, and HTTP/1.0 without a name, as load balancers send it", async () => {
    for (const basePath of ["", "/kb"]) {
      const { service } = await startWorld({ basePath });
      for (const path of ["/livez", "/readyz", `${basePath}/livez`, `${basePath}/readyz?verbose`]) {
        for (const host of ["evil host", "name:99999", "user@name", "[fe80::1%eth0]:80", ""]) {
          expect((await send(service.url, path, { headers: { host } })).status, `${path} of ${host}`).toBe(200);
        }
        expect(await sendText(service.port, `GET ${path} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /u);
      }
      // Nothing else is open so far.
      expect(await sendText(service.port, `GET ${basePath}/documents HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /u);
    }
  });

  it("a service is ready after its first search, whether that worked or not", async () => {
    for (const works of [true, false]) {
      const kb = await openWorld();
      const first = Promise.withResolvers<never[]>();
      const slow = { ...kb, search: () => first.promise } as unknown as typeof kb;
      await using service = await startService(slow, { port: 0, warmUp: true });
      const ready = await send(service.url, "/readyz");
      expect([ready.status, ready.text]).toEqual([503, "warming up\n"]);
      // It answers all the same.
      expect((await send(service.url, "/documents")).status).toBe(200);
      if (works) first.resolve([]);
      else first.reject(new Error("no model"));
      await expect.poll(async () => (await send(service.url, "/readyz")).status).toBe(200);
    }
  });

  it("a service that stops is alive and not ready, and takes no request, until the accepted ones are finished", async () => {
    const kb = await openWorld();
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<never[]>();
    const slow = {
      ...kb,
      as: () => ({
        search: () => {
          asked.resolve();
          return released.promise;
        },
      }),
    } as unknown as typeof kb;
    const { service } = await startWorld({}, slow);
    const search = send(service.url, "/search", { key: keys.ada.key, body: { query: "key" } });
    await asked.promise;
    const stopped = service.stop();
    expect((await send(service.url, "/livez")).status).toBe(200);
    const ready = await send(service.url, "/readyz");
    expect([ready.status, ready.text]).toEqual([503, "stopping\n"]);
    expect((await send(service.url, "/documents", { key: keys.ada.key })).status).toBe(503);
    released.resolve([]);
    expect((await search).status).toBe(200);
    await stopped;
    await expect(send(service.url, "/livez")).rejects.toThrow(/ECONNREFUSED|hang up|ECONNRESET/u);
  });
});

/** Sends bytes that no client of HTTP sends, and reads all of the answer. */
function sendText(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(request);
  return text(socket);
}
