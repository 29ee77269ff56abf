import type { Route } from "./route.ts";

/** Paths of routes, whose parameters stand in braces. */
export function createPaths(routes: readonly Route[]) {
  const named = new Set(routes.map(({ path }) => path));
  const patterns = [...named]
    .filter((path) => path.includes("{"))
    .map(
      (path) =>
        [new RegExp(`^${path.replaceAll(/[.]/gu, "\\.").replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u"), path] as const,
    );
  return {
    /** The path of the route that an address belongs to. */
    of: (path: string): string | undefined =>
      named.has(path) ? path : patterns.find(([pattern]) => pattern.test(path))?.[1],
    /** The path as hono writes it. */
    pattern: (path: string): string => path.replaceAll(/\{(\w+)\}/gu, ":$1"),
  };
}

/** A route whose response has an ETag: a GET that is read whole. */
export function isRepeatable({ method, answers, isProbe, name }: Route): boolean {
  return (
    method === "GET" &&
    isProbe !== true &&
    name !== "metrics" &&
    answers[200] !== undefined &&
    answers[200].events === undefined
  );
}
