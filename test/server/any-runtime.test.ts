import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readModules, resolveImport } from "../architecture/modules.ts";

describe("ibid/server", () => {
  it("opens on any runtime: it loads hono and zod at once, and no package for Node alone", () => {
    const modules = new Map(
      readModules(fileURLToPath(new URL("../../src", import.meta.url))).map((module) => [module.path, module]),
    );
    const [reached, packages] = [new Set<string>(), new Set<string>()];
    const pending = ["server/index.ts"];
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      const module = modules.get(path);
      if (module === undefined || reached.has(path)) continue;
      reached.add(path);
      for (const each of module.imports) {
        const target = resolveImport(module, each);
        if (target !== undefined) pending.push(...(each.typeOnly ? [] : [target]));
        else if (!each.typeOnly) packages.add(`${path}: ${each.from}`);
      }
    }
    const atOnce = new Set(["zod", "hono", "hono/compress", "hono/cors", "hono/etag", "hono/streaming"]);
    const froms = [...packages]
      .filter((each) => !each.startsWith("readers/"))
      .map((each) => each.split(": ")[1]!)
      .filter((from) => !atOnce.has(from));
    // An import in a function loads it when it is needed. What starts a service is for Node alone.
    expect(new Set(froms)).toEqual(
      new Set([
        "@modelcontextprotocol/server",
        "@secretlint/core",
        "@secretlint/profiler",
        "@secretlint/secretlint-rule-preset-recommend",
      ]),
    );
    // Readers are loaded when a document is shown.
    const [shows, hashes] = ["knowledge-base/operations/show-document", "server/originals"].map(
      (name) => modules.get(`${name}.ts`)!.source,
    );
    expect(shows).toContain('await import("../../readers/display/build-view-tree.ts")');
    expect(shows).not.toMatch(/^import \{[^}]*\} from "\.\.\/\.\.\/readers/mu);
    expect(hashes).toContain('await import("../ingest/prepare-document.ts")');
    expect(reached.size).toBeGreaterThan(20);
    expect(modules.get("server/service-routes.ts")?.source).toContain(
      'await import("../integrations/mcp/mcp-handler.ts")',
    );
    for (const name of ["mcp-handler", "create-mcp-server"])
      expect(modules.get(`integrations/mcp/${name}.ts`)?.source).toContain(
        'await import("@modelcontextprotocol/server")',
      );
    for (const name of ["@hono/node-server", "node:http"])
      expect(modules.get("server/start-service.ts")?.source).toContain(`import("${name}")`);
  });
});
