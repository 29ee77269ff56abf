import { IbidError } from "../../contracts/errors.ts";
import { hashParts } from "../../runtime/hash.ts";
import type { Ear, Listen, Postgres } from "./postgres-client.ts";

/** How long the test notice may take. */
const testMs = 3_000;

/** A channel's name has at most 63 characters, and so has a schema's. */
export function channelOf(schema: string): string {
  return `ibid_${hashParts("channel", schema).slice(0, 32)}`;
}

/**
 * Listens, and proves it by a notice of its own: a pooler that shares connections takes LISTEN without an error and drops every notice.
 *
 * **Errors** `unsupported` when the notice does not arrive; `store-failed`.
 */
export async function listenProved(
  db: Postgres,
  listen: Listen,
  channel: string,
  heard: (from: string) => void,
): Promise<Ear> {
  const test = `test ${crypto.randomUUID()}`;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const ear = await listen(channel, (payload) => {
    if (payload === test) resolve(true);
    else if (!payload.startsWith("test ")) heard(payload);
  });
  const timer = setTimeout(() => resolve(false), testMs);
  try {
    await notify(db, channel, test);
    if (await promise) return ear;
  } catch (error) {
    await ear.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  await ear.close();
  throw new IbidError(
    "unsupported",
    `Postgres at ${db.name}: listening failed: a test notice did not arrive in ${testMs} ms.`,
    {
      hint: 'A pooler such as PgBouncer drops notices: name the server itself in listenAt, or choose follow: "poll".',
    },
  );
}

/** Tells the nodes that listen. It is a statement of its own, since a notice takes a lock of the whole server until its transaction has committed. */
export async function notify(db: Postgres, channel: string, payload: string): Promise<void> {
  await db.query("telling other nodes", "SELECT pg_notify($1, $2)", [channel, payload]);
}
