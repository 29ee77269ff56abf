import type { BlobStore } from "../../contracts/blob-store.ts";
import type { EventRetention, EventStore } from "../../contracts/event-store.ts";
import { createPostgresBlobStore } from "./postgres-blobs.ts";
import { connectPostgres, type Postgres } from "./postgres-client.ts";
import { createPostgresEventStore } from "./postgres-events.ts";
import { checkSchemaName, defaultSchema } from "./postgres-schema.ts";
import { readPostgresAddress } from "./postgres-address.ts";

/** Parts of a base in Postgres beside its documents. */
export interface BesidePostgres {
  /** Files that a service keeps: uploads as they came, and threads. */
  readonly files: BlobStore;
  readonly media: BlobStore;
  openEvents(retention: EventRetention & { readonly now?: (() => number) | undefined }): EventStore;
}

/** A connection waits for its first use, and holds no process open. **Errors** `invalid-argument` for an address that cannot be read. */
export function openBesidePostgres(address: string): BesidePostgres {
  const schema = checkSchemaName(readPostgresAddress(address).schema ?? defaultSchema);
  let opened: Promise<Postgres> | undefined;
  const connect = (): Promise<Postgres> =>
    (opened ??= connectPostgres(address, { max: 2, allowExitOnIdle: true, idleTimeoutMillis: 5_000 }));
  return {
    files: createPostgresBlobStore(connect, schema, "files"),
    media: createPostgresBlobStore(connect, schema, "media"),
    openEvents: (retention) => createPostgresEventStore(connect, schema, retention),
  };
}
