import * as z from "zod";
import { scopeSchema } from "./request-schemas.ts";

/*
 * What is answered, for whoever reads the OpenAPI document; tests hold every answer to it. Hits, answers and outlines are those of the library, as JSON.
 */

const position = z.int().min(0);
const metadata = z.record(z.string(), z.unknown());
const places = {
  page: z.int().optional(),
  line: z.int().optional(),
  slide: z.int().optional(),
  sheet: z.string().optional(),
  cells: z.string().optional(),
  part: z.string().optional(),
};

const source = z.strictObject({
  uri: z.string(),
  title: z.string(),
  headings: z.array(z.string()),
  start: position,
  end: position,
  language: z.string().optional(),
  ...places,
});

/** Where a chunk stands in its document's tree, under the keys that the seeds have (E12). */
const structure = z.strictObject({
  chunk_index: z.int().min(0),
  sequence_number: z.int().min(0),
  total_chunks: z.int().min(1).optional(),
  root_document_id: z.string(),
  root_document_title: z.string(),
  container_section_id: z.string().optional(),
  container_section_title: z.string().optional(),
  container_section_url: z.string().optional(),
  leaf_section_id: z.string().optional(),
  leaf_section_title: z.string().optional(),
  leaf_section_url: z.string().optional(),
});

const hitSchema = z
  .strictObject({
    rank: z.int().min(1),
    score: z.number(),
    chunkId: z.string(),
    documentId: z.string(),
    scope: scopeSchema,
    text: z.string(),
    snippet: z.string(),
    source,
    metadata,
    origin: z.enum(["user-content", "narrative", "note", "synthetic"]),
    structure: structure.optional(),
    matches: z.array(z.strictObject({ start: position, end: position })).optional(),
    explain: z.looseObject({ fusion: z.string() }).optional(),
  })
  .meta({ description: "A chunk that was found: the document's text from source.start to source.end (UTF-16)." });

const citationSchema = z
  .strictObject({
    marker: z.string(),
    uri: z.string(),
    title: z.string(),
    documentId: z.string(),
    chunkId: z.string(),
    start: position,
    end: position,
    quote: z.string(),
  })
  .meta({ description: "The document's text from start to end is the quote, verbatim." });

export const answerSchema = z.looseObject({
  question: z.string(),
  text: z.string(),
  citations: z.array(citationSchema),
  grounded: z.boolean(),
  refused: z.boolean(),
  hits: z.array(hitSchema),
  model: z.string().nullable(),
  removedMarkers: z.array(z.string()),
  ms: z.number(),
});

export const queryResponse = z.strictObject({ response: z.string() });
export const searchResponse = z.strictObject({ hits: z.array(hitSchema), ms: z.number() });

const documentFacts = {
  uri: z.string(),
  scope: scopeSchema,
  documentId: z.string(),
  title: z.string(),
  mediaType: z.string(),
  chunks: z.int().min(0),
  bytes: z.int().min(0),
  ingestedAt: z.string(),
};

export const listResponse = z.strictObject({
  documents: z.array(z.strictObject(documentFacts)),
  next: z.string().optional().meta({ description: "For the next page; absent on the last one." }),
});

export const documentResponse = z.strictObject({
  ...documentFacts,
  metadata,
  length: position,
  start: position,
  end: position,
  text: z.string(),
});

export const outlineResponse = z.strictObject({
  uri: z.string(),
  scope: scopeSchema,
  documentId: z.string(),
  title: z.string(),
  length: position,
  sections: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      level: z.int(),
      kind: z.enum(["root", "container", "leaf"]),
      headings: z.array(z.string()),
      start: position,
      end: position,
      ...places,
    }),
  ),
});

export const ingestResponse = z.strictObject({
  uri: z.string(),
  scope: scopeSchema,
  status: z.enum(["added", "updated", "unchanged"]),
  documentId: z.string(),
  chunks: z.int().min(0),
  notes: z.array(z.string()).optional(),
});

export const deleteResponse = z.strictObject({
  deleted: z.array(
    z.strictObject({ uri: z.string(), scope: scopeSchema, chunks: z.int(), pending: z.literal(true).optional() }),
  ),
});

const latency = { count: z.int(), meanMs: z.number(), p95Ms: z.number(), maxMs: z.number() };
export const healthResponse = z.strictObject({
  at: z.string(),
  windowSeconds: z.number(),
  embedding: z.strictObject({ ...latency, cacheHitRate: z.number() }),
  queue: z.strictObject({ depth: z.int(), rejected: z.int() }),
  flush: z.strictObject(latency),
  retrieval: z.strictObject({ ...latency, hits: z.int(), misses: z.int(), empty: z.int() }),
  ingestion: z.strictObject({
    indexed: z.int(),
    failed: z.int(),
    reembedded: z.int(),
    reembedFailed: z.int(),
  }),
});

export const errorResponse = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), requestId: z.string() }),
});
