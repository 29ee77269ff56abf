/**
 * A transformer of one's own: writes out what abbreviations mean before a chunk is searched, and marks who it is for. The chunk's own words stay as they are, so
 * that citations are exact.
 *
 *     npm run build && npx node examples/extending/transformer.ts
 */
import { openKnowledgeBase } from "ibid";
import { createTransformer } from "ibid/chunkers";
import { check } from "../check.ts";

const meanings: Readonly<Record<string, string>> = { SSO: "single sign-on", PTO: "paid time off" };

const spellOut = createTransformer({
  name: "spell-out",
  text: (chunk) => {
    const used = Object.entries(meanings).filter(([short]) => new RegExp(`\\b${short}\\b`, "u").test(chunk.urtext));
    return [chunk.text, ...used.map(([short, meaning]) => `${short}: ${meaning}`)].join("\n");
  },
  metadata: (chunk) => ({ audience: chunk.uri.startsWith("hr/") ? "everybody" : "engineers" }),
});

const kb = await openKnowledgeBase({ transformers: [spellOut] });
await kb.ingest([
  { uri: "hr/leave", text: "PTO is requested in the portal." },
  { uri: "it/login", text: "SSO is set up by the administrators." },
]);

const [hit] = await kb.search("paid time off", { mode: "lexical", filter: { audience: "everybody" } });
check("found by what it means", hit?.source.uri, "hr/leave");
check("cited as it was written", hit?.text, "PTO is requested in the portal.");
check("marked", hit?.metadata["transform_spell-out"], true);
await kb.close();
