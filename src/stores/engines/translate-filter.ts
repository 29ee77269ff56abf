import type { EngineCondition } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Filter } from "../../contracts/filter.ts";
import type { Restriction } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import { checkGiven } from "../../runtime/check-options.ts";
import type { EngineTags } from "./engine-tags.ts";

/** A restriction for an engine. */
export interface EngineRestriction {
  /** Admits every chunk that the restriction admits, and perhaps others. */
  readonly condition: EngineCondition;
  /** Operators that are checked on candidates alone. */
  readonly checkedAfter: readonly Filter["op"][];
}

/**
 * The condition that an engine gets for scopes, filter and origins.
 *
 * **Shape** negations are resolved into `has`, `lacks` and turned comparisons. A part that the engine cannot evaluate is left out.
 * In an `or` it takes the whole group with it, so that more is admitted and never less.
 */
export function translateRestriction(
  scopes: readonly Scope[],
  restriction: Pick<Restriction, "filter" | "origins"> | undefined,
  tags: EngineTags,
  can: readonly EngineCondition["op"][],
): EngineRestriction {
  const checkedAfter = new Set<Filter["op"]>();
  const forms = new Set(can);

  /** The condition for a filter, or for its opposite. `undefined`: it cannot be said, so everything is admitted. */
  function translate(filter: Filter, isWanted: boolean): EngineCondition | undefined {
    switch (filter.op) {
      case "and":
      case "or": {
        const parts = filter.filters.map((each) => translate(each, isWanted));
        return (filter.op === "and") === isWanted ? allOf(parts) : anyOf(parts);
      }
      case "not":
        return translate(filter.filter, !isWanted);
      case "ne":
        return translate({ ...filter, op: "eq" }, !isWanted);
      case "nin":
        return translate({ ...filter, op: "in" }, !isWanted);
      default: {
        const found = leaf(filter, isWanted);
        if (found === undefined || !isSayable(found)) {
          checkedAfter.add(filter.op);
          return undefined;
        }
        return found;
      }
    }
  }

  function leaf(filter: Filter, isWanted: boolean): EngineCondition | undefined {
    const tagged = (tag: string): EngineCondition => ({ op: isWanted ? "has" : "lacks", tag });
    switch (filter.op) {
      case "eq":
        return filter.ignoreCase === true && typeof filter.value === "string"
          ? tagged(tags.alike(filter.key, filter.value))
          : tagged(tags.equal(filter.key, filter.value));
      case "in": {
        const each = filter.values.map((value) => tagged(tags.equal(filter.key, value)));
        return { op: isWanted ? "or" : "and", of: each };
      }
      case "hasElement":
        return tagged(tags.element(filter.key, filter.value));
      case "exists":
        return tagged(tags.exists(filter.key));
      case "gt":
      case "gte":
      case "lt":
      case "lte": {
        if (typeof filter.value !== "number" || filter.coerce === true) return undefined;
        const compare = (is: typeof filter.op): EngineCondition => ({
          op: "number",
          key: tags.numberKey(filter.key),
          is,
          value: filter.value as number,
        });
        if (isWanted) return compare(filter.op);
        return { op: "or", of: [{ op: "lacks", tag: tags.isNumber(filter.key) }, compare(opposite[filter.op])] };
      }
      default:
        return undefined;
    }
  }

  const isSayable = (condition: EngineCondition): boolean =>
    forms.has(condition.op) && (!("of" in condition) || condition.of.every(isSayable));

  function allOf(parts: readonly (EngineCondition | undefined)[]): EngineCondition | undefined {
    const said = parts.filter((part) => part !== undefined);
    return said.length === 0 && parts.length > 0 ? undefined : { op: "and", of: said };
  }

  function anyOf(parts: readonly (EngineCondition | undefined)[]): EngineCondition | undefined {
    return parts.includes(undefined) ? undefined : { op: "or", of: parts as readonly EngineCondition[] };
  }

  const place: EngineCondition = { op: "or", of: scopes.map((scope) => ({ op: "has", tag: tags.scope(scope) })) };
  const origins: EngineCondition | undefined = restriction?.origins && {
    op: "or",
    of: restriction.origins.map((origin) => ({ op: "has", tag: tags.origin(origin) })),
  };
  const filter = restriction?.filter === undefined ? undefined : translate(restriction.filter, true);
  const parts = [place, origins, filter].filter((part) => part !== undefined && isSayable(part));
  return {
    condition: simplify({ op: "and", of: parts as readonly EngineCondition[] }),
    checkedAfter: [...checkedAfter],
  };
}

const opposite = { gt: "lte", gte: "lt", lt: "gte", lte: "gt" } as const;

/** The same condition without groups of one and groups in groups of their kind. */
function simplify(condition: EngineCondition): EngineCondition {
  if (!("of" in condition)) return condition;
  const of = condition.of.map(simplify).flatMap((part) => (part.op === condition.op ? part.of : [part]));
  return of.length === 1 ? of[0]! : { op: condition.op, of };
}

/**
 * A way of writing each form of a condition in an engine's own language.
 *
 * @experimental
 */
export interface ConditionForms<Written> {
  has(tag: string): Written;
  lacks(tag: string): Written;
  number(key: string, is: "gt" | "gte" | "lt" | "lte", value: number): Written;
  /** At least one part. */
  and(parts: readonly Written[]): Written;
  /** At least one part. */
  or(parts: readonly Written[]): Written;
  /** Admits nothing. */
  nothing(): Written;
}

/**
 * Writes a condition in an engine's own language.
 *
 * **Shape** `undefined` for a condition that admits everything.
 * @example
 * writeCondition(condition, { has: (tag) => `'${tag}' = ANY(tags)`, … })
 *
 * @experimental
 */
export function writeCondition<Written>(
  condition: EngineCondition | undefined,
  forms: ConditionForms<Written>,
): Written | undefined {
  if (condition === undefined) return undefined;
  checkGiven("writeCondition", "condition", condition, "object");
  switch (condition.op) {
    case "has":
      return forms.has(condition.tag);
    case "lacks":
      return forms.lacks(condition.tag);
    case "number":
      return forms.number(condition.key, condition.is, condition.value);
    case "and": {
      const parts = condition.of.map((part) => writeCondition(part, forms)).filter((part) => part !== undefined);
      return parts.length > 1 ? forms.and(parts) : parts[0];
    }
    case "or": {
      if (condition.of.length === 0) return forms.nothing();
      const parts = condition.of.map((part) => writeCondition(part, forms));
      if (parts.includes(undefined)) return undefined;
      return parts.length > 1 ? forms.or(parts as Written[]) : parts[0];
    }
    default:
      throw new IbidError("invalid-argument", `There is no condition "${String((condition as { op: unknown }).op)}".`, {
        hint: "Conditions are has, lacks, number, and, or.",
      });
  }
}

/** Comparisons of numbers, as most languages write them. */
const signs = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/**
 * Writes a condition with `and`, `or` and `not`, as SQL and its relatives do.
 *
 * **Errors** `invalid-argument` for a tag or a key with other characters than letters and digits: both stand in the text as they are.
 */
export function writeExpression(
  condition: EngineCondition | undefined,
  has: (tag: string) => string,
  number: (key: string, sign: string, value: number) => string,
  nothing = "false",
): string | undefined {
  const checked = (name: string): string => {
    if (/^\w+$/u.test(name)) return name;
    throw new IbidError("invalid-argument", `${JSON.stringify(name)} is no tag.`, {
      hint: "Tags and keys of numbers are letters and digits.",
    });
  };
  return writeCondition<string>(condition, {
    has: (tag) => has(checked(tag)),
    lacks: (tag) => `not(${has(checked(tag))})`,
    number: (key, is, value) => number(checked(key), signs[is], value),
    and: (parts) => `(${parts.join(" and ")})`,
    or: (parts) => `(${parts.join(" or ")})`,
    nothing: () => nothing,
  });
}
