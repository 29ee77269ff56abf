/**
 * Reads the address of a server.
 *
 * **Shape** `undefined` for a text that is none, and for another protocol. A password with a `/`, `?` or `#` that is not
 * encoded is refused too. The rest of it would stand in messages as host and path.
 */
export function parseServerAddress(address: string, protocols: readonly string[]): URL | undefined {
  if (!URL.canParse(address)) return undefined;
  const read = new URL(address);
  const isCut = `${read.pathname}${read.hash}${[...read.searchParams.keys()].join("")}`.includes("@");
  return protocols.includes(read.protocol.slice(0, -1)) && !isCut ? read : undefined;
}
