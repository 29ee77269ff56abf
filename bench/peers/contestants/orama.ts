import { create as createOrama, insertMultiple, search } from "@orama/orama";

const chunked = 500;

/** Words alone, or words and vectors. */
export function openOrama(dimensions: number) {
  const schema = { text: "string", slot: "number" } as const;
  return dimensions === 0
    ? createOrama({ schema })
    : createOrama({ schema: { ...schema, embedding: `vector[${dimensions}]` } as const });
}

export type Orama = ReturnType<typeof openOrama>;

export async function insert(db: Orama, documents: object[]): Promise<void> {
  await insertMultiple(db, documents, chunked);
}

export { search };
