/** What of this room is public. Only the doors read it. */
export type { AssembleOptions } from "./assemble.ts";
export { createKnowledgeBase, type KnowledgeBaseParts } from "./create-knowledge-base.ts";
export type { OpenSource } from "./ingest-items.ts";
export { openInMemory as openKnowledgeBase } from "./open-in-memory.ts";
export { type ReadRun, readSource, type ReadSourceOptions, type SourceReading } from "../ingest/read-source.ts";
