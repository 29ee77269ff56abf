/** `ibid/records`. */
export type {
  CollectionAddress,
  CollectionDefinition,
  CollectionDeleteOptions,
  CollectionFilter,
  CollectionHit,
  CollectionKey,
  CollectionKeysOptions,
  CollectionListOptions,
  Collections,
  CollectionSearchOptions,
  CollectionVectorOptions,
  CollectionSummary,
  CollectionWriteOptions,
  CollectionWriteResult,
  CopyRecordsOptions,
  ReadyOptions,
  RecordCollection,
  RecordOrder,
  RecordsCopied,
  VectorSettings,
} from "../../contracts/collection.ts";
export type { VectorIndex } from "../../contracts/engine.ts";
export type {
  Entities,
  EntityHit,
  EntityInstance,
  EntityInstanceOf,
  EntityListOptions,
  EntitySearchOptions,
  EntityType,
  NamedEntity,
  NamedEntityData,
  NewEntity,
  Relationship,
  RelationshipDefinition,
  RelationshipDirection,
} from "../../contracts/entity.ts";
export type {
  JsonSchema,
  SchemaInput,
  SchemaIssue,
  SchemaOutput,
  SchemaResult,
  StandardJsonSchema,
  StandardSchema,
} from "../../contracts/schema.ts";
export type { Fact } from "../../contracts/fact.ts";
export {
  type FactHit,
  type Facts,
  type FactSearchOptions,
  type FactsOptions,
  type NewFact,
  openFacts,
} from "../entities/open-facts.ts";
export { defineEntityType } from "../entities/define-entity-type.ts";
export { hasAnyLabel } from "../entities/has-any-label.ts";
export {
  type ContentRepository,
  type DocumentDeletion,
  openRepository,
  type RepositoryOptions,
  type RepositorySearchOptions,
  type RetrievableKind,
  type SimilarityResult,
} from "../repository/open-repository.ts";
export { type EntitiesOptions, openEntities } from "../entities/open-entities.ts";
