import {
  asText,
  asTime,
  filesOf,
  isObject,
  type Json,
  type ReadSession,
  readLines,
  SessionDraft,
} from "./session-message.ts";

/** Records and blocks without words of the conversation. */
const otherRecords: ReadonlySet<string> = new Set(
  (
    "summary system file-history-snapshot queue-operation progress attachment custom-title ai-title last-prompt tag agent-name pr-link mode " +
    "permission-mode content-replacement worktree-state task-summary marble-origami-commit marble-origami-snapshot"
  ).split(" "),
);
const otherBlocks: ReadonlySet<string> = new Set(
  "thinking redacted_thinking tool_result image document server_tool_use web_search_tool_result fallback".split(" "),
);

/** Flags of records that the program itself wrote: notes for the model, the summary after a compaction, errors of the network. */
const ownFlags = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage"] as const;
/** Begins what the program itself puts into the place of the user. */
const fromProgram =
  /^\s*(?:<(?:command-(?:name|message|args)|local-command-|bash-(?:input|stdout|stderr)|task-notification|system-reminder|user-prompt-submit-hook|ide_)|\[Request interrupted by user)/u;

/** The words of a text of the user. A command of the program has them in its arguments. */
function wordsOf(text: string): string {
  if (!fromProgram.test(text)) return text;
  return /<command-args>(.*?)<\/command-args>/su.exec(text)?.[1]?.trim() ?? "";
}

/** A record of the conversation. **Shape** `undefined` for one without words of a person or a model. */
function toSpoken(record: Json): { readonly role: "user" | "assistant"; readonly message: unknown } | undefined {
  const { type, message, attachment, origin, isSidechain } = record;
  if (ownFlags.some((flag) => record[flag] === true)) return undefined;
  // A person typed it while the agent worked.
  if (type === "attachment") {
    if (!isObject(attachment) || attachment["type"] !== "queued_command" || attachment["commandMode"] !== "prompt")
      return undefined;
    return isOfOthers(attachment["origin"]) ? undefined : { role: "user", message: { content: attachment["prompt"] } };
  }
  if (type === "user" && isOfOthers(origin)) return undefined;
  // The words of a user in a sidechain are those of the agent that began it.
  return { role: type === "user" && isSidechain !== true ? "user" : "assistant", message };
}

const isOfOthers = (origin: unknown): boolean =>
  isObject(origin) && typeof origin["kind"] === "string" && origin["kind"] !== "human";

/**
 * Reads a session file of Claude Code: one record a line, in `~/.claude/projects/<folder>/<session>.jsonl`.
 *
 * **Source** public descriptions of the files of versions 1.0 to 2.0, read in November 2026; the format has no specification of its own.
 */
export function readClaudeCode(text: string, file: string): ReadSession {
  const draft = new SessionDraft(file);
  for (const [line, record] of readLines(text, draft)) {
    const { type } = record;
    if (type !== "user" && type !== "assistant" && (typeof type !== "string" || !otherRecords.has(type))) {
      draft.refuse(`A record of the type ${JSON.stringify(type)} is not known.`, { line });
      continue;
    }
    if (type !== "user" && type !== "assistant" && type !== "attachment") continue;
    const spoken = toSpoken(record);
    if (spoken === undefined) continue;
    const { role, message } = spoken;
    const [session, at, id] = [asText(record["sessionId"]), asTime(record["timestamp"]), asText(record["uuid"])];
    if (session === undefined || at === undefined || id === undefined || !isObject(message)) {
      draft.refuse("The record lacks sessionId, uuid, timestamp or message.", { line });
      continue;
    }
    const { content } = message;
    if (typeof content !== "string" && !Array.isArray(content)) {
      draft.refuse("The content of the message is neither a text nor a list.", { line });
      continue;
    }
    const texts: string[] = [];
    const calls: (readonly [tool: string, files: readonly string[]])[] = [];
    for (const block of typeof content === "string" ? [{ type: "text", text: content }] : (content as unknown[])) {
      if (!isObject(block)) draft.refuse("A block of the message is no object.", { line });
      else if (block["type"] === "text") texts.push(type === "assistant" ? said(block) : wordsOf(said(block)));
      else if (block["type"] === "tool_use") calls.push([asText(block["name"]) ?? "", filesOf(block["input"])]);
      else if (typeof block["type"] !== "string" || !otherBlocks.has(block["type"]))
        draft.refuse(`A block of the type ${JSON.stringify(block["type"])} is not known.`, { line });
    }
    const words = texts
      .filter((one) => one !== "")
      .join("\n\n")
      .trim();
    const [cwd, branch] = [asText(record["cwd"]), asText(record["gitBranch"])];
    if (words !== "") draft.add({ client: "claude-code", session, id, role, at, text: words, cwd, branch, line });
    for (const [tool, files] of calls) draft.call([tool], files);
  }
  return draft.finish();
}

const said = (block: Json): string => asText(block["text"]) ?? "";
