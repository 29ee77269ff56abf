import type { EventRetention, EventStore, KnowledgeEvent } from "../../contracts/event-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import { parseStored } from "../../runtime/parse-stored.ts";
import { platformNow } from "../../runtime/platform-clock.ts";
import { checkEventFilter, checkEvents, decideRetention, selectNames } from "../memory/check-events.ts";
import type { Postgres } from "./postgres-client.ts";

/** Events that a read fetches together. */
const readTogether = 500;

/**
 * Events of all nodes in a table of the base. **Shape** an append is one statement: events, and what is too old for the retention. Events get their keys when
 * they are sent, so two nodes that append at once may be read in either order. **Cost** an append is a trip.
 */
export function createPostgresEventStore(
  connect: () => Promise<Postgres>,
  schema: string,
  options: EventRetention & { readonly now?: (() => number) | undefined } = {},
): EventStore {
  const { maxAgeMs, maxEvents } = decideRetention(options);
  const now = options.now ?? platformNow;
  const table = `${schema}.events`;
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new IbidError("store-closed", "The event store is closed.", { hint: "Open another one." });
  }

  return {
    async append(events) {
      checkOpen();
      checkEvents(events);
      const oldest = now() - maxAgeMs;
      const kept = events.filter(({ at }) => at >= oldest).slice(-maxEvents);
      const rows = kept.map((event, place) => ({
        place,
        at: event.at,
        name: event.name,
        event: JSON.stringify(event),
      }));
      // The part that deletes does not see the new rows: it counts them off.
      await (
        await connect()
      ).query(
        "keeping events",
        `WITH added AS (INSERT INTO ${table} (at, name, event) SELECT r.at, r.name, r.event
  FROM json_to_recordset($1::json) AS r(place int, at double precision, name text, event text) ORDER BY r.place)
DELETE FROM ${table} WHERE at < $2::double precision OR key <= (SELECT e.key FROM ${table} e ORDER BY e.key DESC OFFSET $3::int LIMIT 1)`,
        [JSON.stringify(rows), oldest, maxEvents - rows.length],
      );
    },
    async *read(filter = {}) {
      checkOpen();
      checkEventFilter(filter);
      const { from, to, scope } = filter;
      const names = selectNames(filter);
      const db = await connect();
      const [newest] = await db.query<{ readonly key: unknown }>(
        "reading events",
        `SELECT coalesce(max(key), 0) AS key FROM ${table}`,
      );
      const last = Number(newest!.key);
      for (let after = 0; ;) {
        const found = await db.query<{ readonly key: unknown; readonly event: string }>(
          "reading events",
          `SELECT key, event FROM ${table} WHERE key > $1::bigint AND key <= $2::bigint AND ($3::float8 IS NULL OR at >= $3) AND ($4::float8 IS NULL OR at < $4)
AND ($5::json IS NULL OR name IN (SELECT json_array_elements_text($5::json))) ORDER BY key LIMIT ${readTogether}`,
          [after, last, bound(from), bound(to), names === undefined ? null : JSON.stringify(names)],
        );
        for (const { event } of found) {
          const told = parseStored(event) as KnowledgeEvent;
          if (scope === undefined || told.scopes.includes(scope)) yield told;
        }
        if (found.length < readTogether) return;
        after = Number(found.at(-1)!.key);
      }
    },
    async close() {
      isClosed = true;
    },
  };
}

/** A time without an end is none. */
function bound(time: number | undefined): number | null {
  return time === undefined || !Number.isFinite(time) ? null : time;
}
