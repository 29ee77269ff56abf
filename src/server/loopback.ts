/** Whether an address, as a socket reports it, is this machine. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:/u, "");
  return plain === "::1" || /^127(?:\.\d{1,3}){3}$/u.test(plain);
}

/** Whether a name leads to this machine on every machine (RFC 6761): no other site can make it resolve elsewhere. */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || isLoopbackAddress(name.replace(/^\[|\]$/gu, ""));
}

/** The name in a `Host` header, without the port; `undefined` for an invalid one. */
export function hostName(host: string): string | undefined {
  const [, name] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/u.exec(host.toLowerCase()) ?? [];
  return name?.replace(/\.$/u, "");
}
