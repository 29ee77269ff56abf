import { BlockList, isIP } from "node:net";
import { IbidError } from "../contracts/errors.ts";

/** Whether an address belongs to one of some networks. */
export type IsInNetworks = (address: string) => boolean;

/** **Shape** networks such as `10.0.0.0/8`, or single addresses. **Errors** `invalid-argument` for a text that is neither. */
export function readNetworks(option: string, networks: readonly string[]): IsInNetworks {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits, ...rest] = network.split("/");
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    const length = bits === undefined ? most : /^\d{1,3}$/u.test(bits) ? Number(bits) : -1;
    if (family === 0 || rest.length > 0 || length < 0 || length > most) {
      throw new IbidError("invalid-argument", `${option} contains ${JSON.stringify(network)}, which is no network.`, {
        hint: "Write networks such as 10.0.0.0/8 or fd00::/8, or single addresses.",
      });
    }
    list.addSubnet(address, length, family === 4 ? "ipv4" : "ipv6");
  }
  return (address) => {
    const plain = plainAddress(address);
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 4 ? "ipv4" : "ipv6");
  };
}

/**
 * The address of the client: the nearest one that is no trusted proxy.
 *
 * `X-Forwarded-For` is read from its end, because its beginning is written by the client. Only a connection from a trusted proxy makes it count.
 *
 * **Shape** the address of the socket where nothing is trusted, or a part of the header is no address.
 */
export function findClientAddress(
  socket: string | undefined,
  forwardedFor: string | undefined,
  isTrusted: IsInNetworks,
): string | undefined {
  let client = socket;
  for (const hop of (forwardedFor ?? "").split(",").toReversed()) {
    if (client === undefined || !isTrusted(client)) break;
    const address = plainAddress(hop.trim());
    if (isIP(address) === 0) break;
    client = address;
  }
  return client;
}

/** An IPv4 address in its own form, where a socket of both families writes `::ffff:10.0.0.1`. A port and brackets are left out. */
function plainAddress(address: string): string {
  const bare = /^\[(.+)\](?::\d+)?$/u.exec(address)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/u.exec(address)?.[1] ?? address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(bare)?.[1] ?? bare;
}
