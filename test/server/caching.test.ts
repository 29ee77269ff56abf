import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createHandler } from "../../src/server/index.ts";
import { keys, openWorld, startWorld } from "./service.ts";

async function open() {
  const kb = await openWorld();
  const handler = createHandler(kb, { keys: Object.values(keys) });
  const get = (path: string, headers: Readonly<Record<string, string>> = {}, who: keyof typeof keys = "ada") =>
    handler(
      new Request(`http://kb.example${path}`, { headers: { authorization: `Bearer ${keys[who].key}`, ...headers } }),
    );
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    handler(
      new Request(`http://kb.example${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${keys.ada.key}`, "content-type": "application/json", ...headers },
      }),
    );
  return { kb, get, post };
}

const repeatable = ["/documents", "/document?uri=deployment.md", "/outline?uri=deployment.md", "/openapi.json", "/"];

describe("responses that a client keeps", () => {
  it.each(repeatable)("%s has an ETag, and 304 without a body while it stays the same", async (path) => {
    const { get } = await open();
    const first = await get(path);
    const etag = first.headers.get("etag") ?? "";
    expect([first.status, etag]).toEqual([200, expect.stringMatching(/^(?:W\/)?"\w+"$/u)]);
    expect(first.headers.get("cache-control")).toContain("no-cache");
    const again = await get(path, { "if-none-match": `"other", ${etag}` });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(again.headers.get("etag")).toBe(etag);
    expect(again.headers.get("vary")).toContain("Authorization");
    expect((await get(path, { "if-none-match": '"other"' })).status).toBe(200);
  });

  it("a change, and another caller's view, have another ETag", async () => {
    const { kb, get } = await open();
    const tag = async (who: keyof typeof keys): Promise<string> =>
      (await get("/documents", {}, who)).headers.get("etag") ?? "";
    const before = await tag("ada");
    expect(await tag("bob")).not.toBe(before);
    expect(await tag("ada")).toBe(before);
    await kb.ingest({ uri: "new.txt", text: "New." });
    expect(await tag("ada")).not.toBe(before);
    // A document that the caller may not read is not unchanged, it is not there.
    const own = (await get("/document?uri=user-ada.md")).headers.get("etag") ?? "";
    expect((await get("/document?uri=user-ada.md", { "if-none-match": own }, "bob")).status).toBe(404);
  });

  it("refusals, probes and answers have none", async () => {
    const { get, post } = await open();
    expect((await get("/document?uri=nowhere.md")).headers.get("etag")).toBeNull();
    expect((await get("/livez")).headers.get("etag")).toBeNull();
    const answer = await post("/search", { query: "key" });
    expect([answer.headers.get("etag"), answer.headers.get("cache-control")]).toEqual([null, "no-store"]);
  });
});

describe("compression", () => {
  it("packs what is large for those who ask for it, and keeps ETags comparable", async () => {
    const { get } = await open();
    const plain = await get("/openapi.json");
    const text = await plain.text();
    const packed = await get("/openapi.json", { "accept-encoding": "br;q=0.5, gzip" });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    const bytes = new Uint8Array(await packed.arrayBuffer());
    expect(bytes.length).toBeLessThan(text.length / 4);
    expect(gunzipSync(bytes).toString()).toBe(text);
    expect(packed.headers.get("vary")).toContain("Accept-Encoding");
    const again = await get("/openapi.json", {
      "accept-encoding": "gzip",
      "if-none-match": packed.headers.get("etag") ?? "",
    });
    expect(again.status).toBe(304);
    // Less than 1 KiB gains nothing.
    const small = await get("/session", { "accept-encoding": "gzip" });
    expect([small.status, small.headers.get("content-encoding")]).toEqual([200, null]);
    expect(Number(small.headers.get("content-length"))).toBe((await small.text()).length);
  });

  it("leaves server-sent events as they are, so that each arrives at once", async () => {
    const { post } = await open();
    const body = { question: "How long is a key valid?" };
    const stream = await post("/ask", body, { accept: "text/event-stream", "accept-encoding": "gzip" });
    expect(stream.headers.get("content-encoding")).toBeNull();
    expect(await stream.text()).toContain("event: answer");
    const whole = await post("/ask", body, { "accept-encoding": "gzip" });
    expect(whole.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(new Uint8Array(await whole.arrayBuffer())).toString()).toContain("ninety days");
  });

  it("gives the hits of a search in each way in which a client takes them, small and large [20]", async () => {
    const { service, kb } = await startWorld({ origins: ["https://app.example"] });
    const rooms = Array.from({ length: 80 }, (_, at) => `# Room ${at}\n\n${`Room ${at} keeps a spare. `.repeat(50)}`);
    await kb.ingest({ uri: "rooms.md", text: rooms.join("\n\n"), mediaType: "text/markdown" });
    const search = async (query: string, headers: Readonly<Record<string, string>>) => {
      const response = await fetch(`${service.url}search`, {
        method: "POST",
        body: JSON.stringify({ query, topK: 60 }),
        headers: { authorization: `Bearer ${keys.bob.key}`, "content-type": "application/json", ...headers },
      });
      const text = (await response.text()).replace(/"ms":\d+/u, "");
      return { how: response.headers.get("content-encoding"), text };
    };
    for (const [query, isLarge] of [
      ["nowhere", false],
      ["spare", true],
    ] as const) {
      const { how, text } = await search(query, { "accept-encoding": "identity" });
      expect([how, text.length > 65_536, text.startsWith('{"hits":[')]).toEqual([null, isLarge, true]);
      for (const origin of [{}, { origin: "https://app.example" }]) {
        for (const accepted of ["gzip, deflate", "deflate", "br;q=1, gzip;q=0.5"]) {
          const packed = { how: isLarge ? accepted.match(/gzip|deflate/u)![0] : null, text };
          expect(await search(query, { "accept-encoding": accepted, ...origin })).toEqual(packed);
        }
        expect(await search(query, { "accept-encoding": "identity", ...origin })).toEqual({ how: null, text });
      }
    }
  });
});
