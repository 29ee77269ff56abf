import type { EngineCondition, EngineIndexSpec } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import { plainWords } from "../engines/engine-scores.ts";
import { passOver } from "../engines/optional-client.ts";
import { writeCondition } from "../engines/translate-filter.ts";
import { type Mongo, onCollection, readAll } from "./mongodb-client.ts";
import { untilBuilt } from "./search-index.ts";

/** Name of the index of words, in each collection of records. */
const wordsName = "ibid_words";

/** The words of records, which a search index of its own ranks. */
export interface WordsIndex {
  /**
   * Refs of entries with some of the words, best first.
   *
   * **Errors** `unsupported` for entries that an earlier version wrote without their words.
   */
  rank(
    words: string,
    condition: EngineCondition | undefined,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly string[]>;
  /** The revisions among some that the index gives. */
  shows(revisions: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string>>;
}

/** Any number of keys is searched, so that no key of a number builds the index again. */
const definition = {
  mappings: {
    dynamic: false,
    fields: {
      text: { type: "string" },
      tags: { type: "token" },
      revision: { type: "token" },
      numbers: { type: "document", dynamic: true },
    },
  },
};

/** Makes the index of words of a collection where it is not there. **Source** "Define Field Mappings" and "compound" of MongoDB Search, read in November 2026. */
export async function makeWordsIndex(
  mongo: Mongo,
  name: string,
  spec: EngineIndexSpec,
  indexWithinMs: number,
  signal?: AbortSignal,
): Promise<WordsIndex> {
  const on = onCollection(mongo, name);
  const described = { name: wordsName, type: "search", definition };
  const made = on("create the index of words", (one) => one.createSearchIndex(described as never), signal);
  await made.catch(passOver(/already defined|already exists|duplicate/iu));
  await untilBuilt(mongo, name, { index: wordsName, short: spec.name, indexWithinMs }, signal);
  let isComplete = false;

  function search<Row extends Readonly<Record<string, unknown>>>(
    operation: string,
    compound: object,
    limit: number,
    field: string,
    stop?: AbortSignal,
  ): Promise<readonly Row[]> {
    const stages = [
      { $search: { index: wordsName, compound } },
      { $limit: limit },
      { $project: { _id: 0, [field]: 1 } },
    ];
    return on(operation, (one) => readAll<Row>(one.aggregate(stages as never[])), stop);
  }

  async function checkComplete(stop?: AbortSignal): Promise<void> {
    if (isComplete) return;
    const [filter, page] = [{ text: { $exists: false } }, { projection: { _id: 1 }, limit: 1 }];
    const lacking = await on("look for words", (one) => readAll(one.find(filter as never, page as never)), stop);
    if (lacking.length > 0) {
      throw new IbidError("unsupported", `mongodb: ${name} has records without their words.`, {
        hint: "An earlier version wrote them. Call rebuild() of the collection, which writes them again.",
        details: { store: "mongodb", operation: "search words" },
      });
    }
    isComplete = true;
  }

  return {
    async rank(words, condition, limit, stop) {
      const query = plainWords(words).join(" ");
      if (query === "") return [];
      await checkComplete(stop);
      const filter = writeFilter(condition);
      const compound = { must: [{ text: { query, path: "text" } }], ...(filter && { filter: [filter] }) };
      return (await search<{ ref: string }>("search words", compound, limit, "ref", stop)).map(({ ref }) => ref);
    },
    async shows(revisions, stop) {
      const compound = { filter: [{ in: { path: "revision", value: revisions } }] };
      type Row = { revision: string };
      const found = await search<Row>("look for a write", compound, revisions.length, "revision", stop);
      return new Set(found.map(({ revision }) => revision));
    },
  };
}

const equals = (value: string): object => ({ equals: { path: "tags", value } });

function writeFilter(condition: EngineCondition | undefined): object | undefined {
  return writeCondition<object>(condition, {
    has: equals,
    // A clause that only excludes has nothing to exclude from.
    lacks: (tag) => ({ compound: { filter: [{ exists: { path: "tags" } }], mustNot: [equals(tag)] } }),
    number: (key, is, value) => ({ range: { path: `numbers.${key}`, [is]: value } }),
    and: (filter) => ({ compound: { filter } }),
    or: (should) => ({ compound: { should, minimumShouldMatch: 1 } }),
    nothing: () => equals("none"),
  });
}
