import { z } from "zod";
import { scopeSchema } from "./request-schemas.ts";

export { scopeSchema } from "./request-schemas.ts";

/*
 * Schemas of the responses, for the OpenAPI document. A test checks each response against its schema.
 */

const position = z.int().min(0);
const metadata = z.record(z.string(), z.unknown());
const time = z
  .strictObject({ start: z.number().min(0), end: z.number().min(0) })
  .meta({ id: "TimeSpan", description: "When it is said, in seconds from the beginning of the recording." });
export const places = {
  page: z.int().optional(),
  lastPage: z.int().optional(),
  line: z.int().optional(),
  slide: z.int().optional(),
  time: time.optional(),
  sheet: z.string().optional(),
  cells: z.string().optional(),
  part: z.string().optional(),
};

/** Folder or host that a document came from, and its path below that. */
export const home = { rootLabel: z.string().optional(), path: z.string().optional() };

const source = z
  .strictObject({
    uri: z.string(),
    ...home,
    title: z.string(),
    headings: z.array(z.string()),
    start: position,
    end: position,
    language: z.string().optional(),
    ...places,
  })
  .meta({ id: "Source", description: "The place of a chunk in its document." });

/** Place of a chunk in the tree of its document. */
const structure = z
  .strictObject({
    chunkIndex: z.int().min(0),
    sequenceNumber: z.int().min(0),
    totalChunks: z.int().min(1).optional(),
    rootDocumentId: z.string(),
    rootDocumentTitle: z.string(),
    containerSectionId: z.string().optional(),
    containerSectionTitle: z.string().optional(),
    containerSectionUrl: z.string().optional(),
    leafSectionId: z.string().optional(),
    leafSectionTitle: z.string().optional(),
    leafSectionUrl: z.string().optional(),
  })
  .meta({ id: "Structure" });

const chunkPlace = {
  scope: z.string(),
  documentId: z.string(),
  chunkId: z.string(),
  uri: z.string(),
  start: position,
  end: position,
};

const copies = z
  .strictObject({ count: z.int().min(1), places: z.array(z.strictObject(chunkPlace)) })
  .meta({ id: "Copies", description: "Other chunks with the same text: how many, and where the first ten stand." });

export const replaced = z.strictObject({ at: z.string(), by: z.string().optional() }).meta({
  id: "Replaced",
  description: "Of a note that holds no longer: when it ended, and the note that replaced it.",
});

const explanation = z.looseObject({ fusion: z.string() }).meta({ id: "Explanation" });

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
    replaced: replaced.optional(),
    evidence: z.boolean().optional().meta({ description: "Whether the hit counts as evidence for an answer." }),
    matches: z.array(z.strictObject({ start: position, end: position })).optional(),
    copies: copies.optional(),
    parts: z
      .array(
        z
          .strictObject({
            rank: z.int().min(1),
            score: z.number(),
            ...chunkPlace,
            ...places,
            headings: z.array(z.string()),
            evidence: z.boolean().optional(),
            copies: copies.optional(),
            explain: explanation.optional(),
          })
          .meta({ id: "HitPart" }),
      )
      .optional()
      .meta({ description: "With merge: the chunks of a joined hit, in order." }),
    explain: explanation.optional(),
  })
  .meta({
    id: "Hit",
    description: "A chunk that was found: the text of its document from source.start to source.end (UTF-16).",
    examples: [
      {
        rank: 1,
        score: 0.93,
        chunkId: "c1f0",
        documentId: "d7a2",
        scope: "deployment",
        text: "A key is valid for ninety days.",
        snippet: "A key is valid for ninety days.",
        source: { uri: "docs/keys.md", title: "Keys", headings: ["Keys"], start: 8, end: 39, line: 3 },
        metadata: {},
        origin: "user-content",
      },
    ],
  });

const groups = z
  .array(
    z
      .strictObject({
        scope: scopeSchema,
        documentId: z.string(),
        uri: z.string(),
        title: z.string(),
        score: z.number(),
        ranks: z.array(z.int().min(1)),
      })
      .meta({ id: "HitGroup" }),
  )
  .optional()
  .meta({ description: "With groupBy: the documents, best first, and the ranks of their hits." });

const quotation = {
  uri: z.string(),
  title: z.string(),
  headings: z.array(z.string()),
  ...places,
  documentId: z.string(),
  chunkId: z.string(),
  start: position,
  end: position,
  quote: z.string(),
  header: z
    .strictObject({ start: position, end: position, quote: z.string() })
    .optional()
    .meta({ description: "Header row of the table in whose body the quote begins." }),
  replaced: replaced.optional(),
};
const citationSchema = z.strictObject({ marker: z.string(), ...quotation }).meta({
  id: "Citation",
  description: "The quote is the text of the document from start to end, verbatim.",
  examples: [
    {
      marker: "[1]",
      uri: "docs/keys.md",
      title: "Keys",
      headings: ["Keys"],
      line: 3,
      documentId: "d7a2",
      chunkId: "c1f0",
      start: 8,
      end: 39,
      quote: "A key is valid for ninety days.",
    },
  ],
});

const probability = z.number().min(0).max(1);
const verdict = z.enum(["supported", "partly", "unsupported", "uncited"]).meta({ id: "Verdict" });
const passage = z
  .strictObject(quotation)
  .meta({ id: "Passage", description: "Words of a document, with their place." });
const judgedBy = z.enum(["verbatim", "words", "judge"]);

const sentenceSchema = z
  .strictObject({
    text: z.string(),
    start: position,
    end: position,
    claims: z.boolean(),
    verdict: verdict.optional(),
    support: probability.optional(),
    by: judgedBy.optional(),
    quotes: z.array(citationSchema).max(2),
    // A list of two: readers of OpenAPI 3.1 stumble over tuples.
    unsupportedWords: z.array(z.array(position).min(2).max(2)),
  })
  .meta({
    id: "Sentence",
    description: "The text of the answer from start to end, and how far the quotes support it.",
  });

const supportSchema = z
  .strictObject({ by: judgedBy, judge: z.string().optional(), judgeFailure: z.string().optional() })
  .meta({ id: "Support" });

export const answerSchema = z
  .looseObject({
    question: z.string(),
    kind: z.enum(["quotes", "written", "refused"]),
    text: z.string(),
    citations: z.array(citationSchema),
    sentences: z.array(sentenceSchema),
    grounded: z.boolean().optional().meta({ description: "Of a written answer: its citations support every claim." }),
    verbatim: z.literal(true).optional().meta({ description: "Of quotes: the text is the documents' own words." }),
    support: supportSchema.optional(),
    relevance: z
      .strictObject({
        value: probability,
        threshold: probability,
        by: z.enum(["words", "judge"]),
        judgeFailure: z.string().optional(),
      })
      .meta({ id: "Relevance", description: "Below the threshold the passages may not answer." })
      .optional(),
    refusal: z.enum(["no-question", "no-evidence", "nothing-supported", "model-declined"]).optional(),
    incomplete: z
      .enum(["length", "content-filter", "error"])
      .optional()
      .meta({ description: "Reason why the model stopped before its answer was complete." }),
    nearest: z.array(passage).meta({ description: "Of a refusal: passages that are no answer." }),
    withheld: z.array(
      z.strictObject({ text: z.string(), verdict: verdict.optional(), support: probability.optional() }),
    ),
    hits: z.array(hitSchema),
    groups,
    model: z.string().nullable(),
    removedMarkers: z.array(z.string()),
    removedQuotes: z.array(z.string()),
    removedAddresses: z.array(z.string()),
    ms: z.number(),
  })
  .meta({ id: "Answer" });

/** Events of `POST /ask`, each with its data. */
export const answerEvents = {
  hits: z.strictObject({ hits: z.array(hitSchema) }).meta({ id: "HitsEvent" }),
  text: z.strictObject({ delta: z.string() }).meta({ id: "TextEvent", description: "The next piece of the answer." }),
  citation: z.strictObject({ citation: citationSchema }).meta({ id: "CitationEvent" }),
  answer: z
    .strictObject({ answer: answerSchema })
    .meta({ id: "AnswerEvent", description: "The whole answer: the end." }),
};

const quotationSchema = z
  .strictObject({
    quote: z.string(),
    status: z.enum(["found", "found-elsewhere", "not-found"]),
    source: z.string().optional(),
    marker: z.string().optional(),
    place: passage.optional(),
  })
  .meta({ id: "Quotation" });

export const verificationSchema = z
  .looseObject({
    verified: z.boolean().meta({ description: "Every claim is supported, and every quotation stands in its source." }),
    grounded: z.boolean(),
    format: z.string(),
    text: z.string(),
    sentences: z.array(sentenceSchema),
    quotations: z.array(quotationSchema),
    citations: z.array(citationSchema),
    unknownSources: z.array(z.string()),
    evidence: z.enum(["citations", "search"]),
    support: supportSchema,
    ms: z.number(),
  })
  .meta({ id: "Verification" });

export const queryResponse = z.strictObject({ response: z.string() });
/** Reasons why a search may have found too little. */
const warnings = z
  .array(
    z
      .strictObject({
        code: z.string(),
        message: z.string(),
        hint: z.string(),
        model: z.string(),
        scopes: z.array(scopeSchema),
      })
      .meta({ id: "SearchWarning" }),
  )
  .optional();
export const searchResponse = z
  .strictObject({ hits: z.array(hitSchema), groups, warnings, ms: z.number() })
  .meta({ id: "SearchResult" });

const documentFacts = {
  uri: z.string(),
  ...home,
  scope: scopeSchema,
  documentId: z.string(),
  title: z.string(),
  mediaType: z.string(),
  chunks: z.int().min(0),
  bytes: z.int().min(0),
  ingestedAt: z.string(),
};

const documentSummary = z.strictObject(documentFacts).meta({ id: "DocumentSummary" });

export const listResponse = z
  .strictObject({
    documents: z.array(documentSummary),
    next: z.string().optional().meta({ description: "For the next page; absent on the last one." }),
    total: z.int().min(0).optional().meta({ description: "With total: the documents of the whole list." }),
  })
  .meta({ id: "DocumentPage" });

export const documentResponse = z
  .strictObject({
    ...documentFacts,
    metadata,
    length: position,
    start: position,
    end: position,
    text: z.string(),
  })
  .meta({ id: "Document", description: "A document, with its text from start to end (UTF-16)." });

export const foldersResponse = z
  .strictObject({
    folders: z.array(z.strictObject({ under: z.string(), name: z.string(), documents: z.int().min(1) })),
    total: z.int().min(0).meta({ description: "Folders in all; the first thousand are listed." }),
    kinds: z.array(z.strictObject({ kind: z.string(), documents: z.int().min(1) })).meta({
      description: "Endings of the files' names, such as pdf, with the documents below `under` that have them.",
    }),
  })
  .meta({
    id: "Folders",
    description: "Each folder with the prefix of the uris below it, and how many documents have it.",
  });

export const outlineResponse = z
  .strictObject({
    uri: z.string(),
    scope: scopeSchema,
    documentId: z.string(),
    title: z.string(),
    length: position,
    sections: z.array(
      z
        .strictObject({
          id: z.string(),
          title: z.string(),
          level: z.int(),
          kind: z.enum(["root", "container", "leaf"]),
          headings: z.array(z.string()),
          start: position,
          end: position,
          ...places,
        })
        .meta({ id: "Section" }),
    ),
  })
  .meta({ id: "Outline" });

export const chunksResponse = z
  .strictObject({
    uri: z.string(),
    scope: scopeSchema,
    documentId: z.string(),
    total: z.int().min(0),
    chunks: z.array(
      z
        .strictObject({
          id: z.string(),
          index: z.int().min(0).meta({ description: "Its number in the document, from 0." }),
          start: position,
          end: position,
          headings: z.array(z.string()),
          ...places,
          embeddedBy: z.string().optional().meta({ description: "The model of its vector; absent without one." }),
        })
        .meta({ id: "ChunkSpan" }),
    ),
    next: position.optional(),
  })
  .meta({ id: "Chunks" });

export const ingestResponse = z
  .strictObject({
    uri: z.string(),
    scope: scopeSchema,
    status: z.enum(["added", "updated", "unchanged"]),
    documentId: z.string(),
    chunks: z.int().min(0),
    notes: z.array(z.string()).optional(),
  })
  .meta({ id: "Ingested" });

export const deleteResponse = z
  .strictObject({
    deleted: z.array(
      z.strictObject({ uri: z.string(), scope: scopeSchema, chunks: z.int(), pending: z.literal(true).optional() }),
    ),
  })
  .meta({ id: "Deleted" });

const latency = { count: z.int(), meanMs: z.number(), p95Ms: z.number(), maxMs: z.number() };
export const healthResponse = z
  .strictObject({
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
  })
  .meta({ id: "Health" });

const counts = { documents: z.int().min(0), chunks: z.int().min(0) };
export const statusResponse = z
  .strictObject({
    ...counts,
    bytes: z.int().min(0).meta({ description: "Bytes of the documents' sources." }),
    scopes: z.array(z.strictObject({ scope: scopeSchema, ...counts })),
    embeddingVersions: z.array(
      z.strictObject({
        provider: z.string(),
        model: z.string(),
        dimensions: z.int().min(0),
        fingerprint: z.string(),
        chunks: z.int().min(0),
      }),
    ),
    fit: z
      .strictObject({
        madeOf: z.int().min(0).meta({ description: "Chunks that the fit is made of; 0 before the first." }),
        foldedIn: z.int().min(0).meta({ description: "Chunks that came since." }),
        refitAt: z.int().min(1).meta({ description: "Chunks from which on a new fit is made." }),
        isDue: z.boolean().meta({ description: "Whether the next settling makes a new fit." }),
        isSetAside: z.boolean().meta({ description: "Whether words alone are searched until then." }),
      })
      .optional()
      .meta({ description: "The store's own model, for callers who read the scope `deployment`." }),
  })
  .meta({ id: "Status" });

/** The data of the event `error`, and the field of a refusal. */
export const refusalSchema = z
  .strictObject({
    code: z.string().meta({ description: "For programs." }),
    message: z.string().meta({ description: "For people." }),
    hint: z.string().optional().meta({ description: "The next action." }),
    uri: z.string().optional().meta({ description: "The document that the request names." }),
    requestId: z.string().meta({ description: "The log has the request under it." }),
    page: z.string().optional().meta({ description: "The page about the code, where the operator names a site." }),
    type: z.string().optional().meta({ description: "The kind of the error in OpenAI's words, below /v1." }),
    param: z.null().optional().meta({ description: "Of OpenAI's shape, below /v1." }),
  })
  .meta({ id: "Refusal" });

export const errorResponse = z.strictObject({ error: refusalSchema }).meta({
  id: "Error",
  examples: [
    {
      error: {
        code: "not-found",
        message: "No document that you may read has this uri.",
        hint: "See GET /documents for the uris.",
        requestId: "6f1c0b2e",
      },
    },
  ],
});

/** A part of the AI SDK's UI message stream. */
export const messageChunk = z.looseObject({ type: z.string() }).meta({ id: "MessageChunk" });
