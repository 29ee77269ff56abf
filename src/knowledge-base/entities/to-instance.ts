import type { Entities, EntityInstanceOf, EntityType, NamedEntityData } from "../../contracts/entity.ts";
import { IbidError } from "../../contracts/errors.ts";

/**
 * An entity as a plain object of all these types, which can be logged, compared and sent.
 */
export async function toInstance<const Types extends readonly EntityType[]>(
  navigator: Pick<Entities, "findRelated">,
  { properties, ...entity }: NamedEntityData,
  types: Types,
): Promise<EntityInstanceOf<Types> | undefined> {
  if (types.length === 0) {
    throw new IbidError("invalid-argument", "An instance is of one type at least.", {
      hint: "Give what defineEntityType made: toInstance(entity, Employee).",
    });
  }
  let instance: object = {};
  for (const { label, schema, relationships } of types) {
    if (!entity.labels.includes(label)) return undefined;
    const result = await schema["~standard"].validate(properties);
    if (result.issues !== undefined || typeof result.value !== "object") return undefined;
    const ways = Object.entries(relationships).map(([called, { name, direction }]) => [
      called,
      () => navigator.findRelated(entity, name, direction),
    ]);
    instance = { ...instance, ...result.value, ...(Object.fromEntries(ways) as object) };
  }
  return { ...instance, ...entity } as EntityInstanceOf<Types>;
}
