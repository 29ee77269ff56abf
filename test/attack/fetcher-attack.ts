import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { IbidError } from "../../src/contracts/errors.ts";
import { openUrlSource } from "../../src/ingest/sources/web/url-source.ts";
import { createRandom, type Random } from "../../src/testing/random.ts";
import { scaled, type Tally } from "./tally.ts";

/** Ways to write one loopback address: some are addresses to a parser, others to a resolver, and others to nobody. */
function forge(random: Random, port: number): string {
  const octets = [127, random.below(256), random.below(256), 1 + random.below(254)];
  const own = random.below(2) === 0 ? [127, 0, 0, 1] : octets;
  const [a, b, c, d] = own as [number, number, number, number];
  const number = ((a << 24) >>> 0) + (b << 16) + (c << 8) + d;
  const hex = (value: number, digits = 2): string => value.toString(16).padStart(digits, "0");
  const mapped = `${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`;
  const host = random.pick([
    own.join("."),
    `${own.join(".")}.`,
    String(number),
    `0x${hex(number, 8)}`,
    `0${number.toString(8)}`,
    own.map((each) => `0x${hex(each)}`).join("."),
    own.map((each) => `0${each.toString(8)}`).join("."),
    `${a}.${(b << 16) + (c << 8) + d}`,
    `${a}.${b}.${(c << 8) + d}`,
    own.join("。"),
    own.join(".").replaceAll(/\d/gu, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    own
      .join(".")
      .replaceAll(/\d/gu, (digit) => (digit === "0" ? "⓪" : String.fromCodePoint(0x2460 + Number(digit) - 1))),
    "localhost",
    "LOCALHOST.",
    "ⓛocalhost",
    "%6c%6f%63%61%6c%68%6f%73%74",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    `[::${mapped}]`,
    `[::ffff:${mapped}]`,
    `[::ffff:0:${mapped}]`,
    `[64:ff9b::${mapped}]`,
    `[2002:${mapped}::]`,
    `[::ffff:${own.join(".")}]`,
    "[::]",
    "0",
    "0.0.0.0",
  ]);
  const before = random.pick(["", "", "public.example@", "public.example:80@", "user:public.example%2f@"]);
  const path = random.pick(["/", "/x", "/?http://public.example/", "/#@public.example", "\\@public.example/"]);
  return `${random.pick(["http", "HTTP", "https"])}://${before}${host}:${port}${path}`;
}

/** Forged addresses, and redirects to them: no byte may arrive at a server on this machine. */
export async function attackFetcher(seed: number, size: number): Promise<readonly Tally[]> {
  const random = createRandom(seed);
  const breaches: string[] = [];
  let current = "";
  let isReached = false;
  const open = async (host: string, to?: () => string) => {
    const server = createServer((_, response) => {
      if (to === undefined) response.end("secret");
      else response.writeHead(302, { location: Buffer.from(to()).toString("latin1") }).end();
    });
    if (to === undefined) server.on("connection", () => (isReached = true));
    await new Promise<void>((resolve, reject) => server.on("error", reject).listen(0, host, resolve));
    return { port: (server.address() as AddressInfo).port, close: () => server.close() };
  };
  const targets = [await open("127.0.0.1"), await open("::1").catch(() => undefined)].filter(
    (each) => each !== undefined,
  );
  // A page that may be read, and that leads elsewhere.
  const door = await open("127.0.0.2", () => current);
  const attempts = scaled(2000, size);
  const fetchIt = async (address: string, allowAddress: (address: string) => boolean): Promise<void> => {
    for await (const item of openUrlSource([address], { allowAddress }).items())
      if (!("error" in item)) breaches.push(`${current} was read`);
  };
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      current = forge(random, random.pick(targets).port);
      isReached = false;
      const isRedirect = attempt % 3 === 0;
      const address = isRedirect ? `http://127.0.0.2:${door.port}/` : current;
      await fetchIt(address, (each) => isRedirect && each === "127.0.0.2").catch((error: unknown) => {
        if (!IbidError.isInstance(error)) breaches.push(`${current}: ${String(error)}`);
      });
      if (isReached) breaches.push(`${current} was connected to`);
    }
  } finally {
    for (const target of [...targets, door]) target.close();
  }
  return [{ promise: "Nothing is fetched from this machine", unit: "forged addresses", attempts, breaches }];
}
