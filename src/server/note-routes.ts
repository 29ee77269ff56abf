import type { Replaced } from "../contracts/retriever.ts";
import type { Scope } from "../contracts/scope.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Memory } from "../integrations/memory/create-memory.ts";
import { ownScope } from "../knowledge-base/own-scope.ts";
import type { ForgetTarget } from "../integrations/memory/forget-notes.ts";
import { type Note, notePrefix, noteUri } from "../integrations/memory/note.ts";
import { given } from "./given.ts";
import * as schemas from "./note-schemas.ts";
import { Refusal } from "./refusal.ts";
import { type Call, defineRoute, jsonResponse, type Route } from "./route.ts";

const json = <Schema>(schema: Schema) => ({ "application/json": schema });

/** Notes: the list, one of them, an export and a recall; for writers also remembering and forgetting. */
export const noteRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/notes",
    name: "listNotes",
    summary: "The notes of a scope that hold, by subject, then time.",
    tag: "notes",
    needs: "reader",
    query: schemas.notesQuery,
    answers: { 200: { description: "One page of the list.", content: json(schemas.notesResponse) } },
    async handle(call) {
      const { key, asOf, all, messages, limit, after } = call.query;
      const memory = await openMemory(call, call.query.scope);
      const notes: Note[] = [];
      const asked = given({ key, asOf, after, all: all === "true", messages: messages === "true", limit: limit + 1 });
      for await (const note of memory.list(asked)) {
        call.signal.throwIfAborted();
        notes.push(note);
      }
      const page = notes.slice(0, limit);
      return jsonResponse({
        scope: memory.scope,
        notes: page,
        ...(notes.length > limit && { next: page.at(-1)!.uri }),
        ...(after === undefined && { scopes: await scopesWithNotes(call.kb, call.signal) }),
      });
    },
  }),
  defineRoute({
    method: "GET",
    path: "/note",
    name: "getNote",
    summary: "One note, whether it holds or not.",
    tag: "notes",
    needs: "reader",
    isLight: true,
    query: schemas.noteQuery,
    answers: { 200: { description: "The note.", content: json(schemas.noteResponse) } },
    async handle(call) {
      const { id, scope } = call.query;
      return jsonResponse((await (await openMemory(call, scope)).get(id)) ?? unknownNote());
    },
  }),
  defineRoute({
    method: "GET",
    path: "/notes/export",
    name: "exportNotes",
    summary: "Notes as Markdown that people read and edit, and that `POST /notes/import` reads again.",
    tag: "notes",
    needs: "reader",
    query: schemas.exportQuery,
    answers: { 200: { description: "The Markdown.", content: { "text/markdown": undefined } } },
    async handle(call) {
      const { scope, all } = call.query;
      const memory = await openMemory(call, scope);
      const notes: Note[] = [];
      for await (const note of memory.list({ all: all === "true" })) {
        call.signal.throwIfAborted();
        notes.push(note);
      }
      const { formatNotes } = await import("../integrations/memory/notes-markdown.ts");
      const headers = {
        "content-type": "text/markdown; charset=utf-8",
        "content-disposition": 'attachment; filename="notes.md"',
      };
      return new Response(formatNotes(notes), { headers });
    },
  }),
  defineRoute({
    method: "POST",
    path: "/notes",
    name: "remember",
    summary: "Remembers a statement; it replaces the earlier one on the same subject.",
    tag: "notes",
    needs: "writer",
    body: schemas.noteBody,
    answers: {
      200: { description: "The note was known.", content: json(schemas.rememberedResponse) },
      201: { description: "The note is new.", content: json(schemas.rememberedResponse) },
    },
    asked: ({ body: { text, key = "" } }) => [text, key],
    async handle(call) {
      const { scope, text, ...facts } = call.body;
      const memory = await openMemory(call, scope);
      const done = await memory.remember({ text, ...given(facts) }, { signal: call.signal });
      return jsonResponse(done, done.status === "unchanged" ? 200 : 201);
    },
  }),
  defineRoute({
    method: "POST",
    path: "/notes/import",
    name: "importNotes",
    summary: "Remembers the notes of an export. An edited note becomes a new version; one that is missing stays.",
    tag: "notes",
    needs: "writer",
    body: schemas.importBody,
    answers: { 200: { description: "The counts.", content: json(schemas.importedResponse) } },
    asked: ({ body: { markdown } }) => [markdown],
    async handle(call) {
      const { importNotes } = await import("../integrations/memory/notes-markdown.ts");
      return jsonResponse(await importNotes(await openMemory(call, call.body.scope), call.body.markdown));
    },
  }),
  defineRoute({
    method: "DELETE",
    path: "/note",
    name: "forgetNote",
    summary: "Erases a statement with all its versions, or one of them, and looks whether the files hold the words.",
    tag: "notes",
    needs: "writer",
    query: schemas.forgetQuery,
    answers: { 200: { description: "The proof.", content: json(schemas.forgottenResponse) } },
    async handle(call) {
      const { only, scope, ...named } = call.query;
      const memory = await openMemory(call, scope);
      return jsonResponse(await memory.forget({ ...given(named), only: only === "true" } as ForgetTarget));
    },
  }),
  defineRoute({
    method: "POST",
    path: "/recall",
    name: "recall",
    summary: "The notes that help most with a question, within a budget of tokens.",
    tag: "notes",
    needs: "reader",
    body: schemas.recallBody,
    answers: { 200: { description: "The notes, best first.", content: json(schemas.recalledResponse) } },
    asked: ({ body: { query = "", key = "" } }) => [query, key],
    async handle(call) {
      const { scope, query, ...options } = call.body;
      const memory = await openMemory(call, scope);
      return jsonResponse(await memory.recall(query, { ...given(options), signal: call.signal }));
    },
  }),
];

/** A memory of the caller's. Where no scope is named, it is that of their own notes. */
async function openMemory({ kb, caller }: Pick<Call, "kb" | "caller">, scope: Scope | undefined): Promise<Memory> {
  const { createMemory } = await import("../integrations/memory/create-memory.ts");
  const { access, name } = caller!;
  return createMemory(kb, { scope: scope ?? ownScope(access === "operator" ? undefined : access), by: name });
}

/** One refusal for notes that do not exist and for those that the caller may not read. */
function unknownNote(): never {
  throw new Refusal(404, "not-found", "No note that you may read has this id.", { hint: "See GET /notes." });
}

/** The scopes that the caller may read in which there is a note that is no message. **Cost** two rows of each scope. */
async function scopesWithNotes(kb: KnowledgeBase, signal: AbortSignal): Promise<readonly Scope[]> {
  const { walkSubjects } = await import("../integrations/memory/timeline.ts");
  const found: Scope[] = [];
  for (const { scope } of (await kb.status()).scopes) {
    signal.throwIfAborted();
    for await (const _ of walkSubjects(kb, scope, { messages: false })) {
      found.push(scope);
      break;
    }
  }
  return found;
}

/** When a note ended, and the uri of the one in its place. **Shape** `{}` for a note that holds, and for another document. */
export async function readEnd(
  kb: KnowledgeBase,
  { uri, scope }: { readonly uri: string; readonly scope: Scope },
): Promise<{ readonly replaced?: Replaced }> {
  if (!uri.startsWith(notePrefix)) return {};
  const { createMemory } = await import("../integrations/memory/create-memory.ts");
  const note = await createMemory(kb, { scope }).get(uri);
  if (note?.ended !== true) return {};
  const by = note.supersededBy === undefined ? {} : { by: noteUri(note.subject, note.supersededBy) };
  return { replaced: { at: note.validTo!, ...by } };
}
