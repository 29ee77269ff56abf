/**
 * Retrievers around the built-in one: copies left out, hits widened to their section, neighbours made one. The text of a hit is the document's own words all the same.
 *
 *     npm run build && npx node examples/retrieval/around-a-search.ts
 */
import { dropDuplicates, expandHits, mergeAdjacent, openKnowledgeBase } from "ibid";
import { check } from "../check.ts";

const handbook = `# Keys

## Rotation

Signing keys are rotated every ninety days.

The old key is revoked before the new one is made.

## Safe

Spare keys are kept in a safe.
`;

const kb = await openKnowledgeBase(undefined, {
  // Read from the inside out: what is found, each thing once, as its section, sections that meet as one.
  retriever: (base, { documents }) =>
    mergeAdjacent(expandHits(dropDuplicates(base), { documents, zoomOut: 1 }), { documents }),
});
await kb.ingest([
  { uri: "handbook.md", text: handbook, mediaType: "text/markdown" },
  { uri: "mirror/handbook.md", text: handbook, mediaType: "text/markdown" },
]);

const hits = await kb.search("revoke the old key", { topK: 1, explain: true });
const [hit] = hits;
const rotation = handbook.slice(handbook.indexOf("## Rotation"), handbook.indexOf("## Safe"));
check("found once, though it is there twice", hits.length, 1);
check("shown with what stands around it", hit?.text.includes(rotation.trim()), true);
check("in the document's own words", handbook.slice(hit?.source.start, hit?.source.end) === hit?.text, true);

const answer = await kb.ask("How often are signing keys rotated?");
const [citation] = answer.citations;
check(
  "cited where it stands",
  handbook.slice(citation?.start, citation?.end),
  "Signing keys are rotated every ninety days.",
);
await kb.close();
