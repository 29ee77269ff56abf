import { lookup, type LookupAddress, type LookupOptions } from "node:dns";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector } from "undici";
import { IbidError } from "../../../contracts/errors.ts";

/** Whether a connection to this IP address may be made although it is not public. */
export type AllowAddress = (address: string) => boolean;

/** IPv6 addresses that are given out, and the special blocks among them. **Source** IANA IPv6 Special-Purpose Address Registry, 2025-10-09. */
const givenOut = "2000::/3";
const special = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

/** Addresses that are public by the registry, but lead to the machine's own cloud. **Source** Azure: the Wire Server, which gives credentials. */
const ofClouds: ReadonlySet<string> = new Set(["168.63.129.16"]);

/**
 * Whether an IP address is one of the public internet. Loopback, private, link-local, shared (CGNAT), multicast and reserved addresses are not.
 * IPv6 forms that wrap an IPv4 address are not either, nor IPv6 addresses that nobody has given out, nor the address of Azure's machine service.
 * Other spellings of an address, such as `1.2.3` or `0x8.8`, are none: sockets and resolvers give the usual one, and a URL has it too.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  if (parsed.kind() === "ipv4") return !ofClouds.has(parsed.toString());
  const isIn = (block: string): boolean => parsed.match(ipaddr.parseCIDR(block));
  return isIn(givenOut) && !special.some(isIn);
}

/**
 * Connections to public addresses only, whatever the name says it is.
 *
 * Names are resolved here and their addresses checked before anything is sent. The socket's own address is checked once more:
 * a literal address is never looked up, and a name may answer differently the second time.
 *
 * @internal
 */
export function createPublicAgent(options: {
  readonly allowAddress?: AllowAddress | undefined;
  readonly timeoutMs: number;
}): Agent {
  const permitted = (address: string): boolean => isPublicAddress(address) || options.allowAddress?.(address) === true;

  const lookupPermitted = (
    hostname: string,
    request: LookupOptions,
    answer: (error: Error | null, addresses: LookupAddress[] | string, family?: number) => void,
  ): void => {
    lookup(hostname, { ...request, all: true }, (error, found) => {
      if (error !== null) {
        answer(error, []);
        return;
      }
      const addresses = found.filter(({ address }) => permitted(address));
      const [first] = addresses;
      if (first === undefined) answer(blocked(hostname), []);
      else if (request.all === true) answer(null, addresses);
      else answer(null, first.address, first.family);
    });
  };

  const connect = buildConnector({ timeout: options.timeoutMs, lookup: lookupPermitted });
  return new Agent({
    connect(target, callback) {
      const literal = target.hostname.replace(/^\[|\]$/gu, "");
      if (ipaddr.isValid(literal) && !permitted(literal)) {
        callback(blocked(target.hostname), null);
        return;
      }
      connect(target, (error, socket) => {
        if (error !== null) {
          callback(error, null);
        } else if (socket.remoteAddress === undefined || !permitted(socket.remoteAddress)) {
          socket.destroy();
          callback(blocked(target.hostname), null);
        } else {
          callback(null, socket);
        }
      });
    },
    // One document after the other, from many hosts: nothing to keep open.
    pipelining: 0,
  });
}

function blocked(hostname: string): IbidError {
  return new IbidError(
    "blocked-address",
    `${hostname} is not on the public internet, and addresses that are not are never fetched from.`,
    {
      hint: "Save the page to a file and ingest that; a program may permit single addresses with allowAddress.",
      details: { hostname },
    },
  );
}
