/**
 * Writes docs/seeds.md: what the five designs ask for, where it lives, which tests prove it, or why it is not there yet.
 *
 *     npm run seeds
 *
 * The words are those of test/requirements.ts, the proofs are the citations of the tests; a test holds the page to what this makes.
 */
import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { findCitations } from "../test/citations.ts";
import { type Requirement, requirements } from "../test/requirements.ts";

/** Whose items begin with which letter. */
const designs = [
  ["B", "Ballerina: abstractions for retrieval-augmented generation"],
  ["T", "ToolUp.RAG"],
  ["W", "Wesichain: retrieval and embeddings"],
  ["E", "Embabel Agent RAG"],
  ["S", "Semantic Kernel: RAG in SK"],
  ["L", "The laws of the house"],
] as const;
const mostProofs = 3;

/** The page, from a list and its proofs. */
export function makePage(
  list: readonly Requirement[] = requirements,
  proofs: ReadonlyMap<string, readonly string[]> = findCitations(),
): string {
  const later = list.filter(({ status }) => status === "later").length;
  const lines = [
    "# The five designs, item by item",
    "",
    "ibid is what five published designs describe, in one framework. Here is everything that they ask for, and our own laws: where it lives, and which tests prove it. Their own examples, written with ibid, are in [examples](../examples/README.md#the-five-designs-side-by-side).",
    "",
    `${list.length} items; ${list.length - later} are there, ${later} are not yet, each with its reason. Of many proofs those are named that cite the item most. Made by \`npm run seeds\` from [test/requirements.ts](../test/requirements.ts) and the titles of the tests; tests hold it to both.`,
  ];
  for (const [letter, title] of designs) {
    const items = list.filter((each) => each.id.startsWith(letter));
    const there = items.filter(({ status }) => status === "brought").length;
    lines.push(
      "",
      `## ${title}`,
      "",
      `${there} of ${items.length}.`,
      "",
      "| item | what it asks for | where it lives | proven by |",
      "|---|---|---|---|",
    );
    lines.push(
      ...items.map((each) => `| ${each.id} | ${inCell(each.says)} | ${placeOf(each, proofs.get(each.id) ?? [])} |`),
    );
  }
  return `${lines.join("\n")}\n`;
}

/** How many more is not said: a page that counts them would be stale with every test that is written. */
function placeOf(item: Requirement, proofs: readonly string[]): string {
  if (item.status === "later") return `not yet | ${inCell(item.why)}`;
  const named = proofs.slice(0, mostProofs).map((path) => link(path, basename(path)));
  return `${link(item.lives, item.lives)} | ${named.join(", ")}${proofs.length > mostProofs ? " and more" : ""}`;
}

const link = (path: string, text: string): string => `[${text}](../${path})`;
const inCell = (text: string): string => text.replaceAll("|", "\\|");

if (import.meta.main) writeFileSync(new URL("../docs/seeds.md", import.meta.url), makePage());
