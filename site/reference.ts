import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Command, describedProgram } from "../scripts/command-usage.ts";
import { subpaths } from "../scripts/subpaths.ts";
import { schemaOfConfig } from "../src/cli/config.ts";
import { openKnowledgeBase } from "../src/index.node.ts";
import { providers } from "../src/models/hosted/providers.ts";
import { configOptions } from "../src/server/config-options.ts";
import { startService } from "../src/server/index.node.ts";
import type { Generated } from "./prepare.ts";

const section = "Reference from the code";

/** A part of a JSON Schema, as far as a table shows it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
    >
  >;
}

/** Every page that is made from the code: names by subpath, commands, configuration, HTTP, MCP, providers. */
export async function makeReference(folder: string): Promise<Generated> {
  const pages = new Map<string, { section: string; text: string }>();
  const add = (name: string, text: string): void => void pages.set(`docs/reference/${name}.md`, { section, text });
  add("commands", commandPage());
  add("configuration-schema", configurationPage());
  add("models-by-name", providerPage());
  const service = await describeService();
  add("http", httpPage(service.openapi));
  add("mcp", mcpPage(service.tools, service.prompts));
  for (const [path, text] of namePages(folder)) pages.set(path, { section: "Names by subpath", text });
  return pages;
}

function commandPage(): string {
  const program = describedProgram();
  const parts = [
    "# Commands and flags",
    "",
    "Made from the command line of this version. [The command line](../command-line.md) explains inputs, JSON shapes and exit codes.",
    "",
    "## Flags of every command",
    "",
    flagTable(program),
  ];
  const walk = (command: Command, path: string): void => {
    for (const each of command.commands) {
      const name = `${path} ${each.name()}`;
      parts.push("", `## ${name}`, "", each.description(), "", "```text", `${name} ${each.usage()}`, "```");
      const table = flagTable(each);
      if (table !== "") parts.push("", table);
      walk(each, name);
    }
  };
  walk(program, "ibid");
  return `${parts.join("\n")}\n`;
}

function flagTable(command: Command): string {
  const rows = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description }) => [code(flags), cell(description)]);
  const given = command.registeredArguments.map((argument) => [
    code(argument.required ? `<${argument.name()}>` : `[${argument.name()}]`),
    cell(argument.description),
  ]);
  return table(["flag or argument", "meaning"], [...given, ...rows]);
}

function configurationPage(): string {
  const schema = schemaOfConfig(configOptions) as Schema;
  const rows: string[][] = [];
  const walk = (properties: Readonly<Record<string, Schema>>, path: string): void => {
    for (const [name, each] of Object.entries(properties)) {
      if (name === "$schema") continue;
      const whole = path === "" ? name : `${path}.${name}`;
      rows.push([code(whole), cell(kindOf(each)), cell(each.description ?? "")]);
      if (each.properties) walk(each.properties, whole);
    }
  };
  walk(schema.properties ?? {}, "");
  return `# Configuration, every name

Made from the JSON Schema that \`ibid config schema\` prints. [Configuration](../configuration.md) says where a file is found and which source wins.

${table(["name", "kind", "meaning"], rows)}
`;
}

function providerPage(): string {
  const rows = Object.entries(providers).map(([name, facts]) => [
    code(`${name}/…`),
    facts.packageName === undefined ? "nothing" : code(`npm install ${facts.packageName}`),
    `${code(facts.keyVariable)}${facts.keyRequired ? "" : ", optional"}`,
    facts.addressVariable === undefined ? "" : code(facts.addressVariable),
    ["chat", facts.embeddings && "embedding", facts.reranking === true && "reranker"].filter(Boolean).join(", "),
  ]);
  return `# Models by name

Made from the table that ibid itself uses. [Models](../library/models.md) has models on this machine, and models of your own.

${table(["name", "install", "key", "address", "kinds"], rows)}
`;
}

/** The OpenAPI document of a running service. */
async function describeService(): Promise<{
  readonly openapi: OpenApi;
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly inputSchema: unknown;
  }[];
  readonly prompts: readonly { readonly name: string; readonly description?: string | undefined }[];
}> {
  const kb = await openKnowledgeBase();
  await kb.ingest({ uri: "a.md", text: "# A\n\nText." });
  const service = await startService(kb, { port: 0 });
  try {
    const openapi = (await (await fetch(`${service.url}openapi.json`)).json()) as OpenApi;
    const client = new Client({ name: "reference", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}mcp`)));
    const { tools } = await client.listTools();
    const { prompts } = await client.listPrompts();
    await client.close();
    return { openapi, tools, prompts };
  } finally {
    await service.stop();
    await kb.close();
  }
}

function httpPage(openapi: OpenApi): string {
  const parts = [
    "# HTTP, route by route",
    "",
    "Made from the OpenAPI document that a service answers at `/openapi.json`. [Over HTTP](../server.md) explains callers, limits and the log.",
  ];
  for (const [path, operations] of Object.entries(openapi.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      parts.push(
        "",
        `## ${method.toUpperCase()} ${path}`,
        "",
        cell([operation.summary, operation.description].filter(Boolean).join(" ")),
      );
      const parameters = operation.parameters ?? [];
      if (parameters.length > 0)
        parts.push(
          "",
          table(
            ["parameter", "in", "kind", "meaning"],
            parameters.map((each) => [
              code(each.name) + (each.required === true ? " *" : ""),
              each.in,
              cell(kindOf(each.schema ?? {})),
              cell(each.description ?? each.schema?.description ?? ""),
            ]),
          ),
        );
      for (const [type, { schema = {} }] of Object.entries(operation.requestBody?.content ?? {}))
        parts.push("", `Body, ${code(type)}:`, "", fieldTable(schema) || cell(kindOf(schema)));
      parts.push(
        "",
        table(
          ["status", "answer"],
          Object.entries(operation.responses).map(([status, { description, content }]) => [
            status,
            cell(
              description +
                Object.values(content ?? {})
                  .map(({ schema }) => (schema?.$ref === undefined ? "" : ` (${nameOf(schema.$ref)})`))
                  .join(""),
            ),
          ]),
        ),
      );
    }
  }
  parts.push("", "## Schemas");
  for (const [name, schema] of Object.entries(openapi.components?.schemas ?? {}))
    parts.push("", `### ${name}`, "", cell(schema.description ?? ""), "", fieldTable(schema) || cell(kindOf(schema)));
  return `${parts.join("\n")}\n`;
}

function mcpPage(
  tools: readonly { readonly name: string; readonly description?: string | undefined; readonly inputSchema: unknown }[],
  prompts: readonly { readonly name: string; readonly description?: string | undefined }[],
): string {
  const parts = [
    "# MCP, tool by tool",
    "",
    "Made from what the server itself lists. [Agents](../server.md#agents) says how a client connects.",
  ];
  for (const { name, description = "", inputSchema } of tools)
    parts.push("", `## ${name}`, "", cell(description), "", fieldTable(inputSchema as Schema));
  parts.push(
    "",
    "## Prompts",
    "",
    table(
      ["prompt", "meaning"],
      prompts.map(({ name, description = "" }) => [code(name), cell(description)]),
    ),
  );
  return `${parts.join("\n")}\n`;
}

/** Names of the package, a page for each subpath, by TypeDoc. */
function namePages(folder: string): ReadonlyMap<string, string> {
  const out = mkdtempSync(join(tmpdir(), "ibid-names-"));
  try {
    const entries = subpaths.flatMap(({ nodeSource }) => ["--entryPoints", join("..", nodeSource)]);
    execFileSync(
      process.execPath,
      [
        "node_modules/typedoc/bin/typedoc",
        "--options",
        "typedoc.json",
        "--logLevel",
        "Error",
        "--out",
        out,
        ...entries,
      ],
      { cwd: folder, stdio: "inherit" },
    );
    const written = new Map(
      subpaths.map(({ specifier, nodeSource }) => [
        nodeSource.replace(/^src\//u, "").replace(/(?:\/index)?\.ts$/u, "") + ".md",
        specifier,
      ]),
    );
    const pageOf = (specifier: string): string => `docs/api/${specifier.replaceAll("/", "-")}.md`;
    return new Map(
      Array.from(written, ([file, specifier]) => {
        const text = readFileSync(join(out, file), "utf8")
          .replace(/^# .*$/mu, `# ${specifier}`)
          .replaceAll(/\]\(([^)#\s]+\.md)(#[^)\s]*)?\)/gu, (_, target: string, hash: string = "") => {
            const whole = written.get(posix.join(posix.dirname(file), target));
            return whole === undefined
              ? "]"
              : `](${posix.basename(pageOf(whole))}${hash.replace(/(?<!^#property-.*)-\d+$/u, "")})`;
          })
          // Its places count names of other kinds too, and the site's do not.
          .replaceAll(/\]\((#(?!property-)[^)\s]*?)-\d+\)/gu, "]($1)")
          .replaceAll(/(?<=\| )\*\*`Experimental`\*\* /gu, "")
          .replaceAll("**`Experimental`**", "*Experimental*");
        return [pageOf(specifier), text] as const;
      }),
    );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function fieldTable(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, each]) => [
    code(name) + (schema.required?.includes(name) === true ? " *" : ""),
    cell(kindOf(each)),
    cell(each.description ?? ""),
  ]);
  return table(["field", "kind", "meaning"], rows);
}

/** A kind in words: `text`, `number`, `list of Hit`, `"a" or "b"`. */
function kindOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((each) => code(JSON.stringify(each))).join(" or ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(kindOf))].join(" or ");
  if (schema.type === "array") return `list of ${kindOf(schema.items ?? {})}`;
  if (schema.type === "string") return "text";
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  return typeof schema.type === "string" ? schema.type : "any value";
}

function nameOf(reference: string): string {
  return reference.split("/").at(-1) ?? reference;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  return [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}

/** Text of a cell or a line: on one line, its bars and angle brackets as themselves. */
function cell(text: string): string {
  return (
    text
      .replaceAll(/\s+/gu, " ")
      // Texts of options link as pages of `docs/` do.
      .replaceAll(/\]\((?=[\w/-]+\.md)/gu, "](../")
      .split(/(`[^`]*`)/u)
      .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;")))
      .join("")
      .replaceAll(/(?<!\\)\|/gu, "\\|")
      .trim()
  );
}
