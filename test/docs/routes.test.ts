import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { openKnowledgeBase } from "ibid";
import { createHandler } from "ibid/server";
import { createMemoryBlobStore } from "ibid/stores";

const page = readFileSync(new URL("../../docs/server.md", import.meta.url), "utf8");

/** `GET /document` of each route in a row: "`GET /stream`, `DELETE /stream`", or "`GET`, `PUT`, `DELETE /thread`". */
function routesOf(cell: string): readonly string[] {
  const parts = Array.from(cell.matchAll(/`([A-Z]+)(?: ([^`]+))?`/gu), ([, method = "", path]) => ({ method, path }));
  return parts.map(({ method, path }, at) => `${method} ${path ?? parts.slice(at).find((next) => next.path)?.path}`);
}

it("the table of routes has each route of the OpenAPI document, and no other", async () => {
  const kb = await openKnowledgeBase();
  onTestFinished(() => kb.close());
  const response = await createHandler(kb, {
    page: false,
    files: createMemoryBlobStore(),
    keys: () => [],
    manual: () => Promise.resolve([]),
    metrics: { text: () => Promise.resolve("") },
  })(new Request("http://localhost/openapi.json"));
  const { paths } = (await response.json()) as { paths: Readonly<Record<string, object>> };
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const table = page.slice(page.indexOf("\n## Routes\n"), page.indexOf("\nPositions are UTF-16"));
  const rows = Array.from(table.matchAll(/^\| (`[A-Z]+.*?) \|/gmu), ([, cell = ""]) => routesOf(cell)).flat();
  // A route that answers GET answers HEAD, which is what tus asks of an upload.
  const named = rows.map((route) => route.replace("HEAD /upload", "GET /upload"));
  // OpenAI's shapes have a table of their own, and the protocol of agents has its own description.
  const isOwn = (route: string): boolean => !/ \/(?:v1\/|mcp$|login|logout)/u.test(route);
  expect(named.filter(isOwn).toSorted()).toEqual(described.filter(isOwn).toSorted());
});
