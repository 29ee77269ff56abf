import type { Engine, EngineIndex } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";

/** Methods of an index that ask the server, as errors name them. */
const operations = {
  count: "count entries",
  list: "list entries",
  put: "write",
  delete: "delete",
  read: "read",
  readVectors: "read vectors",
  nearest: "search",
} as const satisfies Partial<Record<keyof EngineIndex, string>>;

type Verb = (...call: never[]) => Promise<unknown>;

/**
 * An engine whose answers of an unknown shape are errors with its name. A proxy, a login page or another program at the address answers in JSON too.
 *
 * **Errors** `store-failed` with store and operation.
 */
export function nameUnknownAnswers(engine: Engine): Engine {
  const { name } = engine;
  const named = <Own extends Verb>(operation: string, verb: Own): Own =>
    (async (...call: never[]) => {
      try {
        return await verb(...call);
      } catch (cause) {
        if (!(cause instanceof TypeError)) throw cause;
        throw new IbidError("store-failed", `${name}: ${operation} failed: the answer has an unknown shape.`, {
          hint: `Check that ${name} stands at the address, and no proxy or other program; then look at its version.`,
          details: { store: name, operation },
          cause,
        });
      }
    }) as Own;
  const namedIndex = (index: EngineIndex): EngineIndex => ({
    ...index,
    ...Object.fromEntries(
      Object.entries(operations).flatMap(([key, operation]) => {
        const verb = index[key as keyof typeof operations] as Verb | undefined;
        return verb === undefined ? [] : [[key, named(operation, verb)]];
      }),
    ),
  });
  return {
    ...engine,
    open: named("open an index", async (...call: Parameters<Engine["open"]>) => namedIndex(await engine.open(...call))),
    indexes: named("list indexes", async (...call: Parameters<Engine["indexes"]>) => engine.indexes(...call)),
    drop: named("drop an index", async (...call: Parameters<Engine["drop"]>) => engine.drop(...call)),
    ...(engine.ready && {
      ready: named("list indexes", async (...call: Parameters<typeof engine.ready>) => engine.ready!(...call)),
    }),
  };
}
