import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A point as it is kept. */
interface Point {
  readonly id: string;
  readonly vector: readonly number[];
  readonly payload: {
    readonly ref: string;
    readonly tags: readonly string[];
    readonly numbers: Readonly<Record<string, number>>;
  };
}

type Condition =
  | { readonly key: string; readonly match: { readonly value: string } }
  | { readonly key: string; readonly range: Readonly<Record<string, number>> }
  | { readonly has_id: readonly string[] }
  | Filter;

interface Filter {
  readonly must?: readonly Condition[];
  readonly must_not?: readonly Condition[];
  readonly should?: readonly Condition[];
}

const sum = (a: readonly number[], of: (value: number, i: number) => number): number =>
  a.reduce((total, value, i) => total + of(value, i), 0);
const product = (a: readonly number[], b: readonly number[]): number => sum(a, (value, i) => value * b[i]!);

/** The score that the server gives two vectors: a similarity, or a distance. */
const scores = {
  Cosine: cosine,
  Dot: product,
  Euclid: (a: readonly number[], b: readonly number[]) => Math.sqrt(sum(a, (value, i) => (value - b[i]!) ** 2)),
  Manhattan: (a: readonly number[], b: readonly number[]) => sum(a, (value, i) => Math.abs(value - b[i]!)),
};

interface Body {
  readonly vectors?: { readonly size: number; readonly distance: keyof typeof scores };
  readonly points?: readonly Point[] | readonly string[];
  readonly filter?: Filter;
  readonly query?: readonly number[];
  readonly limit?: number;
  readonly offset?: string;
}

/** Points that the stand-in keeps, and filters that it was asked by. */
export interface Qdrant {
  readonly url: string;
  /** Points by collection. */
  readonly collections: ReadonlyMap<string, ReadonlyMap<string, Point>>;
  /** The filter of each search. */
  readonly filters: readonly (Filter | undefined)[];
}

/**
 * A stand-in for a Qdrant server: its REST interface on this machine, with an exact scan and its filters. It shares no code with ibid.
 *
 * **Source** the REST interface as api.qdrant.tech describes it.
 */
export async function withQdrant<Result>(use: (qdrant: Qdrant) => Promise<Result>): Promise<Result> {
  const collections = new Map<string, Map<string, Point>>();
  const kinds = new Map<string, NonNullable<Body["vectors"]>>();
  const filters: (Filter | undefined)[] = [];

  function answer(method: string, path: readonly string[], body: Body): readonly [status: number, result: unknown] {
    const [, name = "", ...rest] = path;
    if (name === "") return [200, { collections: [...collections.keys()].map((one) => ({ name: one })) }];
    if (rest.length === 0 && method === "PUT") {
      if (collections.has(name)) return [409, "It exists."];
      collections.set(name, new Map());
      kinds.set(name, body.vectors!);
      return [200, true];
    }
    const points = collections.get(name);
    if (points === undefined) return [404, "There is no such collection."];
    if (rest.length === 0 && method === "DELETE") return [200, collections.delete(name)];
    const passing = [...points.values()].filter((point) => passes(point, body.filter ?? {}));
    switch (rest.join("/")) {
      case "":
        return [200, { status: "green", config: { params: { vectors: kinds.get(name) } } }];
      case "index":
        return [200, { status: "completed" }];
      case "points":
        for (const point of body.points as readonly Point[]) points.set(point.id, point);
        return [200, { status: "completed" }];
      case "points/delete":
        for (const id of body.points as readonly string[]) points.delete(id);
        return [200, { status: "completed" }];
      case "points/count":
        return [200, { count: passing.length }];
      case "points/scroll": {
        const sorted = passing.map(({ id }) => id).sort();
        const from = sorted.filter((id) => body.offset === undefined || id >= body.offset);
        const page = from.slice(0, body.limit);
        return [200, { points: page.map((id) => ({ id })), next_page_offset: from[page.length] ?? null }];
      }
      case "points/query": {
        filters.push(body.filter);
        const kind = kinds.get(name)!.distance;
        const scored = passing.map(({ vector, payload: { ref } }) => ({
          score: scores[kind](vector, body.query!),
          payload: { ref },
        }));
        const sign = kind === "Euclid" || kind === "Manhattan" ? -1 : 1;
        return [200, { points: scored.toSorted((a, b) => sign * (b.score - a.score)).slice(0, body.limit) }];
      }
      default:
        return [404, "There is no such route."];
    }
  }

  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += String(piece);
    const path = new URL(request.url ?? "/", "http://localhost").pathname.slice(1).split("/");
    const [status, result] = answer(request.method ?? "GET", path, (text === "" ? {} : JSON.parse(text)) as Body);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(status < 300 ? { result, status: "ok" } : { status: { error: result } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return await use({ url, collections, filters });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function passes(point: Point, { must = [], must_not: mustNot = [], should = [] }: Filter): boolean {
  return (
    must.every((one) => meets(point, one)) &&
    !mustNot.some((one) => meets(point, one)) &&
    (should.length === 0 || should.some((one) => meets(point, one)))
  );
}

function meets(point: Point, condition: Condition): boolean {
  if ("has_id" in condition) return condition.has_id.includes(point.id);
  if (!("key" in condition)) return passes(point, condition);
  if ("match" in condition) return point.payload.tags.includes(condition.match.value);
  const value = point.payload.numbers[condition.key.slice("numbers.".length)];
  if (value === undefined) return false;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = condition.range;
  return value > gt && value >= gte && value < lt && value <= lte;
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (const [i, x] of a.entries()) {
    dot += x * b[i]!;
    aa += x * x;
    bb += b[i]! ** 2;
  }
  return dot / (Math.sqrt(aa * bb) || 1);
}
