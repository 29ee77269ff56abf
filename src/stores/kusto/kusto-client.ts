import { IbidError } from "../../contracts/errors.ts";
import type { EngineAddress, EngineClient } from "../engines/engine-client.ts";
import { type BearerToken, createTokenClient } from "../engines/token-client.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];

/**
 * A database of a cluster.
 *
 * **Source** "Query/management HTTP request" and "Query V2 HTTP response", read in November 2026.
 */
export interface Kusto {
  /** The rows of a query's primary result. **Errors** `store-failed` also for a query that fails after its answer has begun. */
  query(operation: string, text: string, signal?: AbortSignal, properties?: object): Promise<Rows>;
  /** The rows of a management command's first table. */
  command(operation: string, text: string, signal?: AbortSignal): Promise<Rows>;
  /** Streams rows of JSON, one a line, into a table that allows it. */
  ingest(table: string, lines: string, signal?: AbortSignal): Promise<void>;
}

interface Table {
  readonly TableKind?: string;
  readonly Columns: readonly { readonly ColumnName: string }[];
  readonly Rows: readonly (readonly unknown[] | Failures)[];
}

interface Failures {
  readonly OneApiErrors?: readonly { readonly error: { readonly message?: string; readonly "@message"?: string } }[];
}

type Frame = { readonly FrameType: string } & Table & Failures;

export function connectKusto(
  address: EngineAddress,
  database: string,
  token: BearerToken | undefined,
  properties: Readonly<Record<string, unknown>> | undefined,
): Kusto & { readonly client: EngineClient } {
  const client = createTokenClient("kusto", { ...address, token });
  const ask = <Answer>(operation: string, path: string, csl: string, signal?: AbortSignal, more?: object) => {
    const given = { ...properties, ...more };
    const body = { db: database, csl, ...(Object.keys(given).length > 0 && { properties: given }) };
    return client.post<Answer>(operation, path, body, signal);
  };
  return {
    client,
    async query(operation, text, signal, more) {
      const frames = await ask<readonly Frame[]>(operation, "/v2/rest/query", text, signal, more);
      const primary = frames.find(({ TableKind }) => TableKind === "PrimaryResult");
      const failures = [...frames, ...(primary?.Rows ?? [])].flatMap((part) =>
        "OneApiErrors" in part ? (part.OneApiErrors ?? []) : [],
      );
      // Such a failure comes with status 200 and some of the rows.
      if (failures.length > 0 || primary === undefined) {
        const error = failures[0]?.error;
        const reason = error?.["@message"] ?? error?.message ?? "the answer has no result";
        throw new IbidError("store-failed", `kusto: ${operation} failed: ${reason.replace(/\.$/u, "")}.`, {
          hint: "Look at the cluster, and call again.",
          details: { store: "kusto", operation },
        });
      }
      return toRows(primary);
    },
    async command(operation, text, signal) {
      const { Tables } = await ask<{ Tables: readonly Table[] }>(operation, "/v1/rest/mgmt", text, signal);
      return Tables[0] === undefined ? [] : toRows(Tables[0]);
    },
    async ingest(table, lines, signal) {
      const path = `/v1/rest/ingest/${encodeURIComponent(database)}/${table}?streamFormat=Json&mappingName=ibid`;
      await client.post("write", path, lines, signal);
    },
  };
}

function toRows({ Columns, Rows }: Table): Rows {
  return Rows.flatMap((row) =>
    Array.isArray(row) ? [Object.fromEntries(Columns.map(({ ColumnName }, i) => [ColumnName, row[i] as unknown]))] : [],
  );
}
