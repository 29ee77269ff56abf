import type { CollectionDefinition, VectorSettings } from "../../contracts/collection.ts";
import type { VectorIndex } from "../../contracts/engine.ts";
import type { Metric } from "../../contracts/embedding.ts";
import type { EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { StandardSchema } from "../../contracts/schema.ts";
import { everyMetric } from "../../search/search-options.ts";
import { checkOptions, checkText } from "../../runtime/check-options.ts";
import { hashParts } from "../../runtime/hash.ts";

/** A definition whose types have done their work. */
export type AnyDefinition = CollectionDefinition<StandardSchema>;

/** A definition that was checked, with every default filled in. */
export interface CollectionPlan {
  readonly name: string;
  readonly schema: StandardSchema;
  readonly key: string;
  readonly text: readonly string[];
  /** Text fields with vectors of their own. */
  readonly vectors: readonly string[];
  readonly filterable: readonly string[];
  /** The metrics of the fields that name one. */
  readonly metrics: ReadonlyMap<string, Metric>;
  /** Whether a search names its field, and no vector of a model is handed out. */
  readonly strict: boolean;
  readonly keptIn: "documents" | "engine";
  /** The kinds of indexes of the fields that name one. */
  readonly kinds: ReadonlyMap<string, VectorIndex>;
  /** The model beside the knowledge base's own that embeds a part: a field, or what the other text fields say together (`""`). */
  readonly models: ReadonlyMap<string, EmbeddingModel>;
  /** A hash of everything that decides how a record is kept. Definitions with the same hash keep a record alike. */
  readonly fingerprint: string;
  /** A hash of the models alone. */
  readonly modelsFingerprint: string;
}

/** Names of a collection's fields and their roles: enough to make the rows of an engine of its records. */
export type RecordFields = Pick<CollectionPlan, "key" | "text" | "vectors" | "filterable">;

/** The fields of a collection as its mark says them. */
export const fieldsOf = ({ key, text, vectors, filterable }: RecordFields): string =>
  JSON.stringify({ key, text, vectors, filterable } satisfies RecordFields);

const knownNames = {
  schema: true,
  key: true,
  text: true,
  vectors: true,
  filterable: true,
  embeddingModel: true,
  strict: true,
  keptIn: true,
} as const;

const knownOfVectors = { embeddingModel: true, metric: true, index: true } as const satisfies Record<
  keyof VectorSettings,
  true
>;
/** Kinds of indexes, by where records are kept. An engine names those that it has. */
const indexes = {
  documents: ["flat", "dynamic"],
  engine: ["flat", "dynamic", "hnsw", "ivf-flat", "quantized-flat", "disk-ann"],
} as const satisfies Readonly<Record<CollectionPlan["keptIn"], readonly VectorIndex[]>>;

/** Names that filters give another meaning. */
const filterWords: ReadonlySet<string> = new Set(["and", "or", "not", "op"]);

/** **Errors** `invalid-argument` for a definition that contradicts itself, naming the field. */
export function planCollection(name: string, definition: AnyDefinition): CollectionPlan {
  checkText("collection", "name", name);
  checkOptions(`collection ${name}`, definition ?? null, knownNames);
  const { schema, key, embeddingModel, strict = false, keptIn = "documents" } = definition;
  const invalid = (what: string, hint: string): IbidError =>
    new IbidError("invalid-argument", `Collection ${name}: ${what}.`, { hint });
  // Schemas of some libraries are functions.
  const speaks = (schema as Partial<StandardSchema> | null | undefined)?.["~standard"];
  if (typeof speaks?.validate !== "function")
    throw invalid("schema is no Standard Schema", "Give one of Zod, Valibot, ArkType or another library's.");
  const names = (what: string, fields: unknown): readonly string[] => {
    const all = Array.isArray(fields) ? (fields as readonly unknown[]) : undefined;
    if (all?.every((field) => typeof field === "string" && field !== "") !== true || new Set(all).size < all.length)
      throw invalid(`${what} is not a list of different field names`, "Name each field once.");
    return all as readonly string[];
  };
  if (typeof key !== "string" || key === "")
    throw invalid("key names no field", "Name the field that tells records apart.");
  const text = names("text", definition.text);
  if (text.length === 0) throw invalid("text names no field", "Name the fields that are searched.");
  const filterable = names("filterable", definition.filterable ?? []);
  for (const field of filterable) {
    if (filterWords.has(field) || field.startsWith("_"))
      throw invalid(
        `a field called "${field}" cannot be filtered by`,
        "Such names mean something else in filters; rename it in the schema.",
      );
  }
  const settings = definition.vectors ?? {};
  const vectors = names("vectors", Object.keys(settings));
  const models = new Map<string, EmbeddingModel>();
  const metrics = new Map<string, Metric>();
  const kinds = new Map<string, VectorIndex>();
  if (!Object.hasOwn(indexes, keptIn))
    throw invalid(`keptIn is "${keptIn as string}"`, 'Give "documents" or "engine".');
  const known: readonly VectorIndex[] = indexes[keptIn];
  if (typeof strict !== "boolean") throw invalid("strict is no boolean", "Give true or false.");
  for (const field of vectors) {
    if (!text.includes(field))
      throw invalid(`vectors names "${field}", which is no text field`, "Name it in text too.");
    checkOptions(`collection ${name}: vectors.${field}`, settings[field], knownOfVectors);
    const { metric, index = "dynamic" } = settings[field]!;
    if (metric !== undefined && !(metric in everyMetric))
      throw invalid(`vectors.${field}.metric is "${metric}"`, `Give one of: ${Object.keys(everyMetric).join(", ")}.`);
    if (!known.includes(index))
      throw invalid(
        `vectors.${field}.index is "${index}", a kind that the store has not`,
        `Give one of: ${known.join(", ")}.`,
      );
    if (metric !== undefined) metrics.set(field, metric);
    if (index !== "dynamic") kinds.set(field, index);
    const model = settings[field]?.embeddingModel ?? embeddingModel;
    if (model !== undefined) models.set(field, model);
  }
  if (embeddingModel !== undefined && vectors.length < text.length) models.set("", embeddingModel);
  const modelsFingerprint = hashParts(
    ...[...models].flatMap(([field, { provider, model, kind, dimensions, fingerprint }]) => [
      field,
      JSON.stringify([provider, model, kind, dimensions ?? 0, fingerprint ?? ""]),
    ]),
  );
  const inEngine = keptIn === "engine" ? [[...metrics], [...kinds]] : [];
  const fields = JSON.stringify([key, text, vectors.toSorted(), filterable.toSorted(), ...inEngine]);
  return {
    name,
    schema,
    key,
    text,
    vectors,
    filterable,
    metrics,
    strict,
    keptIn,
    kinds,
    models,
    fingerprint: hashParts("collection/1", fields, modelsFingerprint),
    modelsFingerprint,
  };
}
