import { IbidError } from "../../contracts/errors.ts";
import type { KeptFiles } from "../../contracts/store.ts";
import type { SegmentDirectory } from "../segments/segment-directory.ts";
import { createLazyNews, type LazyNews, type LazyNewsOptions } from "./lazy-news.ts";
import { createLazyRows } from "./lazy-rows.ts";
import { createLazySupplies, isEmpty } from "./lazy-supplies.ts";

/** A directory without a copy, and how it is kept up to date. */
export interface LazyDirectory extends SegmentDirectory, Pick<LazyNews, "join" | "refresh" | "age"> {
  /** Files of shared indexes that are kept. */
  files(): KeptFiles;
}

/** Rounds of one read: one that lacks something new for so long is a mistake of ours. */
const mostRounds = 200;

/**
 * Segments that are read from Postgres as a search needs them. A read runs on what is here; where something is missing, all that it lacked is fetched in one
 * trip, and the read runs again.
 *
 * Files of a shared index never change. Chunks and documents are of the state that the last news brought. A row of a later state makes the scopes catch up
 * first, so that one read sees one state of the base.
 */
export function createLazyDirectory(options: LazyNewsOptions, keepBytes: number): LazyDirectory {
  const { db, schema } = options;
  const supplies = createLazySupplies(db, schema, keepBytes);
  const news = createLazyNews(options, supplies);
  const { rows, takeWanted } = createLazyRows(news, supplies, schema);
  return {
    durability: "commit",
    isAfar: true,
    join: (core) => news.join(core),
    refresh: (scopes) => news.refresh(scopes),
    age(scopes) {
      // A question begins. Its reads need what those before them have fetched.
      supplies.files.makeRoom();
      return news.age(scopes);
    },
    files: () => supplies.files.status(),
    peek: () => news.stamp,
    async read(work) {
      supplies.makeRoom();
      for (let round = 0; round < mostRounds; round++) {
        takeWanted();
        let outcome: { readonly result: ReturnType<typeof work> } | { readonly error: unknown };
        try {
          outcome = { result: work(rows) };
        } catch (error) {
          outcome = { error };
        }
        const lacked = takeWanted();
        // A work may have caught the error itself, so that what it lacked decides.
        // Where questions come one after the other, a read that waited for each would not end.
        if (!isEmpty(lacked)) await supplies.supply(lacked, news, round === 0);
        else if ("result" in outcome) return outcome.result;
        else throw outcome.error;
      }
      throw new IbidError("internal", "A read of a base without a copy does not end.");
    },
    async write() {
      throw new IbidError("unsupported", `A process without a copy writes nothing to ${db.name}.`, {
        hint: "Open the base without lazy where documents are written.",
      });
    },
    scrub: async () => true,
    close: () => db.close(),
  };
}
