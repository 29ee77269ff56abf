/**
 * A reader of one's own: subtitles (SubRip). Each caption becomes a paragraph, each minute a section.
 *
 *     npm run build && npx node examples/extending/reader.ts
 */
import { openKnowledgeBase } from "ibid";
import { composeDocument, type Reader } from "ibid/readers";
import { check } from "../check.ts";

const subtitleReader: Reader = {
  name: "subtitles/1",
  accepts: (mediaType) => mediaType === "application/x-subrip",
  async read({ uri, bytes }) {
    const document = composeDocument();
    let minute = "";
    for (const caption of new TextDecoder().decode(bytes).split(/\r?\n\s*\r?\n/u)) {
      const [, begin = "", spoken = ""] = /^\d+\r?\n(\d\d:\d\d):.*?\r?\n(.*)/su.exec(caption.trim()) ?? [];
      if (begin !== minute) document.heading(`Minute ${begin}`, 1);
      minute = begin;
      document.write(spoken);
    }
    return { ...document.finish(uri), title: uri, metadata: {} };
  },
};

const film = `1
00:00:01,000 --> 00:00:04,000
The heron waits in the reeds.

2
00:01:07,500 --> 00:01:09,000
It has not moved
since the morning.
`;

// The one line that registers it.
const kb = await openKnowledgeBase({ readers: [subtitleReader] });

await kb.ingest({ uri: "film.srt", bytes: new TextEncoder().encode(film), mediaType: "application/x-subrip" });
const outline = await kb.outline("film.srt");
check(
  "its sections",
  outline?.sections.map(({ title }) => title),
  ["film.srt", "Minute 00:00", "Minute 00:01"],
);

const [hit] = await kb.search("not moved since the morning");

const text = (await kb.document("film.srt"))?.text ?? "";
check("the very words", text.slice(hit?.source.start, hit?.source.end), hit?.text);
await kb.close();
