import { createRows, measures, Refusal, type Rows, serve, type StandIn } from "./serve.ts";

/**
 * Azure AI Search behind a loopback server: a stand-in for tests.
 *
 * Shapes: "Azure AI Search REST API reference" and "OData language overview" of learn.microsoft.com, version 2024-07-01, read on 24 November 2026.
 * The routes are those that src/stores/azure-search calls, and no others. Every vector is compared.
 */
export async function startAzureSearch({ lateMs = 0, apiKey = "admin" } = {}): Promise<StandIn> {
  const indexes = new Map<string, Index>();
  return serve(({ method, url, headers, body }) => {
    if (headers["api-key"] !== apiKey && headers.authorization !== `Bearer ${apiKey}`) return { status: 403 };
    if (!/^\d{4}-\d\d-\d\d(?:-preview)?$/u.test(url.searchParams.get("api-version") ?? ""))
      throw bad("The request is missing the api-version parameter.");
    if (url.pathname === "/indexes" && method === "GET")
      return { status: 200, body: { value: [...indexes.keys()].map((name) => ({ name })) } };
    const [, name = "", action] = /^\/indexes\('([^']+)'\)(?:\/docs\/(.+))?$/u.exec(url.pathname) ?? [];
    const index = indexes.get(name);
    if (method === "PUT" && action === undefined) {
      if (index !== undefined) throw bad("Existing field(s) cannot be changed.", "OperationNotAllowed");
      indexes.set(name, { definition: checkDefinition(name, body as Definition), rows: createRows<Row>(lateMs) });
      return { status: 201, body };
    }
    if (index === undefined) {
      const message = `No index with the name '${name}' was found in the service 'stand-in'.`;
      return { status: 404, body: { error: { code: "ResourceNotFound", message } } };
    }
    if (method === "GET") return { status: 200, body: index.definition };
    if (method === "DELETE") return indexes.delete(name) ? { status: 204 } : { status: 404 };
    if (action === "search.index") return write(index, (body as { value: Document[] }).value);
    if (action === "search.post.search") return { status: 200, body: search(index, body as Query) };
    throw bad(`There is no ${method} ${url.pathname}.`);
  });
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly key?: boolean;
  readonly filterable?: boolean;
  readonly sortable?: boolean;
  readonly dimensions?: number;
  readonly vectorSearchProfile?: string;
  readonly fields?: readonly Field[];
}

interface Definition {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly vectorSearch: {
    readonly algorithms: readonly {
      readonly name: string;
      readonly kind: "hnsw" | "exhaustiveKnn";
      readonly hnswParameters?: { readonly metric: string };
      readonly exhaustiveKnnParameters?: { readonly metric: string };
    }[];
    readonly profiles: readonly { readonly name: string; readonly algorithm: string }[];
  };
}

type Row = Readonly<Record<string, unknown>> & { readonly key: string; readonly vector: readonly number[] };
type Document = Row & { readonly "@search.action": string };

interface Index {
  readonly definition: Definition;
  readonly rows: Rows<Row>;
}

interface Query {
  readonly filter?: string;
  readonly search?: string;
  readonly searchFields?: string;
  readonly count?: boolean;
  readonly top?: number;
  readonly select?: string;
  readonly orderby?: string;
  readonly vectorQueries?: readonly {
    readonly kind: string;
    readonly vector: readonly number[];
    readonly fields: string;
    readonly k: number;
  }[];
}

const bad = (message: string, code = "InvalidRequestParameter"): Refusal =>
  new Refusal({ status: 400, body: { error: { code, message } } });

function checkDefinition(name: string, definition: Definition): Definition {
  if (!/^[a-z0-9](?:-?[a-z0-9]+)*$/u.test(name) || name.length > 128) throw bad(`The name ${name} is not allowed.`);
  if (definition.name !== name) throw bad("The name in the URL and in the body differ.");
  if (definition.fields.filter(({ key }) => key === true).length !== 1) throw bad("An index has exactly one key.");
  const vector = definition.fields.find(({ type }) => type === "Collection(Edm.Single)");
  const profile = definition.vectorSearch.profiles.find((each) => each.name === vector?.vectorSearchProfile);
  const algorithm = definition.vectorSearch.algorithms.find((each) => each.name === profile?.algorithm);
  if (algorithm === undefined) throw bad("The vector field has no profile with an algorithm.");
  if (!["hnsw", "exhaustiveKnn"].includes(algorithm.kind)) throw bad(`There is no algorithm ${algorithm.kind}.`);
  return definition;
}

function write({ definition, rows }: Index, documents: readonly Document[]) {
  if (documents.length > 1_000) throw bad("A batch has more than 1000 documents.");
  const { dimensions } = definition.fields.find(({ name }) => name === "vector")!;
  const value = documents.map(({ "@search.action": action, ...row }) => {
    const done = (statusCode: number, errorMessage: string | null = null) => ({
      key: row.key,
      status: errorMessage === null,
      errorMessage,
      statusCode,
    });
    if (!/^[\w=-]+$/u.test(row.key)) return done(400, "A key has letters, digits, _, - and =.");
    if (action === "delete") return (rows.delete(row.key), done(200));
    if (action !== "upload") return done(400, `There is no action ${action}.`);
    const unknown = Object.keys(row).find((name) => !definition.fields.some((field) => field.name === name));
    if (unknown !== undefined) return done(400, `The property '${unknown}' does not exist.`);
    if (row.vector.length !== dimensions) return done(400, `The vector has ${row.vector.length} dimensions.`);
    rows.put(row.key, row);
    return done(201);
  });
  return { status: value.every(({ status }) => status) ? 200 : 207, body: { value } };
}

function search({ definition, rows }: Index, query: Query) {
  const { filter, count, top = 50, select, orderby, vectorQueries } = query;
  if (top > 1_000) throw bad("top is greater than 1000.");
  const admits = filter === undefined ? () => true : parseFilter(filter, definition);
  let found = rows
    .all()
    .filter(admits)
    .map((row) => ({ row, score: 1 }));
  const total = found.length;
  for (const { kind, vector, fields, k } of vectorQueries ?? []) {
    if (kind !== "vector" || fields !== "vector") throw bad("A vector query names a vector field.");
    const [algorithm] = definition.vectorSearch.algorithms;
    const { metric } = algorithm![`${algorithm!.kind}Parameters`]!;
    found = found
      .map(({ row }) => ({ row, score: scoreOf(metric, vector, row.vector) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, k);
  }
  if (query.search !== undefined)
    found = fuse(
      found.map(({ row }) => row),
      rankByWords(rows.all().filter(admits), query),
    );
  if (orderby !== undefined) {
    const [, name = ""] = /^(\w+) asc$/u.exec(orderby) ?? [];
    if (definition.fields.find((field) => field.name === name)?.sortable !== true)
      throw bad(`The field '${name}' is not sortable.`);
    found.sort((a, b) => (String(a.row[name]) < String(b.row[name]) ? -1 : 1));
  }
  const names = select?.split(",") ?? [];
  return {
    ...(count === true && { "@odata.count": total }),
    value: found.slice(0, top).map(({ row, score }) => ({
      "@search.score": score,
      ...Object.fromEntries(names.map((name) => [name, row[name]])),
    })),
  };
}

function rankByWords(rows: readonly Row[], { search: words = "", searchFields = "" }: Query): readonly Row[] {
  const wanted = new Set<string>(words.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const count = (row: Row): number =>
    String(row[searchFields])
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => wanted.has(word)).length;
  return rows.filter((row) => count(row) > 0).sort((a, b) => count(b) - count(a));
}

/** **Source** "Relevance in hybrid search": the sum of 1 / (60 + rank). */
function fuse(...lists: readonly (readonly Row[])[]): { row: Row; score: number }[] {
  const scores = new Map<Row, number>();
  for (const list of lists)
    for (const [i, row] of list.entries()) scores.set(row, (scores.get(row) ?? 0) + 1 / (61 + i));
  return [...scores].map(([row, score]) => ({ row, score })).sort((a, b) => b.score - a.score);
}

/** **Source** "Relevance in vector search": 1 divided by 1 and the distance. */
function scoreOf(metric: string, a: readonly number[], b: readonly number[]): number {
  if (metric === "euclidean") return 1 / (1 + Math.sqrt(measures.squared(a, b)));
  return 1 / (2 - (metric === "cosine" ? measures.cosine(a, b) : measures.dot(a, b)));
}

type Values = Readonly<Record<string, unknown>>;
type Test = (row: Row, variables: Values) => boolean;

/** Reads a filter by the grammar of "OData expression syntax reference": or, and, not, comparisons, any and all. */
function parseFilter(text: string, { fields }: Definition): (row: Row) => boolean {
  const tokens = text.match(/'(?:[^']|'')*'|[\w.+-]+|[()/:,]/gu) ?? [];
  let at = 0;
  const peek = (): string | undefined => tokens[at];
  const take = (expected?: string): string => {
    const token = tokens[at++];
    if (token === undefined || (expected !== undefined && token !== expected))
      throw bad(`Invalid expression: ${expected ?? "a word"} expected at position ${at} in '${text}'.`);
    return token;
  };

  function any(): Test {
    const parts = [all()];
    while (peek() === "or") {
      take();
      parts.push(all());
    }
    return (row, variables) => parts.some((part) => part(row, variables));
  }
  function all(): Test {
    const parts = [one()];
    while (peek() === "and") {
      take();
      parts.push(one());
    }
    return (row, variables) => parts.every((part) => part(row, variables));
  }
  function one(): Test {
    if (peek() === "not") {
      take();
      const inner = one();
      return (row, variables) => !inner(row, variables);
    }
    if (peek() === "(") {
      take();
      const inner = any();
      take(")");
      return inner;
    }
    return comparison();
  }
  function comparison(): Test {
    const name = take();
    if (name === "search.in") {
      take("(");
      const [field, , values] = [take(), take(","), String(literal(take()))];
      take(",");
      const separator = String(literal(take()));
      take(")");
      checkFilterable(field);
      return (row) => values.split(separator).includes(String(row[field]));
    }
    if (peek() === "/" && (tokens[at + 1] === "any" || tokens[at + 1] === "all")) return lambda(name);
    const path = peek() === "/" ? (take(), take()) : undefined;
    const is = take();
    const right = literal(take());
    if (path === undefined) checkFilterable(name);
    return (row, variables) => {
      const base = name in variables ? variables[name] : row[name];
      return compare(path === undefined ? base : (base as Values)[path], is, right);
    };
  }
  function lambda(name: string): Test {
    take("/");
    const every = take() === "all";
    take("(");
    const variable = take();
    take(":");
    const inner = any();
    take(")");
    checkFilterable(name);
    return (row, variables) => {
      const elements = (row[name] ?? []) as readonly unknown[];
      const meets = (element: unknown): boolean => inner(row, { ...variables, [variable]: element });
      return every ? elements.every(meets) : elements.some(meets);
    };
  }
  function checkFilterable(name: string): void {
    const field = fields.find((each) => each.name === name);
    const isSo = field === undefined || field.filterable === true || field.fields?.every((each) => each.filterable);
    if (isSo === false || (field === undefined && /^\w{2,}$/u.test(name)))
      throw bad(`Invalid expression: '${name}' is not a filterable field.`);
  }

  const test = any();
  if (at < tokens.length) throw bad(`Invalid expression: syntax error at position ${at} in '${text}'.`);
  return (row) => test(row, {});
}

function literal(token: string): string | number {
  if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
  if (!/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(token)) throw bad(`Invalid expression: '${token}' is no literal.`);
  return Number(token);
}

function compare(left: unknown, is: string, right: string | number): boolean {
  if (typeof left !== typeof right) return is === "ne";
  const [a, b] = [left as string, right as string];
  const results: Readonly<Record<string, boolean>> = {
    eq: a === b,
    ne: a !== b,
    gt: a > b,
    ge: a >= b,
    lt: a < b,
    le: a <= b,
  };
  const found = results[is];
  if (found === undefined) throw bad(`Invalid expression: there is no operator '${is}'.`);
  return found;
}
