import { type Command, InvalidArgumentError, Option } from "commander";
import type { Entities, NamedEntityData, NewEntity, RelationshipDirection } from "../contracts/entity.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Scope } from "../contracts/scope.ts";
import type { CollectionReader } from "../integrations/tools/read-collection.ts";
import { examples } from "./help-text.ts";
import { type CommonOptions, type Context, withKnowledgeBase } from "./open.ts";
import { readScope } from "./read-option.ts";
import { readText } from "./read-text.ts";
import { count, neutralise } from "./text-layout.ts";

interface EntityOptions extends CommonOptions {
  readonly filterable?: readonly string[];
  readonly scope?: Scope;
}

async function withEntities<Result>(
  options: EntityOptions,
  name: string,
  writes: boolean,
  use: (entities: Entities) => Promise<Result>,
): Promise<Result> {
  const how = writes ? ({ embeds: "documents", create: true } as const) : ({ embeds: "queries" } as const);
  const { openEntities } = await import("../knowledge-base/entities/open-entities.ts");
  return withKnowledgeBase(options, how, async (kb) =>
    use(openEntities(kb, name, options.filterable === undefined ? {} : { filterable: options.filterable })),
  );
}

type Given = EntityOptions & { readonly limit: number; readonly label?: string };

const at = ({ scope }: EntityOptions): { readonly scope?: Scope } => (scope === undefined ? {} : { scope });

async function show(
  { output }: Context,
  entities: readonly NamedEntityData[],
  { scores, limit }: { readonly scores?: readonly number[]; readonly limit?: number } = {},
): Promise<number> {
  if (output.json) {
    await output.object({
      entities: entities.map((entity, i) => ({ ...entity, ...(scores && { score: scores[i] }) })),
    });
    return 0;
  }
  for (const [i, { id, name, description, labels, properties }] of entities.entries()) {
    const kinds = labels.filter((label) => !label.startsWith("__")).map(neutralise);
    const score = scores === undefined ? [] : [scores[i]!.toFixed(2)];
    await output.line([...score, output.style.bold(neutralise(id)), neutralise(name), ...kinds].join("  "));
    if (description !== "") await output.line(`  ${neutralise(description)}`);
    for (const [key, value] of Object.entries(properties))
      await output.line(
        `  ${neutralise(key)}: ${neutralise(typeof value === "string" ? value : JSON.stringify(value))}`,
      );
  }
  await output.line(
    output.style.dim((entities.length === 1 ? "1 entity" : `${entities.length} entities`) + hintMore(entities, limit)),
  );
  return 0;
}

/** A list that is as long as its limit may go on. */
function hintMore({ length }: readonly unknown[], limit?: number): string {
  return length === limit ? `, and there may be more: --limit ${10 * limit}` : "";
}

async function take<Item>(items: AsyncIterable<Item>, most: number): Promise<readonly Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length === most) break;
  }
  return taken;
}

/** Entities of a file: a JSON list, or one JSON object on each line. `-` is standard input. */
async function readEntities(path: string): Promise<readonly NewEntity[]> {
  const text = await (path === "-" ? readStandardInput() : readText(path));
  try {
    const list = text.trimStart().startsWith("[")
      ? (JSON.parse(text) as readonly NewEntity[])
      : text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line) as NewEntity]));
    return list;
  } catch (error) {
    throw new IbidError("invalid-argument", `${path} is no list of entities: ${(error as Error).message}.`, {
      hint: 'Write a JSON list, or one JSON object a line: {"id": "ada", "name": "Ada", "labels": ["Employee"]}.',
      cause: error,
    });
  }
}

async function readStandardInput(): Promise<string> {
  let text = "";
  for await (const piece of process.stdin.setEncoding("utf8")) text += String(piece);
  return text;
}

const readLimit = (text: string): number => {
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 1) throw new InvalidArgumentError("Give a whole number from 1.");
  return limit;
};

/** `ibid entities` with its commands and their help. */
export function addEntitiesCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const command = program
    .command("entities")
    .summary("list, search, add, relate and delete entities")
    .description(
      "List, search, show, add, relate and delete entities: people, things and places, by the name of their collection.",
    )
    .addHelpText(
      "after",
      examples([
        "ibid entities add company people.json",
        "ibid entities relate company ada WORKS_ON engine",
        "ibid entities related company ada WORKS_ON",
        'ibid entities search company "writes programs"',
      ]),
    );
  const add = (name: string, summary: string) =>
    command
      .command(name)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
      .argument("<name>", "of the entities, such as company")
      .addOption(new Option("--scope <scope>", "in this scope, such as team:acme").argParser(readScope))
      .option("--filterable <fields...>", "properties that filters can name, as the entities were written with");
  const limit = () => new Option("--limit <n>", "at most this many").argParser(readLimit).default(100);
  add("list", "list entities by id")
    .option("--label <label>", "only those with this label")
    .addOption(limit())
    .action(async function (this: Command, name: string) {
      const options = this.optsWithGlobals<Given>();
      const labels = options.label === undefined ? {} : { labels: [options.label] };
      const listed = await withEntities(options, name, false, async (entities) =>
        take(entities.list({ ...at(options), ...labels }), options.limit),
      );
      done(await show(context, listed, { limit: options.limit }));
    });
  add("search", "search entities by name and description")
    .argument("<query>", "in words, or a regular expression with --mode regex")
    .addOption(new Option("--mode <mode>", "how").choices(["hybrid", "dense", "lexical", "regex"]).default("hybrid"))
    .option("--label <label>", "only those with this label")
    .addOption(limit())
    .action(async function (this: Command, name: string, query: string) {
      const options = this.optsWithGlobals<Given & { readonly mode: "hybrid" }>();
      const labels = options.label === undefined ? {} : { labels: [options.label] };
      const scopes = options.scope === undefined ? {} : { scopes: [options.scope] };
      const how = { mode: options.mode, topK: options.limit, ...labels, ...scopes };
      const hits = await withEntities(options, name, false, async (entities) => entities.search(query, how));
      done(
        await show(
          context,
          hits.map(({ entity }) => entity),
          { scores: hits.map(({ score }) => score) },
        ),
      );
    });
  add("show", "show an entity")
    .argument("<id>", "as list prints it")
    .action(async function (this: Command, name: string, id: string) {
      const options = this.optsWithGlobals<Given>();
      const found = await withEntities(options, name, false, async (entities) => entities.get(id, at(options)));
      done(await show(context, [found ?? missing("entities", name, id)]));
    });
  add("related", "list the entities to which a relationship leads")
    .argument("<id>", "of the entity from which it is seen")
    .argument("<relationship>", "such as WORKS_ON")
    .addOption(
      new Option("--direction <direction>", "from the entity, to it, or both")
        .choices(["outgoing", "incoming", "both"])
        .default("outgoing"),
    )
    .addOption(limit())
    .action(async function (this: Command, name: string, id: string, relationship: string) {
      const options = this.optsWithGlobals<Given & { readonly direction: RelationshipDirection }>();
      const found = await withEntities(options, name, false, async (entities) =>
        take(entities.findRelated(id, relationship, options.direction), options.limit),
      );
      done(await show(context, found, { limit: options.limit }));
    });
  addWritingCommands(add, context, done);
}

/** The commands that change entities. */
function addWritingCommands(
  add: (name: string, summary: string) => Command,
  { output }: Context,
  done: (exitCode: number) => void,
): void {
  add("add", "add entities of a file, or replace those with their ids")
    .argument("<file>", "a JSON list, or one JSON object a line; - is standard input")
    .action(async function (this: Command, name: string, file: string) {
      const options = this.optsWithGlobals<Given>();
      const given = await readEntities(file);
      const { added, updated, unchanged } = await withEntities(options, name, true, async (entities) =>
        entities.upsert(given, at(options)),
      );
      if (output.json) await output.object({ added, updated, unchanged });
      else await output.line(`added ${added}, updated ${updated}, unchanged ${unchanged}`);
      done(0);
    });
  for (const [verb, past, summary] of [
    ["relate", "related", "relate two entities"],
    ["unrelate", "unrelated", "end a relationship of two entities"],
  ] as const)
    add(verb, summary)
      .argument("<from>", "id of the entity that it leads from")
      .argument("<relationship>", "such as WORKS_ON")
      .argument("<to>", "id of the entity that it leads to")
      .action(async function (this: Command, name: string, from: string, relationship: string, to: string) {
        const options = this.optsWithGlobals<Given>();
        const one = { from, name: relationship, to };
        await withEntities(options, name, true, async (entities) => entities[verb](one, at(options)));
        if (output.json) await output.object({ [past]: one });
        else await output.line(`${past} ${neutralise(from)} ${neutralise(relationship)} ${neutralise(to)}`);
        done(0);
      });
  add("delete", "delete an entity, and its relationships")
    .argument("<id>", "as list prints it")
    .option("--purge", "for good")
    .action(async function (this: Command, name: string, id: string) {
      const options = this.optsWithGlobals<Given & { readonly purge?: true }>();
      const gone = await withEntities(options, name, true, async (entities) =>
        entities.delete(id, { ...at(options), purge: options.purge === true }),
      );
      if (gone === 0) missing("entities", name, id);
      if (output.json) await output.object({ deleted: gone });
      else await output.line(`deleted ${neutralise(id)}`);
      done(0);
    });
}

/** `ibid collections` with its commands and their help: records without their schema, as JSON. */
export function addCollectionsCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const { output } = context;
  const command = program
    .command("collections")
    .summary("list collections of records, and search and show their records")
    .description("List the collections of records, search one, and show a record as JSON.")
    .addHelpText("after", examples(["ibid collections list", 'ibid collections search products "copper"']));
  const reading = async <Result>(
    options: CommonOptions,
    name: string,
    use: (records: CollectionReader) => Promise<Result>,
  ): Promise<Result> => {
    const { readCollection } = await import("../integrations/tools/read-collection.ts");
    return withKnowledgeBase(options, { embeds: "queries" }, async (kb) => use(await readCollection(kb, name)));
  };
  const print = async (
    records: readonly { readonly key: string; readonly record: unknown; readonly score?: number }[],
    limit?: number,
  ) => {
    if (output.json) await output.object({ records });
    else {
      for (const { key, record, score } of records)
        await output.line(
          [
            ...(score === undefined ? [] : [score.toFixed(2)]),
            output.style.bold(neutralise(key)),
            neutralise(JSON.stringify(record)),
          ].join("  "),
        );
      await output.line(output.style.dim(count(records.length, "record") + hintMore(records, limit)));
    }
    return 0;
  };
  command
    .command("list")
    .summary("list collections, or the records of one")
    .description("List collections, or the records of one.")
    .argument("[name]", "of a collection")
    .addOption(new Option("--limit <n>", "at most this many records").argParser(readLimit).default(100))
    .action(async function (this: Command, name: string | undefined) {
      const options = this.optsWithGlobals<CommonOptions & { readonly limit: number }>();
      if (name !== undefined) {
        const { limit } = options;
        done(await print(await reading(options, name, async (records) => records.list({ limit })), limit));
        return;
      }
      const collections = await withKnowledgeBase(options, {}, async (kb) => kb.collections());
      if (output.json) await output.object({ collections });
      else {
        for (const each of collections) await output.line(`${neutralise(each.name)}  ${neutralise(each.scope)}`);
        await output.line(output.style.dim(count(collections.length, "collection")));
      }
      done(0);
    });
  command
    .command("search")
    .summary("search the records of a collection")
    .description("Search the records of a collection.")
    .argument("<name>", "of the collection")
    .argument("<query>", "in words or as a question")
    .addOption(new Option("--limit <n>", "at most this many records").argParser(readLimit).default(5))
    .action(async function (this: Command, name: string, query: string) {
      const options = this.optsWithGlobals<CommonOptions & { readonly limit: number }>();
      const found = await reading(options, name, async (records) => records.search(query, { topK: options.limit }));
      done(await print(found.map(({ key, scope, record, score }) => ({ key, scope, record, score }))));
    });
  command
    .command("show")
    .summary("show a record")
    .description("Show a record.")
    .argument("<name>", "of the collection")
    .argument("<key>", "as list prints it")
    .action(async function (this: Command, name: string, key: string) {
      const options = this.optsWithGlobals<CommonOptions>();
      const found = await reading(options, name, async (records) => records.get(key));
      done(await print([found ?? missing("collections", name, key)]));
    });
}

function missing(command: "entities" | "collections", name: string, id: string): never {
  throw new IbidError("not-found", `${name}: there is no ${id}.`, { hint: `See: ibid ${command} list ${name}` });
}
