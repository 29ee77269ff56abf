import { IbidError } from "../../contracts/errors.ts";
import type { Leg } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Store } from "../../contracts/store.ts";
import { termsFingerprint } from "../../engine/segments/chunk-terms.ts";
import { composeStore } from "../compose/compose-store.ts";
import { createSecret, fromHex, toHex } from "../segments/create-secret.ts";
import { createSegmentCore, type SegmentStoreOptions } from "../segments/segment-core.ts";
import { createStoreParts } from "../segments/segment-store.ts";
import { keepFresh } from "./keep-fresh.ts";
import { createLazyDirectory } from "./lazy-directory.ts";
import { narrowPlacement } from "./placement.ts";
import type { Postgres } from "./postgres-client.ts";
import { checkAnalyzer, type FixedSettings, openTables, readFixed } from "./postgres-schema.ts";
import type { ReplicaPlan } from "./replica-options.ts";
import { readGrants } from "./row-security.ts";

/** The parts of a base that a process without a copy opens. */
export interface LazyOpening {
  readonly db: Postgres;
  readonly schema: string;
  readonly replica: ReplicaPlan;
}

/**
 * Opens a store that reads segments and rows from the database as a search needs them.
 *
 * **Errors** as `openPostgresStore`; `unsupported` for every write and for patterns; `store-busy` where too many chunks are outside of the shared index.
 * **Cost** one trip to open. Later one for a question that was asked before, two after a write elsewhere, three for new words, four for the first question.
 */
export async function openLazyStore(
  { db, schema, replica }: LazyOpening,
  decided: Omit<SegmentStoreOptions, "secret" | "embeddings">,
): Promise<Store> {
  const { facts, isGuarded } = await readFacts(db, schema, termsFingerprint(decided.analyzer));
  checkAnalyzer(db, schema, facts, decided.analyzer);
  const placement = narrowPlacement(replica.placement, isGuarded ? await readGrants(db, schema) : undefined);
  const { atMostMs, leaseMs, keepBytes } = replica;
  const directory = createLazyDirectory({ db, schema, facts: { ...facts }, placement }, keepBytes);
  const secret = fromHex(facts.secret);
  const core = createSegmentCore(directory, { ...decided, secret, embeddings: ["dense", "sparse", "hybrid"] });
  directory.join(core);
  const parts = createStoreParts(core);
  const {
    upkeep: _upkeep,
    history: _history,
    legs,
    ...fresh
  } = keepFresh(parts, directory, placement, { atMostMs, leaseMs });
  const able = legs.map((leg) => (leg.name === "pattern" ? refusePatterns(leg, db) : leg));
  const documents = {
    ...fresh.documents,
    status: async (scopes: readonly Scope[]) => ({
      ...(await fresh.documents.status(scopes)),
      files: directory.files(),
    }),
  };
  return composeStore({ ...fresh, documents, legs: able }, { name: "The Postgres store without a copy" });
}

/** Facts of a base that is there. **Errors** as {@link openTables}. */
async function readFacts(
  db: Postgres,
  schema: string,
  analyzer: string,
): Promise<{ readonly facts: FixedSettings; readonly isGuarded: boolean }> {
  const found = await readFixed(db, schema).catch(() => undefined);
  if (found !== undefined) return found;
  // Something is wrong or unfinished: the ordinary opening says what, or finishes it.
  const facts = await openTables(
    db,
    schema,
    { secret: toHex(createSecret()), analyzer },
    { create: false, partitions: undefined },
  );
  return { facts, isGuarded: true };
}

/** A pattern may match in any text of the base, and each of them would have to come. */
function refusePatterns(leg: Leg, { name }: Postgres): Leg {
  return {
    ...leg,
    async search() {
      throw new IbidError("unsupported", `A process without a copy of ${name} searches for no patterns.`, {
        hint: "Open the base without lazy for searches by pattern.",
      });
    },
  };
}
