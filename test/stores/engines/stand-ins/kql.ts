import { measures } from "./serve.ts";

export type Row = Readonly<Record<string, unknown>>;

type Value = (row: Row) => unknown;

/**
 * Runs queries of the Kusto Query Language over rows: the operators where, extend, project, distinct, count, top and summarize with arg_max, and the functions
 * below. Anything else is an error.
 *
 * **Source** "Kusto Query Language reference" of learn.microsoft.com, read on 24 November 2026.
 */
export function createKqlReader(
  rowsOf: (table: string) => readonly Row[],
  wrong: (reason: string) => Error,
): (query: string) => readonly Row[] {
  return (query) => {
    const [source = "", ...operators] = splitPipes(query);
    const table = /^\['(\w+)'\]$|^show (tables)$/u.exec(source);
    if (table === null) throw wrong(`There is no table ${source}.`);
    return operators.reduce((rows, operator) => apply(operator, rows), rowsOf(table[1] ?? table[2]!));
  };

  function apply(operator: string, rows: readonly Row[]): readonly Row[] {
    const [, name = "", rest = ""] = /^(\w+)\s*(.*)$/su.exec(operator) ?? [];
    switch (name) {
      case "where": {
        const test = read(rest);
        return rows.filter((row) => test(row) === true);
      }
      case "extend": {
        const [, column = "", text = ""] = /^(\w+) = (.*)$/su.exec(rest) ?? [];
        const value = read(text);
        return rows.map((row) => ({ ...row, [column]: value(row) }));
      }
      case "project": {
        const names = rest.split(",").map((each) => each.trim());
        return rows.map((row) => Object.fromEntries(names.map((each) => [each, columnOf(row, each)])));
      }
      case "distinct":
        return [...new Map(rows.map((row) => [row[rest], { [rest]: columnOf(row, rest) }])).values()];
      case "count":
        return [{ Count: rows.length }];
      case "top": {
        const [, limit, column = "", order] = /^(\d+) by (\w+) (asc|desc)$/u.exec(rest) ?? [];
        if (limit === undefined) throw wrong(`top ${rest}`);
        const sign = order === "asc" ? 1 : -1;
        const sorted = [...rows].sort((a, b) => sign * compare(columnOf(a, column), columnOf(b, column)));
        return sorted.slice(0, Number(limit));
      }
      case "summarize": {
        const [, by = "", columns = "", group = ""] = /^arg_max\((\w+), ([\w, *]+)\) by (\w+)$/u.exec(rest) ?? [];
        if (group === "") throw wrong(`summarize ${rest}`);
        const best = new Map<unknown, Row>();
        for (const row of rows) {
          const other = best.get(row[group]);
          if (other === undefined || compare(row[by], other[by]) > 0) best.set(row[group], row);
        }
        const names = columns === "*" ? undefined : columns.split(", ");
        return [...best.values()].map((row) =>
          names === undefined
            ? row
            : Object.fromEntries([group, by, ...names].map((each) => [each, columnOf(row, each)])),
        );
      }
      default:
        throw wrong(`There is no operator ${name}.`);
    }
  }

  function columnOf(row: Row, name: string): unknown {
    if (!(name in row)) throw wrong(`'name' operator: Failed to resolve column named '${name}'`);
    return row[name];
  }

  /** Reads an expression. `and` and `or` know null, as three-valued logic has it. */
  function read(text: string): Value {
    const tokens = text.match(/'[^']*'|\[[^'[\]]*\]|[<>]=?|[!=]=|[\w.+-]+|[()[\],/+]/gu) ?? [];
    let at = 0;
    const peek = (): string | undefined => tokens[at];
    const take = (expected?: string): string => {
      const token = tokens[at++];
      if (token === undefined || (expected !== undefined && token !== expected))
        throw wrong(`Syntax error: ${expected ?? "a word"} expected, not ${token ?? "the end"}.`);
      return token;
    };
    const some = (): Value => {
      const parts = [every()];
      while (peek() === "or") {
        take();
        parts.push(every());
      }
      return (row) => {
        const values = parts.map((part) => part(row));
        return values.includes(true) || (values.includes(null) ? null : parts.length === 1 && values[0]);
      };
    };
    const every = (): Value => {
      const parts = [relation()];
      while (peek() === "and") {
        take();
        parts.push(relation());
      }
      if (parts.length === 1) return parts[0]!;
      return (row) => {
        const values = parts.map((part) => part(row));
        return values.includes(false) ? false : values.includes(null) ? null : true;
      };
    };
    const relation = (): Value => {
      const left = sum();
      const is = peek() ?? "";
      if (is === "in") {
        take();
        take("(");
        const values = list(")");
        return (row) => values.some((value) => value(row) === left(row));
      }
      const test = relations[is];
      if (test === undefined) return left;
      take();
      const right = sum();
      return (row) => {
        const [a, b] = [left(row), right(row)];
        return a === null || b === null ? null : test(a, b);
      };
    };
    const sum = (): Value => {
      const left = primary();
      const sign = peek();
      if (sign !== "+" && sign !== "/") return left;
      take();
      const right = primary();
      return sign === "+"
        ? (row) => Number(left(row)) + Number(right(row))
        : (row) => Number(left(row)) / Number(right(row));
    };
    const list = (end: string): readonly Value[] => {
      const values: Value[] = [];
      while (peek() !== end) {
        values.push(some());
        if (peek() === ",") take();
      }
      take(end);
      return values;
    };
    const primary = (): Value => {
      const token = take();
      if (token === "(") {
        const inner = some();
        take(")");
        return inner;
      }
      if (token.startsWith("'")) return () => token.slice(1, -1);
      if (token.startsWith("[")) {
        const values = JSON.parse(token) as unknown;
        return () => values;
      }
      if (/^-?[\d.]/u.test(token)) return () => Number(token);
      if (token === "true" || token === "false") return () => token === "true";
      if (peek() === "(") {
        take();
        const call = functions[token];
        const given = list(")");
        if (call === undefined) throw wrong(`Unknown function: '${token}'.`);
        return (row) => call(...given.map((value) => value(row)));
      }
      if (peek() === "[") {
        take();
        const name = primary();
        take("]");
        return (row) => (columnOf(row, token) as Row | null)?.[String(name(row))] ?? null;
      }
      return (row) => columnOf(row, token);
    };
    const value = some();
    if (at < tokens.length) throw wrong(`Syntax error: Unexpected '${peek()}'.`);
    return value;
  }
}

function splitPipes(query: string): readonly string[] {
  return (query.match(/(?:'[^']*'|[^|'])+/gu) ?? []).map((part) => part.trim());
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}

const relations: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  ">": (a, b) => Number(a) > Number(b),
  ">=": (a, b) => Number(a) >= Number(b),
  "<": (a, b) => Number(a) < Number(b),
  "<=": (a, b) => Number(a) <= Number(b),
  startswith_cs: (a, b) => String(a).startsWith(String(b)),
  has: (a, b) => new Set<string>(JSON.stringify(a).match(/[\da-z]+/giu)).has(String(b)),
};

const numbersOf = (value: unknown): readonly number[] => value as readonly number[];

const functions: Readonly<Record<string, (...given: unknown[]) => unknown>> = {
  set_has_element: (list, element) => (list as readonly unknown[]).includes(element),
  not: (value) => (value === null ? null : value !== true),
  coalesce: (...values) => values.find((value) => value !== null) ?? null,
  todouble: (value) => (value === null || Number.isNaN(Number(value)) ? null : Number(value)),
  real: (value) => Number(value),
  dynamic: (value) => value,
  strcmp: (a, b) => compare(String(a), String(b)),
  series_cosine_similarity: (a, b) => measures.cosine(numbersOf(a), numbersOf(b)),
  series_dot_product: (a, b) => measures.dot(numbersOf(a), numbersOf(b)),
  series_subtract: (a, b) => numbersOf(a).map((value, i) => value - numbersOf(b)[i]!),
  series_abs: (a) => numbersOf(a).map(Math.abs),
  series_sum: (a) => numbersOf(a).reduce((sum, value) => sum + value, 0),
  series_magnitude: (a) => Math.sqrt(measures.dot(numbersOf(a), numbersOf(a))),
};
