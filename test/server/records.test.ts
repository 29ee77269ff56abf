import { expect, it } from "vitest";
import * as z from "zod";
import { openEntities } from "../../src/knowledge-base/entities/open-entities.ts";
import type { RequestLogEntry } from "../../src/server/index.node.ts";
import { startWorld } from "./service.ts";

it("entities are served within the scopes of each caller, and written by writers alone [E49]", async () => {
  const { kb, as } = await startWorld();
  await openEntities(kb.as({ userId: "ada", teamId: "acme", teams: ["acme"] }), "people").upsert({
    id: "ada",
    name: "Ada",
  });
  const ask = async (who: "ada" | "bob", path: string, body?: object) => as(who, `/${path}`, body && { body });
  expect((await ask("ada", "entity?collection=people&id=ada")).json.name).toBe("Ada");
  expect((await ask("bob", "entity?collection=people&id=ada")).status).toBe(404);
  expect((await ask("bob", "collections")).json.collections).toEqual([]);
  expect((await ask("bob", "records?collection=people")).status).toBe(404);
  expect((await ask("ada", "records?collection=people")).json.records).toMatchObject([
    { key: "ada", scope: "team:acme" },
  ]);
  const entities = [{ id: "bob", name: "Bob" }];
  expect((await ask("bob", "entities", { collection: "people", entities })).status).toBe(403);
  expect((await ask("ada", "entities", { collection: "people", entities })).json).toEqual({
    added: 1,
    updated: 0,
    unchanged: 0,
  });
  expect((await ask("ada", "entities", { collection: "people", entities: [{ id: "x" }] })).status).toBe(400);
  const page = await ask("ada", "records?collection=people&limit=1");
  expect(page.json.records).toMatchObject([{ key: "ada" }]);
  expect((await ask("ada", "records?collection=people&limit=1&after=ada")).json.records).toMatchObject([
    { key: "bob" },
  ]);
});

it("a collection under another definition is a refusal that says so, and no failure of the service [L8]", async () => {
  const entries: RequestLogEntry[] = [];
  const { kb, as } = await startWorld({ log: (entry) => void entries.push(entry) });
  const ada = kb.as({ userId: "ada", teamId: "acme", teams: ["acme"] });
  const schema = z.object({ id: z.string(), text: z.string() });
  await ada.collection("people", { schema, key: "id", text: ["text"] }).upsert([{ id: "a", text: "a" }]);
  const refused = await as("ada", "/entities/search", { body: { collection: "people", query: "a" } });
  expect([refused.status, refused.json.error.code]).toEqual([409, "configuration-missing"]);
  expect(JSON.stringify(refused.json)).not.toContain("people");
  // The log has the cause, which the client does not see.
  const failure = { code: "configuration-missing" };
  expect(entries).toMatchObject([{ status: 409, refused: failure.code, failure }]);
});
