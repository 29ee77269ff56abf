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
    "lists-and-counts-what-is-asked-for",
    "E21 20",
    async (store) => {
      const types = ["text/markdown", "TEXT/plain", "image/png", "application/pdf"];
      for (let i = 0; i < 16; i++) {
        const uri = `${["", "a/", "a/b/", "c/"][i % 4]}${i}${["", ".md", ".PDF"][i % 3]}`;
        const document = documentOf(uri, "text", { mediaType: types[(i >> 1) % 4]! });
        await store.replace(into(i % 5 === 0 ? south : north), documentEntryOf(document, [{ text: "text" }]));
        const now = Date.now();
        for (let turn = i % 4 === 3 ? 0 : 50; turn < 50 && Date.now() === now; turn++)
          await new Promise((resolve) => setTimeout(resolve, 1));
      }
      const [gone] = await store.find(from(north), "c/3");
      await store.delete(into(north), { documentIds: [gone!.document.id] });
      const all = await collect(store.documents(from(south, north)));
      equal(all.length, 15, "live documents");
      const middle = all.toSorted((one, other) => (one.ingestedAt < other.ingestedAt ? -1 : 1))[7]!.ingestedAt;
      const given = [
        {},
        { mediaType: "text/plain" },
        { mediaType: "text/" },
        { mediaType: "Image/PNG" },
        { mediaType: "audio/" },
        { since: middle },
        { before: middle },
        { mediaType: "text/", since: middle, before: "9999-12-31T00:00:00.000Z" },
      ];
      for (const options of given) {
        const { mediaType = "", since = "", before = "\uffff" } = options as Readonly<Record<string, string>>;
        const isOfType = (own: string): boolean =>
          mediaType.endsWith("/") || mediaType === ""
            ? own.toLowerCase().startsWith(mediaType)
            : own.toLowerCase() === mediaType.toLowerCase();
        const wanted = all.filter(
          (one) => isOfType(one.mediaType) && one.ingestedAt >= since && one.ingestedAt < before,
        );
        const name = JSON.stringify(options);
        for (const order of [undefined, "newest", "largest", "title"] as const) {
          const list = (more: object) =>
            collect(store.documents(from(south, north), { ...options, ...(order && { order }), ...more }));
          const whole = await list({});
          equal(whole.map(({ id }) => id).toSorted(), wanted.map(({ id }) => id).toSorted(), `${name} by ${order}`);
          const under = await list({ under: "a/", limit: 2 });
          equal(under, whole.filter(({ uri }) => uri.startsWith("a/")).slice(0, 2), `a part of ${name} by ${order}`);
          const rest = await list({ limit: 3, ...(whole[1] && { after: whole[1] }) });
          equal(rest, whole.slice(whole[1] === undefined ? 0 : 2).slice(0, 3), `a page of ${name} by ${order}`);
        }
        const counts = new Map<string, number>();
        for (const { scope, uri, mediaType: type } of wanted) {
          const [, base = "", ending = ""] = /^(.*\/)?[^/.]*\.?([^/]*)$/u.exec(uri) ?? [];
          const key = JSON.stringify([scope, base, base, type, ending.toLowerCase()]);
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
        const counted = await store.folders(from(south, north), options);
        const found = new Map(
          counted.map((one) => [
            JSON.stringify([one.scope, one.uri, one.path, one.mediaType, one.ending]),
            one.documents,
          ]),
        );
        equal(found.size, counted.length, `rows for one folder of ${name}`);
        for (const [key, count] of counts) equal(found.get(key), count, `folder ${key} of ${name}`);
        equal(found.size, counts.size, `folders of ${name}`);
      }
      equal(
        (await store.folders(from(south))).map(({ scope }) => scope === south).includes(false),
        false,
        "other scopes",
      );
      await throwsCode(() => store.folders(from(south), { under: "a" } as never), "invalid-argument", "an option");
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
