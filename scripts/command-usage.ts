// The commands with their flags, from the command line itself: one line each, for docs/command-line.md and the site.
import { createProgram } from "../src/cli/program.ts";
import type { Context } from "../src/cli/open.ts";
import { askOptions } from "../src/knowledge-base/asking/ask-options.ts";
import { ingestOptions } from "../src/ingest/ingest-options.ts";
import { flagOf } from "../src/runtime/describe-options.ts";
import type { OptionTable } from "../src/runtime/plan-options.ts";
import { searchOptions } from "../src/search/search-options.ts";

export type Command = ReturnType<typeof createProgram>;

/** The command line, which prints nothing and runs nothing. */
export function describedProgram(): Command {
  const stream = { write: () => true, columns: 100 } as unknown as Context["stdout"];
  const context = { stdout: stream, stderr: stream, output: { json: false }, signal: new AbortController().signal };
  return createProgram(context as unknown as Context, () => {});
}

/** Flags that stand in a table of the page, by the words that stand for them. */
const groups: readonly (readonly [string, ReadonlySet<string>])[] = [
  ["flags of a search", flagsOf(searchOptions)],
  [
    "flags of a question",
    flagsOf(Object.fromEntries(Object.entries(askOptions).filter(([name]) => !Object.hasOwn(searchOptions, name)))),
  ],
  ["flags of an ingestion", flagsOf(ingestOptions)],
];

function flagsOf(table: OptionTable): ReadonlySet<string> {
  const flags = Object.entries(table).flatMap(([name, rule]): readonly string[] => {
    if (!rule.for.includes("cli")) return [];
    if (rule.kind.type === "group") return [...flagsOf(rule.kind.options)];
    return [flagOf(name, rule), ...(rule.spelling?.shorthands ?? []).map(({ flag }) => flag)];
  });
  return new Set(flags.map(nameOf));
}

/** `--top-k` of `-k, --top-k <n>`. */
function nameOf(flags: string): string {
  return /--[\w-]+/u.exec(flags)?.[0] ?? flags;
}

/** Every command that does something, with its arguments and flags. **Shape** a fence of plain text. */
export function commandUsage(): string {
  const program = describedProgram();
  const lines: string[] = [];
  const walk = (command: Command, path: string): void => {
    for (const each of command.commands) {
      if (each.name() === "help") continue;
      const name = `${path} ${each.name()}`;
      const isGroup = each.registeredArguments.length === 0 && flagsIn(each).length === 0;
      if (each.commands.length === 0 || !isGroup) lines.push(lineOf(each, name));
      walk(each, name);
    }
  };
  walk(program, "ibid");
  return ["```text", ...lines, lineOf(program, "every command:"), "```"].join("\n");
}

function flagsIn(command: Command): readonly string[] {
  return command.options.filter(({ hidden, long }) => !hidden && long !== "--help").map((option) => option.flags);
}

function lineOf(command: Command, name: string): string {
  const given = command.registeredArguments.map((argument) => {
    const called = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${called}>` : `[${called}]`;
  });
  let flags = flagsIn(command);
  const words: string[] = [];
  for (const [said, group] of groups) {
    const own = flags.filter((flag) => group.has(nameOf(flag)));
    if (own.length < group.size) continue;
    words.push(`[${said}]`);
    flags = flags.filter((flag) => !group.has(nameOf(flag)));
  }
  return [name, ...given, ...flags.map((flag) => `[${flag}]`), ...words].join(" ");
}
