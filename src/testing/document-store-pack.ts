import type { Store } from "../contracts/store.ts";
import type { TextDocument } from "../contracts/document.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { check, collect, equal, scribble, throughJson, throwsCode } from "./assert.ts";
import { defineCases } from "./contract-case.ts";
import type { ContractCase } from "./contract-case.ts";
import { documentListingCases } from "./document-listing-cases.ts";
import { documentSliceCases } from "./document-slice-cases.ts";
import { documentSwapCases } from "./document-swap-cases.ts";
import { idsIn, withStore } from "./store-case.ts";
import type { StoreCase } from "./store-case.ts";
import {
  counts,
  deployment,
  documentEntryOf,
  documentOf,
  forgedProofs,
  from,
  into,
  north,
  south,
  wordsOf,
  writeChunks,
} from "./store-fixtures.ts";
import type { StoreSubject } from "./store-fixtures.ts";
import { checkSubject } from "./check-subject.ts";

/** Contract of every {@link Store} beside the chunk store's pack: whole documents kept exactly, swapped at once, found by uri, gone when deleted. */
export function createDocumentStorePack(subject: StoreSubject): readonly ContractCase[] {
  checkSubject("createDocumentStorePack", subject);
  return defineCases(
    "document-store",
    withStore(subject, [...keeping, ...documentSliceCases, ...documentListingCases, ...documentSwapCases]),
  );
}

async function urisIn(store: Store, ...scopes: readonly Scope[]): Promise<string> {
  const listed = await collect(store.documents(from(...scopes)));
  return listed.map(({ scope, uri }) => `${uri}@${scope}`).join(" ");
}

const keeping: readonly StoreCase[] = [
  [
    "starts-empty",
    "E20 E21",
    async (store) => {
      equal(await urisIn(store, deployment), "", "documents of an empty store");
      equal(await store.find(from(deployment), "a.md"), [], "documents of an unknown uri");
      equal(await store.document(from(deployment), "unknown"), undefined, "an unknown document");
    },
  ],
  [
    "keeps-documents-exactly",
    "W31 B3 B4 B5 B6 E2 E3 E8 E13 L1",
    async (store) => {
      const text = "# One 👩‍🚀\n\nFirst e\u0301.\n\n## Two\n\nשלום a\u0000b\n\n### Four\n\nlast \u2028 line";
      const document: TextDocument = documentOf("dir/ä b.md", text, {
        title: "Título",
        metadata: {
          mimeType: "text/markdown",
          fileSize: 3,
          deep: { list: [1, null, "x"] },
          flag: false,
          __proto__x: 1,
        },
        origin: "narrative",
        language: "he",
        sourceMap: { lines: "anchors", anchors: [{ start: 0, line: 3 }], pages: [{ number: 2, start: 0 }] },
      });
      equal(throughJson(document), document, "a document after a round trip through JSON");
      const entry = documentEntryOf(document, [{ text: "First e\u0301." }, { text: "שלום a\u0000b" }], {
        contentHash: "ab".repeat(32),
        fingerprint: "pipeline 1",
        folder: "dir",
      });
      const before = Date.now();
      equal(
        await counts(store.replace(into(north), entry)),
        { added: 2, kept: 0, removed: 0 },
        "result of the first write",
      );
      const stored = await store.document(from(north), document.id);
      equal(stored?.document, document, "the document as it comes back");
      check(stored !== undefined, "the document is there");
      // A store that keeps folders may say where a document lies in its own.
      const { ingestedAt, checkedAt, rootLabel = "dir", path = "ä b.md", ...summary } = stored.summary;
      equal([rootLabel, path], ["dir", "ä b.md"], "its place below the folder");
      equal(
        summary,
        {
          scope: north,
          id: document.id,
          uri: document.uri,
          title: "Título",
          mediaType: "text/markdown",
          chunks: 2,
          bytes: entry.bytes,
          contentHash: entry.contentHash,
          metadataHash: entry.metadataHash,
          fingerprint: "pipeline 1",
          folder: "dir",
        },
        "its summary",
      );
      check(new Date(ingestedAt).toISOString() === ingestedAt, "ingestedAt is ISO 8601", ingestedAt);
      equal(checkedAt, ingestedAt, "checkedAt");
      check(Math.abs(Date.parse(ingestedAt) - before) < 60_000, "ingestedAt is about now", ingestedAt);
      equal((await store.find(from(north), document.uri))[0], stored, "the same by its uri");
      equal(await collect(store.documents(from(north))), [stored.summary], "the same in the list");
    },
  ],
  [
    "blocks-are-not-stored",
    "E18",
    async (store) => {
      const document = documentOf("a.md", "words", { blocks: [{ kind: "paragraph", start: 0, end: 5 }] });
      await store.replace(into(deployment), documentEntryOf(document, [{ text: "words" }]));
      const stored = await store.document(from(deployment), document.id);
      check(stored !== undefined && stored.document.blocks === undefined, "blocks came back", stored?.document);
    },
  ],
  [
    "long-and-empty-texts",
    "L1",
    async (store) => {
      const long = documentOf("long.txt", "0123456789 é👍\n".repeat(40_000));
      await store.replace(into(deployment), documentEntryOf(long, [{ text: "0123456789" }]));
      const stored = await store.document(from(deployment), long.id);
      check(stored?.document.text === long.text, "a long text came back otherwise");
      const blank = documentOf("blank.txt", " \n");
      equal(
        await counts(store.replace(into(deployment), documentEntryOf(blank, []))),
        { added: 0, kept: 0, removed: 0 },
        "no chunks",
      );
      equal(
        (await store.document(from(deployment), blank.id))?.summary.chunks,
        0,
        "chunks of a document without words",
      );
    },
  ],
  [
    "found-by-uri-in-each-scope",
    "E20 E21 T8",
    async (store) => {
      for (const scope of [south, deployment, north]) {
        const document = documentOf("same.md", `text of ${scope}`, { id: `in ${scope}` });
        await store.replace(into(scope), documentEntryOf(document, [{ text: `text of ${scope}` }]));
      }
      const found = await store.find(from(south, north, deployment), "same.md");
      equal(
        found.map(({ summary }) => summary.scope),
        [deployment, north, south],
        "scopes that hold the uri, in order",
      );
      equal(
        (await store.find(from(north), "same.md")).map(({ document }) => document.text),
        [`text of ${north}`],
        "one scope's",
      );
      equal(await store.find(from(north), "Same.md"), [], "a uri in other letters");
    },
  ],
  [
    "identity-is-scope-and-id",
    "T26 L3",
    async (store) => {
      const [here, there] = [documentOf("a.md", "northern"), documentOf("a.md", "southern")];
      await store.replace(into(north), documentEntryOf(here, [{ text: "northern" }]));
      await store.replace(into(south), documentEntryOf(there, [{ text: "southern" }]));
      equal((await store.document(from(north), here.id))?.document.text, "northern", "the northern text");
      equal((await store.document(from(south), here.id))?.document.text, "southern", "the southern text");
      await store.delete(into(south), { documentIds: [here.id] });
      equal((await store.document(from(north, south), here.id))?.document.text, "northern", "what is left");
    },
  ],
  [
    "the-unreadable-does-not-exist",
    "T25 T26 L3",
    async (store) => {
      const document = documentOf("secret.md", "northern");
      await store.replace(into(north), documentEntryOf(document, [{ text: "northern" }]));
      for (const proof of [from(south), from(deployment), from()]) {
        equal(await store.document(proof, document.id), undefined, "the document, by its id");
        equal(await store.find(proof, "secret.md"), [], "the document, by its uri");
        equal(await collect(store.documents(proof)), [], "the documents");
      }
      for (const [i, fake] of forgedProofs("read").entries()) {
        const proof = fake as AuthorizedScopes;
        await throwsCode(() => store.document(proof, document.id), "access-denied", `document with forged proof ${i}`);
        await throwsCode(() => store.find(proof, "secret.md"), "access-denied", `find with forged proof ${i}`);
        await throwsCode(() => collect(store.documents(proof)), "access-denied", `documents with forged proof ${i}`);
      }
      for (const [i, fake] of forgedProofs("write").entries()) {
        const proof = fake as AuthorizedScopes<"write">;
        const entry = documentEntryOf(document, []);
        await throwsCode(() => store.replace(proof, entry), "access-denied", `replace with forged proof ${i}`);
        const touch = (): Promise<void> => store.touch(proof, document.id, { folder: null });
        await throwsCode(touch, "access-denied", `touch with forged proof ${i}`);
      }
    },
  ],
  [
    "deleted-with-all-its-chunks",
    "E20 T13 T15 L8",
    async (store) => {
      for (const name of ["a", "b", "c"]) {
        const pieces = [`first of ${name}`, `second of ${name}`].map((text) => ({ text }));
        const document = documentOf(`${name}.md`, pieces.map(({ text }) => text).join("\n\n"));
        await store.replace(into(deployment), documentEntryOf(document, pieces));
      }
      equal(
        (await store.delete(into(deployment), { documentIds: ["id-of-a.md"] })).chunks,
        2,
        "chunks of a deleted document",
      );
      equal(await urisIn(store, deployment), `b.md@${deployment} c.md@${deployment}`, "documents left");
      equal(await store.document(from(deployment), "id-of-a.md"), undefined, "the deleted document, by its id");
      equal(await store.find(from(deployment), "a.md"), [], "the deleted document, by its uri");
      check(!(await idsIn(store, deployment)).includes("of a"), "a chunk of the deleted document is still there");
      if (store.capabilities.trash) {
        equal(
          await store.trash!.restore(into(deployment), { documentIds: ["id-of-a.md"] }),
          2,
          "chunks that came back",
        );
        equal((await store.find(from(deployment), "a.md")).length, 1, "the document that came back");
      }
      await store.delete(into(deployment), { documentIds: ["id-of-b.md"] }, { purge: true });
      equal(await store.find(from(deployment), "b.md"), [], "a purged document");
      await store.delete(into(deployment), { scope: true });
      equal(await urisIn(store, deployment), "", "documents after a reset");
    },
  ],
  [
    "touch-writes-the-mark-alone",
    "E16 L7",
    async (store) => {
      const document = documentOf("a.md", "words");
      await store.replace(into(deployment), documentEntryOf(document, [{ text: "words" }]));
      const look = async () => await store.document(from(deployment), document.id);
      const before = await look();
      equal(before?.summary.checkedAt, before?.summary.ingestedAt, "when it was last looked at");
      await store.touch(into(deployment), document.id, { folder: "docs" });
      const after = await look();
      equal(after?.document, before?.document, "the document after a touch");
      equal(after?.summary, { ...before?.summary, folder: "docs" }, "its summary");
      const checkedAt = "2999-01-01T00:00:00.000Z";
      const validators = { etag: '"v2"', lastModified: "Sat, 21 Nov 2026 10:00:00 GMT" };
      await store.touch(into(deployment), document.id, { checkedAt, validators });
      equal((await look())?.summary, { ...after?.summary, checkedAt, validators }, "its summary with all marks");
      equal((await store.find(from(deployment), "a.md"))[0]?.summary.checkedAt, checkedAt, "the same by its uri");
      equal((await collect(store.documents(from(deployment))))[0]?.validators, validators, "the same in a list");
      await store.touch(into(deployment), document.id, { folder: null });
      equal((await look())?.summary, { ...after?.summary, folder: null, checkedAt, validators }, "without a folder");
      await store.touch(into(deployment), document.id, { fingerprint: "another" });
      equal((await look())?.summary.fingerprint, "another", "the fingerprint that was noted");
      const entry = { ...documentEntryOf(document, [{ text: "words" }]), validators: { etag: '"v3"' } };
      await store.replace(into(deployment), entry);
      const swapped = (await look())?.summary;
      equal(swapped?.validators, { etag: '"v3"' }, "validators that came with a swap");
      equal(swapped?.checkedAt, swapped?.ingestedAt, "when it was last looked at, after a swap");
    },
  ],
  [
    "documents-not-aliased",
    "B27",
    async (store) => {
      const list = [1];
      const document = documentOf("a.md", "# T\n\nwords", { metadata: { list } });
      await store.replace(into(deployment), documentEntryOf(document, [{ text: "words" }]));
      list.push(2);
      const first = await store.document(from(deployment), document.id);
      equal(first?.document.metadata, { list: [1] }, "metadata after the caller changed theirs");
      scribble(first);
      const second = await store.document(from(deployment), document.id);
      equal(second?.document.metadata, { list: [1] }, "metadata after a reader changed theirs");
      equal(second?.document.root.children[0]?.title, "T", "a section after a reader changed theirs");
    },
  ],
  [
    "a-chunk-is-no-document",
    "B35 W5",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "text", { documentId: "d" })]);
      equal(await store.document(from(deployment), "a"), undefined, "a document with the id of a chunk");
      equal((await store.document(from(deployment), "d"))?.document.text, "text", "the text of the chunk's document");
    },
  ],
];
