import type { z } from "zod";
import { notFound } from "./document-routes.ts";
import { given } from "./given.ts";
import type { HandlerOptions } from "./handler-options.ts";
import type { Originals } from "./originals.ts";
import * as requests from "./request-schemas.ts";
import { defineRoute, jsonResponse, type Route } from "./route.ts";
import {
  keptResponse,
  removedResponse,
  changedThreadBody,
  threadBody,
  threadQuery,
  threadResponse,
  threadsResponse,
} from "./thread-schemas.ts";
import { threadId, type Threads } from "./threads.ts";
import { manualResponse, restoreResponse, sessionResponse, trashResponse, versionsResponse } from "./view-schemas.ts";
import { Refusal } from "./refusal.ts";

/** Folder of the manual's pages. */
const manualFolder = "ibid-manual/";

/** Adds the pages of a manual to try questions on. */
export function createManualRoute(readManual: NonNullable<HandlerOptions["manual"]>): Route {
  return defineRoute({
    method: "POST",
    path: "/manual",
    name: "addManual",
    summary: `Adds the service's own manual below ${manualFolder}, to try questions on.`,
    tag: "documents",
    needs: "writer",
    isSlow: true,
    answers: { 200: { description: "The documents.", content: { "application/json": manualResponse } } },
    async handle({ kb, signal }) {
      const pages = await readManual();
      const inputs = pages.map(({ name, text }) => ({
        uri: `${manualFolder}${name}.md`,
        text,
        mediaType: "text/markdown",
      }));
      const { failures } = await kb.ingest(inputs, { signal });
      if (failures.length > 0) throw failures[0]!.error;
      return jsonResponse({ under: manualFolder, documents: inputs.length });
    },
  });
}

/** Facts of the service that a page asks for first. */
export interface ServiceFacts {
  readonly needsKey: boolean;
  readonly login: boolean;
  readonly originals: boolean;
  readonly maxUploadBytes: number;
  /** Whether `POST /manual` has pages to add. */
  readonly manual: boolean;
}

/** The caller, and the trash. */
export function createKeepingRoutes(threads: Threads | undefined, facts: ServiceFacts): readonly Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/session",
      name: "session",
      summary: "The caller, and the rights that the key gives.",
      tag: "service",
      needs: "reader",
      isLight: true,
      answers: { 200: { description: "The caller.", content: { "application/json": sessionResponse } } },
      async handle({ caller }) {
        const { name, isOperator: operator, mayWrite: write } = caller!;
        return jsonResponse({ name, operator, write, threads: threads !== undefined, ...facts });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/trash",
      name: "listTrash",
      summary: "Deleted documents that can be restored.",
      tag: "documents",
      needs: "writer",
      isLight: true,
      answers: { 200: { description: "The documents.", content: { "application/json": trashResponse } } },
      async handle({ kb }) {
        const documents: object[] = [];
        for await (const { uri, rootLabel, path, scope, title, mediaType, bytes, deletedAt } of kb.deleted()) {
          documents.push({ uri, ...given({ rootLabel, path }), scope, title, mediaType, bytes, deletedAt });
        }
        return jsonResponse({ documents });
      },
    }),
    defineRoute({
      method: "POST",
      path: "/restore",
      name: "restoreDocument",
      summary: "Restores a deleted document; with asOf, writes a document again as it stood then.",
      tag: "documents",
      needs: "writer",
      body: requests.restoreBody,
      answers: { 200: { description: "The restored documents.", content: { "application/json": restoreResponse } } },
      async handle({ kb, body: { uri, scope, asOf } }) {
        const restored = await kb.restore(uri, given({ scope, asOf }));
        return restored.length === 0 ? notFound(uri) : jsonResponse({ restored });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/versions",
      name: "listVersions",
      summary: "The versions of a document, latest first: the one that stands, and the former ones.",
      tag: "documents",
      needs: "reader",
      query: requests.documentQuery,
      answers: { 200: { description: "The versions.", content: { "application/json": versionsResponse } } },
      async handle({ kb, query: { uri, scope } }) {
        const versions = await kb.versions(uri, given({ scope }));
        return versions.length === 0 ? notFound(uri) : jsonResponse({ versions });
      },
    }),
    ...(threads === undefined ? [] : threadRoutes(threads)),
  ];
}

function threadRoutes(threads: Threads): readonly Route[] {
  const unknown = (): never => {
    throw new Refusal(404, "not-found", "There is no thread with this id.", { hint: "See GET /threads for yours." });
  };
  return [
    defineRoute({
      method: "GET",
      path: "/threads",
      name: "listThreads",
      summary: "The caller's threads, latest first.",
      tag: "threads",
      needs: "reader",
      isLight: true,
      answers: { 200: { description: "The threads.", content: { "application/json": threadsResponse } } },
      handle: async ({ caller }) => jsonResponse({ threads: await threads.list(caller!) }),
    }),
    defineRoute({
      method: "GET",
      path: "/thread",
      name: "getThread",
      summary: "A thread, as far as the caller may read its evidence.",
      tag: "threads",
      needs: "reader",
      query: threadQuery,
      answers: { 200: { description: "The thread.", content: { "application/json": threadResponse } } },
      handle: async ({ caller, kb, query: { id } }) => jsonResponse((await threads.read(id, caller!, kb)) ?? unknown()),
    }),
    defineRoute({
      method: "POST",
      path: "/threads",
      name: "addThread",
      summary: "Keeps a new thread.",
      tag: "threads",
      needs: "reader",
      body: threadBody,
      answers: { 200: { description: "Its id.", content: { "application/json": keptResponse } } },
      asked: ({ body }) => body.turns.map(({ question }) => question),
      async handle({ caller, kb, body }) {
        const id = threadId(caller!, crypto.randomUUID());
        await threads.write(id, caller!, body, kb);
        return jsonResponse({ id });
      },
    }),
    defineRoute({
      method: "PUT",
      path: "/thread",
      name: "putThread",
      summary: "Adds turns to a thread of the caller's, replaces it, or gives it a title alone.",
      tag: "threads",
      needs: "reader",
      query: threadQuery,
      body: changedThreadBody,
      answers: { 200: { description: "Its id.", content: { "application/json": keptResponse } } },
      asked: ({ body: { title, turns = [], added = [] } }) => [
        ...(title === undefined ? [] : [title]),
        ...[...turns, ...added].map(({ question }) => question),
      ],
      async handle({ caller, kb, query: { id }, body: { title, turns, added } }) {
        if (added !== undefined) {
          if (!(await threads.add(id, caller!, added, title, kb))) return unknown();
        } else if (turns !== undefined) await threads.write(id, caller!, { title: title!, turns }, kb);
        else if (!(await threads.rename(id, caller!, title!))) return unknown();
        return jsonResponse({ id });
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/thread",
      name: "deleteThread",
      summary: "Deletes a thread of the caller's.",
      tag: "threads",
      needs: "reader",
      query: threadQuery,
      answers: { 200: { description: "It is gone.", content: { "application/json": removedResponse } } },
      handle: async ({ caller, query: { id } }) =>
        (await threads.remove(id, caller!)) ? jsonResponse({ removed: true }) : unknown(),
    }),
  ];
}

/** The same routes; uploads keep their bytes. */
export function keepingFiles(routes: readonly Route[], originals: Originals): readonly Route[] {
  return routes.map((route) =>
    route.name !== "uploadDocument"
      ? route
      : {
          ...route,
          handle(call) {
            const { uri } = call.query as z.output<typeof requests.uploadQuery>;
            return originals.keepWith(uri, call.body as Uint8Array, () => route.handle(call));
          },
        },
  );
}
