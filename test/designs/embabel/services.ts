import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openKnowledgeBase } from "ibid";
import { createMcpServer } from "ibid/mcp";
import { openEntities } from "ibid/records";
import { startService } from "ibid/server";
import * as z from "zod";
import { equal, holds, matches } from "../kit.ts";
import { prove } from "../prove.ts";

const cli = fileURLToPath(import.meta.resolve("ibid/package.json")).replace(/package\.json$/u, "dist/cli/bin.js");
const run = promisify(execFile);

/** A command of `ibid` in a process of its own. **Shape** what it prints as JSON. */
async function command(folder: string, ...words: readonly string[]): Promise<unknown> {
  const { stdout } = await run(process.execPath, [cli, ...words, "--kb", folder, "--json", "--config", "none"]);
  return JSON.parse(stdout);
}

export const services = [
  prove(
    "E49",
    "services for ingestion, search and entities over one store, by HTTP, command line and MCP",
    async () => {
      const work = mkdtempSync(join(tmpdir(), "ibid-services-"));
      const folder = join(work, "kb");
      const start = async (name: string, write: boolean) => {
        const kb = await openKnowledgeBase(folder);
        const key = `the-key-of-the-${name}-service`;
        const service = await startService(kb, {
          port: 0,
          keys: [{ name, key, operator: true, write }],
          entities: { company: { filterable: ["role"] } },
          mcp: { collections: true },
        });
        const ask = async (method: string, path: string, body?: object) => {
          const response = await fetch(new URL(path, service.url), {
            method,
            headers: {
              authorization: `Bearer ${key}`,
              ...(body && { "content-type": "application/json", accept: "application/json, text/event-stream" }),
            },
            ...(body && { body: JSON.stringify(body) }),
          });
          const text = await response.text();
          return { status: response.status, body: (text.startsWith("{") ? JSON.parse(text) : text) as never };
        };
        return { kb, ask, stop: async () => (await service.stop(), await kb.close()) };
      };
      const ingestion = await start("ingestion", true);
      const search = await start("search", false);
      const entities = await start("entities", true);
      try {
        equal(
          (await ingestion.ask("POST", "documents", { uri: "heron.txt", text: "The heron eats frogs." })).status,
          201,
        );
        const people = [
          {
            id: "ada",
            name: "Ada",
            description: "Writes programs.",
            labels: ["Employee"],
            properties: { role: "author" },
          },
          { id: "bob", name: "Bob", labels: ["Employee"], properties: { role: "reader" } },
        ];
        const added = await entities.ask("POST", "entities", { collection: "company", entities: people });
        equal([added.status, added.body], [200, { added: 2, updated: 0, unchanged: 0 }]);
        await entities.ask("POST", "entities", { collection: "company", entities: [{ id: "engine", name: "Engine" }] });
        const related = { collection: "company", relationships: [{ from: "ada", name: "WORKS_ON", to: "engine" }] };
        equal((await entities.ask("POST", "relationships", related)).status, 200);

        // The search service sees what the other two wrote, and writes nothing.
        const { hits } = (await search.ask("POST", "search", { query: "heron frogs" })).body as {
          readonly hits: readonly unknown[];
        };
        equal(hits.length, 1);
        const ids = ({ body }: { readonly body: { readonly entities: readonly { readonly id: string }[] } }) =>
          body.entities.map(({ id }) => id);
        equal(ids(await search.ask("GET", "entities?collection=company&label=Employee")), ["ada", "bob"]);
        equal(
          ids(await search.ask("GET", "related?collection=company&id=engine&relationship=WORKS_ON&direction=incoming")),
          ["ada"],
        );
        const found = await search.ask("POST", "entities/search", {
          collection: "company",
          query: "programs",
          filter: { role: "author" },
        });
        equal(
          (found.body as { readonly entities: readonly { readonly entity: object }[] }).entities.map(
            ({ entity }) => (entity as { id: string }).id,
          ),
          ["ada"],
        );
        const { properties } = (await search.ask("GET", "entity?collection=company&id=bob")).body as {
          readonly properties: object;
        };
        equal(properties, { role: "reader" });
        equal((await search.ask("GET", "entity?collection=company&id=nobody")).status, 404);
        equal((await search.ask("POST", "entities", { collection: "company", entities: people })).status, 403);
        equal((await entities.ask("DELETE", "entity?collection=company&id=bob")).body, { deleted: 1 });
        equal((await search.ask("GET", "entity?collection=company&id=bob")).status, 404);

        // Collections of any schema are read as JSON.
        const birds = ingestion.kb.collection("birds", {
          schema: z.object({ name: z.string(), call: z.string() }),
          key: "name",
          text: ["call"],
        });
        await birds.upsert([
          { name: "wren", call: "It trills." },
          { name: "owl", call: "It hoots." },
        ]);
        const { collections } = (await search.ask("GET", "collections")).body as {
          readonly collections: readonly { readonly name: string }[];
        };
        holds(collections.some(({ name }) => name === "birds"));
        const record = { key: "owl", scope: "deployment", record: { name: "owl", call: "It hoots." } };
        equal((await search.ask("GET", "record?collection=birds&key=owl")).body, record);
        const records = (await search.ask("GET", "records?collection=birds")).body as {
          readonly records: readonly { readonly key: string }[];
        };
        equal(
          records.records.map(({ key }) => key),
          ["owl", "wren"],
        );
        const best = (
          await search.ask("POST", "records/search", { collection: "birds", query: "hoots", mode: "lexical" })
        ).body as { readonly records: readonly { readonly key: string }[] };
        equal(
          best.records.map(({ key }) => key),
          ["owl"],
        );
        equal((await search.ask("GET", "record?collection=fish&key=x")).status, 404);

        // A client of MCP, over the service and over a server of one's own.
        const call = (name: string, args: object) =>
          search.ask("POST", "mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
        matches(
          JSON.stringify((await call("company_related", { id: "ada", relationship: "WORKS_ON" })).body),
          /Engine/u,
        );
        matches(JSON.stringify((await call("company_open", { id: "ada" })).body), /Writes programs/u);
        matches(JSON.stringify((await call("company_search", { query: "programs" })).body), /entity: ada/u);
        matches(JSON.stringify((await call("list_collections", {})).body), /birds/u);
        matches(
          JSON.stringify((await call("search_collection", { collection: "birds", query: "hoots" })).body),
          /owl/u,
        );
        matches(JSON.stringify((await call("get_record", { collection: "birds", key: "wren" })).body), /It trills/u);
        const server = await createMcpServer(ingestion.kb, {
          collections: true,
          entities: [openEntities(ingestion.kb, "company", { filterable: ["role"] })],
        });
        await server.close();
      } finally {
        for (const service of [ingestion, search, entities]) await service.stop();
      }

      // The command line, once the services are gone.
      const file = join(work, "more.jsonl");
      writeFileSync(file, '{"id": "cy", "name": "Cy", "labels": ["Guest"]}\n{"id": "inn", "name": "Inn"}\n');
      equal(await command(folder, "entities", "add", "visits", file), { added: 2, updated: 0, unchanged: 0 });
      await command(folder, "entities", "relate", "visits", "cy", "STAYS_AT", "inn");
      const shown = (await command(folder, "entities", "related", "visits", "cy", "STAYS_AT")) as {
        readonly entities: readonly { readonly id: string }[];
      };
      equal(
        shown.entities.map(({ id }) => id),
        ["inn"],
      );
      const guests = (await command(folder, "entities", "search", "visits", "^C", "--mode", "regex")) as {
        readonly entities: readonly { readonly id: string }[];
      };
      equal(
        guests.entities.map(({ id }) => id),
        ["cy"],
      );
      const owl = (await command(folder, "collections", "show", "birds", "owl")) as {
        readonly records: readonly { readonly record: object }[];
      };
      equal(owl.records[0]?.record, { name: "owl", call: "It hoots." });
      rmSync(work, { recursive: true, force: true });
    },
  ),
];
