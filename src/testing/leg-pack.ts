import type { Filter } from "../contracts/filter.ts";
import type { LegResult } from "../contracts/leg.ts";
import { check, equal, inAnyOrder, isEqual, throwsCode } from "./assert.ts";
import { defineCases } from "./contract-case.ts";
import type { ContractCase } from "./contract-case.ts";
import {
  type Asked,
  checkOrder,
  checkWhy,
  evaluates,
  fill,
  fullLevel,
  type LegSubject,
  leveled,
  narrowed,
  openWorld,
  queryOf,
  refOf,
  refsOf,
  restrict,
  same,
  word,
  type World,
} from "./leg-world.ts";
import { ada, deployment, entryOf, filterTable, filterWorldEntries, north, south } from "./store-fixtures.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * Contract of every `Leg`, as far as its capabilities declare it.
 *
 * @experimental
 * @example
 * ```ts
 * const subject = { name: "lexical", reads: ["words"], create: async () => ({ documents, legs: [myLeg(documents)] }) };
 * for (const { id, run } of createLegPack(subject)) it(id, run);
 * ```
 */
export function createLegPack(subject: LegSubject): readonly ContractCase[] {
  checkSubject("createLegPack", subject, { name: "string", reads: "list" });
  return defineCases(
    `leg/${subject.name}`,
    [...declaring, ...ranking, ...restricting, ...writing].map(([name, items, run]) => [
      name,
      items,
      async () => {
        const parts = await subject.create();
        try {
          await run(openWorld(subject, parts));
        } finally {
          await parts.documents.close();
          await subject.destroy?.(parts);
        }
      },
    ]),
  );
}

type LegCase = readonly [name: string, items: string, run: (world: World) => Promise<void>];

const declaring: readonly LegCase[] = [
  [
    "named-once",
    "",
    async ({ parts: { legs }, subject, leg }) => {
      const names = legs.map(({ name }) => name);
      equal(new Set(names).size, names.length, "the legs of a store have different names");
      check(leg.name.trim() !== "", "the name is not blank");
      const again = await subject.create();
      equal(
        again.legs.map(({ name }) => name),
        names,
        "names of the same store, made again",
      );
      await again.documents.close();
      await subject.destroy?.(again);
    },
  ],
  [
    "capabilities-declared",
    "",
    async ({ leg: { capabilities } }) => {
      const { exact, filters, visibility, scoresGivenChunks } = capabilities;
      equal([typeof exact, typeof scoresGivenChunks], ["boolean", "boolean"], "types of exact and scoresGivenChunks");
      check(["commit", "waits", "later"].includes(visibility), "visibility is one of the three", visibility);
      check(filters === "all" || filters === "none" || Array.isArray(filters), "filters name operators", filters);
    },
  ],
  [
    "accepts-what-it-reads",
    "",
    async ({ leg, subject }) => {
      equal(leg.accepts(queryOf(subject, [deployment])), true, "accepts a query with the parts that the leg reads");
      if (subject.reads.includes("words")) return;
      equal(leg.accepts(queryOf({ reads: ["words"] }, [deployment])), false, "accepts a query without those parts");
    },
  ],
  [
    "calibration-is-finite",
    "L5",
    async (world) => {
      const examine = ({ calibration, terms, latent }: LegResult, what: string): void => {
        const { weight, scale, half = 1, aloneAbove = 0 } = calibration;
        check(Number.isFinite(weight) && weight >= 0, `${what}: the weight is finite`, weight);
        check(Number.isFinite(scale) && scale >= 0, `${what}: the scale is finite`, scale);
        check(Number.isFinite(half) && half > 0, `${what}: half is finite and above 0`, half);
        check(Number.isFinite(aloneAbove), `${what}: aloneAbove is finite`, aloneAbove);
        for (const { term, idf, count } of terms ?? [])
          check(Number.isFinite(idf) && count >= 1, `${what}: rarity and count of "${term}"`, [idf, count]);
        if (latent) check(latent.energy >= 0 && latent.energy <= 1, `${what}: energy from 0 to 1`, latent.energy);
      };
      examine(await world.search(), "an empty store");
      await fill(world);
      examine(await world.search(), "a store with chunks");
      examine(await world.search({ scopes: [ada] }), "a scope that holds nothing");
    },
  ],
];

const ranking: readonly LegCase[] = [
  [
    "best-first",
    "L5",
    async (world) => {
      await fill(world);
      const scopes = [deployment, north];
      for (const k of ["all", 1, 4, 9] as const)
        checkOrder((await world.search({ k, scopes })).matches, `${k} matches`);
      const { matches } = await world.search({ scopes });
      if (world.leg.capabilities.exact) equal(matches[0]?.id, `n${fullLevel}`, "the best match");
      else check(matches.length > 0, "there are matches");
    },
  ],
  [
    "never-nan",
    "L5",
    async (world) => {
      await world.write(deployment, [
        entryOf("zero", [0, 0], { text: word }),
        entryOf("none", [0, 0], { text: "quay" }),
      ]);
      const query = queryOf(world.subject, [deployment]);
      checkOrder((await world.search({ query })).matches, "chunks with zero vectors");
      const embeddings = query.embeddings.map((one) => ({ ...one, embedding: [0, 0] }));
      checkOrder((await world.search({ query: { ...query, embeddings } })).matches, "a query with a zero vector");
    },
  ],
  [
    "as-many-as-asked",
    "L5",
    async (world) => {
      await fill(world);
      const { exact } = world.leg.capabilities;
      const all = await world.search();
      const count = all.matches.length;
      if (exact) check(all.complete && all.exact, 'the result of "all" is complete and exact', all);
      for (const k of [1, 3, count, count + 10]) {
        const result = await world.search({ k });
        const { matches } = result;
        const what = `k ${k}`;
        if (exact || result.exact) same(matches, all.matches.slice(0, matches.length), what);
        if (result.complete && all.complete) equal(matches.length, count, `${what}: matches of a complete result`);
        if (!exact) continue;
        equal(result.exact, true, `${what}: exact, as declared`);
        check(matches.length >= Math.min(k, count), `${what}: at least min(k, matches)`, matches.length);
        check(matches.length >= k || result.complete, `${what}: fewer than k are all`, result.complete);
      }
    },
  ],
  [
    "threshold-is-inclusive",
    "L5",
    async (world) => {
      await fill(world);
      const all = await world.search();
      const minScore = all.matches[all.matches.length >> 1]?.score;
      check(minScore !== undefined, "there are matches");
      const result = await world.search({ minScore });
      const expected = all.matches.filter(({ score }) => score >= minScore);
      narrowed(world, result, all, expected, `matches with a score from ${minScore}`);
      const few = await world.search({ minScore, k: 2 });
      check(
        few.matches.every(({ score }) => score >= minScore),
        "k matches keep the threshold",
        few.matches,
      );
    },
  ],
  [
    "explained-without-text",
    "L5",
    async (world) => {
      await fill(world);
      const { matches } = await world.search();
      check(matches.length > 0, "there are matches");
      const read = await world.parts.documents.readChunks(matches, {});
      for (const [i, match] of matches.entries()) {
        const { chunk } = read[i]!;
        const extra = Object.keys(match).filter((key) => !["scope", "id", "score", "revision", "why"].includes(key));
        equal(extra, [], `${match.id}: fields beside those of a match`);
        check(!JSON.stringify(match).includes(chunk.text), `${match.id}: a match carries no text`, match);
        checkWhy(match, chunk);
      }
    },
  ],
  [
    "same-query-same-matches",
    "L11",
    async (world) => {
      await fill(world);
      const first = await world.search({ scopes: [deployment, north] });
      const other = await world.search({ scopes: [north, deployment] });
      narrowed(world, other, first, [...first.matches], "matches of the same scopes in another order");
    },
  ],
];

const restricting: readonly LegCase[] = [
  [
    "scopes-never-widened",
    "L3",
    async (world) => {
      await fill(world);
      const { leg, subject } = world;
      const everywhere = queryOf(subject, [deployment, north, south]);
      for (const scopes of [[deployment], [north], [deployment, south], [ada], []]) {
        for (const query of [everywhere, queryOf(subject, scopes)]) {
          const { matches } = await world.search({ scopes, query });
          const found = new Set(matches.map(({ scope }) => scope));
          const expected = scopes.filter((scope) => scope !== ada);
          equal(inAnyOrder(found), inAnyOrder(expected), `scopes of matches in ${scopes.join(" and ") || "none"}`);
        }
      }
      if (subject.reads.join() !== "embedding") return;
      const query = queryOf(subject, [north]);
      const { matches } = await world.search({ scopes: [deployment, north], query });
      check(matches.length > 0, `${leg.name}: matches in the scopes of the embedding`);
      equal(new Set(matches.map(({ scope }) => scope)), new Set([north]), "scopes that the embedding is for");
    },
  ],
  [
    "given-chunks-scored",
    "L5",
    async (world) => {
      if (!world.leg.capabilities.scoresGivenChunks) return;
      await fill(world);
      const all = await world.search();
      const only = ["n3", "n0", "n8", "a", "nobody"].map((id) => ({ scope: deployment, id }));
      const given = new Set(refsOf(only));
      const result = await world.search({ only: [...only, { scope: south, id: "s" }] });
      const expected = all.matches.filter((match) => given.has(refOf(match)));
      narrowed(world, result, all, expected, "the given chunks, those outside the scopes left out");
      equal((await world.search({ only: [], k: 5 })).matches, [], "matches among no chunks");
      const low = await world.search({ only: [{ scope: deployment, id: "n1" }], k: 1 });
      equal(refsOf(low.matches), [`${deployment} n1`], "a given chunk that is not among the best");
    },
  ],
  [
    "restricted-before-ranking",
    "L4",
    async (world) => {
      const filter: Filter = { op: "eq", key: "rare", value: true };
      if (!evaluates(world.leg.capabilities, filter)) return;
      const crowd = Array.from({ length: 120 }, (_, i) => leveled(`c${i}`, fullLevel, { rare: false }));
      await world.write(deployment, [...crowd, leveled("far", 1, { rare: true }, "note")]);
      const restriction = restrict(filter, undefined, ({ rare }) => rare === true);
      const found = async (within: Asked): Promise<readonly string[]> =>
        (await world.search(within)).matches.map(({ id }) => id);
      equal(await found({ restriction, k: 1 }), ["far"], "one match, behind a crowd that the filter excludes");
      if (world.leg.capabilities.scoresGivenChunks) {
        const only = ["c3", "far"].map((id) => ({ scope: deployment, id }));
        equal(await found({ restriction, only }), ["far"], "given chunks that the filter admits");
      }
      if (world.leg.capabilities.filters !== "all") return;
      const notes = restrict(undefined, ["note"], () => true);
      equal(await found({ restriction: notes, k: 1 }), ["far"], "one match of an origin, behind a crowd of another");
      const nothing = restrict(undefined, [], () => true);
      equal(await found({ restriction: nothing, k: 1 }), [], "matches of no origin");
    },
  ],
  [
    "filters-as-declared",
    "L4",
    async (world) => {
      const entries = filterWorldEntries();
      await world.write(deployment, entries);
      for (const [filter, expected] of filterTable) {
        if (!evaluates(world.leg.capabilities, filter)) continue;
        const ids = expected.split(" ");
        const admitted = entries.filter(({ chunk }) => ids.includes(chunk.id));
        const restriction = restrict(filter, undefined, (metadata) =>
          admitted.some(({ chunk }) => isEqual(chunk.metadata, metadata)),
        );
        const { matches } = await world.search({ restriction });
        equal(matches.map(({ id }) => id).join(" "), expected, `matches of ${JSON.stringify(filter)}`);
      }
    },
  ],
];

const writing: readonly LegCase[] = [
  [
    "writes-found",
    "L8",
    async (world) => {
      const ids = async (): Promise<unknown> => inAnyOrder((await world.search()).matches.map(({ id }) => id));
      equal(await ids(), [], "matches in an empty store");
      await world.write(deployment, [leveled("one", 3)]);
      equal(await ids(), ["one"], "matches after a write");
      await world.write(deployment, [leveled("two", 5)]);
      equal(await ids(), ["one", "two"], "matches after another write");
      if (world.leg.capabilities.visibility !== "commit") return;
      await world.delete(deployment, ["one"]);
      equal(await ids(), ["two"], "matches after a delete");
    },
  ],
  [
    "revision-of-the-chunk",
    "",
    async (world) => {
      const { documents } = world.parts;
      const revisionOf = async (score: number): Promise<number | undefined> => {
        await world.write(deployment, [leveled("one", score)]);
        const { matches } = await world.search();
        equal(matches.length, 1, "one chunk, however often it was replaced");
        const [read] = await documents.readChunks(matches, {});
        equal(matches[0]?.revision, read?.revision, "the revision of the match and of the chunk that is read");
        return read?.revision;
      };
      const first = await revisionOf(3);
      check((await revisionOf(5)) !== first, "a replaced chunk has another revision", first);
      if (world.leg.capabilities.rows === undefined) return;
      await world.write(deployment, [leveled("two", 4)]);
      const { matches: all } = await world.search();
      const { matches: unnamed } = await world.search({ unnamed: true });
      const keysOf = (matches: LegResult["matches"]) => matches.map(({ revision, score }) => `${revision} ${score}`);
      equal(inAnyOrder(keysOf(unnamed)), inAnyOrder(keysOf(all)), "matches that may come without ids");
      const some = all.slice(0, 1);
      const naming = some.map(({ revision }) => revision);
      const { matches: named } = await world.search({ naming: [...naming, -1] });
      equal(
        named.map(({ scope, id, revision }) => ({ scope, id, revision })),
        some.map(({ scope, id, revision }) => ({ scope, id, revision })),
        "matches that are named, without a row that is gone",
      );
      equal((await world.search({ naming, scopes: [south] })).matches, [], "matches that are named in another scope");
    },
  ],
  [
    "stops-when-aborted",
    "",
    async (world) => {
      await fill(world);
      const aborted = AbortSignal.abort();
      await throwsCode(() => world.search({ signal: aborted }), "aborted", "a signal that was aborted before");
      check((await world.search({ signal: new AbortController().signal })).matches.length > 0, "a signal that was not");
    },
  ],
  [
    "bad-pattern-refused",
    "",
    async (world) => {
      if (!world.subject.reads.includes("pattern")) return;
      await fill(world);
      const query = queryOf(world.subject, [deployment], "(");
      await throwsCode(() => world.search({ query }), ["invalid-regex", "invalid-argument"], "a broken pattern");
    },
  ],
];
