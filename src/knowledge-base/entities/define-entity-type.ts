import type { EntityType, RelationshipDefinition, RelationshipDirection } from "../../contracts/entity.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { StandardSchema } from "../../contracts/schema.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkLabels } from "./has-any-label.ts";

const directions: readonly RelationshipDirection[] = ["outgoing", "incoming", "both"];

/**
 * Says what a type of entities is: its label, the schema of its properties, and the relationships that its instances lead on by.
 *
 * **Errors** `invalid-argument` for a blank label, a schema that is none, and a relationship that is called like something that every entity has.
 * **Source** Embabel's entity interfaces with their `@Relationship`.
 * @experimental
 */
export function defineEntityType<Schema extends StandardSchema, Name extends string = never>(definition: {
  readonly label: string;
  readonly schema: Schema;
  readonly relationships?: { readonly [Each in Name]: RelationshipDefinition } | undefined;
}): EntityType<Schema, Name> {
  checkGiven("defineEntityType", "definition", definition, "object");
  checkOptions("defineEntityType", definition, { label: true, schema: true, relationships: true });
  const { label, schema, relationships = {} } = definition;
  checkLabels([label]);
  if (typeof (schema as Partial<StandardSchema> | undefined)?.["~standard"]?.validate !== "function")
    throw invalid(label, "schema is no Standard Schema", "Give one of Zod, Valibot, ArkType or another library's.");
  const complete = Object.entries<RelationshipDefinition>(relationships).map(([called, given]) => {
    checkOptions(`${label}.${called}`, given, { name: true, direction: true });
    if (ownNames.has(called))
      throw invalid(label, `every entity has a ${called} already`, "Call the relationship something else.");
    const { name = relationshipName(called), direction = "outgoing" } = given;
    if (typeof name !== "string" || name.trim() === "" || !directions.includes(direction))
      throw invalid(label, `${called} has no name, or no direction`, `Directions are ${directions.join(", ")}.`);
    return [called, { name, direction }];
  });
  return { label, schema, relationships: Object.fromEntries(complete) as EntityType<Schema, Name>["relationships"] };
}

/** Names of the fields that every entity has, whatever its type. */
export const ownNames: ReadonlySet<string> = new Set(["id", "name", "description", "uri", "metadata", "labels"]);

/** `HAS_DIRECT_REPORTS` for `directReports`, `getDirectReports` and `isDirectReports`. **Source** Embabel's default name. */
function relationshipName(called: string): string {
  const bare = called.replace(/^(?:get|is)(?=\p{Lu})/u, "");
  return `HAS_${bare.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, "_").toUpperCase()}`;
}

const invalid = (label: string, what: string, hint: string): IbidError =>
  new IbidError("invalid-argument", `Entity type ${label}: ${what}.`, { hint });
