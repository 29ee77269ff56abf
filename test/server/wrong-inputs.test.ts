import { expect, it } from "vitest";
import { createMemoryBlobStore } from "../../src/stores/index.ts";
import { startWorld } from "./service.ts";

it("names the value and the rule of a wrong field, whatever kind of rule it is", async () => {
  const { as } = await startWorld({ files: createMemoryBlobStore() });
  const post = (body: object) => ({ method: "POST", body });
  const webhook = { url: "https://example.org/", secret: "whsec_?!?!?!?!?!?!?!?!" };
  for (const [path, sent, message] of [
    ["/view?uri=a&scope=nowhere", {}, 'scope is "nowhere"; it must be platform, deployment, team:<id> or user:<id>.'],
    ["/view?uri=a&start=first", {}, 'start is "first"; it must be a number.'],
    ["/jobs?state=lost", {}, 'state is "lost"; it must be one or more of receiving, queued,'],
    ["/verify", post({}), "answer is missing."],
    ["/v1/vector_stores/deployment/search", post({}), "query is missing."],
    ["/v1/vector_stores/deployment/search", post({ query: 5 }), "query is 5; it must be a string or an array."],
    ["/v1/chat/completions", post({ messages: [{ role: "user", content: "a" }], n: 2 }), "n is 2; it must be 1."],
    ["/v1/vector_stores?after=nope", {}, 'after is "nope"; the list has no such id.'],
    ["/jobs", post({ jobs: [] }), "jobs must have at least 1 entry."],
    ["/jobs", post({ uri: "a.md", text: "a", batch: "" }), "batch must have at least 1 character."],
    ["/jobs", post({ uri: "a.md", text: "a", webhook }), "webhook.secret must have Base64 after whsec_."],
  ] as const) {
    const { status, json } = await as("ada", path, sent);
    expect([path, status, json.error.code]).toEqual([path, 400, "invalid-argument"]);
    expect(json.error.message).toContain(message);
    expect(json.error.hint).toMatch(/\S/u);
    expect(json.error.message).not.toContain("?!?!");
  }
});
