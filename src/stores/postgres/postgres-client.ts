import { setTimeout as sleep } from "node:timers/promises";
import { IbidError } from "../../contracts/errors.ts";
import { loadPackage } from "../../runtime/packages.ts";
import { readPostgresAddress } from "./postgres-address.ts";

/**
 * A pool or a client of a driver: `pg.Pool`, PGlite, the pool of `@neondatabase/serverless`. Statements have no names, so a proxy may give each one another
 * connection.
 *
 * @experimental
 */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  /** Lends a connection, as a pool does. Only a store that listens asks for one. */
  connect?(): Promise<unknown>;
  /** Hears a channel, as PGlite does. */
  listen?(channel: string, heard: (payload: string) => void): Promise<unknown>;
}

/** A connection of its own that hears of commits. */
export interface Ear {
  /** Whether the connection still stands. */
  readonly isOpen: boolean;
  close(): Promise<void>;
}

/** Hears a channel. **Shape** `heard` gets the payload of each notice. */
export type Listen = (channel: string, heard: (payload: string) => void) => Promise<Ear>;

/** A database that answers, with errors that name it. */
export interface Postgres {
  /** Host, port and database, without user and password. */
  readonly name: string;
  /** One statement, one trip. **Errors** `store-failed`. */
  query<Row>(operation: string, text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** `undefined` for a client that lends no connection. */
  readonly listen: Listen | undefined;
  close(): Promise<void>;
}

interface Pool extends PostgresClient {
  on?(event: "error", listener: (error: unknown) => void): unknown;
  end(): Promise<void>;
}

type PgLibrary = {
  readonly Pool: new (options: object) => Pool;
};

const loadPg = (): PgLibrary =>
  loadPackage<PgLibrary>(
    "pg",
    "speaks to Postgres",
    ({ Pool }) => typeof Pool === "function",
    "give openPostgresStore a pool of your own",
  );

/** Opens an address with the package `pg`. **Errors** `dependency-missing`, `invalid-argument`. */
export async function connectPostgres(
  given: string,
  settings: object = {},
  store?: string,
): Promise<Postgres & { readonly schema: string | undefined; readonly partitions: string | undefined }> {
  const { url, name, schema, partitions } = readPostgresAddress(given);
  const { Pool } = loadPg();
  let pool: Pool;
  try {
    pool = new Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 10_000, keepAlive: true, ...settings });
  } catch {
    throw new IbidError("invalid-argument", `The address of the database ${name} cannot be used.`, {
      hint: "Write postgres://user:password@host:5432/database.",
    });
  }
  // A connection that ends while nobody uses it is replaced; without a listener the process would end with it.
  pool.on?.("error", () => {});
  return { ...overClient(pool, name, store), schema, partitions, close: () => pool.end() };
}

/** Tries of a statement that only reads, and the pause after each. **Units** milliseconds. */
const [mostReads, againAfterMs] = [3, 50];

/** Words of statements that write, lock or tell. */
const writes = /\b(?:INSERT|UPDATE|DELETE|SHARE|DO|NOTIFY|pg_notify|nextval)\b/iu;

/** Whether a connection that stood has ended. One that cannot be made is no reason to wait. */
function isLost(error: unknown): boolean {
  const { code, message = "" } = (error ?? {}) as { readonly code?: unknown; readonly message?: string };
  return typeof code === "string" && code !== "ECONNRESET" && code !== "EPIPE"
    ? isEnded(code)
    : /ECONNRESET|EPIPE|^Connection terminated(?! due)|^Client has encountered a connection error/u.test(message);
}

/** A client that the application has: it stays open when the store is closed. */
export function overClient(client: PostgresClient, name = "the given client", store = "Postgres"): Postgres {
  return {
    name,
    async query<Row>(operation: string, text: string, values: readonly unknown[] = []) {
      for (let tries = 1; ; tries++) {
        let answer: { readonly rows?: unknown } | undefined;
        try {
          answer = await client.query(text, [...values]);
        } catch (error) {
          // A statement that only reads is sent again over another connection.
          if (tries >= mostReads || !isLost(error) || writes.test(text))
            throw sayFailure(error, operation, { store, name });
          await sleep(againAfterMs * tries);
          continue;
        }
        const rows = answer?.rows;
        if (Array.isArray(rows)) return rows as readonly Row[];
        throw new IbidError(
          "invalid-argument",
          `${store} at ${name}: ${operation} failed: query gave no list of rows.`,
          {
            hint: "Give a client whose query(text, values) resolves to { rows }, such as a pool of pg or PGlite.",
          },
        );
      }
    },
    listen: listenOver(client, { store, name }),
    close: async () => {},
  };
}

/** The parts of a connection of `pg` that hear notices. */
interface Connection {
  query(text: string): Promise<unknown>;
  on(
    event: "notification",
    listener: (notice: { readonly channel: string; readonly payload?: string }) => void,
  ): unknown;
  on(event: "error" | "end", listener: () => void): unknown;
  release(destroy?: boolean): void;
}

function listenOver(client: PostgresClient, at: Place): Listen | undefined {
  if (typeof client.listen === "function") {
    return async (channel, heard) => {
      const end = (await client.listen!(channel, heard)) as () => Promise<void>;
      return { isOpen: true, close: () => end() };
    };
  }
  if (typeof client.connect !== "function") return undefined;
  return async (channel, heard) => {
    try {
      const connection = (await client.connect!()) as Connection;
      return await listenOn(connection, channel, heard);
    } catch (error) {
      throw sayFailure(error, "listening", at);
    }
  };
}

async function listenOn(connection: Connection, channel: string, heard: (payload: string) => void): Promise<Ear> {
  let isOpen = true;
  const ended = (): void => void (isOpen = false);
  connection.on("notification", (notice) => {
    if (notice.channel === channel) heard(notice.payload ?? "");
  });
  connection.on("error", ended);
  connection.on("end", ended);
  await connection.query(`LISTEN ${channel}`);
  return {
    get isOpen() {
      return isOpen;
    },
    async close() {
      isOpen = false;
      // The connection goes: nobody else is to hear the channel.
      connection.release(true);
    },
  };
}

/** The code that Postgres gave; `undefined` where the connection failed, so that nobody knows whether the statement was done. */
export function stateOf(error: unknown): string | undefined {
  const code = (error as { readonly details?: { readonly state?: unknown } } | null)?.details?.state;
  return typeof code === "string" ? code : undefined;
}

/** Hints by SQLSTATE, or by its class. **Source** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const hints: Readonly<Record<string, string>> = {
  "28P01": "Check the user and the password of the address.",
  "28000": "Check the user of the address, and pg_hba.conf of the server.",
  "3D000": "Make the database first: createdb <name>.",
  "42501":
    "Give the role the rights: GRANT CREATE ON DATABASE for the first opening, ON SCHEMA for an engine; USAGE and all rights on the tables later.",
  "42P01": "The schema lacks a part of the base: restore it from a backup, or name another schema with ?schema=<name>.",
  "53300": "The server takes no more connections: close some, or put a pooler such as PgBouncer before it.",
  "53100": "The server's disk is full: make room there.",
  "54000": "A name is too long for an index of the server: give a scope, for one, a name of 2,600 bytes or less.",
  "25006": "The server takes reads only: name the primary, not a standby.",
  "0A000": "The server lacks this feature: use Postgres 15 or later.",
};

/** States in which the server ended the connection: it may have done the statement before. */
function isEnded(state: string): boolean {
  return state.startsWith("08") || state.startsWith("57P");
}

/** A database, and what it is for. */
interface Place {
  readonly store: string;
  readonly name: string;
}

/** An error that names the database, the operation and the next action, and holds no part of an address but host, port and database. */
function sayFailure(error: unknown, operation: string, { store, name }: Place): IbidError {
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  const state =
    typeof code === "string" && /^[0-9A-Z]{5}$/u.test(code) && (severity !== undefined || !/^E[A-Z]/u.test(code))
      ? code
      : undefined;
  const text =
    error instanceof Error && error.message !== "" ? error.message : typeof code === "string" ? code : "no answer";
  const reason = text.replaceAll(/postgres(?:ql)?:\/\/\S+/giu, "postgres://…").replace(/\.$/u, "");
  const isKnown = state !== undefined && !isEnded(state);
  return new IbidError("store-failed", `${store} at ${name}: ${operation} failed: ${reason}.`, {
    hint:
      (state === undefined ? undefined : (hints[state] ?? hints[state.slice(0, 2)])) ??
      (text.includes("does not support SSL")
        ? "Leave sslmode out of the address, or turn on SSL at the server."
        : isKnown
          ? "See the server's log for this statement."
          : "Check that the server runs and can be reached from here, then try again."),
    details: { store: store.toLowerCase(), operation, ...(isKnown && { state }) },
    cause: error,
  });
}
