/** The error of a call that rejects, throws or ends its loop with one; `undefined` when there is none. */
export async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    const made = call();
    if (typeof made === "object" && made !== null && Symbol.asyncIterator in made)
      for await (const _ of made as AsyncIterable<unknown>);
    else await made;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** A Proxy that was revoked: every look at it throws. */
export function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}
