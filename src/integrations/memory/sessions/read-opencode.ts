import { asText, asTime, filesOf, isObject, type Json, type ReadSession, SessionDraft } from "./session-message.ts";

const otherParts: ReadonlySet<string> = new Set(
  "reasoning step-start step-finish snapshot patch file agent retry compaction subtask".split(" "),
);

/** A session of opencode: its facts, and its messages with their parts. **Shape** an info that was no JSON is `undefined`, or has the id alone. */
export interface OpencodeSession {
  readonly info: unknown;
  readonly messages: readonly { readonly info: unknown; readonly parts: readonly unknown[] }[];
}

/**
 * Reads a session of opencode: rows of its database, the JSON of `opencode export`, or the files of `storage/session`, `storage/message` and `storage/part`.
 *
 * **Source** `Session.Info` and `MessageV2` of the repository anomalyco/opencode as of versions 1.1 (January 2026) and 1.2 (February 2026), in public descriptions read in November 2026.
 */
export function readOpencode({ info, messages }: OpencodeSession, file: string): ReadSession {
  const draft = new SessionDraft(file);
  const session = isObject(info) ? asText(info["id"]) : undefined;
  if (session === undefined) {
    draft.refuse("The session has no id.");
    return draft.finish();
  }
  const facts = info as Json;
  for (const [i, { info: message, parts }] of messages.entries()) {
    const [id, role] = isObject(message) ? [asText(message["id"]), message["role"]] : [];
    const time = isObject(message) && isObject(message["time"]) ? message["time"]["created"] : undefined;
    const at = asTime(time);
    const place = id === undefined ? { line: i + 1 } : { row: id };
    if (id === undefined || at === undefined || (role !== "user" && role !== "assistant")) {
      draft.refuse("The message lacks id, role or time.created.", place);
      continue;
    }
    const texts: string[] = [];
    const calls: (readonly [tool: string, files: readonly string[]])[] = [];
    for (const part of parts) {
      if (!isObject(part)) draft.refuse("A part of the message is no object.", place);
      // Synthetic texts are the program's own.
      else if (part["type"] === "text") texts.push(part["synthetic"] === true ? "" : (asText(part["text"]) ?? ""));
      else if (part["type"] === "tool")
        calls.push([asText(part["tool"]) ?? "", isObject(part["state"]) ? filesOf(part["state"]["input"]) : []]);
      else if (typeof part["type"] !== "string" || !otherParts.has(part["type"]))
        draft.refuse(`A part of the type ${JSON.stringify(part["type"])} is not known.`, place);
    }
    const text = texts
      .filter((one) => one !== "")
      .join("\n\n")
      .trim();
    const [cwd, title] = [asText(facts["directory"]), asText(facts["title"])];
    if (text !== "") draft.add({ client: "opencode", session, id, role, at, text, cwd, title, ...place });
    for (const [tool, files] of calls) draft.call([tool], files);
  }
  return draft.finish();
}
