import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { createSectionChunker, createTransformer } from "ibid/chunkers";
import {
  alwaysRefresh,
  neverRefreshExisting,
  openUrlSource,
  refreshAfter,
  refreshMatching,
  type RefreshPolicy,
} from "ibid/ingest";
import { composeDocument, type Reader } from "ibid/readers";
import { withEndpoint } from "../endpoint.ts";
import { all, bytes, equal, holds, matches, refuses, uris, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";
import { readTree } from "./tree.ts";

/** What became of each text, by its uri, under a policy. */
async function ingest(
  kb: Awaited<ReturnType<typeof openKnowledgeBase>>,
  texts: Readonly<Record<string, string>>,
  refresh: RefreshPolicy,
) {
  const statuses: Record<string, string> = {};
  const inputs = Object.entries(texts).map(([uri, text]) => ({ uri, text }));
  for await (const { uri, status } of kb.ingest(inputs, { refresh })) statuses[uri] = status;
  return statuses;
}

export const ingestion = [
  prove(
    "E14",
    "from an address, a file, a stream and a folder, through reader, chunker and transformer, to what is kept with its vectors",
    () =>
      withEndpoint(
        () => ({
          headers: { "content-type": "text/html" },
          body: "<h1>Kite</h1><p>The kite circles above the field.</p>",
        }),
        async (url) => {
          const folder = mkdtempSync(join(tmpdir(), "ibid-embabel-"));
          mkdirSync(join(folder, "deep"));
          writeFileSync(join(folder, "file.md"), "# File\n\nThe heron waits.");
          writeFileSync(join(folder, "deep", "folder.md"), "# Folder\n\nThe otter swims.");
          const steps: string[] = [];
          const sections = createSectionChunker();
          const kb = await openKnowledgeBase({
            chunker: {
              fingerprint: sections.fingerprint,
              chunk: (document) => (steps.push(`chunk ${document.title}`), sections.chunk(document)),
            },
            transformers: [
              createTransformer({
                name: "mark",
                metadata: () => ({ seen: true }),
                text: ({ text }) => (steps.push("transform"), text),
              }),
            ],
            models: {
              embedding: {
                provider: "own",
                model: "x",
                kind: "dense",
                dimensions: 2,
                embed: async (inputs) => (steps.push("embed"), { embeddings: inputs.map(() => [1, 0]) }),
              },
            },
          });
          const stream = async function* () {
            yield {
              uri: "stream.md",
              bytes: (async function* () {
                yield bytes("# Stream\n\n");
                yield bytes("The wren sings.");
              })(),
            };
          };
          for (const input of [
            openUrlSource([`${url}/kite.html`], { allowAddress: () => true }),
            join(folder, "file.md"),
            stream(),
            join(folder, "deep"),
          ])
            equal((await kb.ingest(input)).added, 1);
          equal(steps.slice(0, 3), ["chunk Kite", "transform", "embed"]);
          for (const words of ["kite circles", "heron waits", "wren sings", "otter swims"]) {
            const [hit] = await kb.search(words, { mode: "lexical", includeEmbeddings: true });
            equal([hit?.metadata["seen"], Array.from(hit?.embedding as number[])], [true, [1, 0]]);
          }
          await kb.close();
          rmSync(folder, { recursive: true });
        },
      ),
  ),
  prove("E16", "policies for when to read again: always, never, after a time, by the address", async () => {
    let now = Date.parse("2026-05-01");
    await withTexts(
      { "a/live": "One.", "a/done": "One." },
      async (kb) => {
        const next = (text: string, refresh: RefreshPolicy, uri = "a/live") =>
          ingest(kb, { [uri]: text }, refresh).then((all) => all[uri]);
        equal(await next("Two.", neverRefreshExisting), "unchanged");
        equal(await next("New.", neverRefreshExisting, "a/new"), "added");
        equal(await next("Two.", alwaysRefresh), "updated");
        now += 1000;
        equal(await next("Three.", refreshAfter(1000)), "unchanged");
        now += 1;
        equal(await next("Three.", refreshAfter(1000)), "updated");
        equal(await next("Four.", refreshAfter(0)), "updated");
        const live = refreshMatching("/live", "/draft");
        equal([await next("Five.", live), await next("Five.", live, "a/done")], ["updated", "unchanged"]);
        equal(
          [await next("Six.", refreshMatching(/done$/u)), await next("Six.", refreshMatching(/done$/u), "a/done")],
          ["unchanged", "updated"],
        );
        equal([(await kb.document("a/live"))?.text, (await kb.document("a/done"))?.text], ["Five.", "Six."]);
      },
      { operations: { now: () => now } },
    );
  }),
  prove(
    "E16",
    "a new version is deleted into place only after it was read and accepted; errors of reading are told",
    () =>
      withTexts({ a: "Something to say." }, async (kb) => {
        const careful: RefreshPolicy = {
          shouldReread: () => true,
          shouldRefreshDocument: ({ text }) => text.length > 5,
        };
        equal(await ingest(kb, { a: "404" }, careful), { a: "unchanged" });
        equal((await kb.document("a"))?.text, "Something to say.");
        const { failures } = await kb.ingest(
          { uri: "a", bytes: bytes("%PDF-broken"), mediaType: "application/pdf" },
          { refresh: careful },
        );
        equal(
          failures.map(({ error }) => error.code),
          ["unreadable"],
        );
        equal(await ingest(kb, { a: "Something else." }, careful), { a: "updated" });
      }),
  ),
  prove(
    "E17",
    "chunks come as they are asked for, 1,500 characters and 200 shared, at sentences; sizes are checked",
    async () => {
      const sentence = "The heron waits in the reeds until the fish come near. ";
      const document = await readTree("long.md", `# Long\n\n${sentence.repeat(400)}`);
      let measured = 0;
      const counted = (text: string): number => {
        measured += text.length;
        return text.length;
      };
      const lazy = createSectionChunker({ length: counted });
      const [first] = lazy.chunk(document);
      const forOne = measured;
      holds(first !== undefined && forOne > 0);
      const chunks = [...createSectionChunker().chunk(document)];
      holds([...lazy.chunk(document)].length === chunks.length && measured > forOne * 4, `${forOne} of ${measured}`);
      const longest = Math.max(...chunks.map(({ text }) => text.length));
      holds(longest <= 1500 && longest > 1500 - sentence.length, `${longest}`);
      for (const [i, { start, urtext }] of chunks.entries()) {
        const shared = i === 0 ? 0 : chunks[i - 1]!.end - start;
        holds(shared <= 200 && (i === 0 || shared > 200 - 2 * sentence.length), `${shared}`);
        if (i > 0) holds(urtext.startsWith("The heron"));
        matches(urtext.trimEnd(), /near\.$/u);
      }
      for (const sizes of [{ maxSize: 100 }, { maxSize: 0 }, { overlap: -1 }, { maxSize: 200, overlap: 200 }])
        await refuses("invalid-argument", () => createSectionChunker(sizes));
      const words = [...createSectionChunker({ maxSize: 100, overlap: 20, respectSentences: false }).chunk(document)];
      holds(words.some(({ urtext }) => !urtext.trimEnd().endsWith("near.")));
      const [section] = document.root.children;
      equal([...createSectionChunker().chunkSection(document, section!)].length, chunks.length);
    },
  ),
  prove("E37", "a reader of one's own: subtitles", async () => {
    const subtitles: Reader = {
      name: "subtitles/1",
      accepts: (mediaType) => mediaType === "application/x-subrip",
      async read({ uri, bytes: file }) {
        const document = composeDocument();
        for (const caption of new TextDecoder().decode(file).split("\n\n")) {
          const [, time = "", ...spoken] = caption.trim().split("\n");
          document.heading(`At ${time.slice(0, 8)}`, 1);
          document.write(spoken.join("\n"));
        }
        return { ...document.finish(uri), title: uri, metadata: { film: true } };
      },
    };
    const kb = await openKnowledgeBase({ readers: [subtitles] });
    const film =
      "1\n00:00:01,000 --> 00:00:04,000\nThe heron waits.\n\n2\n00:01:07,500 --> 00:01:09,000\nThe otter swims.\n";
    await kb.ingest({ uri: "film.srt", bytes: bytes(film), mediaType: "application/x-subrip" });
    equal(
      (await kb.outline("film.srt"))?.sections.slice(1).map(({ title }) => title),
      ["At 00:00:01", "At 00:01:07"],
    );
    const [hit] = await kb.search("otter", { filter: { film: true } });
    matches(hit?.text, /The otter swims\./u);
    equal((await kb.document("film.srt"))?.text.slice(hit!.source.start, hit!.source.end), hit?.text);
    await kb.close();
  }),
  prove("E38", "a refresh policy of one's own: archived pages are never read again", () =>
    withTexts({ "archive/1999": "The mill burned down.", today: "The mill opens." }, async (kb) => {
      const archived: RefreshPolicy = {
        shouldReread: (uri, kept) => kept === undefined || !uri.startsWith("archive/"),
      };
      equal(await ingest(kb, { "archive/1999": "Rewritten.", today: "The mill opened." }, archived), {
        "archive/1999": "unchanged",
        today: "updated",
      });
      equal((await kb.document("archive/1999"))?.text, "The mill burned down.");
    }),
  ),
  prove("E39", "a transformer of one's own: metadata first, then the text, then its mark", () =>
    withTexts(
      { "hr/leave": "PTO is requested in the portal.", "it/login": "SSO is set up." },
      async (kb) => {
        const hits = await kb.search("paid time off", { mode: "lexical", filter: { audience: "hr" } });
        equal(uris(hits), ["hr/leave"]);
        equal([hits[0]?.text, hits[0]?.metadata["transform_spell-out"]], ["PTO is requested in the portal.", true]);
        const [stored] = await all(kb.chunks({ uri: "hr/leave" }));
        matches(stored?.chunk.text, /for hr: paid time off/u);
      },
      {
        transformers: [
          createTransformer({
            name: "spell-out",
            metadata: ({ uri }) => ({ audience: uri.split("/")[0]! }),
            text: ({ text, metadata }) =>
              `${text}\nfor ${metadata["audience"] as string}: ${text.includes("PTO") ? "paid time off" : "single sign-on"}`,
          }),
        ],
      },
    ),
  ),
];
