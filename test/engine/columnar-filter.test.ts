import { createRestriction } from "../../src/engine/filters/create-restriction.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Origin } from "../../src/contracts/document.ts";
import type { Filter, FilterValue } from "../../src/contracts/filter.ts";
import type { Metadata } from "../../src/contracts/metadata.ts";
import { compileFilter } from "../../src/engine/filters/compile-filter.ts";
import { admitChunks, narrow } from "../../src/engine/segments/admit-chunks.ts";
import { finishSteps } from "../../src/runtime/steps.ts";
import { judge } from "../../src/engine/segments/columnar-filter.ts";
import type { Segment } from "../../src/engine/segments/segment.ts";
import { createFactsColumn } from "../../src/engine/segments/facts-column.ts";

const key = fc.constantFrom("a", "b", "__proto__", "toString");
// Values that something careless would take for one another.
const value = fc.constantFrom<FilterValue>(
  0,
  -0,
  1,
  "1",
  "",
  "[1]",
  '{"a":1}',
  '"1',
  true,
  "true",
  false,
  null,
  "null",
  2,
);
const text = fc.constantFrom("", "1", "a", "[");
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    fc.record({ op: fc.constantFrom("eq", "ne"), key, value }),
    fc.record({ op: fc.constantFrom("gt", "gte", "lt", "lte"), key, value: fc.oneof(text, fc.constantFrom(0, 1)) }),
    fc.record({ op: fc.constantFrom("in", "nin"), key, values: fc.array(value, { maxLength: 3 }) }),
    fc.record({ op: fc.constantFrom("contains", "startsWith", "endsWith"), key, value: text }),
    fc.record({ op: fc.constant("hasElement"), key, value }),
    fc.record({ op: fc.constant("exists"), key }),
    fc.record({ op: fc.constantFrom("and", "or"), filters: fc.array(tie("filter"), { maxLength: 3 }) }),
    fc.record({ op: fc.constant("not"), filter: tie("filter") }),
  ),
}));
const metadata: fc.Arbitrary<Metadata> = fc
  .array(fc.tuple(key, fc.oneof(value, fc.array(value, { maxLength: 2 }), fc.constant({ a: 1 }))), { maxLength: 4 })
  .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries))) as Metadata);

it("flags over columns say what the filter says of each metadata, also of what came later [B21 B22 B23 W10 L4]", () => {
  fc.assert(
    fc.property(
      fc.array(metadata, { maxLength: 12 }),
      fc.array(filter, { maxLength: 4 }),
      fc.nat(12),
      (all, filters, first) => {
        const facts = createFactsColumn();
        const check = (): void => {
          const column = facts.column();
          for (const each of filters) {
            const expected = column.values.map((saying) => (compileFilter(each)(saying.metadata) ? 1 : 0));
            expect([...judge(each, column)]).toEqual(expected);
          }
        };
        all.forEach((one, i) => {
          if (i === first) check();
          facts.add({ metadata: JSON.stringify(one), origin: "user-content" });
        });
        check();
      },
    ),
    { numRuns: 400 },
  );
});

it("what may be found is what a look at every chunk admits: alive, of these origins, as the filter says [B25 L4]", () => {
  const origin = fc.constantFrom<Origin>("user-content", "narrative", "note");
  const chunk = fc.record({ metadata, origin, live: fc.boolean(), picked: fc.boolean() });
  const restriction = fc.record({
    filter: fc.option(filter, { nil: undefined }),
    origins: fc.option(fc.uniqueArray(origin), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 20 }), fc.array(restriction, { maxLength: 20 }), (chunks, asked) => {
      const facts = createFactsColumn(1);
      for (const each of chunks) facts.add({ ...each, metadata: JSON.stringify(each.metadata) });
      const live = Uint8Array.from(chunks, (each) => (each.live ? 1 : 0));
      const segment = {
        live,
        size: chunks.length,
        facts: () => facts.column(),
        readFacts: () => false,
        admitted: new Map(),
      };
      const picked = chunks.flatMap((each, i) => (each.picked ? [i] : []));
      // Asked again, it is remembered, or forgotten where many were asked for.
      for (const { filter: wanted, origins } of [...asked, ...asked]) {
        const matches = wanted === undefined ? () => true : compileFilter(wanted);
        const expected = chunks.map(
          (each) => each.live && (origins?.includes(each.origin) ?? true) && matches(each.metadata),
        );
        const admitted = finishSteps(admitChunks(segment as unknown as Segment, createRestriction(wanted, origins)));
        expect(Array.from(admitted, Boolean)).toEqual(expected);
        const few = chunks.map((each, i) => each.picked && expected[i]!);
        expect(Array.from(narrow(admitted, picked), Boolean)).toEqual(few);
      }
    }),
  );
});
