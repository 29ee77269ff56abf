/** `ibid/memory` on Node. */
export * from "./index.ts";
export { openImportedMessages } from "./sessions/imported-messages.ts";
export { findSessionFiles, readSessionFile, type SessionFile } from "./sessions/read-session-files.ts";
