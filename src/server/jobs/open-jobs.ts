import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { defaultRetryPolicy } from "../../ingest/queue/retry-policy.ts";
import type { HandlerOptions, ServiceLimits } from "../handler-options.ts";
import type { Originals } from "../originals.ts";
import { createJobShelf, createMemoryJobShelf } from "./job-shelf.ts";
import { createServiceJobs, type ServiceJobs } from "./service-jobs.ts";
import { createWebhookSender } from "./webhook.ts";

/** Jobs in `files`, or in memory. */
export function openJobs(
  kb: KnowledgeBase,
  { only, files, keepOriginals = true, sendWebhook }: HandlerOptions,
  limits: Required<ServiceLimits>,
  originals: Originals,
): ServiceJobs | undefined {
  if (only === "mcp") return undefined;
  const { jobBytes, maxBufferedBytes } = limits;
  return createServiceJobs({
    kb,
    shelf: files === undefined ? createMemoryJobShelf() : createJobShelf(files),
    settings: {
      ...limits,
      jobBytes: files === undefined ? Math.min(jobBytes, maxBufferedBytes) : jobBytes,
      retry: defaultRetryPolicy,
    },
    keepWith: (uri, bytes, add) => (keepOriginals ? originals.keepWith(uri, bytes, add) : add()),
    deliver: sendWebhook && createWebhookSender(sendWebhook),
  });
}
