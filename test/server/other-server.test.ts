import { getRequestListener } from "@hono/node-server";
import { expect, it, onTestFinished } from "vitest";
import { startWorld } from "./service.ts";

it("a service answers beside another server of hono, which puts its own classes in the place of the global ones", async () => {
  const before = { Request: globalThis.Request, Response: globalThis.Response };
  onTestFinished(() => void Object.assign(globalThis, before));
  const { as } = await startWorld();
  expect((await as("ada", "/documents")).status).toBe(200);
  getRequestListener(() => new Response("of another server"));
  for (const sent of [{}, { body: { query: "key" } }])
    expect((await as("ada", "body" in sent ? "/search" : "/documents", sent)).status).toBe(200);
  expect((await as("ada", "/search", { body: { queries: "key" } })).status).toBe(400);
  expect((await as("ada", "/nothing")).status).toBe(404);
});
