import { asText, asTime, filesOf, isObject, type ReadSession, readLines, SessionDraft } from "./session-message.ts";

/** Records and blocks without words of the conversation. */
const otherRecords: ReadonlySet<string> = new Set(
  "summary system file-history-snapshot queue-operation progress attachment custom-title ai-title last-prompt tag agent-name pr-link mode permission-mode".split(
    " ",
  ),
);
const otherBlocks: ReadonlySet<string> = new Set(
  "thinking redacted_thinking tool_result image document server_tool_use web_search_tool_result".split(" "),
);

/**
 * Reads a session file of Claude Code: one record a line, in `~/.claude/projects/<folder>/<session>.jsonl`.
 *
 * **Source** public descriptions of the files of versions 1.0 to 2.0, read in November 2026; the format has no specification of its own.
 */
export function readClaudeCode(text: string, file: string): ReadSession {
  const draft = new SessionDraft(file);
  for (const [line, record] of readLines(text, draft)) {
    const { type, message, isMeta } = record;
    if (type !== "user" && type !== "assistant") {
      if (typeof type !== "string" || !otherRecords.has(type))
        draft.refuse(`A record of the type ${JSON.stringify(type)} is not known.`, { line });
      continue;
    }
    const [session, at, id] = [asText(record["sessionId"]), asTime(record["timestamp"]), asText(record["uuid"])];
    if (session === undefined || at === undefined || id === undefined || !isObject(message)) {
      draft.refuse("The record lacks sessionId, uuid, timestamp or message.", { line });
      continue;
    }
    if (isMeta === true) continue;
    const { content } = message;
    if (typeof content !== "string" && !Array.isArray(content)) {
      draft.refuse("The content of the message is neither a text nor a list.", { line });
      continue;
    }
    const texts: string[] = [];
    const calls: (readonly [tool: string, files: readonly string[]])[] = [];
    for (const block of typeof content === "string" ? [{ type: "text", text: content }] : (content as unknown[])) {
      if (!isObject(block)) draft.refuse("A block of the message is no object.", { line });
      else if (block["type"] === "text") texts.push(asText(block["text"]) ?? "");
      else if (block["type"] === "tool_use") calls.push([asText(block["name"]) ?? "", filesOf(block["input"])]);
      else if (typeof block["type"] !== "string" || !otherBlocks.has(block["type"]))
        draft.refuse(`A block of the type ${JSON.stringify(block["type"])} is not known.`, { line });
    }
    const words = texts.join("\n\n").trim();
    const [cwd, branch] = [asText(record["cwd"]), asText(record["gitBranch"])];
    if (words !== "") draft.add({ client: "claude-code", session, id, role: type, at, text: words, cwd, branch, line });
    for (const [tool, files] of calls) draft.call([tool], files);
  }
  return draft.finish();
}
