// Results as Markdown.
import type { Section, Table } from "./bench.ts";
import type { Machine } from "./machine.ts";
import { warmUp } from "./measure.ts";

export function renderReport(
  sections: ReadonlyMap<string, Section>,
  machine: Machine,
  command: string,
  commandFor: (work: string) => string,
): string {
  const versions = Object.entries(machine.versions).map(([name, version]) => `\`${name} ${version}\``);
  return [
    "# Measured beside the others",
    `Made by \`${command}\` (install with \`npm run build && npm --prefix bench/peers ci\`; \`apt-get install python3-faiss python3-numpy\`), ${machine.date}.`,
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB; ${machine.system}; Node ${machine.node}. Versions: ${versions.join(", ")}.`,
    `Times are medians of turns in one run on one shared machine; their ratios mean more than they do. Each contestant first answers ${warmUp.count} queries, or queries for ${warmUp.budgetMs / 1000} seconds, that are not counted. “Processor” is the time of all threads, of indexing and of a query (the mean).`,
    ...[...sections].flatMap(([name, section]) =>
      renderSection(section, name === "growth" ? command : commandFor(name)),
    ),
    "",
  ].join("\n\n");
}

function renderSection({ title, about, tables, bars }: Section, command: string): string[] {
  return [
    `## ${title}`,
    `${about} \`${command}\``,
    ...tables.flatMap((table) => [`### ${table.title}`, renderTable(table)]),
    ...(bars.length === 0
      ? []
      : [
          renderTable({
            title: "",
            columns: ["bar", "wanted", "measured", ""],
            rows: bars.map(({ what, wanted, measured, met }) => [what, wanted, measured, met ? "met" : "**missed**"]),
          }),
        ]),
  ];
}

function renderTable({ columns, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(columns), line(columns.map((_, i) => (i === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}
