/**
 * A custom refresh policy. Archived pages are never checked again, all others as usual. An empty page does not replace
 * its former version.
 *
 *     npm run build && npx node examples/extending/refresh-policy.ts
 */
import { openKnowledgeBase } from "ibid";
import { type RefreshPolicy } from "ibid/ingest";
import { check } from "../check.ts";

const careful: RefreshPolicy = {
  shouldReread: (uri, kept) => kept === undefined || !uri.includes("/archive/"),
  shouldRefreshDocument: (document) => document.text.trim().length > 10,
};

const kb = await openKnowledgeBase();
const ingest = async (texts: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
  const inputs = Object.entries(texts).map(([uri, text]) => ({ uri, text }));
  const statuses: Record<string, string> = {};
  for await (const { uri, status } of kb.ingest(inputs, { refresh: careful })) statuses[uri] = status;
  return statuses;
};

check(
  "at first",
  await ingest({
    "news/archive/1999": "The old mill burned down.",
    "news/today": "The new mill opens today.",
    "news/page": "A page with something to say.",
  }),
  { "news/archive/1999": "added", "news/today": "added", "news/page": "added" },
);
check(
  "later",
  await ingest({
    "news/archive/1999": "Rewritten by nobody who was there.",
    "news/today": "The new mill opened yesterday.",
    "news/page": "404",
  }),
  { "news/archive/1999": "unchanged", "news/today": "updated", "news/page": "unchanged" },
);
check("what is kept", (await kb.document("news/archive/1999"))?.text, "The old mill burned down.");
check("what is not replaced", (await kb.document("news/page"))?.text, "A page with something to say.");
await kb.close();
