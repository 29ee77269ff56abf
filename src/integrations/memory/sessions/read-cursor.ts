import { asText, asTime, filesOf, isObject, type Json, type ReadSession, SessionDraft } from "./session-message.ts";

/** A row of the table `cursorDiskKV`. */
export interface CursorRow {
  readonly key: string;
  readonly value: string;
}

/**
 * Reads the conversations of Cursor: rows `composerData:<session>` and `bubbleId:<session>:<message>` of `globalStorage/state.vscdb`.
 *
 * **Source** public descriptions of the rows as of `_v` 10 and 3 (December 2025), read in November 2026; the format has no specification of its own.
 */
export function readCursor(rows: readonly CursorRow[], file: string): ReadSession {
  const draft = new SessionDraft(file);
  const bubbles = new Map<string, readonly [line: number, value: Json]>();
  const composers: (readonly [line: number, session: string, value: Json])[] = [];
  for (const [i, { key, value }] of rows.entries()) {
    const [, kind, session, bubble] = /^(composerData|bubbleId):([^:]+)(?::(.+))?$/u.exec(key) ?? [];
    if (kind === undefined || session === undefined) continue;
    let read: unknown;
    try {
      read = JSON.parse(value);
    } catch {
      draft.refuse(`The row ${key} is no JSON.`, i + 1);
      continue;
    }
    // A deleted conversation leaves a row with null.
    if (read === null) continue;
    if (!isObject(read)) draft.refuse(`The row ${key} is no object.`, i + 1);
    else if (kind === "composerData") composers.push([i + 1, session, read]);
    else bubbles.set(`${session}:${bubble ?? ""}`, [i + 1, read]);
  }
  for (const [line, session, composer] of composers) {
    const [headers, inline] = [composer["fullConversationHeadersOnly"], composer["conversation"]];
    const listed = Array.isArray(headers) && headers.length > 0 ? headers : inline;
    if (listed === undefined) continue;
    if (!Array.isArray(listed)) {
      draft.refuse("The conversation is no list of messages.", line);
      continue;
    }
    for (const header of listed as unknown[]) {
      const id = isObject(header) ? asText(header["bubbleId"]) : undefined;
      if (id === undefined) {
        draft.refuse("A message of the conversation has no bubbleId.", line);
        continue;
      }
      const [row, bubble] = bubbles.get(`${session}:${id}`) ?? [line, header as Json];
      readBubble(bubble, { session, id, composer, line: row }, draft);
    }
  }
  return draft.finish();
}

interface Place {
  readonly session: string;
  readonly id: string;
  readonly composer: Json;
  readonly line: number;
}

function readBubble(bubble: Json, { session, id, composer, line }: Place, draft: SessionDraft): void {
  const { type, timingInfo } = bubble;
  if (type !== 1 && type !== 2) {
    draft.refuse(`A message of the type ${JSON.stringify(type)} is not known.`, line);
    return;
  }
  const started = isObject(timingInfo) ? timingInfo["clientStartTime"] : undefined;
  const at = asTime(bubble["createdAt"]) ?? asTime(started) ?? asTime(composer["createdAt"]);
  if (at === undefined) {
    draft.refuse("Neither the message nor its conversation has a time.", line);
    return;
  }
  const text = asText(bubble["text"])?.trim() ?? "";
  const role = type === 1 ? "user" : "assistant";
  if (text !== "") draft.add({ client: "cursor", session, id, role, at, text, title: asText(composer["name"]), line });
  const called = bubble["toolFormerData"];
  if (!isObject(called)) return;
  const given = called["rawArgs"] ?? called["params"];
  let input: unknown = given;
  try {
    if (typeof given === "string") input = JSON.parse(given);
  } catch {
    // A patch is no JSON.
  }
  draft.call([asText(called["name"]) ?? ""], filesOf(input));
}
