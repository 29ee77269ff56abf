import type { CollectionHit, CollectionSearchOptions, CollectionWriteResult } from "../../contracts/collection.ts";
import type { Fact } from "../../contracts/fact.ts";
import type { Enhancer } from "../../contracts/enhancer.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { MetadataInput } from "../../contracts/metadata.ts";
import type { StandardSchema } from "../../contracts/schema.ts";
import { enhanceMetadata } from "../../ingest/enhance.ts";
import { describeFact } from "../../readers/describe-element.ts";
import { checkGiven, checkOptions, checkText } from "../../runtime/check-options.ts";
import { hashParts } from "../../runtime/hash.ts";
import { toMetadata } from "../../runtime/to-json.ts";

/**
 * A fact on its way in.
 *
 * @experimental
 */
export interface NewFact {
  /** Default: a hash of assertion and authority. */
  readonly id?: string | undefined;
  readonly assertion: string;
  readonly authority: string;
  readonly uri?: string | undefined;
  readonly metadata?: MetadataInput | undefined;
}

/**
 * A fact that was found.
 *
 * @experimental
 */
export interface FactHit extends Pick<CollectionHit<unknown, string>, "rank" | "score" | "scope" | "hit"> {
  readonly fact: Fact;
}

/**
 * How facts are searched; everything has a default.
 *
 * @experimental
 */
export interface FactSearchOptions extends Pick<
  CollectionSearchOptions<never, never>,
  "topK" | "skip" | "minScore" | "scopes" | "signal"
> {
  /** Only facts of this authority. */
  readonly authority?: string | undefined;
  /** Legs that search. Default `"hybrid"`. */
  readonly mode?: "dense" | "lexical" | "hybrid" | "regex" | undefined;
}

/**
 * Facts under a name, in a view of a knowledge base.
 *
 * @experimental
 */
export interface Facts {
  /** Writes facts; one with the same id is replaced. **Errors** `invalid-argument` for a blank assertion or authority: nothing is stored. */
  assert(facts: NewFact | readonly NewFact[]): Promise<CollectionWriteResult<string>>;
  get(id: string): Promise<Fact | undefined>;
  /** Best first. The hit leads to the place of the assertion, which can be cited. */
  search(query: string, options?: FactSearchOptions): Promise<readonly FactHit[]>;
  /** By id. */
  list(): AsyncIterable<Fact>;
  /** **Shape** how many went. */
  delete(ids: string | readonly string[]): Promise<number>;
}

/**
 * Options of facts; everything has a default.
 *
 * @experimental
 */
export interface FactsOptions {
  /** Add to the metadata of each fact on its way in. Default: none. */
  readonly enhancers?: readonly Enhancer[] | undefined;
}

const fields = ["assertion", "authority"] as const;

const schema: StandardSchema<NewFact, Fact> = {
  "~standard": {
    version: 1,
    vendor: "ibid",
    validate(given) {
      const fact = (given ?? {}) as NewFact;
      const blank = fields.filter((name) => typeof fact[name] !== "string" || fact[name].trim() === "");
      if (blank.length > 0) return { issues: blank.map((name) => ({ message: `${name} is blank`, path: [name] })) };
      const { assertion, authority, uri, id = hashParts(assertion, authority) } = fact;
      const metadata = toMetadata(fact.metadata, "fact");
      return { value: { id, assertion, authority, ...(uri !== undefined && { uri }), metadata } };
    },
  },
};

/**
 * Opens facts under a name, over a view of a knowledge base. They are a collection of it: cited, scoped, deleted and re-embedded like any other.
 *
 * **Errors** `invalid-argument` for a blank name. **Source** Embabel's `Fact`.
 *
 * @experimental
 */
export function openFacts(kb: Pick<KnowledgeBase, "collection">, name = "facts", options: FactsOptions = {}): Facts {
  checkGiven("openFacts", "kb", kb, "object", { collection: "function" });
  checkText("openFacts", "name", name);
  checkOptions("openFacts", options, { enhancers: true });
  const { enhancers = [] } = options;
  const enhanced = async (given: NewFact): Promise<NewFact> => {
    const checked = await schema["~standard"].validate(given);
    // The collection refuses an invalid fact, and names its place.
    if (checked.issues !== undefined) return given;
    const fact = checked.value;
    const added = await enhanceMetadata(enhancers, (more) =>
      describeFact({ ...fact, metadata: { ...fact.metadata, ...more } }),
    );
    return { ...given, metadata: { ...fact.metadata, ...added } };
  };
  const kept = kb.collection(name, { schema, key: "id", text: ["assertion"], filterable: ["authority"] });
  const searches = { dense: "search", hybrid: "hybridSearch", lexical: "textSearch", regex: "regexSearch" } as const;
  return {
    async assert(facts) {
      if (enhancers.length === 0) return kept.upsert(facts);
      const given = Array.isArray(facts) ? (facts as readonly NewFact[]) : [facts as NewFact];
      return kept.upsert(await Promise.all(given.map(enhanced)));
    },
    get: (id) => kept.get(id),
    async search(query, options = {}) {
      checkOptions("search", options, {
        topK: true,
        skip: true,
        minScore: true,
        scopes: true,
        signal: true,
        authority: true,
        mode: true,
      });
      const { authority, mode = "hybrid", ...rest } = options;
      const narrowed = authority === undefined ? {} : { filter: { authority } };
      const hits = await kept[searches[mode]](query, { ...rest, ...narrowed });
      return hits.map(({ rank, score, scope, hit, record }) => ({ rank, score, scope, hit, fact: record }));
    },
    list: () => kept.list(),
    delete: (ids) => kept.delete(ids),
  };
}
