import { createSocket } from "node:dgram";
import dns from "node:dns";
import { once } from "node:events";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** A resolver on this machine. */
export interface DnsServer {
  readonly port: number;
  /** Names that were asked for, in order. */
  readonly asked: readonly string[];
  close(): void;
}

/** Answers questions over UDP. `answer` gives the addresses of a name; each has a time to live of 0. **Source** RFC 1035. */
export async function startDnsServer(
  answer: (name: string, type: "A" | "AAAA") => readonly string[],
): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let size = query[at]!; size > 0; size = query[at]!) {
      labels.push(query.toString("latin1", at + 1, at + 1 + size));
      at += 1 + size;
    }
    const type = query.readUInt16BE(at + 1);
    const name = labels.join(".").toLowerCase();
    const kind = type === 1 ? "A" : "AAAA";
    if (kind === "A") asked.push(name);
    const records = (type === 1 || type === 28 ? answer(name, kind) : []).map((address) => {
      const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
      const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
      return Buffer.concat([head, bytes]);
    });
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...records]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { port: socket.address().port, asked, close: () => void socket.close() };
}

/**
 * Has this process ask a resolver for every name.
 *
 * **Shape** the function that puts Node's own look-up back.
 */
export function useResolver(port: number): () => void {
  const resolver = new dns.promises.Resolver({ timeout: 2000, tries: 2 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const find = async (name: string): Promise<dns.LookupAddress[]> => {
    const family = isIP(name);
    if (family !== 0) return [{ address: name, family }];
    const [four, six] = await Promise.all([
      resolver.resolve4(name).catch((): string[] => []),
      resolver.resolve6(name).catch((): string[] => []),
    ]);
    return [...four.map((address) => ({ address, family: 4 })), ...six.map((address) => ({ address, family: 6 }))];
  };
  const real = dns.lookup;
  const fake = (
    name: string,
    options: dns.LookupOptions,
    answer: (error: Error | null, found?: string | dns.LookupAddress[], family?: number) => void,
  ): void => {
    find(name).then(
      (found) => {
        const [first] = found;
        if (first === undefined) answer(Object.assign(new Error(`${name} is unknown`), { code: "ENOTFOUND" }));
        else if (options.all === true) answer(null, found);
        else answer(null, first.address, first.family);
      },
      (error: Error) => answer(error),
    );
  };
  const own = createRequire(import.meta.url)("node:dns") as { lookup: unknown };
  own.lookup = fake;
  syncBuiltinESMExports();
  return () => {
    own.lookup = real;
    syncBuiltinESMExports();
  };
}
