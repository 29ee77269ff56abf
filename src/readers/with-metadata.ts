import type { Metadata } from "../contracts/metadata.ts";

/**
 * The same document or chunk knowing more: keys of `metadata` win over those it had. What came in stays as it was.
 *
 * **Source** Embabel `NavigableDocument.withMetadata`.
 */
export function withMetadata<T extends { readonly metadata: Metadata }>(carrier: T, metadata: Metadata): T {
  return { ...carrier, metadata: { ...carrier.metadata, ...metadata } };
}
