import fc from "fast-check";
import { expect, it } from "vitest";
import type { Filter, FilterValue } from "../../src/contracts/filter.ts";
import type { Metadata } from "../../src/contracts/metadata.ts";
import { compileFilter } from "../../src/filters/compile-filter.ts";
import { judge } from "../../src/indexes/columnar-filter.ts";
import { createFactsColumn } from "../../src/indexes/facts-column.ts";

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
