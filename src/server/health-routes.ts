import { describeHealth } from "../knowledge-base/operations/health-body.ts";
import * as responses from "./response-schemas.ts";
import { defineRoute, jsonResponse, type Route } from "./route.ts";

/** `GET /health/rag`, for operators: it counts what everybody asks (law 3). **Source** ToolUp (T54). */
export const healthRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/health/rag",
    name: "health",
    summary: "How the last minute went, in every process that has the knowledge base open.",
    needs: "operator",
    answers: { 200: { description: "The last minute.", content: { "application/json": responses.healthResponse } } },
    handle: async ({ kb }) => jsonResponse(describeHealth(await kb.health({ everywhere: true }))),
  }),
];
