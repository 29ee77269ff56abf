import { describe, expect, it } from "vitest";
import type { Scope } from "../../src/contracts/scope.ts";
import { compareCodePoints } from "../../src/runtime/compare-text.ts";
import { compareInOrder, isBehind } from "../../src/stores/compose/document-order.ts";
import { listDocuments, listInOrder, type Look } from "../../src/stores/segments/list-rows.ts";
import {
  keptOrders,
  type KeptOrder,
  type Narrowing,
  type RowPlace,
} from "../../src/stores/segments/segment-directory.ts";

/** Rows of two scopes that count what is read of them. */
function openRows(count: number) {
  const scopes: readonly Scope[] = ["deployment", "team:acme"];
  const rows = scopes.map((_, scope) =>
    Array.from({ length: count }, (__, at) => ({
      scope,
      id: `${scope}-${at}`,
      uri: `docs/${String(at).padStart(6, "0")}.md`,
      folder: null,
      etag: null,
      lastModified: null,
      checkedAt: null,
      ingestedAt: new Date(Date.UTC(2026, 4, 1) + ((at * 7919) % count) * 1000).toISOString(),
      bytes: (at * 104_729) % 1000,
      title: "",
    })),
  );
  const read = { rows: 0 };
  const reader = {
    scope: (scope: Scope) => ({ key: scopes.indexOf(scope) }),
    liveChunksOf: () => 1,
    documentsAfter(key: number, uri: string, id: string | undefined, limit: number, { under = "" }: Narrowing = {}) {
      const found = rows[key]!.filter((row) => {
        if (!row.uri.startsWith(under)) return false;
        const order = compareCodePoints(row.uri, uri);
        return order > 0 || (order === 0 && id !== undefined && compareCodePoints(row.id, id) > 0);
      }).slice(0, limit);
      read.rows += found.length;
      return found;
    },
    documentsInOrder(
      key: number,
      order: KeptOrder,
      place: RowPlace | undefined,
      limit: number,
      { under = "" }: Narrowing = {},
    ) {
      const found = rows[key]!.filter((row) => place === undefined || isBehind(order, row, place))
        .filter(({ uri }) => uri.startsWith(under))
        .sort(compareInOrder(order))
        .slice(0, limit);
      read.rows += found.length;
      return found;
    },
  };
  const look = (async (work: (rows: typeof reader) => unknown) => work(reader)) as unknown as Look;
  return { look, scopes, read };
}

describe("a page of a list of documents", () => {
  it("reads no row outside of a prefix [26]", async () => {
    const { look, scopes, read } = openRows(5000);
    const page = [];
    for await (const one of listDocuments(look, scopes, { under: "docs/00012" })) page.push(one);
    expect([page.length, read.rows]).toEqual([10 * scopes.length, 10 * scopes.length]);
  });

  it("costs its own rows in each scope, the last page as much as the first [20]", async () => {
    const { look, scopes, read } = openRows(5000);
    const costs: number[] = [];
    const seen: string[] = [];
    let after: { readonly uri: string; readonly scope: Scope } | undefined;
    for (;;) {
      read.rows = 0;
      const page = [];
      for await (const one of listDocuments(look, scopes, { limit: 100, ...(after && { after }) })) page.push(one);
      costs.push(read.rows);
      if (page.length === 0) break;
      seen.push(...page.map(({ uri, scope }) => `${uri} ${scope}`));
      after = page.at(-1);
    }
    // A hundred of each of two scopes; the page after the last one has none.
    expect([costs.length, Math.max(...costs), costs.at(-1)]).toEqual([101, 200, 0]);
    expect(seen.length).toBe(10_000);
    expect(seen).toEqual([...new Set(seen)].toSorted(compareCodePoints));
  });

  it.each(keptOrders)("costs its own rows by %s too, and the pages make up the whole [20]", async (order) => {
    const { look, scopes, read } = openRows(500);
    const list = async (options: object) => {
      const found = [];
      for await (const one of listInOrder(look, scopes, order, options)) found.push(one);
      return found;
    };
    const whole = await list({});
    expect(whole).toHaveLength(1000);
    expect(whole).toEqual(whole.toSorted(compareInOrder(order)));
    const [seen, costs]: [typeof whole, number[]] = [[], []];
    for (let after: (typeof whole)[number] | undefined; ; after = seen.at(-1)) {
      read.rows = 0;
      const page = await list({ limit: 50, ...(after && { after }) });
      costs.push(read.rows);
      seen.push(...page);
      if (page.length === 0) break;
    }
    expect(seen).toEqual(whole);
    expect([costs.length, Math.max(...costs), costs.at(-1)]).toEqual([21, 100, 0]);
    const under = whole.filter(({ uri }) => uri.startsWith("docs/0001")).slice(0, 30);
    read.rows = 0;
    expect(await list({ under: "docs/0001", limit: 30 })).toEqual(under);
    expect(read.rows).toBe(60);
  });

  it("begins after a place where nothing stands, within a prefix", async () => {
    const { look, scopes } = openRows(20);
    const list = async (options: object): Promise<readonly string[]> => {
      const found = [];
      for await (const { uri, scope } of listDocuments(look, scopes, options)) found.push(`${uri} ${scope}`);
      return found;
    };
    expect(await list({ limit: 2, after: { uri: "docs/000003.mdx", scope: "team:zebra" } })).toEqual([
      "docs/000004.md deployment",
      "docs/000004.md team:acme",
    ]);
    const deployment = { uri: "docs/000003.md", scope: "deployment" };
    expect(await list({ limit: 1, after: deployment })).toEqual(["docs/000003.md team:acme"]);
    expect(await list({ under: "docs/00001", limit: 1, after: { uri: "a", scope: "deployment" } })).toEqual([
      "docs/000010.md deployment",
    ]);
    expect(await list({ under: "docs/00000", after: { uri: "docs/00001", scope: "deployment" } })).toEqual([]);
  });
});
