import { channelOf, listenProved, notify } from "./hear-news.ts";
import type { Ear, Listen, Postgres } from "./postgres-client.ts";
import type { ReplicaDirectory } from "./replica-directory.ts";

/** How a node learns of commits while nobody reads. */
export interface FollowOptions {
  readonly db: Postgres;
  readonly schema: string;
  readonly pollMs: number;
  readonly leaseMs: number;
  /** `undefined`: it only polls. */
  readonly listen: Listen | undefined;
  /** The machine's name in the table of nodes. */
  readonly name: string;
}

export interface Follower {
  close(): Promise<void>;
}

/** Commits of a node within this time are one notice. **Units** milliseconds. */
const noticeMs = 25;

/** How long a follower asks again and again after a notice: a writer seldom writes once. **Units** milliseconds. */
const livelyMs = 4 * noticeMs;

/** Tells listening nodes of commits, after them and at most 40 times a second. A notice that is lost costs the others one poll. */
export function createAnnouncer(db: Postgres, schema: string, node: string): { tell(): void; close(): Promise<void> } {
  const channel = channelOf(schema);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  let last = -Infinity;
  const send = (): void => {
    timer = undefined;
    last = performance.now();
    sending = notify(db, channel, node).catch(() => {});
  };
  return {
    tell() {
      if (timer !== undefined) return;
      const wait = last + noticeMs - performance.now();
      if (wait <= 0) send();
      else timer = setTimeout(send, wait);
    },
    async close() {
      if (timer !== undefined) {
        clearTimeout(timer);
        send();
      }
      await sending;
    },
  };
}

/**
 * Brings the copy up to date every `pollMs`, and at each notice of another node.
 *
 * **Shape** a connection that ends is opened again at the next poll; until then polling alone brings the news. **Errors** as `listenProved`, at the start only.
 */
export async function follow(directory: ReplicaDirectory, node: string, options: FollowOptions): Promise<Follower> {
  const { db, schema, pollMs, leaseMs, listen, name } = options;
  const channel = channelOf(schema);
  const closing = new AbortController();
  let ear: Ear | undefined;
  let livelyUntil = -Infinity;
  let isTold = false;
  let leased = -Infinity;
  let wake: (() => void) | undefined;

  const heard = (from: string): void => {
    if (from === node) return;
    livelyUntil = performance.now() + livelyMs;
    isTold = true;
    wake?.();
  };

  async function keepLease(): Promise<void> {
    if (performance.now() - leased < leaseMs / 3) return;
    const asked = performance.now();
    await db.query(
      "renewing its lease",
      `INSERT INTO ${schema}.nodes AS n (node, name, listens, lease_until) VALUES ($1::uuid, $2, $3, now() + $4::int * interval '1 millisecond')
ON CONFLICT (node) DO UPDATE SET listens = excluded.listens, lease_until = excluded.lease_until`,
      [node, name, ear?.isOpen === true, leaseMs],
    );
    leased = asked;
  }

  async function turn(): Promise<void> {
    if (listen !== undefined && ear?.isOpen !== true) {
      ear = await listenProved(db, listen, channel, heard);
      leased = -Infinity;
    }
    await keepLease();
    const told = isTold;
    isTold = false;
    await directory.follow(told);
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      // A notice that came during the turn before is answered at once.
      const usual = performance.now() < livelyUntil ? noticeMs : pollMs;
      const wait = isTold ? 0 : usual;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait);
        timer.unref?.();
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      // A read that needs the database says what is wrong with it.
      if (!closing.signal.aborted) await turn().catch(() => {});
    }
  }

  await turn();
  const running = run();
  return {
    async close() {
      closing.abort();
      wake?.();
      await running;
      await ear?.close();
      await db
        .query("giving up its lease", `DELETE FROM ${schema}.nodes WHERE node = $1::uuid`, [node])
        .catch(() => {});
    },
  };
}
