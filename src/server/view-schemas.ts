import { z } from "zod";
import { home, places, replaced, scopeSchema } from "./response-schemas.ts";

const position = z.int().min(0);

const run = z
  .strictObject({
    text: z.string(),
    start: position,
    end: position,
    syntax: z.literal(true).optional().meta({ description: "Signs of markup, which a reader does not want to see." }),
    shown: z.string().optional().meta({ description: "The sign that an entity stands for." }),
    styles: z.array(z.enum(["strong", "emphasis", "strike", "code", "link"])).optional(),
  })
  .meta({ id: "Run", description: "The document's own text from start to end." });

const row = z
  .strictObject({
    start: position,
    end: position,
    isHeader: z.literal(true).optional(),
    isSyntax: z.literal(true).optional(),
    cells: z.array(z.array(run)),
  })
  .meta({ id: "Row" });

const block = z
  .strictObject({
    kind: z.enum(["heading", "paragraph", "item", "table", "code", "quote", "markup", "rule"]),
    start: position,
    end: position,
    level: z.int().optional(),
    runs: z.array(run).optional(),
    rows: z.array(row).optional(),
    isHard: z.literal(true).optional(),
  })
  .meta({ id: "Block" });

export const viewResponse = z
  .strictObject({
    uri: z.string(),
    ...home,
    scope: scopeSchema,
    documentId: z.string(),
    title: z.string(),
    mediaType: z.string(),
    contentHash: z.string(),
    length: position,
    pages: z.int().optional(),
    language: z.string().optional(),
    place: z.strictObject({ headings: z.array(z.string()), ...places }),
    replaced: replaced.optional(),
    start: position,
    end: position,
    blocks: z.array(block),
  })
  .meta({ id: "View" });

const size = { width: z.number(), height: z.number() };

export const geometryResponse = z
  .strictObject({
    uri: z.string(),
    documentId: z.string(),
    pageCount: z.int(),
    sizes: z
      .array(z.strictObject(size))
      .meta({ description: "Sizes of all pages, in points. A picture is 595 points wide." }),
    pages: z.array(
      z.strictObject({
        number: z.int(),
        ...size,
        boxes: z.array(z.strictObject({ x: z.number(), y: z.number(), ...size })),
      }),
    ),
  })
  .meta({ id: "Geometry" });

export const sessionResponse = z
  .strictObject({
    name: z.string(),
    operator: z.boolean(),
    write: z.boolean(),
    needsKey: z.boolean().meta({ description: "Whether this service knows its callers by keys." }),
    login: z.boolean().meta({ description: "Whether people sign in at a provider; POST /logout ends a session." }),
    threads: z.boolean(),
    originals: z.boolean(),
    maxUploadBytes: z.int(),
    manual: z.boolean().meta({ description: "Whether POST /manual has pages to add." }),
  })
  .meta({ id: "Session" });

export const trashResponse = z
  .strictObject({
    documents: z.array(
      z.strictObject({
        uri: z.string(),
        ...home,
        scope: scopeSchema,
        title: z.string(),
        mediaType: z.string(),
        bytes: z.int().min(0),
        deletedAt: z.string(),
      }),
    ),
  })
  .meta({ id: "Trash" });

export const versionsResponse = z
  .strictObject({
    versions: z.array(
      z
        .strictObject({
          from: z.string().meta({ description: "Time from which it stood." }),
          to: z.string().optional().meta({ description: "Time at which it was replaced or deleted." }),
          title: z.string(),
          chunks: z.int().min(0),
          bytes: z.int().min(0),
          contentHash: z.string(),
        })
        .meta({ id: "DocumentVersion" }),
    ),
  })
  .meta({ id: "DocumentVersions" });

export const manualResponse = z
  .strictObject({ under: z.string(), documents: z.int().min(0) })
  .meta({ id: "ManualAdded" });

export const restoreResponse = z
  .strictObject({
    restored: z.array(z.strictObject({ uri: z.string(), scope: scopeSchema, chunks: z.int() })),
  })
  .meta({ id: "Restored" });
