import type { Complete } from "./complete.ts";
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
 * An entity with a name.
 *
 * **Source** Embabel's `NamedEntity`.
 * @experimental
 */
export interface NamedEntity {
  readonly id: string;
  readonly name: string;
  /** Description in a sentence or a few. Name and description are embedded and searched. */
  readonly description: string;
  /** Where it is described, or what stands for it elsewhere. */
  readonly uri?: string;
  readonly metadata: Metadata;
  /** Kinds of the entity: `["Employee", "Manager"]`. */
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
  readonly description?: string | undefined;
  readonly uri?: string | undefined;
  readonly metadata?: Metadata | undefined;
  /** Default: none. */
  readonly labels?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
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
  readonly name?: string | undefined;
  /** Default `"outgoing"`. */
  readonly direction?: RelationshipDirection | undefined;
}

/**
 * A type of entities: which label says that one is of it, what its properties are, and where it leads.
 *
 * @experimental
 */
export interface EntityType<Schema extends StandardSchema = StandardSchema, Name extends string = string> {
  readonly label: string;
  /** Schema of the properties, as JSON. Any library with Standard Schema serves. */
  readonly schema: Schema;
  readonly relationships: { readonly [Each in Name]: Complete<RelationshipDefinition> };
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
 * Restricts a listing of entities.
 *
 * @experimental
 */
export interface EntityListOptions extends CollectionAddress {
  /** Only those with one of these labels at least. */
  readonly labels?: readonly string[] | undefined;
  /** By what was declared filterable. */
  readonly filter?: FilterInput | undefined;
}

/**
 * How entities are searched; everything has a default.
 *
 * @experimental
 */
export interface EntitySearchOptions extends Omit<CollectionSearchOptions<FilterInput, never>, "vectorProperty"> {
  /** By meaning, by words, by both, or by a regular expression in name and description. Default `"hybrid"`. */
  readonly mode?: SearchMode | undefined;
  /** Only those with one of these labels at least. */
  readonly labels?: readonly string[] | undefined;
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
 * Entities and their relationships, stored in a knowledge base.
 *
 * **Shape** an entity is a record of a collection; a relationship is two records of another, one for each end. Both are stored, shown, purged and reset like every record.
 * A caller sees entities and relationships of the scopes that they may read; a relationship leads only to entities that they may read.
 * **Errors** `invalid-argument` for an invalid entity, and for properties that a type's schema refuses, naming the fields; `ambiguous` for an id in several scopes.
 * Also `access-denied`; `configuration-missing` where other properties were filterable when the entities were written (`rebuild`).
 * **Source** Embabel's entities and navigator.
 * @experimental
 */
export interface Entities {
  readonly name: string;
  /** The uri of an entity's document in the knowledge base. */
  uriOf(id: string): string;
  /** Writes entities. One with the same id is replaced, and its relationships stay. A batch with one invalid entity stores nothing. */
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
   * Restores a deleted entity, with every relationship that the delete removed and whose other end exists. A purge cannot be undone.
   * **Shape** true if there was something to restore.
   */
  restore(id: string, address?: CollectionAddress): Promise<boolean>;
  /**
   * Relates entities; a relationship that exists stays as it is. The ids need not exist: the order of a load does not matter,
   * and no answer reveals an entity that the caller may not read.
   *
   * Default scope: where the caller's records go, or the narrower scope of one end. **Errors** `invalid-argument` for ends in scopes of different teams
   * or users, because a reader of one would learn of the other.
   */
  relate(relationships: Relationship | readonly Relationship[], options?: CollectionWriteOptions): Promise<void>;
  /** Removes relationships for good. A missing one is ignored. */
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
   * An entity as an object of one type or several. `undefined` if it does not exist, lacks a type's label, or has properties that its schema refuses.
   *
   * **Shape** a plain object; where types name the same property, the last one's. **Source** Embabel's `toTypedInstance` and `toInstance`.
   */
  toInstance<const Types extends readonly [EntityType, ...EntityType[]]>(
    entity: string | NamedEntityData,
    ...types: Types
  ): Promise<EntityInstanceOf<Types> | undefined>;
  /** Types that an entity is of, by its labels: those of `openEntities`, in their order. **Source** Embabel's `linkedDomainType`. */
  linkedTypes(entity: Pick<NamedEntityData, "labels">): readonly EntityType[];
  /**
   * An entity as an object of all types that it is linked to. `undefined` if it does not exist or is linked to none.
   *
   * **Source** Embabel's `toTypedInstance`.
   */
  toTypedInstance(entity: string | NamedEntityData): Promise<NamedEntity | undefined>;
  /**
   * As `toInstance`, but a proxy: after a write of the entity through this object, its properties are those that are stored then. After a delete it has none.
   *
   * **Errors** `TypeError` when a property is set; write with `upsert`. **Source** Embabel's dynamic proxies.
   */
  toLiveInstance<const Types extends readonly [EntityType, ...EntityType[]]>(
    id: string,
    ...types: Types
  ): Promise<EntityInstanceOf<Types> | undefined>;
  /** Writes every entity of a scope again, after other properties became filterable. */
  rebuild(options?: CollectionWriteOptions): Promise<CollectionWriteResult<string>>;
  /** Takes out every entity and every relationship, in the given scope or all that the caller may write. **Shape** how many entities went. */
  drop(options?: CollectionAddress & { readonly purge?: boolean }): Promise<number>;
}
