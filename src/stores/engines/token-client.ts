import { createEngineClient, type EngineAddress, type EngineClient } from "./engine-client.ts";
import { engineFailed } from "./check-engine.ts";

/** A token for the header `Authorization: Bearer …`, or a function that gives one, which is called before each request. */
export type BearerToken = string | (() => string | Promise<string>);

/** As {@link createEngineClient}, for a service whose tokens expire. **Errors** the function's own, with the engine's name. */
export function createTokenClient(
  engine: string,
  address: EngineAddress,
  token: BearerToken | undefined,
): EngineClient {
  if (token === undefined) return createEngineClient(engine, address);
  const make = (current: string): EngineClient =>
    createEngineClient(engine, { ...address, headers: { ...address.headers, authorization: `Bearer ${current}` } });
  let made = { token: "", client: make("") };
  return {
    async call(operation, call) {
      const current =
        typeof token === "string"
          ? token
          : await Promise.resolve()
              .then(token)
              .catch((cause: unknown) => {
                throw engineFailed(engine, "get a token", cause);
              });
      if (made.token !== current) made = { token: current, client: make(current) };
      return made.client.call(operation, call);
    },
  };
}
