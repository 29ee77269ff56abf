import { systemAuthority } from "../access/gate.ts";
import type { DocumentOrder, DocumentSummary } from "../contracts/document-store.ts";
import type { Scope } from "../contracts/scope.ts";
import { check, collect, equal, throwsCode } from "./assert.ts";
import type { StoreCase } from "./store-case.ts";
import { documentEntryOf, documentOf, from, into, north, south } from "./store-fixtures.ts";

/** Contract of every {@link Store} about its lists. */
export const documentListingCases: readonly StoreCase[] = [
  [
    "lists-by-uri-then-scope-while-others-write",
    "E21 B31",
    async (store) => {
      const uri = (i: number): string => `d${String(i).padStart(3, "0")}.md`;
      const write = (scope: Scope, i: number): Promise<unknown> =>
        store.replace(into(scope), documentEntryOf(documentOf(uri(i), `text ${i}`), [{ text: `text ${i}` }]));
      for (let i = 0; i < 40; i++) for (const scope of [south, north]) await write(scope, i * 2);
      const seen: string[] = [];
      for await (const summary of store.documents(from(south, north))) {
        if (seen.length % 20 === 0) await write(north, seen.length + 1);
        seen.push(`${summary.uri}@${summary.scope}`);
      }
      equal(seen, seen.toSorted(), "order");
      equal(seen.length, new Set(seen).size, "documents listed twice");
      for (let i = 0; i < 40; i++) check(seen.includes(`${uri(i * 2)}@${south}`), `${uri(i * 2)} was not listed`);
    },
  ],
  [
    "lists-in-every-order",
    "E21 20",
    async (store) => {
      const titles = ["Beech", "alder", "Cedar", "beech"];
      for (let i = 0; i < 12; i++) {
        const document = documentOf(`${(i * 5) % 12}.md`, "text", { title: titles[i % 4]! });
        const entry = documentEntryOf(document, [{ text: "text" }]);
        await store.replace(into(i % 3 === 0 ? south : north), { ...entry, bytes: 1 + (i % 5) });
        // Several documents of one time, and of several times; a clock that stands still gives one.
        const now = Date.now();
        for (let turn = i % 4 === 3 ? 0 : 50; turn < 50 && Date.now() === now; turn++)
          await new Promise((resolve) => setTimeout(resolve, 1));
      }
      const all = await collect(store.documents(from(south, north)));
      const facts: Readonly<Record<string, (one: DocumentSummary) => number | string>> = {
        newest: ({ ingestedAt }) => -Date.parse(ingestedAt),
        oldest: ({ ingestedAt }) => Date.parse(ingestedAt),
        largest: ({ bytes }) => -bytes,
        title: ({ title }) => title.toLowerCase(),
      };
      for (const [order, fact] of Object.entries(facts)) {
        const wanted = all.toSorted((one, other) => (fact(one) < fact(other) ? -1 : fact(one) > fact(other) ? 1 : 0));
        const list = (more: object) =>
          collect(store.documents(from(south, north), { order: order as DocumentOrder, ...more }));
        equal(await list({}), wanted, `the list by ${order}`);
        const paged: DocumentSummary[] = [];
        for (let page = await list({ limit: 5 }); page.length > 0; page = await list({ limit: 5, after: page.at(-1) }))
          paged.push(...page);
        equal(paged, wanted, `its pages by ${order}`);
        const under = await list({ under: "1", limit: 3 });
        equal(under, wanted.filter(({ uri }) => uri.startsWith("1")).slice(0, 3), `part of it by ${order}`);
      }
      const wrong = [{ order: "smallest" }, { order: "largest", after: { uri: "a", scope: south } }];
      for (const options of wrong)
        await throwsCode(() => collect(store.documents(from(south), options as never)), "invalid-argument", "an order");
    },
  ],
  [
    "a-document-without-text-is-in-its-scope",
    "E21 S25",
    async (store) => {
      const authority = systemAuthority();
      await store.replace(into(south), documentEntryOf(documentOf("empty.md", ""), []));
      equal(await store.scopes(authority), [south], "scopes");
      const [found] = await store.find(from(south), "empty.md");
      await store.delete(into(south), { documentIds: [found!.document.id] });
      equal(await store.scopes(authority), [], "scopes once it is deleted");
    },
  ],
  [
    "lists-what-begins-alike",
    "E21 S25",
    async (store) => {
      for (const uri of ["a", "a/", "a/é", "a/\u{10000}", "a/\uffff", "a0", "b/a/"])
        for (const scope of [south, north])
          await store.replace(into(scope), documentEntryOf(documentOf(uri, "text"), [{ text: "text" }]));
      const under = async (prefix: string): Promise<string> => {
        const listed = await collect(store.documents(from(south, north), { under: prefix }));
        return [...new Set(listed.map(({ uri }) => uri))].toSorted().join(" ") + ` ${listed.length}`;
      };
      equal(await under("a/"), ["a/", "a/é", "a/\u{10000}", "a/\uffff"].toSorted().join(" ") + " 8", "under a/");
      equal(await under("b"), "b/a/ 2", "under b");
      equal(await under("c"), " 0", "under nothing");
      await throwsCode(
        () => collect(store.documents(from(south), { below: "a" } as never)),
        "invalid-argument",
        "below",
      );
    },
  ],
];
