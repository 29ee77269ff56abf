import { given } from "./given.ts";
import * as requests from "./request-schemas.ts";
import * as responses from "./response-schemas.ts";
import { defineRoute, jsonResponse, type Route } from "./route.ts";

/** `POST /search`. A query is in the body, not in the address: addresses are written into logs on the way (law 10). */
export const searchRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/search",
    name: "search",
    summary: "The chunks that match a query, best first.",
    needs: "reader",
    body: requests.searchBody,
    answers: { 200: { description: "The hits.", content: { "application/json": responses.searchResponse } } },
    asked: ({ body: { query, pattern = "" } }) => [query, pattern],
    async handle({ kb, body: { query, ...options }, signal }) {
      const started = performance.now();
      const hits = await kb.search(query, { ...given(options), signal });
      return jsonResponse({ hits, ms: Math.round(performance.now() - started) });
    },
  }),
];
