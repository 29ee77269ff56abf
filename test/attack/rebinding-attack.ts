import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { IbidError } from "../../src/contracts/errors.ts";
import { openUrlSource } from "../../src/ingest/sources/web/url-source.ts";
import { createRandom, type Random } from "../../src/testing/random.ts";
import { startDnsServer, useResolver } from "../support/dns-server.ts";
import { forbidden, openNeighbours, permitted } from "./loopback.ts";
import { scaled, type Tally } from "./tally.ts";

const allowAddress = (address: string): boolean => address === permitted;
const answers = [...forbidden, permitted, permitted, "0.0.0.0", "127.255.255.254", "::ffff:127.0.0.1"];

/** Addresses of a name, one list for each time that it is asked for. The last one stays. */
const sequence = (random: Random): readonly (readonly string[])[] =>
  Array.from({ length: 1 + random.below(4) }, () =>
    Array.from({ length: 1 + random.below(3) }, () => random.pick(answers)),
  );

/** Names that change their address between two look-ups, over a resolver on this machine, and redirects to such names. */
export async function attackByRebinding(seed: number, size: number): Promise<readonly Tally[]> {
  const random = createRandom(seed);
  const names = new Map<string, { readonly answers: readonly (readonly string[])[]; asked: number }>();
  const resolver = await startDnsServer((name, type) => {
    const known = names.get(name);
    if (known === undefined) return [];
    const step = Math.floor(known.asked++ / 2);
    const found = known.answers[Math.min(step, known.answers.length - 1)]!;
    return found.filter((address) => address.includes(":") === (type === "AAAA"));
  });
  const putBack = useResolver(resolver.port);
  let name = "";
  const door = await openNeighbours((_, response) => {
    if (random.below(2) === 0) response.writeHead(200, { "content-type": "text/plain" }).end("public");
    else response.writeHead(302, { location: `http://${name}:${door.port}/${random.below(9)}` }).end();
  });
  const attempts = scaled(2000, size);
  const breaches: string[] = [];
  let read = 0;
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      name = `n${attempt}.rebind.test`;
      names.clear();
      names.set(name, { answers: sequence(random), asked: 0 });
      const told = `${name} as ${JSON.stringify(names.get(name)!.answers)}`;
      try {
        for await (const item of openUrlSource([`http://${name}:${door.port}/`], { allowAddress }).items()) {
          if ("error" in item) continue;
          if (new TextDecoder().decode(await item.bytes()) === "public") read += 1;
          else breaches.push(`${told} was read`);
        }
      } catch (error) {
        if (!IbidError.isInstance(error)) breaches.push(`${told}: ${String(error)}`);
      }
      if (door.reached() > 0) breaches.push(`${told} was connected to`);
    }
    if (attempts > 50 && read === 0) breaches.push("no name was read at all, so that the attack shows nothing");
  } finally {
    putBack();
    resolver.close();
    door.close();
  }
  return [{ promise: "A name that changes its address gains nothing", unit: "names", attempts, breaches }];
}

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Certificates of an authority that this process comes to trust, and of one that it does not. Needs the program `openssl`. */
function issueCertificates(): { readonly authority: string; readonly of: Readonly<Record<string, Certificate>> } {
  const folder = mkdtempSync(join(tmpdir(), "ibid-tls-"));
  const run = (...args: readonly string[]): unknown => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const make = (name: string, subject: string): void =>
    void run(
      ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout".split(" "),
      `${name}.key`,
      ..."-out NAME.pem -subj /CN=SUBJECT -addext subjectAltName=DNS:SUBJECT"
        .replaceAll("SUBJECT", subject)
        .replace("NAME", name)
        .split(" "),
    );
  const sign = (name: string, authority: string): void => {
    run(
      "x509",
      "-x509toreq",
      "-in",
      `${name}.pem`,
      "-signkey",
      `${name}.key`,
      "-out",
      `${name}.csr`,
      "-copy_extensions",
      "copy",
    );
    const by = ["-CA", `${authority}.pem`, "-CAkey", `${authority}.key`, "-CAcreateserial", "-copy_extensions", "copy"];
    run("x509", "-req", "-in", `${name}.csr`, "-days", "2", ...by, "-out", `${name}.pem`);
  };
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const own = (name: string): Certificate => ({ key: read(`${name}.key`), cert: read(`${name}.pem`) });
  try {
    for (const name of ["trusted", "unknown"]) make(name, `${name}.authority.test`);
    for (const name of ["good", "stranger", "self"]) make(name, "good.test");
    make("other", "other.test");
    sign("good", "trusted");
    sign("other", "trusted");
    sign("stranger", "unknown");
    return {
      authority: read("trusted.pem"),
      of: { good: own("good"), other: own("other"), stranger: own("stranger"), self: own("self") },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Servers with certificates of another name, of an unknown authority or of their own, and a good one that redirects inwards. */
export async function attackByTls(seed: number, size: number): Promise<readonly Tally[]> {
  const promise = "Nothing is read over TLS from a server that cannot prove its name";
  const attempts = scaled(200, size);
  let issued: ReturnType<typeof issueCertificates>;
  try {
    issued = issueCertificates();
  } catch {
    return [{ promise, unit: "connections", attempts: 0, breaches: [], skipped: "openssl does not run here" }];
  }
  const random = createRandom(seed);
  const before = tls.getCACertificates("default");
  tls.setDefaultCACertificates([...before, issued.authority]);
  const resolver = await startDnsServer((_, type) => (type === "A" ? [permitted] : []));
  const putBack = useResolver(resolver.port);
  let location: string | undefined;
  const doors = new Map<string, Awaited<ReturnType<typeof openNeighbours>>>();
  const breaches: string[] = [];
  try {
    for (const [name, certificate] of Object.entries(issued.of)) {
      const answer: Parameters<typeof openNeighbours>[0] = (_, response) => {
        if (location === undefined) response.writeHead(200, { "content-type": "text/plain" }).end(name);
        else response.writeHead(302, { location }).end();
      };
      doors.set(name, await openNeighbours(answer, certificate));
    }
    for (let attempt = 0; attempt < attempts; attempt++) {
      const kind = attempt === 0 ? "good" : random.pick([...doors.keys()]);
      const door = doors.get(kind)!;
      const target = random.pick([`http://127.0.0.1:${door.port}/`, `https://[::1]:${door.port}/`]);
      location = attempt > 0 && random.below(2) === 0 ? target : undefined;
      const told = `${kind}${location === undefined ? "" : ` to ${location}`}`;
      let read: string | undefined;
      try {
        for await (const item of openUrlSource([`https://good.test:${door.port}/`], { allowAddress }).items())
          if (!("error" in item)) read = new TextDecoder().decode(await item.bytes());
      } catch (error) {
        if (!IbidError.isInstance(error)) breaches.push(`${told}: ${String(error)}`);
      }
      const expected = kind === "good" && location === undefined ? "good" : undefined;
      if (read !== expected) breaches.push(`${told}: read ${JSON.stringify(read)}`);
      if (door.reached() > 0) breaches.push(`${told}: connected to this machine`);
    }
  } finally {
    tls.setDefaultCACertificates(before);
    putBack();
    resolver.close();
    for (const door of doors.values()) door.close();
  }
  return [{ promise, unit: "connections", attempts, breaches }];
}
