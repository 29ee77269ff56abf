import { defineRoute, type Route } from "./route.ts";

/** State of a service. Only a ready one should get requests. */
export type Readiness = "ready" | "warming up" | "stopping";

/**
 * `GET /livez` and `GET /readyz`, for whatever starts and balances services. They answer any host name, need no key and tell nothing else.
 *
 * **Source** the names of Kubernetes' own probes.
 */
export function createProbeRoutes(readiness: () => Readiness): readonly Route[] {
  const probe = (path: string, name: string, summary: string, answer: () => Response, states: string): Route =>
    defineRoute({
      method: "GET",
      path,
      name,
      summary,
      tag: "service",
      needs: "nobody",
      isLight: true,
      isProbe: true,
      answers: { 200: { description: states, content: { "text/plain": undefined } } },
      handle: async () => answer(),
    });
  return [
    probe("/livez", "livez", "Whether the process answers.", () => sayState("ok", 200), "It answers."),
    probe(
      "/readyz",
      "readyz",
      "Whether the service takes requests: not before it is warm, and not while it stops.",
      () => sayState(readiness(), readiness() === "ready" ? 200 : 503),
      "It takes requests.",
    ),
  ];
}

function sayState(state: string, status: number): Response {
  return new Response(`${state}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}
