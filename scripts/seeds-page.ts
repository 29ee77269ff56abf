/**
 * Runs test/designs over the packed package, and holds docs/seeds.md to the result. Each item of the five designs works, works by an option, or is open.
 *
 *     npm run seeds                 packs, installs, runs; fails when a proof fails, or when page and run disagree
 *     npm run seeds -- --update     writes the page from the run
 *     npm run seeds -- --project <folder>     runs over a project in which the package is installed already
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Behaviour } from "../test/designs/behaviours.ts";
import { type Requirement, requirements } from "../test/requirements.ts";
import { packAndInstall, runProofs } from "./packed.ts";
import { root } from "./subpaths.ts";

/** Whose items begin with which letter. */
const designs = [
  ["B", "Ballerina: abstractions for retrieval-augmented generation"],
  ["T", "ToolUp.RAG"],
  ["W", "Wesichain: retrieval and embeddings"],
  ["E", "Embabel Agent RAG"],
  ["S", "Semantic Kernel: RAG in SK"],
] as const;
const page = join(root, "docs", "seeds.md");
const unproven = "No proof over the packed package yet.";

/** Finds the files of test/designs that prove each item. **Shape** paths from the project's folder. */
export function findProofs(
  groups: Readonly<Record<string, readonly { readonly item: string }[]>>,
): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, Set<string>>();
  for (const [name, group] of Object.entries(groups))
    for (const { item } of group) files.set(item, (files.get(item) ?? new Set()).add(`test/designs/${name}.ts`));
  return new Map([...files].map(([item, names]) => [item, [...names]]));
}

/** The page, from a list of items and the files that prove them. */
export function makePage(
  proofs: ReadonlyMap<string, readonly string[]>,
  behaviours: readonly Behaviour[],
  list: readonly Requirement[] = requirements,
): string {
  const items = list.filter(({ id }) => !id.startsWith("L")).map((item) => ({ ...item, state: stateOf(item, proofs) }));
  const count = (some: typeof items, state: string): number => some.filter((item) => item.state === state).length;
  const counts = (some: typeof items): string =>
    `Works: ${count(some, "works")}. Settled with an option: ${count(some, "settled")}. Open: ${count(some, "open")}.`;
  const open = items.filter(({ state }) => state === "open").map(({ id }) => id);
  const lines = [
    "# The five designs, item by item",
    "",
    "ibid is what five published designs describe, in one framework. Here is everything that they ask for. An item works when a test does what it says over the packed package, through public names only, and sees its effect. An item is settled where ibid decides otherwise and an option gives the design's own way. Everything else is open. Their own examples, written with ibid, are in [examples](../examples/README.md#the-five-designs-side-by-side); our own laws are in [principles](principles.md#laws).",
    "",
    `Items: ${items.length}. ${counts(items)}`,
    "",
    countBehaviours(behaviours),
    "",
    "`npm run seeds` makes this page. It runs [test/designs](../test/designs), and fails when the page and the run disagree.",
    ...(open.length === 0 ? [] : ["", `The open items: ${open.join(", ")}.`]),
  ];
  for (const [letter, title] of designs) {
    const own = items.filter((each) => each.id.startsWith(letter));
    lines.push(
      "",
      `## ${title}`,
      "",
      `Items: ${own.length}. ${counts(own)}`,
      "",
      "| item | what it asks for | state | proof, or what is missing |",
      "|---|---|---|---|",
    );
    lines.push(
      ...own.map(
        (each) =>
          `| ${each.id} | ${inCell(each.says)} | ${each.state} | ${inCell(proofOf(each, proofs.get(each.id) ?? []))} |`,
      ),
    );
  }
  lines.push(
    "",
    "## Behaviours of the five projects' own suites",
    "",
    `Cases in which ibid differs or differed from a project's own tests. Each was run over the packed package: by default, and by the option. ${countBehaviours(behaviours)}`,
    "",
    "| case | whose | its result | by default | the way to it, or the reason |",
    "|---|---|---|---|---|",
    ...behaviours.map(
      ({ item, design, title, way }) =>
        `| ${item.slice(1)} | ${design} | ${inCell(title)} | ${way === "same" ? "the same" : "another"} | ${inCell(wayOf(way))} |`,
    ),
  );
  return `${lines.join("\n")}\n`;
}

function countBehaviours(behaviours: readonly Behaviour[]): string {
  const count = (is: (way: Behaviour["way"]) => boolean): number => behaviours.filter(({ way }) => is(way)).length;
  const byOption = count((way) => way !== "same" && "option" in way);
  const byReason = count((way) => way !== "same" && "reason" in way);
  return `Behaviours: ${behaviours.length}. The same by default: ${count((way) => way === "same")}. By an option: ${byOption}. Another, with a reason: ${byReason}.`;
}

const wayOf = (way: Behaviour["way"]): string => (way === "same" ? "" : "option" in way ? way.option : way.reason);

function stateOf(item: Requirement, proofs: ReadonlyMap<string, unknown>): "works" | "settled" | "open" {
  if (item.status === "open" || !proofs.has(item.id)) return "open";
  return item.option === undefined ? "works" : "settled";
}

function proofOf(item: Requirement, files: readonly string[]): string {
  const links = files.map((path) => `[${path.slice("test/designs/".length)}](../${path})`).join(", ");
  if (item.status === "open") return links === "" ? item.why : `${item.why} In part: ${links}.`;
  if (files.length === 0) return unproven;
  return item.option === undefined ? links : `${item.option} ${links}`;
}

const inCell = (text: string): string => text.replaceAll("|", "\\|");

/**
 * Runs the proofs over an installed package and compares with the page. **Errors** a proof that fails, a proof that did not run, a page that says something else.
 *
 * **Shape** the counts, as the page has them.
 */
export async function checkPage(project: string, update = false): Promise<string> {
  // The proofs import the package by its name: they are there once it is built.
  const [{ proofs: declared }, { behaviours }] = await Promise.all([
    import("../test/designs/proofs.ts"),
    import("../test/designs/behaviours.ts"),
  ]);
  const outcomes = runProofs(project);
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const expected = Object.values(declared).flat().length + behaviours.length;
  if (failed.length > 0 || outcomes.length !== expected) {
    const messages = failed.map(({ item, title, failure }) => `✗ ${item} ${title}\n${failure}`);
    throw new Error(
      `${messages.join("\n")}\n${failed.length} of ${outcomes.length} proofs failed; ${expected} were declared.`,
    );
  }
  const made = makePage(findProofs(declared), behaviours);
  if (update) writeFileSync(page, made);
  else if (readFileSync(page, "utf8") !== made)
    throw new Error("docs/seeds.md is not what the run says: npm run seeds -- --update");
  const counts = /^Items: .*$/mu.exec(made)?.[0] ?? "";
  return `${counts} ${countBehaviours(behaviours)} ${outcomes.length} proofs in ${Math.max(...outcomes.map(({ ms }) => ms))} ms at most each, beside one another`;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { update: { type: "boolean" }, project: { type: "string" } } });
  const work = mkdtempSync(join(tmpdir(), "ibid-designs-"));
  try {
    const project = values.project ?? join(work, "project");
    if (values.project === undefined) packAndInstall(work, project);
    console.log(await checkPage(project, values.update));
    console.log(/^The open items: .*/mu.exec(readFileSync(page, "utf8"))?.[0] ?? "Nothing is open.");
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
