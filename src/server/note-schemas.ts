import { z } from "zod";
import { notBlank, scopeSchema } from "./request-schemas.ts";

const time = (description: string) =>
  z
    .string()
    .min(1)
    .max(40)
    .optional()
    .meta({ description: `${description} A date or a time in ISO 8601, such as \`2026-11-23\`.` });
const flag = (description: string) => z.enum(["true", "false"]).optional().meta({ description });
const name = z.string().min(1).max(1000);
const key = z.string().min(1).max(200).meta({ description: "Name of the subject, such as `deploy-day`." });
const scope = scopeSchema.optional().meta({ description: "Scope of the notes. Default: the caller's own." });

export const notesQuery = z.strictObject({
  scope,
  key: key.optional(),
  asOf: time("Time at which the notes held. Default: now."),
  all: flag("Whether notes that ended or do not hold yet are listed too."),
  messages: flag("Whether messages of imported sessions are listed too."),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  after: z.string().min(1).max(4096).optional().meta({ description: "The `next` of the page before." }),
});

export const noteQuery = z.strictObject({ id: name.meta({ description: "Id or uri of a note." }), scope });

export const exportQuery = z.strictObject({ scope, all: flag("Whether notes that ended are exported too.") });

export const noteBody = z
  .strictObject({
    text: z.string(),
    key: key.optional(),
    validFrom: time("Time from which it holds. Default: now."),
    validTo: time("Time at which it ends. Default: when a later note replaces it."),
    supersedes: name.optional().meta({ description: "Id of the note that it replaces." }),
    session: name.optional(),
    file: name.optional(),
    scope,
  })
  .meta({ id: "NewNote", examples: [{ text: "The deploy day is Tuesday.", key: "deploy-day" }] });

export const importBody = z
  .strictObject({ markdown: notBlank, scope })
  .meta({ id: "NewNotes", description: "Notes as `GET /notes/export` writes them." });

export const forgetQuery = z.strictObject({
  id: name.optional().meta({ description: "Id or uri of a note; all versions of its statement go." }),
  key: key.optional(),
  only: flag("With id: whether this version goes alone."),
  scope,
});

export const recallBody = z
  .strictObject({
    query: z.string().optional().meta({ description: "Default: the newest notes." }),
    key: key.optional(),
    asOf: time("Time at which the notes held. Default: now."),
    tokens: z.int().min(1).max(100_000).optional(),
    topK: z.int().min(1).max(1000).optional(),
    scope,
  })
  .meta({ id: "Recall", examples: [{ query: "When do we deploy?", tokens: 500 }] });

const noteSchema = z
  .strictObject({
    id: z.string(),
    uri: z.string(),
    scope: scopeSchema,
    text: z.string(),
    key: z.string().optional(),
    subject: z.string(),
    validFrom: z.string(),
    validTo: z.string().optional(),
    supersedes: z.string().optional(),
    supersededBy: z.string().optional(),
    ended: z.literal(true).optional().meta({ description: "Present where it holds no longer." }),
    recordedAt: z.string(),
    by: z.string().optional(),
    session: z.string().optional(),
    file: z.string().optional(),
    suspicious: z.array(z.string()).optional(),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "Note", description: "It holds from validFrom up to, and without, validTo." });

export const noteResponse = noteSchema;

export const notesResponse = z
  .strictObject({
    scope: scopeSchema,
    notes: z.array(noteSchema),
    next: z.string().optional(),
    scopes: z
      .array(scopeSchema)
      .optional()
      .meta({ description: "On the first page: the scopes that the caller may read and that hold notes." }),
  })
  .meta({ id: "Notes" });

export const rememberedResponse = z
  .strictObject({
    status: z.enum(["added", "replaced", "unchanged"]),
    note: noteSchema,
    replaced: noteSchema.optional(),
    by: z.string().optional().meta({ description: "How the subject was found." }),
    doubts: z.array(noteSchema).meta({ description: "Notes that may speak of the same; all of them hold." }),
    suspicions: z.array(z.looseObject({ kind: z.string() })),
    warnings: z.array(z.string()),
  })
  .meta({ id: "Remembered" });

export const importedResponse = z
  .strictObject({ added: z.int(), replaced: z.int(), unchanged: z.int() })
  .meta({ id: "ImportedNotes" });

export const forgottenResponse = z
  .strictObject({
    notes: z.array(z.strictObject({ id: z.string(), uri: z.string(), scope: scopeSchema, textHash: z.string() })),
    files: z.enum(["absent", "present", "unchecked"]),
    searched: z.enum(["words", "ids"]).meta({ description: "Bytes that the files were searched for." }),
    pending: z.literal(true).optional(),
  })
  .meta({ id: "Forgotten" });

export const recalledResponse = z
  .strictObject({
    notes: z.array(
      z.strictObject({
        note: noteSchema,
        text: z.string(),
        start: z.int().min(0),
        end: z.int().min(0),
        score: z.number(),
        parts: z.strictObject({ words: z.number(), subject: z.number(), recency: z.number() }),
        replaced: z.strictObject({ at: z.string(), by: z.string().optional() }).optional(),
      }),
    ),
    asOf: z.string(),
    tokens: z.int().min(0),
    omitted: z.int().min(0),
    warnings: z.array(z.string()).meta({ description: "Notes that were recorded later than the clock says." }),
  })
  .meta({ id: "Recalled" });
