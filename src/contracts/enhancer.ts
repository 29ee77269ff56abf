import type { Metadata, MetadataInput } from "./metadata.ts";

/**
 * One element of a knowledge base, in terms that are the same for all: a document, a section, a chunk, an entity, a fact.
 *
 * @experimental
 */
export interface TreeElement {
  /** Id of the document, chunk, entity or fact; for a section, the document's id, `#` and the section's. */
  readonly id: string;
  readonly uri: string;
  /** `null` for a document, an entity and a fact. */
  readonly parentId: string | null;
  /** Kinds of the element. */
  readonly labels: readonly string[];
  /** Text that is embedded for it. */
  readonly embeddableValue: string;
  /** Properties to store, metadata included. */
  readonly propertiesToPersist: Metadata;
}

/**
 * Additions of an enhancer to an element.
 *
 * @experimental
 */
export interface Enhancement {
  /** Added to the element's; wins over it. Additions to a section go to its chunks. */
  readonly metadata?: MetadataInput | undefined;
  /** The words that are embedded and searched, of a chunk alone. Its `urtext` stays as it is. */
  readonly text?: string | undefined;
}

/**
 * Adds to every element on its way in, whatever its kind: before it is embedded and stored.
 *
 * **Shape** several enhancers form a chain: each sees what the ones before it added. **Source** Embabel's `RetrievableEnhancer`.
 *
 * @experimental
 */
export interface Enhancer {
  /** Part of the pipeline fingerprint: change it when the same element gets other additions. */
  readonly name: string;
  /** `undefined` leaves the element as it is. */
  enhance(element: TreeElement): Enhancement | undefined | Promise<Enhancement | undefined>;
}
