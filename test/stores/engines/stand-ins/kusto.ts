import { createKqlReader, type Row } from "./kql.ts";
import { createRows, Refusal, type Rows, serve, type StandIn } from "./serve.ts";

/**
 * A cluster of Azure Data Explorer behind a loopback server, with the part of KQL that src/stores/kusto writes: a stand-in for tests.
 *
 * Shapes: "Query/management HTTP request", "Query V2 HTTP response", "Management commands" and "Kusto Query Language" of learn.microsoft.com, read on
 * 24 November 2026. An unknown operator, function or command is an error.
 */
export async function startKusto({ lateMs = 0, token = "token", streaming = true } = {}): Promise<StandIn> {
  const tables = new Map<string, Table>();
  let deletes = 0;
  function tableOf(name: string): Table {
    const table = tables.get(name);
    if (table === undefined) throw wrong("SEM0100", `'${name}' was not found as a table of the database.`);
    return table;
  }

  const run = createKqlReader(
    (name) => tableOf(name).rows.all(),
    (reason) => wrong("SYN0002", reason),
  );

  function command(csl: string): unknown {
    const [line = "", ...rest] = csl.split("<|");
    const given = rest.join("<|");
    const [, verb = "", name = ""] = /^(\.[a-z-]+ (?:table|column|inline into table)) \['(\w+)'\]/u.exec(line) ?? [];
    const table = tables.get(name);
    if (line.startsWith(".show tables")) {
      const rows = [...tables].map(([TableName, { docstring }]) => ({ TableName, DocString: docstring }));
      return tablesFrom(
        createKqlReader(
          () => rows,
          (reason) => wrong("SYN0002", reason),
        )(line.slice(1)),
      );
    }
    switch (verb) {
      case ".create-merge table": {
        const docstring = /with \(docstring='([^']*)'\)$/u.exec(line)?.[1] ?? "";
        const columns = [...line.matchAll(/\['(\w+)'\]:(string|long|dynamic)/gu)].map(([, column]) => column!);
        tables.set(name, table ?? { columns, docstring, rows: createRows(lateMs), mapping: "", streams: false });
        break;
      }
      case ".create-or-alter table": {
        const [, mapping = "", json = ""] = /ingestion json mapping '(\w+)' '(.*)'$/u.exec(line) ?? [];
        const paths = JSON.parse(json) as { column: string; Properties: { Path: string } }[];
        if (!paths.every(({ column, Properties }) => Properties.Path === `$.${column}`))
          throw wrong("BadRequest", "The stand-in maps columns to the properties of their names.");
        tables.set(name, { ...tableOf(name), mapping });
        break;
      }
      case ".alter table":
        if (!line.endsWith("policy streamingingestion enable")) throw wrong("SYN0002", line);
        tables.set(name, { ...tableOf(name), streams: true });
        break;
      case ".alter column":
        if (!line.endsWith(".['vector'] policy encoding type='Vector16'")) throw wrong("SYN0002", line);
        break;
      case ".ingest inline into table":
        if (!line.includes("format='json'") || !line.includes(`ingestionMappingReference='${tableOf(name).mapping}'`))
          throw wrong("BadRequest", "The format or the mapping is unknown.");
        ingest(tableOf(name), given);
        break;
      case ".delete table": {
        if (!line.trimEnd().endsWith(" records") || !/\| where /u.test(given)) throw wrong("SYN0002", line);
        if (deletes++ > 0) throw wrong("Conflict", "Another delete of the table runs.");
        for (const { id } of run(given) as { id: string }[]) tableOf(name).rows.delete(id);
        deletes = 0;
        break;
      }
      case ".drop table":
        if (table === undefined && !line.endsWith(" ifexists")) throw wrong("SEM0100", "The table was not found.");
        tables.delete(name);
        break;
      default:
        throw wrong("SYN0002", `There is no command ${line}.`);
    }
    return tablesOf(["Done"], [[true]]);
  }

  /** Kusto appends: a row with the key of another one stands beside it. */
  function ingest(table: Table, text: string): void {
    for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
      const given = JSON.parse(line) as Row;
      const id = `r${counter++}`;
      table.rows.put(id, { id, ...Object.fromEntries(table.columns.map((name) => [name, given[name] ?? null])) });
    }
  }

  return serve(({ method, url, headers, body, text }) => {
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: "" };
    if (method !== "POST") return { status: 405, body: "" };
    const [, database, name] = /^\/v1\/rest\/ingest\/([^/]+)\/([^/]+)$/u.exec(url.pathname) ?? [];
    if (database !== undefined) {
      const table = tableOf(name!);
      if (!streaming || !table.streams) throw wrong("StreamingIngestionPolicyNotEnabled", "No streaming policy.");
      if (url.searchParams.get("mappingName") !== table.mapping || text.length > 4 << 20)
        throw wrong("BadRequest_StreamingIngestion", "The mapping is unknown, or the request is larger than 4 MB.");
      ingest(table, text);
      return { status: 200, body: tablesOf(["ConsumedRecordsCount"], []) };
    }
    const { csl, db } = body as { csl: string; db: string };
    if (db === "") throw wrong("BadRequest_DatabaseNotExist", "The database is missing.");
    if (url.pathname === "/v1/rest/mgmt") return { status: 200, body: command(csl) };
    if (url.pathname === "/v2/rest/query") return { status: 200, body: framesOf(run(csl)) };
    return { status: 404, body: "" };
  });
}

let counter = 0;

interface Table {
  readonly columns: readonly string[];
  readonly docstring: string;
  readonly rows: Rows<Row>;
  readonly mapping: string;
  readonly streams: boolean;
}

function wrong(code: string, message: string): Refusal {
  const error = { code, message: `Request is invalid: ${code}`, "@message": message, "@permanent": true };
  return new Refusal({ status: 400, body: { error } });
}

const tablesOf = (names: readonly string[], Rows: readonly unknown[]) => ({
  Tables: [{ TableName: "Table_0", Columns: names.map((ColumnName) => ({ ColumnName, DataType: "Object" })), Rows }],
});

function tablesFrom(rows: readonly Row[]) {
  const names = Object.keys(rows[0] ?? {});
  return tablesOf(
    names,
    rows.map((row) => names.map((name) => row[name])),
  );
}

/** The frames of a whole answer of the second version. */
export function framesOf(rows: readonly Row[], failure?: string): readonly unknown[] {
  const { Columns, Rows } = tablesFrom(rows).Tables[0]!;
  const table = { FrameType: "DataTable", TableId: 1, TableKind: "PrimaryResult", TableName: "PrimaryResult" };
  return [
    { FrameType: "DataSetHeader", IsProgressive: false, Version: "v2.0" },
    {
      FrameType: "DataTable",
      TableId: 0,
      TableKind: "QueryProperties",
      TableName: "@ExtendedProperties",
      Columns: [],
      Rows: [],
    },
    { ...table, Columns, Rows },
    {
      FrameType: "DataSetCompletion",
      HasErrors: failure !== undefined,
      Cancelled: false,
      ...(failure !== undefined && { OneApiErrors: [{ error: { code: "LimitsExceeded", message: failure } }] }),
    },
  ];
}
