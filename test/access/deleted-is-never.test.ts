import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { AccessContext, AccessPolicy, Scope } from "../../src/contracts/scope.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { startService } from "../../src/server/index.node.ts";
import { collect } from "../../src/testing/assert.ts";
import { callIbid, makeFolder } from "../cli/run-ibid.ts";
import { send } from "../server/service.ts";
import { outcome } from "./worlds.ts";
import { sample } from "../support/runs.ts";

/** Scopes that hold a document of each state. */
const scopes = ["deployment", "platform", "team:south", "user:nils"] as const satisfies readonly Scope[];
const states = ["alive", "deleted", "purged", "vacuumed", "unknown"] as const;
type State = (typeof states)[number];

const callers: Readonly<Record<string, AccessContext>> = {
  ada: { userId: "ada", teamId: "north" },
  nobody: {},
};
const policies: Readonly<Record<string, AccessPolicy>> = {
  "shared scopes open": { platform: true, deployment: true },
  "shared scopes closed": { platform: false, deployment: false },
};
const isShared = (scope: Scope): boolean => scope === "deployment" || scope === "platform";

/** Fields of a request that name a document or a part of it. */
const nameFields: ReadonlySet<string> = new Set([
  "uri",
  "under",
  "document",
  "chunkId",
  "id",
  "file",
  "thread",
  "note",
]);

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

/** The names have one length, so that an answer that repeats one has one length too. */
const uriOf = (scope: Scope, state: State): string => `${scope.replace(":", "-")}-${state.padEnd(8, "-")}.md`;
const without = (uri: string, given: unknown): string => JSON.stringify(given).replaceAll(uri, "URI");

/** Names that are near a typed one are offered, whatever became of that; they are of live documents that the caller may read. */
const withoutOffers = (given: string): string =>
  given.replaceAll(/Did you mean ([^?]*)\?/gu, (_, offered: string) => {
    const readable = scopes
      .filter((scope) => isShared(scope) && scope !== "platform")
      .map((scope) => uriOf(scope, "alive"));
    expect(readable).toEqual(expect.arrayContaining(offered.split(", or ")));
    return "List the documents with: ibid list";
  });

let folder = "";
const ids = new Map<string, string>();
beforeAll(async () => {
  folder = await makeFolder({});
  const kb = await openKnowledgeBase(join(folder, ".ibid"), { access: { platform: true } });
  for (const scope of scopes) {
    for (const state of states) {
      const uri = uriOf(scope, state);
      if (state === "unknown") continue;
      await kb.ingest({ uri, text: `# ${state}\n\nThe ${state} zanzibar stands in ${scope}.` }, { scope });
      const [hit] = await kb.search(`${state} zanzibar`, { scopes: [scope], topK: "all", mode: "lexical" });
      ids.set(uri, hit!.chunkId);
      if (state === "vacuumed") await kb.delete(uri, { scope });
    }
  }
  await kb.vacuum({ olderThanMs: 0 });
  for (const scope of scopes) {
    await kb.delete(uriOf(scope, "deleted"), { scope });
    await kb.delete(uriOf(scope, "purged"), { scope, purge: true });
  }
  await kb.close();
});
afterAll(() => rm(folder, { recursive: true }));

async function open(access: AccessPolicy): Promise<KnowledgeBase> {
  const kb = await openKnowledgeBase(join(folder, ".ibid"), { access });
  onTestFinished(() => kb.close());
  return kb;
}

/** Documents that a caller must not tell from one that never was. A live document of a shared scope that is open is theirs to see. */
function hiddenStates(scope: Scope, policy: AccessPolicy, caller: AccessContext): readonly State[] {
  const isReadable =
    scope === "deployment" ? policy.deployment : scope === "platform" && policy.platform && caller.userId !== undefined;
  return isReadable === true ? states.filter((state) => state !== "alive") : states;
}

/** Every call that names one document: in its scope, and in whichever the caller may read. */
async function libraryAnswers(kb: KnowledgeBase, uri: string, scope: Scope): Promise<readonly string[]> {
  const chunkId = ids.get(uri) ?? "0".repeat(32);
  const calls: (() => unknown)[] = [() => kb.expand(chunkId, { neighbours: 1 })];
  for (const address of [{}, { scope }]) {
    calls.push(
      () => kb.document(uri, address),
      () => kb.document(uri, { ...address, start: 0, end: 9 }),
      () => kb.outline(uri, address),
      () => kb.section(uri, "0", address),
      () => kb.expand({ chunkId, ...address }, { zoomOut: 1 }),
      () => collect(kb.chunks({ uri, ...address })),
      () => kb.restore(uri, address),
      () => kb.versions(uri, address),
      () => kb.media(uri, address),
      () => collect(kb.list({ under: uri, ...address })),
      () => collect(kb.list({ after: { uri, scope }, sort: "newest", ...address })),
      () => kb.delete(uri, address),
      () => kb.delete(uri, { ...address, onMissing: "error" }),
      () => kb.delete(uri, { ...address, purge: true }),
      () => kb.delete(uri, { ...address, purge: true, onMissing: "error" }),
    );
  }
  const answers: string[] = [];
  for (const call of calls) answers.push(without(uri, (await outcome(call)) ?? null));
  return answers;
}

describe("a deleted or purged document answers as one that never was [L3 L8]", () => {
  it.each(Object.keys(policies).flatMap((policy) => Object.keys(callers).map((who) => [policy, who] as const)))(
    "in the library, %s, to %s",
    async (name, who) => {
      const policy = policies[name]!;
      const kb = await open(policy);
      for (const scope of scopes) {
        const view = kb.as(callers[who]!);
        const never = await libraryAnswers(view, uriOf(scope, "unknown"), scope);
        for (const state of hiddenStates(scope, policy, callers[who]!)) {
          const given = await libraryAnswers(view, uriOf(scope, state), scope);
          expect({ scope, state, given }).toEqual({ scope, state, given: never });
        }
      }
      // Nothing of it changed what is there.
      for (const scope of scopes) expect(await kb.restore(uriOf(scope, "deleted"), { scope })).toHaveLength(1);
      for (const scope of scopes) await kb.delete(uriOf(scope, "deleted"), { scope });
    },
  );

  it.each(sample(Object.keys(policies), 2))("over HTTP and MCP, %s", async (name) => {
    const policy = policies[name]!;
    const kb = await open(policy);
    const key = "ada-ada-ada-ada-ada";
    const service = await startService(kb, {
      port: 0,
      keys: [{ name: "ada", key, ...callers["ada"], write: true }],
      limits: { requestsPerMinute: 1_000_000 },
      log: () => {},
    });
    onTestFinished(() => service.stop());
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL("mcp", service.url), { requestInit }));
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    const { paths } = JSON.parse((await send(service.url, "/openapi.json")).text) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    };
    /** Every operation that reads or deletes by a name in its path or its query; the stream of jobs has no end. */
    const named = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { parameters = [] }]) => {
        const fields = parameters.filter(({ in: place, name }) => place === "path" || nameFields.has(name));
        const isNamed = fields.length > 0 && ["get", "delete"].includes(method) && path !== "/jobs/events";
        return isNamed ? [{ path, method: method.toUpperCase(), fields }] : [];
      }),
    );
    expect(named.length).toBeGreaterThan(25);

    async function answersOf(uri: string, scope: Scope): Promise<readonly string[]> {
      const answers: string[] = [];
      for (const within of ["", `&scope=${scope}`]) {
        for (const [method, path] of [
          ["GET", `/document?uri=${uri}`],
          ["HEAD", `/document?uri=${uri}`],
          ["GET", `/document?uri=${uri}&start=0&end=9`],
          ["GET", `/outline?uri=${uri}`],
          ["GET", `/versions?uri=${uri}`],
          ["GET", `/view?uri=${uri}`],
          ["GET", `/geometry?uri=${uri}`],
          ["GET", `/original?uri=${uri}`],
          ["DELETE", `/document?uri=${uri}`],
          ["DELETE", `/document?uri=${uri}&purge=true`],
        ] as const) {
          const sent = { method, key, headers: { "x-request-id": "same" } };
          const { status, headers, text } = await send(service.url, path + within, sent);
          const { date: _, ratelimit: _left, ...rest } = headers;
          answers.push(without(uri, { status, rest, text }));
        }
      }
      for (const { path, method, fields } of named) {
        let address = path;
        const query = new URLSearchParams();
        for (const { name: field, in: place } of fields) {
          if (place === "path") address = address.replace(`{${field}}`, uri);
          else query.set(field, field === "chunkId" ? (ids.get(uri) ?? "0".repeat(32)) : uri);
        }
        for (const headers of [{}, { "if-none-match": "*" }]) {
          const sent = { method, key, headers: { "x-request-id": "same", "tus-resumable": "1.0.0", ...headers } };
          const { status, headers: given, text } = await send(service.url, `${address}?${query.toString()}`, sent);
          const { date: _, ratelimit: _left, ...rest } = given;
          answers.push(
            without(uri, { method, path, status, rest, text }).replaceAll(ids.get(uri) ?? "0".repeat(32), "ID"),
          );
        }
      }
      for (const [path, body] of [
        ["/search", { query: "zanzibar", uris: [uri], mode: "lexical" }],
        ["/search", { query: "zanzibar", under: uri, explain: true }],
        ["/ask", { question: "Where does the zanzibar stand?", uris: [uri] }],
      ] as const) {
        const { status, text } = await send(service.url, path, { key, body, headers: { "x-request-id": "same" } });
        answers.push(without(uri, { path, status, text: text.replaceAll(/"(?:took|ms|tookMs)":[\d.]+/gu, "") }));
      }
      for (const body of [{ uri }, { uri, scope }]) {
        const { status, text } = await send(service.url, "/restore", {
          key,
          body,
          headers: { "x-request-id": "same" },
        });
        answers.push(without(uri, { status, text }));
      }
      const id = ids.get(uri) ?? "0".repeat(32);
      for (const { name: tool, inputSchema } of tools) {
        const values: Readonly<Record<string, string>> = { document: uri, chunkId: id, id, section: "0" };
        const required = (inputSchema["required"] ?? []) as readonly string[];
        if (!required.some((field) => field in values)) continue;
        const given = Object.fromEntries(required.map((field) => [field, values[field] ?? "zanzibar"]));
        const answer = await client.callTool({ name: tool, arguments: given }).catch(String);
        answers.push(without(uri, answer).replaceAll(id, "ID"));
      }
      const resource = `ibid://documents/${encodeURIComponent(scope)}/${uri}`;
      answers.push(without(uri, await client.readResource({ uri: resource }).catch(String)));
      return answers;
    }

    for (const scope of scopes) {
      const never = await answersOf(uriOf(scope, "unknown"), scope);
      expect(never.length).toBeGreaterThan(15);
      for (const state of hiddenStates(scope, policy, callers["ada"]!)) {
        const given = await answersOf(uriOf(scope, state), scope);
        expect({ scope, state, given }).toEqual({ scope, state, given: never });
      }
    }
  });

  it("on the command line", async () => {
    for (const scope of scopes.filter((each) => each !== "platform")) {
      const answersOf = async (uri: string): Promise<readonly string[]> => {
        const answers: string[] = [];
        for (const args of [
          ["show", uri],
          ["restore", uri],
          ["delete", uri],
          ["delete", uri, "--purge"],
        ]) {
          for (const within of [[], ["--scope", scope]]) {
            for (const json of [[], ["--json"]])
              answers.push(
                withoutOffers(without(uri, await callIbid(folder, [...args, ...within, ...json, "--as-user", "ada"]))),
              );
          }
        }
        return answers;
      };
      const never = await answersOf(uriOf(scope, "unknown"));
      for (const state of states.filter((each) => each !== "alive" || !isShared(scope))) {
        const given = await answersOf(uriOf(scope, state));
        expect({ scope, state, given }).toEqual({ scope, state, given: never });
      }
    }
  });
});
