/** `ibid/operations`. */
export type { Clock } from "../../contracts/clock.ts";
export type { Diagnosis, ExamineOptions, Finding, FindingKind, Sought } from "../../contracts/diagnosis.ts";
export type {
  EventData,
  EventFilter,
  EventName,
  EventRetention,
  EventStore,
  EventStream,
  KnowledgeEvent,
} from "../../contracts/event-store.ts";
export type { Health, HealthOptions, LatencySummary } from "../../contracts/health.ts";
export type { ContentInfo, Status, VacuumOptions, VacuumResult } from "../../contracts/knowledge-base.ts";
export type {
  ReembeddedScope,
  ReembedEvent,
  ReembedOptions,
  ReembedProgress,
  ReembedRun,
  ReembedSummary,
} from "../../contracts/reembedding.ts";
export type { OpenSpan, SpanEnd, SpanStart, Telemetry } from "../../contracts/telemetry.ts";
export type { MissCause, RetrievalTrace, Tracer } from "../../contracts/tracer.ts";
export { createEventStoreTracer, noTracer } from "./event-tracer.ts";
export { describeHealth, type HealthBody, type LatencyBody } from "./health-body.ts";
export { createReembeddingQueue, type ReembeddingQueue, type ReembeddingQueueOptions } from "./reembedding-queue.ts";
export { scheduleVacuum, type VacuumSchedule, type VacuumScheduleOptions } from "./vacuum-schedule.ts";
export { createMemoryEventStore, type EventStoreOptions } from "../../stores/memory/memory-event-store.ts";
