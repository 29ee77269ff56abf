import type { Engine, EngineIndexSpec } from "../../contracts/engine.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { platformNow } from "../../runtime/platform-clock.ts";
import { inBytes } from "../engines/batches.ts";
import { checkDimensions } from "../engines/check-engine.ts";
import { createEngine, type MeasuredSpec, type OwnIndex, pageSize } from "../engines/create-engine.ts";
import { addressOptions, type EngineAddress } from "../engines/engine-client.ts";
import type { Measures } from "../engines/engine-scores.ts";
import { checkOneOf } from "../engines/optional-client.ts";
import type { BearerToken } from "../engines/token-client.ts";
import { writeExpression } from "../engines/translate-filter.ts";
import { connectKusto, type Kusto } from "./kusto-client.ts";

/**
 * Options of {@link createKustoEngine}.
 *
 * @experimental
 */
export interface KustoOptions extends EngineAddress {
  /** Database whose tables are written. The caller needs the role of its administrator, because records are deleted. */
  readonly database: string;
  /** A token of Entra ID, or a function that gives one before each request. */
  readonly token?: BearerToken | undefined;
  /** Beginning of the names of tables. Default `"ibid"`. */
  readonly prefix?: string | undefined;
  /** `"streaming"` needs a cluster that allows it; `"inline"` writes by management commands, for tests and small bases. Default `"streaming"`. */
  readonly ingestion?: "streaming" | "inline" | undefined;
  /** `"Vector16"` keeps 16 bits of a coordinate, which is smaller and faster, and no longer exact. Default: all bits. */
  readonly encoding?: "Vector16" | undefined;
  /** `properties` of each request, to which `storeOptions` of a search are added, such as `{ Options: { servertimeout: "00:01:00" } }`. */
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
  /** Longest usual wait until a write is found. **Units** milliseconds. Default 10,000. */
  readonly visibleAfterMs?: number | undefined;
}

/** Bytes of one write: streaming takes 4 MB. */
const mostBytes = 3_500_000;

const columns = {
  key: "string",
  ref: "string",
  at: "long",
  tags: "dynamic",
  numbers: "dynamic",
  vector: "dynamic",
  json: "string",
};

/**
 * An engine over Azure Data Explorer, or an eventhouse of Fabric, by their REST interface: a table for each base and embedding version. Every search compares every
 * vector.
 *
 * **Shape** a delete is a soft delete: no query shows the record, and its bytes stay until the cluster merges them or the table is purged.
 * **Errors** `invalid-argument` for options; others as those of an `Engine`.
 * **Source** "Kusto documentation" of learn.microsoft.com, read in November 2026.
 *
 * @example
 * const engine = createKustoEngine({ url: "https://demo.westeurope.kusto.windows.net", database: "vectors", token });
 * const kb = await openKnowledgeBase("./kb", { engine });
 *
 * @experimental
 */
export function createKustoEngine(options: KustoOptions): Engine {
  checkGiven("createKustoEngine", "the options", options, "object");
  checkOptions("createKustoEngine", options, {
    ...addressOptions,
    database: true,
    token: true,
    prefix: true,
    ingestion: true,
    encoding: true,
    properties: true,
    visibleAfterMs: true,
  });
  checkGiven("createKustoEngine", "database", options.database, "text");
  const { database, token, ingestion = "streaming", encoding, properties, visibleAfterMs = 10_000 } = options;
  checkOneOf("kusto", "ingestion", ingestion, ["streaming", "inline"]);
  if (encoding !== undefined) checkOneOf("kusto", "encoding", encoding, ["Vector16"]);
  const kusto = connectKusto(options, database, token, properties);
  return createEngine({
    name: "kusto",
    native: kusto.client,
    prefix: options.prefix,
    measures,
    capabilities: { exhaustive: encoding === undefined, visibleAfterMs, records: { kinds: ["flat"], words: false } },
    async open(table, spec, signal) {
      await makeTable(kusto, table, spec, { ingestion, encoding }, signal);
      return createIndex(kusto, table, spec, ingestion);
    },
    async names(beginning, signal) {
      const where = `where TableName startswith_cs '${beginning}'`;
      const rows = await kusto.command("list tables", `.show tables | ${where} | project TableName`, signal);
      return rows.map(({ TableName }) => String(TableName));
    },
    drop: (table, signal) => kusto.command("drop a table", `.drop table ['${table}'] ifexists`, signal),
  });
}

/** The dimensions stand in the table's description, because Kusto knows lists of any length. */
async function makeTable(
  kusto: Kusto,
  table: string,
  spec: EngineIndexSpec,
  { ingestion, encoding }: Pick<KustoOptions, "ingestion" | "encoding">,
  signal?: AbortSignal,
): Promise<void> {
  const look = `.show tables | where TableName == '${table}' | project DocString`;
  const [found] = await kusto.command("read a table", look, signal);
  if (found !== undefined) {
    checkDimensions("kusto", spec, Number(/\d+/u.exec(String(found["DocString"]))?.[0] ?? spec.dimensions));
    return;
  }
  const fields = Object.entries(columns).map(([name, type]) => `['${name}']:${type}`);
  const mapping = Object.keys(columns).map((column) => ({ column, Properties: { Path: `$.${column}` } }));
  const commands = [
    `.create-merge table ['${table}'] (${fields.join(", ")}) with (docstring='ibid, ${spec.dimensions} dimensions')`,
    `.create-or-alter table ['${table}'] ingestion json mapping 'ibid' '${JSON.stringify(mapping)}'`,
    ...(ingestion === "streaming" ? [`.alter table ['${table}'] policy streamingingestion enable`] : []),
    ...(encoding === undefined ? [] : [`.alter column ['${table}'].['vector'] policy encoding type='${encoding}'`]),
  ];
  for (const command of commands) await kusto.command("make a table", command, signal);
}

function createIndex(
  kusto: Kusto,
  table: string,
  { measure, records = false }: MeasuredSpec<Likeness>,
  ingestion: KustoOptions["ingestion"],
): OwnIndex {
  let at = 0;
  let deleting: Promise<unknown> = Promise.resolve();
  return {
    async put(entries, signal) {
      // Rows are appended; the latest of a key is the one that counts.
      at = Math.max(at + 1, platformNow() * 1_000);
      const rows = entries.map(({ key, ref, tags, numbers, vector, record }) =>
        JSON.stringify({ key, ref, at, tags, numbers, vector: [...vector], json: record?.json ?? "" }),
      );
      for (const some of inBytes(rows, mostBytes)) {
        const lines = some.join("\n");
        const inline = `.ingest inline into table ['${table}'] with (format='json', ingestionMappingReference='ibid') <|\n${lines}`;
        await (ingestion === "inline" ? kusto.command("write", inline, signal) : kusto.ingest(table, lines, signal));
      }
    },
    async delete(keys, signal) {
      const command = `.delete table ['${table}'] records <| ['${table}'] | where key in (${keys.map(quote).join(", ")})`;
      // Two soft deletes of one table at a time can fail.
      const next = deleting.catch(() => {}).then(() => kusto.command("delete", command, signal));
      deleting = next;
      await next;
    },
    async count(tag, signal) {
      const [row] = await kusto.query("count", `['${table}'] | where ${has(tag)} | distinct key | count`, signal);
      return Number(row?.["Count"] ?? 0);
    },
    async list(tag, from, signal) {
      const after = from === undefined ? "" : ` and strcmp(key, ${quote(from)}) > 0`;
      const query = `['${table}'] | where ${has(tag)}${after} | distinct key | top ${pageSize} by key asc`;
      return (await kusto.query("list", query, signal)).map(({ key }) => String(key));
    },
    async read(keys, signal) {
      const where = `where key in (${keys.map(quote).join(", ")})`;
      const query = `['${table}'] | ${where} | summarize arg_max(at, ref, json) by key`;
      const rows = await kusto.query("read", query, signal);
      return rows.map(({ key, ref, json }) => ({ key: String(key), ref: String(ref), json: String(json) }));
    },
    async readVectors(keys, signal) {
      const where = `where key in (${keys.map(quote).join(", ")})`;
      const query = `['${table}'] | ${where} | summarize arg_max(at, vector) by key`;
      return (await kusto.query("read vectors", query, signal)).map(({ key, vector }) => ({
        key: String(key),
        vector: vector as readonly number[],
      }));
    },
    async nearest({ vector, condition, limit, options, signal }) {
      const where = writeExpression(condition, has, compares);
      const steps = [
        `['${table}']`,
        // The row of a record that was written again counts no more. Other entries never change.
        ...(records ? ["summarize arg_max(at, *) by key"] : []),
        ...(where === undefined ? [] : [`where ${where}`]),
        `extend score = ${measure(`dynamic([${vector.join(",")}])`)}`,
        "summarize arg_max(at, ref, score) by key",
        `top ${limit} by score desc`,
        "project ref, score",
      ];
      const rows = await kusto.query("search", steps.join(" | "), signal, options);
      return rows.map(({ ref, score }) => ({ ref: String(ref), score: Number(score) }));
    },
  };
}

/** An expression for the score of a row beside a vector. */
type Likeness = (vector: string) => string;

/** **Source** "Series processing functions" of the Kusto documentation, all that compare two vectors number by number. */
const measures: Measures<Likeness> = {
  cosine: (vector) => `series_cosine_similarity(vector, ${vector})`,
  dot: (vector) => `series_dot_product(vector, ${vector})`,
  euclidean: (vector) => `1.0 / (1.0 + series_magnitude(series_subtract(vector, ${vector})))`,
  manhattan: (vector) => `1.0 / (1.0 + series_sum(series_abs(series_subtract(vector, ${vector}))))`,
};

/** Keys, tags and names of numbers are hexadecimal digits with `-`, so that they stand between quotation marks as they are. */
const quote = (word: string): string => `'${word}'`;

/** The index of terms finds the rows, and the list is then looked at. */
const has = (tag: string): string => `(tags has ${quote(tag)} and set_has_element(tags, ${quote(tag)}))`;

const compares = (key: string, sign: string, value: number): string =>
  `coalesce(todouble(numbers[${quote(key)}]) ${sign} real(${value}), false)`;
