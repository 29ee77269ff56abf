/**
 * Retrievers around the built-in one: hits widened to their section, neighbours made one, copies left out. The text of a hit is the document's own words all the same.
 *
 *     npm run build && npx node examples/retrieval/around-a-search.ts
 */
import { openKnowledgeBase } from "ibid";
import { createSentenceChunker } from "ibid/chunkers";
import { dropDuplicates, expandHits } from "ibid/search";
import { check } from "../check.ts";

const handbook = `# Rotation

Signing keys are rotated every ninety days.

The old key is revoked before the new one is made.

# Tea

Tea is served at four.
`;

const kb = await openKnowledgeBase({
  // So small that a chunk says little by itself.
  chunker: createSentenceChunker({ sentences: 1, overlap: 0 }),
  search: {
    // Read from the inside out: what is found, as its section, sections that meet as one, each text once.
    retriever: (base, { documents }) => dropDuplicates(expandHits(base, { documents, zoomOut: 1 })),
  },
});
await kb.ingest([
  { uri: "handbook.md", text: handbook, mediaType: "text/markdown" },
  { uri: "mirror/handbook.md", text: handbook, mediaType: "text/markdown" },
]);

const hits = await kb.search("revoke the old key", { explain: true });
const [hit] = hits;
const rotation = handbook.slice(0, handbook.indexOf("# Tea"));
check("each thing once, though it is there twice", new Set(hits.map(({ text }) => text)).size, hits.length);
check("shown with what stands around it", hit?.text, rotation);
check("in the document's own words", handbook.slice(hit?.source.start, hit?.source.end) === hit?.text, true);

const answer = await kb.ask("How often are signing keys rotated?");
const [citation] = answer.citations;
check(
  "cited where it stands",
  handbook.slice(citation?.start, citation?.end),
  "Signing keys are rotated every ninety days.\n\nThe old key is revoked before the new one is made.",
);
await kb.close();
