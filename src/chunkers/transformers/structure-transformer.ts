import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import type { ChunkTransformer } from "../../contracts/chunker.ts";
import type { Section, TextDocument } from "../../contracts/document.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { JsonValue, Metadata } from "../../contracts/metadata.ts";
import { createTransformer } from "./create-transformer.ts";
import { pathFromRoot } from "../path-from-root.ts";

function describeSection(
  role: "container_section" | "leaf_section",
  section: Section,
  uri: string,
): Record<string, JsonValue> {
  return { [`${role}_id`]: section.id, [`${role}_title`]: section.title, [`${role}_url`]: uri };
}

function codeLanguageOf({ blocks = [] }: TextDocument, { start, end }: Chunk): string | undefined {
  return blocks.find((block) => block.kind === "code" && block.start <= start && end <= block.end)?.language;
}

/**
 * Returns the place of a chunk under Ballerina's and Embabel's names.
 *
 * **Shape** `chunk_index`, `sequence_number`, `root_document_id`, `root_document_title`; `total_chunks` when it is given; `container_section_id|title|url` is the innermost section around the chunk
 * that has children, and `leaf_section_id|title|url` the one without, each where there is one; `header`, `header1` to `header6` by level, and
 * `code_language` for a chunk inside fenced code.
 * **Source** Embabel, Ballerina.
 *
 * @experimental
 */
export function structureKeys(chunk: Chunk, document: TextDocument, totalChunks?: number): Metadata {
  checkGiven("structureKeys", "chunk", chunk, "object");
  checkGiven("structureKeys", "document", document, "object");
  const described: Record<string, JsonValue> = {
    chunk_index: chunk.index,
    ...(totalChunks === undefined ? {} : { total_chunks: totalChunks }),
    sequence_number: chunk.index,
    root_document_id: document.id,
    root_document_title: document.title,
  };
  const sections = (pathFromRoot(document, chunk) ?? []).slice(1);
  for (const { level, title } of sections) described[`header${level}`] = title;
  const innermost = sections.at(-1);
  if (innermost !== undefined) {
    described["header"] = innermost.title;
    const isLeaf = innermost.children.length === 0;
    const container = isLeaf ? sections.at(-2) : innermost;
    if (container !== undefined)
      Object.assign(described, describeSection("container_section", container, document.uri));
    if (isLeaf) Object.assign(described, describeSection("leaf_section", innermost, document.uri));
  }
  const codeLanguage = codeLanguageOf(document, chunk);
  if (codeLanguage !== undefined) described["code_language"] = codeLanguage;
  return described;
}

/** Options of {@link createStructureTransformer}. */
export interface StructureTransformerOptions {
  /** Also writes `total_chunks`. An edit that changes their number then changes every chunk of the document, though it embeds none again. Default false. */
  readonly totalChunks?: boolean | undefined;
}

/**
 * Writes a chunk's place into its metadata, so that filters can use it, under Ballerina's and Embabel's names.
 *
 * **Shape** the keys of {@link structureKeys} that one chunk alone decides, and `total_chunks` where it is asked for. Ballerina's `language` is `code_language` here,
 * because `language` is the language of the text. `prev` is left out: it is the chunk at `index - 1`.
 * **Source** Embabel, Ballerina.
 *
 * @experimental
 */
export function createStructureTransformer(options: StructureTransformerOptions = {}): ChunkTransformer {
  checkOptions("createStructureTransformer", options, { totalChunks: true });
  const { totalChunks = false } = options;
  if (typeof totalChunks !== "boolean") {
    throw new IbidError("invalid-argument", `createStructureTransformer: totalChunks is ${String(totalChunks)}.`, {
      hint: "Give true or false, or leave totalChunks out.",
    });
  }
  return createTransformer({
    // A name for each setting: it enters the fingerprint of the pipeline.
    name: totalChunks ? "structure-of-all" : "structure",
    metadata: (chunk, { document, chunks }) => structureKeys(chunk, document, totalChunks ? chunks?.length : undefined),
  });
}
