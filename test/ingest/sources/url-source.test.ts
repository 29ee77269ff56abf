import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isPublicAddress } from "../../../src/ingest/sources/web/public-agent.ts";
import type { UrlSourceOptions } from "../../../src/ingest/sources/web/fetch-page.ts";
import { isUrl, normalizeUrl, openUrlSource } from "../../../src/ingest/sources/web/url-source.ts";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { SourceItem, SourceRefusal } from "../../../src/contracts/reader.ts";

const loopback = (address: string): boolean => address === "127.0.0.1" || address === "::1";
const megabyte = 1024 * 1024;

let server: Server;
let origin: string;
const requests: IncomingMessage[] = [];

const pages: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  "/page": (_, response) => response.setHeader("content-type", "text/html; charset=ISO-8859-1").end("<p>hello</p>"),
  "/untyped": (_, response) => response.end("plain"),
  "/image": (_, response) => response.setHeader("content-type", "image/png").end("png"),
  "/forbidden": (_, response) => response.writeHead(403).end("no"),
  "/broken": (_, response) => response.writeHead(503).end("later"),
  "/empty": (_, response) => response.writeHead(204).end(),
  "/once": (_, response) => response.writeHead(302, { location: "/page" }).end("moved"),
  "/loop": (_, response) => response.writeHead(302, { location: "/loop" }).end(),
  "/to-private": (_, response) => response.writeHead(302, { location: "http://10.0.0.1/secret" }).end(),
  "/to-file": (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/to-secret": (_, response) => response.writeHead(302, { location: "http://user:hunter2@127.0.0.1/" }).end(),
  "/nowhere": (_, response) => response.writeHead(302).end(),
  "/declared": (_, response) => response.writeHead(200, { "content-length": String(100 * megabyte) }).write("x"),
  "/bomb": (_, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(20 * megabyte))),
  "/endless": (_, response) => {
    const chunk = Buffer.alloc(65_536, "x");
    const send = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", send);
    send();
  },
  "/slow": (_, response) => {
    response.write("a little");
  },
  "/cut": (_, response) => {
    response.writeHead(200, { "content-length": "100" }).write("half");
    setImmediate(() => response.destroy());
  },
};

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request);
    const page = pages[request.url ?? ""];
    if (page === undefined) response.writeHead(404).end();
    else page(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function drain<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const fetchAll = (
  urls: string | readonly string[],
  options: UrlSourceOptions = {},
): Promise<(SourceItem | SourceRefusal)[]> =>
  drain(openUrlSource(typeof urls === "string" ? [urls] : urls, { allowAddress: loopback, ...options }).items());

async function fetchOne(path: string, options: UrlSourceOptions = {}): Promise<SourceItem> {
  const [item] = await fetchAll(origin + path, options);
  if (item === undefined) throw new Error("nothing came");
  if ("error" in item) throw item.error;
  return item;
}

const refusal = (path: string, options: UrlSourceOptions = {}): Promise<IbidError> =>
  fetchOne(path, options).then(
    () => expect.fail("was not refused"),
    (error: unknown) => (IbidError.isInstance(error) ? error : expect.fail(String(error))),
  );

describe("fetching [E14 E15]", () => {
  it("gives a page with its type, and says who asks", async () => {
    requests.length = 0;
    const item = await fetchOne("/page#part");
    expect(item).toMatchObject({
      uri: `${origin}/page`,
      size: 12,
      mediaType: "text/html; charset=ISO-8859-1",
      charset: "ISO-8859-1",
    });
    expect(item.folder).toBeUndefined();
    expect(new TextDecoder().decode(await item.bytes())).toBe("<p>hello</p>");
    expect(requests[0]?.headers["user-agent"]).toMatch(/^ibid\/\d+\.\d+\.\d+/);
    expect(openUrlSource([origin]).folders).toEqual([]);
  });

  it("leaves the type to whoever reads when the server says none, or says it is no text", async () => {
    expect((await fetchOne("/untyped")).mediaType).toBeUndefined();
    expect((await fetchOne("/image")).mediaType).toBe("image/png");
    expect((await fetchOne("/empty")).size).toBe(0);
  });

  it("follows a redirect and keeps the name that was asked for", async () => {
    const item = await fetchOne("/once");
    expect(item).toMatchObject({ uri: `${origin}/once`, size: 12 });
  });

  it("gives an address once, and goes on after a refusal", async () => {
    const items = await fetchAll([`${origin}/missing`, `${origin}/page`, `${origin}/page#again`, "ftp://127.0.0.1/x"]);
    expect(items.map((item) => ("error" in item ? (item.error as IbidError).code : item.uri))).toEqual([
      "fetch-failed",
      `${origin}/page`,
      "invalid-argument",
    ]);
  });

  it("says which status came, and what to do about it", async () => {
    expect(await refusal("/missing")).toMatchObject({
      code: "fetch-failed",
      uri: `${origin}/missing`,
      details: { status: 404 },
      hint: "Check the address.",
    });
    expect(await refusal("/forbidden")).toMatchObject({
      details: { status: 403 },
      hint: expect.stringContaining("save it to a file"),
    });
    expect(await refusal("/broken")).toMatchObject({ details: { status: 503 }, hint: "Try again later." });
    expect(await refusal("/nowhere")).toMatchObject({ details: { status: 302 } });
  });

  it("says that nobody is there, or that somebody hung up", async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const [item] = await fetchAll(`http://127.0.0.1:${port}/`);
    expect(item).toMatchObject({
      error: { code: "fetch-failed", message: expect.stringContaining("refused the connection") },
    });
    expect(await refusal("/cut")).toMatchObject({
      code: "fetch-failed",
      message: expect.stringContaining("closed the connection"),
    });
    // A port that no browser would fetch from.
    expect(await fetchAll("http://127.0.0.1:9/")).toMatchObject([
      { error: { code: "invalid-argument", message: "http://127.0.0.1:9/ has a port that serves no web pages." } },
    ]);
  });

  it("refuses what it was not built with", () => {
    expect(() => openUrlSource([], { maxByte: 1 } as UrlSourceOptions)).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
    expect(() => openUrlSource([], { timeoutMs: 0 })).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});

describe("limits", () => {
  it("stops at the size limit: declared, endless, or packed", async () => {
    expect(await refusal("/declared")).toMatchObject({ code: "too-large", details: { limit: 10 * megabyte } });
    expect(await refusal("/endless", { maxBytes: 100_000 })).toMatchObject({
      code: "too-large",
      uri: `${origin}/endless`,
    });
    expect(await refusal("/bomb")).toMatchObject({ code: "too-large" });
    expect((await fetchOne("/page", { maxBytes: 12 })).size).toBe(12);
    expect(await refusal("/page", { maxBytes: 11 })).toMatchObject({ code: "too-large" });
  });

  it("stops when time is up, also in the middle of a body", async () => {
    expect(await refusal("/slow", { timeoutMs: 200 })).toMatchObject({
      code: "timeout",
      message: `${origin}/slow did not answer within 0.2 s.`,
    });
  });

  it("stops when told to", async () => {
    const stop = new AbortController();
    const source = openUrlSource([`${origin}/slow`], { allowAddress: loopback });
    setTimeout(() => stop.abort(), 50);
    await expect(drain(source.items(stop.signal))).rejects.toMatchObject({ code: "aborted" });
    await expect(drain(source.items(AbortSignal.abort()))).rejects.toMatchObject({ code: "aborted" });
  });

  it("follows five redirects at most", async () => {
    requests.length = 0;
    expect(await refusal("/loop")).toMatchObject({
      code: "fetch-failed",
      message: expect.stringContaining("more than 5 times"),
    });
    expect(requests.length).toBe(6);
    expect(await refusal("/once", { maxRedirects: 0 })).toMatchObject({ code: "fetch-failed" });
  });
});

describe("addresses that are not public", () => {
  it.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0x7f000001/",
    "http://127.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.0.0.0x1/",
    "http://127.0.0.1./",
    "http://１２７.0.0.1/",
    "http://①②⑦。0。0。1/",
    "http://0x/",
    "http://10.1/",
    "http://[::127.0.0.1]/",
    "http://[0:0:0:0:0:ffff:7f00:0001]/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://0.0.0.0/",
    "http://localhost/",
    "http://localhost./",
    "https://127.0.0.1/",
  ])("refuses %s before anything is sent", async (address) => {
    const [item] = await fetchAll(address, { allowAddress: () => false });
    expect(item).toMatchObject({ uri: normalizeUrl(address), error: { code: "blocked-address" } });
  });

  it("does not connect at all without leave", async () => {
    requests.length = 0;
    let connections = 0;
    const count = (): void => {
      connections++;
    };
    server.on("connection", count);
    const byName = origin.replace("127.0.0.1", "localhost");
    const items = await fetchAll([`${origin}/page`, `${byName}/page`], { allowAddress: () => false });
    server.off("connection", count);
    expect(items).toMatchObject([{ error: { code: "blocked-address" } }, { error: { code: "blocked-address" } }]);
    expect([connections, requests.length]).toEqual([0, 0]);
    expect((await fetchAll(`${byName}/page`))[0]).toMatchObject({ size: 12 });
  });

  it("checks where a redirect leads", async () => {
    expect(await refusal("/to-private")).toMatchObject({ code: "blocked-address", uri: `${origin}/to-private` });
    expect(await refusal("/to-file")).toMatchObject({ code: "invalid-argument" });
    expect(await refusal("/to-secret")).toMatchObject({
      code: "invalid-argument",
      message: expect.not.stringContaining("hunter2"),
    });
  });

  // The blocks of IANA's registries of special-purpose addresses, both of 2025-10-09; of multicast and of forms that wrap IPv4; of IPv6 that is not given out; and of Azure's machine service.
  it.each([
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "168.63.129.16/32",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "255.255.255.255/32",
    "::/128",
    "::1/128",
    "::/96",
    "::ffff:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/23",
    "2001::/32",
    "2001:1::1/128",
    "2001:2::/48",
    "2001:3::/32",
    "2001:4:112::/48",
    "2001:10::/28",
    "2001:20::/28",
    "2001:30::/28",
    "2001:db8::/32",
    "2002::/16",
    "2620:4f:8000::/48",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
    "::ffff:0:0:0/96",
    "200::/7",
    "4000::/2",
    "8000::/1",
  ])("knows that %s is not public, from its first address to its last", (block) => {
    const [first, bits] = ipaddr.parseCIDR(block);
    const bytes = first.toByteArray();
    const last = bytes.map((byte, at) => byte | (0xff >> Math.min(8, Math.max(0, bits - 8 * at))));
    const middle = bytes.map((byte, at) => byte | ((0xff >> Math.min(8, Math.max(0, bits - 8 * at))) & 0x55));
    for (const each of [bytes, middle, last])
      expect([block, isPublicAddress(ipaddr.fromByteArray(each).toString())]).toEqual([block, false]);
  });

  it("knows the public ones", () => {
    expect(["1.1.1.1", "93.184.216.34", "2606:4700::1111"].map(isPublicAddress)).toEqual([true, true, true]);
    expect(["not an address", "", "224.0.0.1", "255.255.255.255", "2002:7f00:1::", "::"].map(isPublicAddress)).toEqual(
      Array(6).fill(false),
    );
  });

  it.each([
    "1.2.3",
    "8.8",
    "134744072",
    "0x8080808",
    "0x8.8.8.8",
    "010.8.8.8",
    "8.8.8.8.",
    "08.8.8.8",
    "８.8.8.8",
    "8.8.8.8%eth0",
  ])("knows no other spelling of an address than the usual one: %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    "http://[fe80::1%25eth0]/",
    "http://[::1%lo]/",
    "http://[::ffff:127.1]/",
    "http://08.0.0.1/",
    "http://1.2.3.4.5/",
    "http://256.0.0.1/",
  ])("takes %s for no address at all", async (address) => {
    expect(await fetchAll(address, { allowAddress: () => true })).toMatchObject([
      { error: { code: "invalid-argument" } },
    ]);
  });

  it("reads a short form as the address that it stands for, which is the one that is checked", async () => {
    const asked: string[] = [];
    const allowAddress = (address: string): boolean => {
      asked.push(address);
      return false;
    };
    await fetchAll(["http://127.1/", "http://0x7f.2/", "http://2130706435/", "http://[::ffff:7f00:4]/"], {
      allowAddress,
    });
    expect(asked).toEqual(["127.0.0.1", "127.0.0.2", "127.0.0.3", "::ffff:7f00:4"]);
  });
});

describe("normalizeUrl", () => {
  it.each([
    ["HTTPS://Example.COM:443/a/../b#part", "https://example.com/b"],
    ["http://example.com:80", "http://example.com/"],
    ["http://example.com./x?", "http://example.com/x"],
    ["http://example.com/%7eada/%c3%a9?q=%41%2f", "http://example.com/~ada/%C3%A9?q=A%2F"],
    ["http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"],
    ["http://example.com/a b?x=1#y", "http://example.com/a%20b?x=1"],
  ])("%s is %s", (address, expected) => {
    expect(normalizeUrl(address)).toBe(expected);
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (address) => {
        const once = normalizeUrl(address);
        expect(normalizeUrl(once)).toBe(once);
      }),
    );
  });

  it("keeps secrets out of names and messages", () => {
    expect(() => normalizeUrl("https://ada:secret@example.com/")).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("secret") }),
    );
    expect(() => normalizeUrl("ftp://ada:secret@example.com/")).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("secret") }),
    );
    expect(() => normalizeUrl("http://")).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  it("tells addresses from paths", () => {
    expect(["https://a.b", "FTP://x", "postgres://db"].map(isUrl)).toEqual([true, true, true]);
    expect(["docs/a.md", "file:///a", "C:\\docs", "mailto:a@b", "./http://x"].map(isUrl)).toEqual(Array(5).fill(false));
  });
});
