import type { ChunkStructure } from "./chunk.ts";
import type { PlaceLabels } from "./document.ts";
import type { Scope } from "./scope.ts";

/** Address of a chunk: its id, or an object with it, such as a hit or a citation. */
export type ChunkAddress = string | { readonly chunkId: string; readonly scope?: Scope | undefined };

/** In which direction a chunk is widened: along the text, or up the tree. */
export type ExpandOptions =
  | {
      /** How many chunks before it and after it, within the section that contains it. */
      readonly neighbours: number;
      readonly scope?: Scope | undefined;
    }
  | {
      /** How many sections up: 1 is the section that it stands in, 2 the one around that; beyond the root it stays there. */
      readonly zoomOut: number;
      readonly scope?: Scope | undefined;
      /** Characters of `text`. Default 25,000. */
      readonly maxLength?: number | undefined;
    };

/** Options for one section of a document. */
export interface SectionOptions {
  /** Scope of the document, when several hold the uri. */
  readonly scope?: Scope | undefined;
  /** Characters of `text`. Default 25,000. */
  readonly maxLength?: number | undefined;
}

/** Place of a section in its tree. **Source** Embabel's root, container and leaf. */
export type SectionKind = "root" | "container" | "leaf";

/** A section as an outline lists it. */
export interface OutlineSection extends PlaceLabels {
  /** `"0"` the root, `"0.2.1"` its third child's second. */
  readonly id: string;
  readonly title: string;
  readonly level: number;
  readonly kind: SectionKind;
  /** Titles down to this section, its own included; the root is left out. */
  readonly headings: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** The table of contents of a document. */
export interface Outline {
  readonly uri: string;
  readonly scope: Scope;
  readonly documentId: string;
  readonly title: string;
  /** Characters of the whole text. */
  readonly length: number;
  /** In reading order, the root first. */
  readonly sections: readonly OutlineSection[];
}

/**
 * A stretch of a document, larger than a chunk: a section, or a chunk with its neighbours.
 *
 * **Shape** `text` is the document's own from `start` to `end`. A stretch beyond the limit is cut around its chunk;
 * `truncated` marks the cut, and `whole` gives the former bounds.
 */
export interface Excerpt extends PlaceLabels {
  readonly uri: string;
  readonly scope: Scope;
  readonly documentId: string;
  readonly title: string;
  /** The section that the stretch is, or lies in. */
  readonly sectionId: string;
  readonly kind: SectionKind;
  /** Titles down to that section; the root is left out. */
  readonly headings: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly truncated: boolean;
  readonly whole: { readonly start: number; readonly end: number };
  /** The chunks that lie in it, in order. */
  readonly chunks: readonly ExcerptChunk[];
}

/** A chunk of an excerpt. */
export interface ExcerptChunk {
  readonly chunkId: string;
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly structure: ChunkStructure;
}
