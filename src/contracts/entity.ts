import type {
  CollectionAddress,
  CollectionDeleteOptions,
  CollectionSearchOptions,
  CollectionWriteOptions,
  CollectionWriteResult,
} from "./collection.ts";
import type { FilterInput } from "./filter.ts";
import type { JsonValue, Metadata } from "./metadata.ts";
import type { Hit, SearchMode } from "./retriever.ts";
import type { SchemaOutput, StandardSchema } from "./schema.ts";
import type { Scope } from "./scope.ts";

/**
 * Somebody or something that has a name.
 *
 * **Source** Embabel's `NamedEntity`.
 * @experimental
 */
export interface NamedEntity {
  readonly id: string;
  readonly name: string;
  /** What it is, in a sentence or a few. With the name, this is what is embedded and searched. */
  readonly description: string;
  /** Where it is described, or what stands for it elsewhere. */
  readonly uri?: string;
  readonly metadata: Metadata;
  /** What kinds of thing it is: `["Employee", "Manager"]`. */
  readonly labels: readonly string[];
}

/**
 * An entity as it is kept: as data, of whatever types its labels say.
 *
 * **Shape** `labels` has `__Entity__` among them, always. **Source** Embabel's `NamedEntityData`.
 * @experimental
 */
export interface NamedEntityData extends NamedEntity {
  readonly properties: { readonly [name: string]: JsonValue };
}

/**
 * An entity on its way in: what may be left out has a default, and what JSON can keep of the properties is kept.
 *
 * @experimental
 */
export interface NewEntity {
  readonly id: string;
  readonly name: string;
  /** Default `""`. */
  readonly description?: string;
  readonly uri?: string;
  readonly metadata?: Metadata;
  /** Default: none. */
  readonly labels?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

/**
 * Seen from an entity: those that it leads to, those that lead to it, or both. **Source** Embabel's `RelationshipDirection`.
 *
 * @experimental
 */
export type RelationshipDirection = "outgoing" | "incoming" | "both";

/**
 * That one entity stands to another as a name says: `{ from: "ada", name: "WORKS_ON", to: "engine" }`.
 *
 * @experimental
 */
export interface Relationship {
  readonly from: string;
  readonly name: string;
  readonly to: string;
}

/**
 * How an instance of a type leads on. **Source** Embabel's `@Relationship`.
 *
 * @experimental
 */
export interface RelationshipDefinition {
  /** Default: `HAS_` and what it is called, in capitals: `HAS_DIRECT_REPORTS` for `directReports` and for `getDirectReports`. */
  readonly name?: string;
  /** Default `"outgoing"`. */
  readonly direction?: RelationshipDirection;
}

/**
 * A type of entities: which label says that one is of it, what its properties are, and where it leads.
 *
 * @experimental
 */
export interface EntityType<Schema extends StandardSchema = StandardSchema, Name extends string = string> {
  readonly label: string;
  /** Of the properties, as JSON keeps them. Any library that speaks Standard Schema. */
  readonly schema: Schema;
  readonly relationships: { readonly [Each in Name]: Required<RelationshipDefinition> };
}

/**
 * An entity as an object of a type: its properties as the schema gives them, a function for each relationship, and what every entity has.
 *
 * @experimental
 */
export type EntityInstance<Type> =
  Type extends EntityType<infer Schema, infer Name>
    ? NamedEntity & SchemaOutput<Schema> & { readonly [Each in Name]: () => AsyncIterable<NamedEntityData> }
    : never;

/** All members of a union at once. */
type AllOf<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/**
 * An entity as an object of several types at once.
 *
 * @experimental
 */
export type EntityInstanceOf<Types extends readonly EntityType[]> = AllOf<EntityInstance<Types[number]>>;

/**
 * Which entities are listed.
 *
 * @experimental
 */
export interface EntityListOptions extends CollectionAddress {
  /** Only those with one of these labels at least. */
  readonly labels?: readonly string[];
  /** By what was declared filterable. */
  readonly filter?: FilterInput;
}

/**
 * How entities are searched; everything has a default.
 *
 * @experimental
 */
export interface EntitySearchOptions extends Omit<CollectionSearchOptions<FilterInput, never>, "vectorProperty"> {
  /** By meaning, by words, or by both. Default `"hybrid"`. */
  readonly mode?: Exclude<SearchMode, "regex">;
  /** Only those with one of these labels at least. */
  readonly labels?: readonly string[];
}

/**
 * An entity that was found.
 *
 * @experimental
 */
export interface EntityHit {
  /** From 1; with `skip`, from there on. */
  readonly rank: number;
  readonly score: number;
  readonly entity: NamedEntityData;
  readonly scope: Scope;
  /** The stretch of its text that was found best, as `search` of the knowledge base would show it. */
  readonly hit: Hit;
}

/**
 * Entities and how they are related, kept in a knowledge base.
 *
 * **Shape** an entity is a record of a collection, a relationship two of another (one for each end): both are kept, shown, purged and reset like every record.
 * An entity is shown to whoever may read its scope, and so is a relationship; it leads only to entities that the caller may read.
 * **Errors** `invalid-argument` for what is not an entity and for properties that the schema of one of its types does not allow, naming the fields; `ambiguous`
 * for an id in several scopes; `access-denied`; `configuration-missing` where other properties were filterable when the entities were written (`rebuild`).
 * **Source** Embabel's entities and navigator.
 * @experimental
 */
export interface Entities {
  readonly name: string;
  /** The uri of an entity's document in the knowledge base. */
  uriOf(id: string): string;
  /** Writes entities; one with the same id is replaced, and its relationships stay. Of a batch with something wrong in it nothing is stored. */
  upsert(
    entities: NewEntity | readonly NewEntity[],
    options?: CollectionWriteOptions,
  ): Promise<CollectionWriteResult<string>>;
  /** `undefined` for what is not there or may not be read. */
  get(id: string, address?: CollectionAddress): Promise<NamedEntityData | undefined>;
  /** By id, then scope. */
  list(options?: EntityListOptions): AsyncIterable<NamedEntityData>;
  /** Best first. */
  search(query: string, options?: EntitySearchOptions): Promise<readonly EntityHit[]>;
  /**
   * Takes entities out, and with the last of an id the relationships that lead to it and from it, wherever the caller may write. **Shape** how many entities went.
   * **Errors** `not-found` with `onMissing: "error"`.
   */
  delete(ids: string | readonly string[], options?: CollectionDeleteOptions): Promise<number>;
  /**
   * Takes back a delete that was not a purge, until it is vacuumed: the entity, and every relationship of it that a delete took, to what is there.
   * **Shape** whether there was something to take back.
   */
  restore(id: string, address?: CollectionAddress): Promise<boolean>;
  /**
   * Says how entities are related; what was said already stays as it is. Whether there are entities of these ids is not asked: the order of a load does not matter,
   * and no answer tells of an entity that the caller may not read.
   *
   * Without a scope: where the caller's records go, or, where an end lies in a narrower scope alone, there. **Errors** `invalid-argument` for ends in different teams'
   * or users' scopes: whoever reads one would learn of the other.
   */
  relate(relationships: Relationship | readonly Relationship[], options?: CollectionWriteOptions): Promise<void>;
  /** Takes back what `relate` said, for good. What was never said is no mistake. */
  unrelate(relationships: Relationship | readonly Relationship[], address?: CollectionAddress): Promise<void>;
  /**
   * Where a relationship leads, one entity after the other as they are asked for. **Shape** each id once, by id; of `"both"`, outgoing first. Nothing for a source that
   * may not be read. **Cost** one look at the keys of the source's relationships of that name, and a few readings for each entity that is taken.
   * **Source** Embabel's `RelationshipNavigator`.
   */
  findRelated(
    source: string | NamedEntity,
    name: string,
    direction?: RelationshipDirection,
  ): AsyncIterable<NamedEntityData>;
  /**
   * An entity as an object of one type or several: `undefined` for one that is not there, lacks the label of a type, or has properties that its schema does not allow.
   *
   * **Shape** a plain object; where types name the same property, the last one's. **Source** Embabel's `toTypedInstance` and `toInstance`.
   */
  toInstance<const Types extends readonly [EntityType, ...EntityType[]]>(
    entity: string | NamedEntityData,
    ...types: Types
  ): Promise<EntityInstanceOf<Types> | undefined>;
  /** Writes every entity of a scope again, after other properties became filterable. */
  rebuild(options?: CollectionWriteOptions): Promise<CollectionWriteResult<string>>;
  /** Takes out every entity and every relationship, in the given scope or all that the caller may write. **Shape** how many entities went. */
  drop(options?: CollectionAddress & { readonly purge?: boolean }): Promise<number>;
}
