import { z } from "zod";
import { jobFacts, jobText, notBlank, scopeSchema, uri } from "../request-schemas.ts";

/*
 * Schemas of the routes of jobs.
 */

const httpAddress = z
  .string()
  .max(4096)
  .refine((text) => URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol), {
    error: "must be an address that begins with http:// or https://",
  })
  .meta({ format: "uri" });

const title = z.string().min(1).max(1000).optional();
const mediaType = z.string().min(1).max(200).optional();
const batch = z.string().min(1).max(100).optional().meta({ description: "A name that several jobs share." });

export const webhook = z
  .strictObject({
    url: httpAddress,
    secret: z
      .string()
      .min(16)
      .max(200)
      .refine((text) => !text.startsWith("whsec_") || /^whsec_[A-Za-z\d+/]{16,}={0,2}$/u.test(text), {
        error: "must have Base64 after whsec_",
      })
      .meta({ description: "Signs the message; `whsec_` and Base64, or any text." }),
  })
  .meta({ description: "An address that gets a signed message when the job ends or fails." });

const webhookText = z
  .string()
  .max(8192)
  .transform((text, context) => {
    try {
      const parsed = webhook.safeParse(JSON.parse(text));
      if (parsed.success) return parsed.data;
    } catch {
      // Refused below.
    }
    context.addIssue({
      code: "custom",
      message: 'must be JSON with "url" and "secret", a text of 16 characters or more',
    });
    return z.NEVER;
  })
  .optional()
  .meta({ type: "string", description: 'JSON: `{"url": "https://…", "secret": "…"}`.' });

const oneSource = {
  url: httpAddress
    .refine((text) => !/^https?:\/\/[^/?#]*@/iu.test(text), {
      error: "must be an address without a user and a password",
    })
    .optional()
    .meta({ description: "An address that the service reads." }),
  uri: uri.optional().meta({ description: "The uri of a text." }),
  text: z.string().optional(),
  title,
  mediaType,
};

export const jobBody = z
  .strictObject({
    ...oneSource,
    jobs: z
      .array(z.strictObject({ ...oneSource, metadata: jobFacts.metadata }))
      .min(1)
      .max(1000)
      .optional()
      .meta({ description: "Several sources, in place of one." }),
    ...jobFacts,
    batch,
    webhook: webhook.optional(),
  })
  .meta({ id: "NewJobs" });

/** Parameters of a raw body. The file's kind is its content-type. */
export const jobQuery = z.strictObject({ uri: uri.optional(), title, ...jobText, batch });

/** Fields of a form, beside its files. */
export const jobForm = z.strictObject({ uri: uri.optional(), title, ...jobText, batch, webhook: webhookText });

/** Facts of a file that is sent by tus, from the header Upload-Metadata. */
export const tusMetadata = z.strictObject({
  filename: notBlank.max(4096).optional(),
  filetype: z.string().max(200).optional(),
  // Names of the same facts that Uppy sends.
  name: notBlank.max(4096).optional(),
  type: z.string().max(200).optional(),
  relativePath: z.string().max(4096).optional(),
  uri: uri.optional(),
  title,
  ...jobText,
  batch,
  webhook: webhookText,
});

const state = z.enum(["receiving", "queued", "reading", "embedding", "indexed", "unchanged", "failed", "cancelled"]);
const failure = z.strictObject({ code: z.string(), message: z.string(), hint: z.string().optional() });
const jobId = z.string().min(1).max(100);

export const jobListQuery = z.strictObject({
  state: z
    .string()
    .optional()
    .meta({ description: "States, with commas between them." })
    .refine((text) => text === undefined || text.split(",").every((each) => state.safeParse(each).success), {
      error: `must be one or more of ${state.options.join(", ")}, with commas between them`,
    }),
  batch,
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  after: jobId.optional().meta({ description: "The `next` of the page before." }),
});

export const jobIdQuery = z.strictObject({ id: jobId });
export const jobEventsQuery = z.strictObject({ id: jobId.optional(), batch });
export const jobIdsBody = z.strictObject({ ids: z.array(jobId).min(1).max(1000) });

export const jobSchema = z
  .strictObject({
    id: z.string(),
    uri: z.string(),
    scope: scopeSchema.optional(),
    title: z.string().optional(),
    mediaType: z.string().optional(),
    batch: z.string().optional(),
    caller: z.string().optional().meta({ description: "Name of the caller; for operators." }),
    state,
    source: z.enum(["file", "text", "url"]),
    received: z.int().min(0).optional().meta({ description: "Bytes that arrived." }),
    size: z.int().min(0).optional().meta({ description: "Bytes of the file." }),
    ahead: z.int().min(0).optional().meta({ description: "Jobs of this list that are done before this one." }),
    progress: z
      .strictObject({
        chunks: z.int().min(0),
        pages: z
          .strictObject({ done: z.int().min(0), of: z.int().min(0) })
          .optional()
          .meta({ description: "Pages, slides or chapters that are read, and all of them." }),
      })
      .optional(),
    attempts: z.int().min(0),
    createdAt: z.string(),
    updatedAt: z.string(),
    retryAt: z.string().optional().meta({ description: "Time of the next attempt." }),
    error: failure.optional(),
    result: z
      .strictObject({
        uri: z.string(),
        scope: scopeSchema,
        status: z.enum(["added", "updated", "unchanged", "removed", "failed"]),
        documentId: z.string(),
        chunks: z.int().min(0),
        notes: z.array(z.string()).optional(),
      })
      .optional(),
    webhook: z
      .strictObject({
        state: z.enum(["waiting", "delivered", "failed"]),
        attempts: z.int().min(0),
        retryAt: z.string().optional().meta({ description: "Time of the next attempt." }),
        error: failure
          .extend({
            cause: z.string().optional().meta({ description: "The error of a sender that failed; for operators." }),
          })
          .optional()
          .meta({ description: "Why the last attempt failed." }),
      })
      .optional(),
  })
  .meta({ id: "Job" });

export const jobsResponse = z.strictObject({ jobs: z.array(jobSchema) });
export const jobPage = z
  .strictObject({ jobs: z.array(jobSchema), total: z.int().min(0), next: z.string().optional() })
  .meta({ id: "JobPage" });
export const jobIdsResponse = z.strictObject({ ids: z.array(z.string()) });

/** Events of `GET /jobs/events`, each with its data. */
export const jobEvents = {
  begin: z.strictObject({ jobs: z.int().min(0) }).meta({ id: "JobsBegin", description: "How many jobs follow." }),
  job: jobSchema,
  removed: z.strictObject({ id: z.string() }).meta({ id: "JobRemoved" }),
  end: z.strictObject({ reason: z.enum(["over", "time", "stopping"]) }).meta({ id: "JobsEnd" }),
};
