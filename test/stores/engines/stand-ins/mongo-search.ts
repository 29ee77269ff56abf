import { measures } from "./serve.ts";

type Document = Readonly<Record<string, unknown>>;

interface Field {
  readonly type: string;
  readonly dynamic?: boolean;
  readonly numDimensions?: number;
  readonly similarity?: string;
}

/** Definition of an index of the type `search`. */
export interface SearchDefinition {
  readonly mappings: { readonly dynamic: boolean; readonly fields: Readonly<Record<string, Field>> };
  readonly storedSource: { readonly include: readonly string[] };
}

const fail = (message: string): Error => new Error(message);

const similarities: readonly unknown[] = ["cosine", "dotProduct", "euclidean"];

export function checkDefinition(definition: SearchDefinition): SearchDefinition {
  const { dynamic, fields } = definition.mappings;
  for (const [name, { type, similarity, numDimensions }] of Object.entries(fields)) {
    if (!["string", "token", "document", "vector"].includes(type))
      throw fail(`"mappings.fields.${name}" unrecognized type`);
    if (
      type === "vector" &&
      !(similarities.includes(similarity) && Number(numDimensions) >= 1 && Number(numDimensions) <= 8192)
    )
      throw fail(`"mappings.fields.${name}" has no similarity, or a wrong number of dimensions`);
  }
  if (dynamic || Object.keys(fields).length === 0) throw fail("The stand-in takes static mappings.");
  const stored = definition.storedSource.include;
  if (stored.some((name) => fields[name]?.type === "vector")) throw fail("a vector cannot be stored source");
  return definition;
}

/** Words as `lucene.standard` cuts them, nearly. */
const wordsOf = (text: unknown): readonly string[] =>
  String(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Documents under an operator of `$search` with their scores, best first; those that do not match are left out. An operator that is unknown, or that a field's type
 * does not take, is an error. Every vector is compared.
 *
 * Shapes: "compound", "text", "equals", "in", "range", "exists" and "vectorSearch" of MongoDB Search, read on 28 November 2026.
 */
export function searchDocuments(
  { mappings: { fields } }: SearchDefinition,
  operator: Document,
  documents: readonly Document[],
): readonly { readonly document: Document; readonly score: number }[] {
  const valueAt = (document: Document, path: string): readonly unknown[] => {
    const value = path.split(".").reduce<unknown>((at, key) => (at as Document | undefined)?.[key], document);
    return value === undefined ? [] : [value].flat();
  };
  const checkType = (path: unknown, type: string): string => {
    const [top = "", ...rest] = String(path).split(".");
    const field = fields[top];
    const found = field?.type === "document" && field.dynamic === true && rest.length > 0 ? "number" : field?.type;
    if (found !== type) throw fail(`"${String(path)}" is not indexed as ${type}`);
    return String(path);
  };

  /** **Shape** `undefined` where the clause does not match. */
  function scoreOf(clause: Document, document: Document): number | undefined {
    const [[operator, given], ...others] = Object.entries(clause) as [[string, Document], ...unknown[]];
    if (others.length > 0) throw fail("a clause has one operator");
    const whether = (is: boolean): number | undefined => (is ? 1 : undefined);
    switch (operator) {
      case "compound":
        return scoreAll(given, document);
      case "text": {
        const held = valueAt(document, checkType(given["path"], "string")).flatMap(wordsOf);
        const score = wordsOf(given["query"]).filter((word) => held.includes(word)).length / Math.sqrt(1 + held.length);
        return score > 0 ? score : undefined;
      }
      case "equals":
        return whether(valueAt(document, checkType(given["path"], "token")).includes(given["value"]));
      case "in": {
        const wanted = given["value"] as readonly unknown[];
        return whether(valueAt(document, checkType(given["path"], "token")).some((one) => wanted.includes(one)));
      }
      case "exists":
        return whether(valueAt(document, String(given["path"])).length > 0);
      case "range": {
        const { path, ...bounds } = given;
        const type = typeof Object.values(bounds)[0] === "string" ? "token" : "number";
        const held = valueAt(document, checkType(path, type));
        return whether(held.some((one) => Object.entries(bounds).every(([is, bound]) => meets(one, is, bound))));
      }
      default:
        throw fail(`"${operator}" is not a valid operator`);
    }
  }

  function scoreAll(all: Document, document: Document): number | undefined {
    const {
      must = [],
      mustNot = [],
      should = [],
      filter = [],
      minimumShouldMatch = 0,
      ...unknown
    } = all as {
      must?: Document[];
      mustNot?: Document[];
      should?: Document[];
      filter?: Document[];
      minimumShouldMatch?: number;
    };
    if (Object.keys(unknown).length > 0) throw fail(`unrecognized field "${Object.keys(unknown)[0]!}"`);
    if (must.length + mustNot.length + should.length + filter.length === 0) throw fail("compound must have a clause");
    const needed = must.map((one) => scoreOf(one, document));
    const wished = should.map((one) => scoreOf(one, document)).filter((one) => one !== undefined);
    const isOut =
      needed.includes(undefined) ||
      filter.some((one) => scoreOf(one, document) === undefined) ||
      mustNot.some((one) => scoreOf(one, document) !== undefined) ||
      wished.length < minimumShouldMatch;
    return isOut ? undefined : [...(needed as number[]), ...wished].reduce((sum, one) => sum + one, 0);
  }

  function scoreVectors({ path, queryVector, limit, numCandidates, exact, filter, ...unknown }: Document) {
    if (Object.keys(unknown).length > 0) throw fail(`unrecognized field "${Object.keys(unknown)[0]!}"`);
    const field = fields[checkType(path, "vector")]!;
    const asked = queryVector as readonly number[];
    if (asked.length !== field.numDimensions) throw fail("The query vector has other dimensions.");
    const isWide = Number(numCandidates) >= Number(limit) && Number(numCandidates) <= 10_000;
    if (exact === true ? numCandidates !== undefined : !isWide)
      throw fail('"numCandidates" is from "limit" to 10000, and left out where "exact" is true');
    return documents
      .filter((document) => filter === undefined || scoreOf(filter as Document, document) !== undefined)
      .map((document) => ({ document, score: likeness(field.similarity!, asked, document[String(path)] as number[]) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, Number(limit));
  }

  const { vectorSearch } = operator;
  if (vectorSearch !== undefined) return scoreVectors(vectorSearch as Document);
  return documents
    .flatMap((document) => {
      const score = scoreOf(operator, document);
      return score === undefined ? [] : [{ document, score }];
    })
    .sort((a, b) => b.score - a.score);
}

function likeness(similarity: string, a: readonly number[], b: readonly number[]): number {
  if (similarity === "euclidean") return 1 / (1 + Math.sqrt(measures.squared(a, b)));
  return (1 + (similarity === "cosine" ? measures.cosine(a, b) : measures.dot(a, b))) / 2;
}

/** Values of another type than the bound are never within it. */
function meets(value: unknown, is: string, bound: unknown): boolean {
  if (!["gt", "gte", "lt", "lte"].includes(is)) throw fail(`"range" has no bound "${is}"`);
  if (typeof value !== typeof bound) return false;
  const [one, other] = [value as number, bound as number];
  if (is === "gt") return one > other;
  if (is === "gte") return one >= other;
  return is === "lt" ? one < other : one <= other;
}
