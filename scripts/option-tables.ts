/**
 * Writes the tables of options in docs/ between `<!-- options: name -->` and `<!-- end -->`; a test holds the pages to the tables of the source.
 *
 *     npm run options
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ingestOptions } from "../src/ingest/ingest-options.ts";
import { askOptions } from "../src/knowledge-base/asking/ask-options.ts";
import { verifyOptions } from "../src/knowledge-base/asking/verify-options.ts";
import { nodeOptions } from "../src/knowledge-base/open/open-knowledge-base.ts";
import { configOptions } from "../src/server/config-options.ts";
import { flagOf, manualTable } from "../src/runtime/describe-options.ts";
import type { OptionTable } from "../src/runtime/plan-options.ts";
import { listOptions } from "../src/search/list-options.ts";
import { searchOptions } from "../src/search/search-options.ts";
import { commandUsage } from "./command-usage.ts";

const root = join(import.meta.dirname, "..");

/** Options that a question adds to those of a search. */
const onlyAsk = Object.fromEntries(Object.entries(askOptions).filter(([name]) => !Object.hasOwn(searchOptions, name)));

/** Pages with tables. */
export const pages: readonly string[] = [
  "docs/library.md",
  "docs/library/ask.md",
  "docs/library/ingest.md",
  "docs/library/search.md",
  "docs/library/verify.md",
  "docs/command-line.md",
  "docs/server.md",
  "docs/configuration.md",
];

const tables: Readonly<Record<string, () => string>> = {
  commands: commandUsage,
  open: () => manualTable(nodeOptions),
  search: () => manualTable(searchOptions),
  ask: () => manualTable(onlyAsk),
  verify: () => manualTable(verifyOptions),
  ingest: () => manualTable(ingestOptions),
  serve: () => manualTable({ serve: configOptions["serve"]! }),
  mcp: () => manualTable({ mcp: configOptions["mcp"]! }),
  "list fields": () => fieldTable(listOptions),
  "list flags": () => flagTable(listOptions),
  "search flags": () => flagTable(searchOptions),
  "ask flags": () => flagTable(onlyAsk),
  "verify flags": () => flagTable(verifyOptions),
  "ingest flags": () => flagTable(ingestOptions),
  "search fields": () => fieldTable(searchOptions),
  "ingest fields": () => fieldTable(ingestOptions),
  "ask fields": () => fieldTable(onlyAsk),
  "verify fields": () => fieldTable(verifyOptions),
};

function flagTable(table: OptionTable): string {
  const rows = Object.entries(table).flatMap(([name, rule]): readonly string[] => {
    if (!rule.for.includes("cli")) return [];
    if (rule.kind.type === "group") return flagTable(rule.kind.options).split("\n").slice(2);
    const { expects, env, shorthands = [] } = rule.spelling ?? {};
    const more = [expects, env && `also from \`${env}\` in the environment`].filter((part) => part !== undefined);
    const said = [rule.doc, ...more.map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}.`)].join(" ");
    const flags = [{ flag: flagOf(name, rule), doc: said }, ...shorthands];
    return flags.map(({ flag, doc }) => `| \`${flag}\` | ${doc.replaceAll("|", "\\|")} |`);
  });
  return ["| flag | meaning |", "|---|---|", ...rows].join("\n");
}

function fieldTable(table: OptionTable): string {
  const rows = Object.entries(table)
    .filter(([, rule]) => rule.for.includes("http"))
    .map(([name, rule]) => {
      const { max } = rule.bounds?.http ?? {};
      return `| \`${name}\` | ${rule.doc.replaceAll("|", "\\|")}${max === undefined ? "" : ` At most ${max}.`} |`;
    });
  return ["| field | meaning |", "|---|---|", ...rows].join("\n");
}

/** The text of a page with its tables made anew. Texts of options link as pages of `docs/` do. */
export function fillTables(page: string, text: string): string {
  const linkFrom = (table: string): string =>
    table.replaceAll(/\]\(([\w/-]+\.md)/gu, (_, to: string) => `](${relative(dirname(page), join("docs", to))}`);
  return text.replaceAll(/<!-- options: ([\w ]+) -->\n[^]*?<!-- end -->/gu, (_, name: string) => {
    const made = tables[name];
    if (made === undefined) throw new Error(`There is no table ${name}.`);
    return `<!-- options: ${name} -->\n\n${linkFrom(made())}\n\n<!-- end -->`;
  });
}

if (import.meta.main) {
  for (const page of pages) {
    const path = join(root, page);
    writeFileSync(path, fillTables(page, readFileSync(path, "utf8")));
  }
}
