import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import type { ListOrder } from "../../src/contracts/knowledge-base.ts";

/** Four documents, whose orders by uri, time, size and title all differ. */
async function openShelf() {
  const kb = await openKnowledgeBase({ reading: { worker: false } });
  onTestFinished(() => kb.close());
  const documents: [uri: string, title: string, words: number][] = [
    ["c.md", "Beech", 3],
    ["a.md", "Dogwood", 1],
    ["d.md", "Alder", 4],
    ["b.md", "Cedar", 2],
  ];
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const [index, [uri, title, words]] of documents.entries()) {
    vi.setSystemTime(Date.UTC(2026, 4, index + 1));
    await kb.ingest({ uri, title, text: "leaf ".repeat(words), mediaType: "text/plain" });
  }
  return kb;
}

const orders: Readonly<Record<ListOrder, string>> = {
  uri: "a b c d",
  newest: "b d a c",
  oldest: "c a d b",
  largest: "d c b a",
  title: "d c b a",
};

describe("a list of documents in an order", () => {
  it.each(Object.entries(orders))("by %s is whole, and its pages make up the whole [20]", async (sort, expected) => {
    const kb = await openShelf();
    const list = async (options: object): Promise<{ uri: string; scope: "deployment" }[]> => {
      const found = [];
      for await (const { uri, scope } of kb.list({ sort: sort as ListOrder, ...options })) found.push({ uri, scope });
      return found as { uri: string; scope: "deployment" }[];
    };
    const uris = expected.split(" ").map((name) => `${name}.md`);
    expect((await list({})).map(({ uri }) => uri)).toEqual(uris);
    const first = await list({ limit: 3 });
    const rest = await list({ limit: 3, after: first.at(-1) });
    expect([...first, ...rest].map(({ uri }) => uri)).toEqual(uris);
    expect((await list({ since: "2026-05-03" })).map(({ uri }) => uri)).toEqual(
      uris.filter((uri) => uri === "d.md" || uri === "b.md"),
    );
  });

  it("has pages of any size that make up the whole, also where documents are equal in the order", async () => {
    const kb = await openKnowledgeBase({ reading: { worker: false } });
    onTestFinished(() => kb.close());
    for (const scope of ["deployment", "user:ada"] as const)
      await kb.ingest(
        Array.from({ length: 20 }, (_, n) => ({
          uri: `${(n * 7) % 20}.txt`,
          text: "leaf ".repeat(1 + (n % 3)),
          title: n % 2 === 0 ? "Beech" : "beech",
        })),
        { scope },
      );
    for (const sort of Object.keys(orders) as ListOrder[]) {
      const list = async (options: object): Promise<{ uri: string; scope: "deployment" }[]> => {
        const found = [];
        for await (const { uri, scope } of kb.list({ sort, ...options })) found.push({ uri, scope });
        return found as { uri: string; scope: "deployment" }[];
      };
      const whole = await list({});
      expect(new Set(whole.map(({ uri, scope }) => `${scope} ${uri}`)).size).toBe(40);
      for (const limit of [1, 3, 7, 40, 41]) {
        const pages = [];
        for (let page = await list({ limit }); page.length > 0; page = await list({ limit, after: page.at(-1) }))
          pages.push(...page);
        expect(pages).toEqual(whole);
      }
    }
  });

  it("refuses an unknown order, a limit of 0, a wrong date, and a place that is gone", async () => {
    const kb = await openShelf();
    const list = async (options: object): Promise<void> => {
      for await (const _ of kb.list(options)) continue;
    };
    await expect(list({ sort: "size" })).rejects.toThrow("sort");
    await expect(list({ limit: 0 })).rejects.toThrow("limit");
    await expect(list({ since: "yesterday" })).rejects.toThrow("since");
    await expect(list({ order: "uri" })).rejects.toThrow("order");
    await expect(list({ sort: "newest", after: { uri: "x.md", scope: "deployment" } })).rejects.toThrow("after");
    const elsewhere = { sort: "newest", under: "a", after: { uri: "b.md", scope: "deployment" } };
    await expect(list(elsewhere)).rejects.toThrow("after");
  });
});
