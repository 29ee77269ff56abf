/** `ibid/memory`. */
export {
  createMemory,
  type ListNotesOptions,
  type Memory,
  type MemoryCall,
  type MemoryOptions,
  type Remembered,
} from "./create-memory.ts";
export type { SubjectFinding } from "./find-subject.ts";
export type { Forgotten, ForgetTarget } from "./forget-notes.ts";
export { createMemoryTools, type MemoryToolOptions } from "./memory-tools.ts";
export { formatNotes, type ImportedNotes, type ImportNotesOptions, importNotes, parseNotes } from "./notes-markdown.ts";
export { importSessions, type ImportedSessions, type ImportSessionsOptions } from "./sessions/import-sessions.ts";
export type { ImportedMessages } from "./sessions/imported-messages.ts";
export type { SessionClient, SessionMessage, SessionProblem } from "./sessions/session-message.ts";
export type { Note, NoteInput, NoteProvenance, NoteSuspicion } from "./note.ts";
export type { Recalled, RecalledNote, RecallOptions } from "./recall-notes.ts";
