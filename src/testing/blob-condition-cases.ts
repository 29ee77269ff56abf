import type { BlobStore } from "../contracts/blob-store.ts";
import { check, equal, throwsCode } from "./assert.ts";
import type { CaseDefinition } from "./contract-case.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textIn = async (store: BlobStore, key: string): Promise<string | undefined> => {
  const found = await store.get(key);
  return found && new TextDecoder().decode(found.bytes);
};

/** Writes on a condition, one after the other and at once. */
export function blobConditionCases(subject: { create(): Promise<BlobStore> | BlobStore }): readonly CaseDefinition[] {
  return [
    [
      "creates-only-where-nothing-is",
      "T2",
      async () => {
        const store = await subject.create();
        equal((await store.put("a", bytesOf("1"), { ifNoneMatch: "*" })).status, "written", "the first");
        equal(await store.put("a", bytesOf("2"), { ifNoneMatch: "*" }), { status: "conflict" }, "the second");
        equal(await textIn(store, "a"), "1", "what is there then");
        await store.delete("a");
        equal((await store.put("a", bytesOf("3"), { ifNoneMatch: "*" })).status, "written", "after a delete");
      },
    ],
    [
      "replaces-only-the-version-it-knows",
      "T2",
      async () => {
        const store = await subject.create();
        const first = await store.put("a", bytesOf("1"));
        const ifMatch = first.etag ?? "";
        const other = await store.put("b", bytesOf("other"));
        equal(await store.put("a", bytesOf("x"), { ifMatch: other.etag ?? "" }), { status: "conflict" }, "another's");
        equal((await store.put("a", bytesOf("2"), { ifMatch })).status, "written", "the version that is there");
        equal(await store.put("a", bytesOf("3"), { ifMatch }), { status: "conflict" }, "the version before");
        equal(await textIn(store, "a"), "2", "what is there then");
        equal(await store.put("none", bytesOf("x"), { ifMatch }), { status: "conflict" }, "where nothing is");
        equal(await store.head("none"), undefined, "what a conflict left where nothing was");
        const ifHead = (await store.head("a"))?.etag ?? "";
        equal(
          (await store.put("a", bytesOf("4"), { ifMatch: ifHead })).status,
          "written",
          "the version that head gave",
        );
        await store.delete("a");
        equal(await store.put("a", bytesOf("5"), { ifMatch: ifHead }), { status: "conflict" }, "after a delete");
      },
    ],
    [
      "refuses-conditions-that-are-none",
      "T2",
      async () => {
        const store = await subject.create();
        const { etag = "" } = await store.put("a", bytesOf("1"));
        const wrong: readonly object[] = [
          { ifNoneMatch: "*", ifMatch: etag },
          { ifNoneMatch: etag },
          { ifMatch: "" },
          { ifMatch: 'a"\r\nx-amz-acl: public-read' },
          { ifMatch: null },
        ];
        for (const options of wrong)
          await throwsCode(() => store.put("a", bytesOf("2"), options), "invalid-argument", JSON.stringify(options));
        equal(await textIn(store, "a"), "1", "what is there then");
      },
    ],
    [
      "one-of-many-creates",
      "T2",
      async () => {
        const store = await subject.create();
        const results = await Promise.all(
          Array.from({ length: 8 }, async (_, i) => {
            const put = await store.put("a", bytesOf(`writer ${i}`), { ifNoneMatch: "*" });
            return put.status === "written" ? [`writer ${i}`] : [];
          }),
        );
        const winners = results.flat();
        equal(winners.length, 1, "how many of eight created it");
        equal(await textIn(store, "a"), winners[0], "whose it is");
      },
    ],
    [
      "counts-every-step-of-many",
      "T2",
      async () => {
        const store = await subject.create();
        await store.put("count", bytesOf("0"));
        const step = async (): Promise<void> => {
          for (let tries = 0; tries < 1000; tries++) {
            const found = await store.get("count");
            check(found !== undefined, "what is counted is there");
            const next = String(Number(new TextDecoder().decode(found.bytes)) + 1);
            const put = await store.put("count", bytesOf(next), { ifMatch: found.etag });
            if (put.status === "written") return;
          }
          check(false, "a writer that goes on trying has its turn");
        };
        await Promise.all(
          Array.from({ length: 4 }, async () => {
            for (let i = 0; i < 3; i++) await step();
          }),
        );
        equal(await textIn(store, "count"), "12", "the count after four writers of three steps each");
      },
    ],
  ];
}
