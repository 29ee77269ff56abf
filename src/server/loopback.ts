/** Whether an address, as a socket tells it, is this machine itself. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:/u, "");
  return plain === "::1" || /^127(?:\.\d{1,3}){3}$/u.test(plain);
}

/** Whether a name leads to this machine wherever it is asked for (RFC 6761): nobody else can have it resolve elsewhere. */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || isLoopbackAddress(name.replace(/^\[|\]$/gu, ""));
}

/** The name in a `Host`, without the port; `undefined` for what is none. */
export function hostName(host: string): string | undefined {
  const [, name] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/u.exec(host.toLowerCase()) ?? [];
  return name?.replace(/\.$/u, "");
}
