import { z } from "zod";
import { scopeSchema } from "./request-schemas.ts";
import { replaced } from "./response-schemas.ts";

const position = z.int().min(0);

/** A place of a document: enough to read the quotation again. */
const placeSchema = z
  .strictObject({
    marker: z.string().max(20),
    uri: z.string().min(1).max(4096),
    scope: scopeSchema.optional(),
    documentId: z.string().min(1).max(200),
    contentHash: z.string().max(200).optional(),
    quoteHash: z.string().max(200).optional().meta({
      description: "Hash of the cited words, which the service writes. A later reader learns by it that they are gone.",
    }),
    start: position,
    end: position,
    page: z.int().optional(),
    lastPage: z.int().optional(),
    line: z.int().optional(),
    slide: z.int().optional(),
    time: z.strictObject({ start: z.number().min(0), end: z.number().min(0) }).optional(),
    sheet: z.string().max(300).optional(),
    cells: z.string().max(300).optional(),
    part: z.string().max(1000).optional(),
    headings: z.array(z.string().max(1000)).max(20).optional(),
  })
  .meta({ id: "ThreadPlace" });

const verdict = z.enum(["supported", "partly", "unsupported", "uncited"]);

const sentenceSchema = z
  .strictObject({
    text: z.string().max(20_000).optional().meta({ description: "Absent for a sentence that is its quotation." }),
    gap: z.string().max(200).optional().meta({ description: "The white space before it." }),
    verdict: verdict.optional(),
    places: z.array(placeSchema).max(20),
  })
  .meta({ id: "ThreadSentence" });

const turnFacts = {
  question: z.string().max(20_000),
  kind: z.enum(["quotes", "written", "refused"]),
  refusal: z.string().max(100).optional(),
  model: z.string().max(300).nullable().optional(),
  ms: z.number().optional(),
};

/** A document of whose text an answer may hold something, also without citing it. */
const sourceSchema = z.strictObject({
  uri: z.string().min(1).max(4096),
  scope: scopeSchema.optional(),
  documentId: z.string().min(1).max(200),
});

/** The limits that a question was asked within. */
const limitsSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    under: z.string().min(1).max(4096).optional().meta({ description: "The prefix of a folder's uris." }),
    kind: z.string().min(1).max(20).optional().meta({ description: "The ending of the files' names, such as pdf." }),
    since: z.iso.date({ error: "must be a day such as 2026-05-01" }).optional(),
    documents: z.array(sourceSchema).max(1000).optional().meta({
      description: "The documents that alone were asked; as shown, those of them that the caller may read.",
    }),
  })
  .meta({ id: "ThreadLimits", description: "Limits that a question was asked within. The owner alone sees them." });

const turnSchema = z
  .strictObject({
    ...turnFacts,
    limits: limitsSchema.optional(),
    sources: z.array(sourceSchema).max(200).optional().meta({
      description: "The documents that the model was given. A sentence without a place may rest on any of them.",
    }),
    sentences: z.array(sentenceSchema).max(500),
  })
  .meta({ id: "Turn" });

/** Turns that a thread holds at most. */
export const maxTurns = 200;

export const threadBody = z
  .strictObject({
    title: z.string().trim().min(1).max(300),
    turns: z.array(turnSchema).max(maxTurns),
  })
  .meta({ id: "NewThread" });

/** The body of a change: other turns, further ones, or a new title alone. */
export const changedThreadBody = z
  .strictObject({
    title: threadBody.shape.title.optional(),
    turns: threadBody.shape.turns.optional(),
    added: z.array(turnSchema).min(1).max(maxTurns).optional().meta({
      description: "Turns that come after those that are kept, which stay as they are, also where they are withheld.",
    }),
  })
  .refine(({ title, turns, added }) => (added === undefined ? title !== undefined : turns === undefined), {
    error: "A change has a title, with the turns of the whole thread or without; or it has added turns.",
  })
  .meta({
    id: "ChangedThread",
    description:
      "A title alone keeps the turns. With turns, they replace those that are kept. Added turns follow them.",
  });

/** One question with its answer, as it is kept. */
export type StoredTurn = z.output<typeof turnSchema>;

/** A thread as it is kept. */
export interface StoredThread extends z.output<typeof threadBody> {
  /** Hash that stands for its owner; absent from threads that an earlier version wrote. */
  readonly owner?: string;
  readonly updatedAt: string;
}

export const threadQuery = z.strictObject({ id: z.string().min(1).max(100) });

export const threadsResponse = z
  .strictObject({
    threads: z.array(
      z.strictObject({ id: z.string(), title: z.string(), updatedAt: z.string(), turns: z.int().min(0) }),
    ),
  })
  .meta({ id: "Threads" });

const shownPlace = placeSchema
  .extend({
    quote: z.string().meta({ description: "The cited words; empty where they are gone." }),
    title: z.string(),
    rootLabel: z.string().optional(),
    path: z.string().optional().meta({ description: "The place below the folder or host that rootLabel names." }),
    replaced: replaced.optional(),
    changed: z.literal(true).optional().meta({ description: "The document has changed since it was cited." }),
    gone: z.literal(true).optional().meta({ description: "The cited words no longer stand at their place." }),
  })
  .meta({ id: "ShownPlace" });

export const threadResponse = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    updatedAt: z.string(),
    own: z.boolean(),
    turns: z.array(
      z.strictObject({
        ...turnFacts,
        limits: limitsSchema.optional(),
        sources: z.array(sourceSchema).optional(),
        sentences: z.array(
          z.strictObject({
            text: z.string().optional(),
            gap: z.string().optional(),
            verdict: verdict.optional(),
            withheld: z.literal(true).optional().meta({ description: "The caller may not read all of its evidence." }),
            places: z.array(shownPlace),
          }),
        ),
      }),
    ),
  })
  .meta({ id: "Thread" });

export const keptResponse = z.strictObject({ id: z.string() });
export const removedResponse = z.strictObject({ removed: z.literal(true) });
