type Document = Readonly<Record<string, unknown>>;

/** Definition of an index of the type `search`. */
export interface WordsDefinition {
  readonly mappings: {
    readonly dynamic: boolean;
    readonly fields: Readonly<Record<string, { readonly type: string; readonly dynamic?: boolean }>>;
  };
}

const fail = (message: string): Error => new Error(message);

export function checkWordsDefinition(definition: WordsDefinition): WordsDefinition {
  const { dynamic, fields } = definition.mappings;
  for (const [name, { type }] of Object.entries(fields))
    if (!["string", "token", "document"].includes(type)) throw fail(`"mappings.fields.${name}" unrecognized type`);
  if (dynamic || Object.keys(fields).length === 0) throw fail("The stand-in takes static mappings.");
  return definition;
}

/** Words as `lucene.standard` cuts them, nearly. */
const wordsOf = (text: unknown): readonly string[] =>
  String(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Scores of documents under a `compound` of `$search`; those that do not match are left out. An operator that is unknown, or that a field's type does not take, is
 * an error. Shapes: "compound", "text", "equals", "in", "range" and "exists" of MongoDB Search, read on 28 November 2026.
 */
export function searchWords(
  { mappings: { fields } }: WordsDefinition,
  compound: Document,
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
        const numbers = valueAt(document, checkType(path, "number")).filter((one) => typeof one === "number");
        return whether(
          numbers.some((one) => Object.entries(bounds).every(([is, bound]) => meets(one, is, bound as number))),
        );
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

  return documents
    .flatMap((document) => {
      const score = scoreAll(compound, document);
      return score === undefined ? [] : [{ document, score }];
    })
    .sort((a, b) => b.score - a.score);
}

function meets(value: number, is: string, bound: number): boolean {
  if (is === "gt") return value > bound;
  if (is === "gte") return value >= bound;
  if (is === "lt") return value < bound;
  if (is === "lte") return value <= bound;
  throw fail(`"range" has no bound "${is}"`);
}
