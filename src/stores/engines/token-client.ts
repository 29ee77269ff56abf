import { engineFailed } from "./check-engine.ts";
import { clientBy, createServiceClient, type EngineClient, type EngineService } from "./engine-client.ts";

/** A token for the header `Authorization: Bearer …`, or a function that gives one, which is called before each request. */
export type BearerToken = string | (() => string | Promise<string>);

/**
 * As `createServiceClient`, for a service whose tokens expire: the token takes the place of a key.
 *
 * **Errors** `store-failed` where the function fails, with the engine's name.
 */
export function createTokenClient(
  engine: string,
  { token, ...service }: EngineService & { readonly token?: BearerToken | undefined },
  header: (key: string) => Readonly<Record<string, string>> = () => ({}),
): EngineClient {
  if (token === undefined) return createServiceClient(engine, service, header);
  const make = (current: string): EngineClient =>
    createServiceClient(engine, { ...service, apiKey: current }, (key) => ({ authorization: `Bearer ${key}` }));
  let made = { token: "", client: make("") };
  return clientBy(async (operation, call) => {
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
  });
}
