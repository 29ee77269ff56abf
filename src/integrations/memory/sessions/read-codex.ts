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

/** Records without words of the conversation. */
const otherRecords: ReadonlySet<string> = new Set(
  "event_msg turn_context compacted ghost_snapshot world_state token_usage_record security_risk_score".split(" "),
);
const otherItems: ReadonlySet<string> = new Set(
  [
    "reasoning function_call_output custom_tool_call_output tool_search_output web_search_call image_generation_call",
    "ghost_snapshot compaction compaction_summary compaction_trigger context_compaction configuration_update",
  ].flatMap((names) => names.split(" ")),
);
/** Begins what the program itself puts into the place of the user. */
const fromProgram =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|permissions)\b|# AGENTS\.md instructions)/u;

/**
 * Reads a session file of Codex: `{ timestamp, type, payload }` a line, in `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`.
 *
 * **Source** the protocol types of openai/codex 0.65 (December 2025), in public descriptions read in November 2026, and files that 0.171 wrote.
 */
export function readCodex(text: string, file: string): ReadSession {
  const draft = new SessionDraft(file);
  let meta: Json | undefined;
  for (const [line, record] of readLines(text, draft)) {
    const { type, payload } = record;
    if (type === "session_meta" && isObject(payload)) {
      meta ??= payload;
      continue;
    }
    if (type !== "response_item") {
      if (typeof type !== "string" || !otherRecords.has(type))
        draft.refuse(`A record of the type ${JSON.stringify(type)} is not known.`, { line });
      continue;
    }
    const [session, at] = [asText(meta?.["id"]), asTime(record["timestamp"])];
    if (session === undefined || at === undefined || !isObject(payload)) {
      draft.refuse("The record stands before session_meta, or lacks timestamp or payload.", { line });
      continue;
    }
    const kind = payload["type"];
    if (kind === "message")
      readMessage(payload, { session, at, line, cwd: asText(meta?.["cwd"]), branch: branchOf(meta) }, draft);
    else if (kind === "function_call")
      draft.call([asText(payload["name"]) ?? ""], filesOf(parse(payload["arguments"])));
    else if (kind === "custom_tool_call") draft.call([asText(payload["name"]) ?? ""], filesOf(payload["input"]));
    else if (kind === "local_shell_call") draft.call(["shell"], []);
    else if (kind === "tool_search_call") draft.call(["tool_search"], []);
    else if (typeof kind !== "string" || !otherItems.has(kind))
      draft.refuse(`An item of the type ${JSON.stringify(kind)} is not known.`, { line });
  }
  return draft.finish();
}

interface Place {
  readonly session: string;
  readonly at: string;
  readonly line: number;
  readonly cwd: string | undefined;
  readonly branch: string | undefined;
}

function readMessage({ role, content }: Json, place: Place, draft: SessionDraft): void {
  // Roles of the program itself have no words of the conversation.
  if (role === "developer" || role === "system") return;
  if ((role !== "user" && role !== "assistant") || !Array.isArray(content)) {
    draft.refuse(`A message of the role ${JSON.stringify(role)} is not known, or has no list of contents.`, place);
    return;
  }
  const texts = (content as unknown[]).flatMap((part) => (isObject(part) ? (asText(part["text"]) ?? []) : []));
  const text = texts
    .filter((one) => !fromProgram.test(one))
    .join("\n\n")
    .trim();
  if (text !== "") draft.add({ ...place, client: "codex", id: String(place.line), role, text });
}

const branchOf = (meta: Json | undefined): string | undefined =>
  isObject(meta?.["git"]) ? asText(meta["git"]["branch"]) : undefined;

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
