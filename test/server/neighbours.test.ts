import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { type AccessKey, parseKeys, startService } from "../../src/server/index.node.ts";
import { createMemoryBlobStore } from "../../src/stores/index.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { keys, openWorld, send, startWorld, type TestService, type Who } from "./service.ts";

const over = /^(?:indexed|unchanged|failed|cancelled)$/u;

/** Makes jobs of texts, and waits for their end. */
async function work({ as }: TestService, who: Who, batch: string, count: number): Promise<readonly string[]> {
  const jobs = Array.from({ length: count }, (_, n) => ({ uri: `${who}-${batch}-${n}.txt`, text: `Text ${n}.` }));
  const made = await as(who, "/jobs", { body: { jobs, batch } });
  const ids: string[] = made.json.jobs.map(({ id }: { id: string }) => id);
  await vi.waitFor(
    async () => {
      const states = await Promise.all(ids.map(async (id) => (await as(who, `/job?id=${id}`)).json.state as string));
      expect(states.filter((state) => !over.test(state))).toEqual([]);
    },
    { timeout: 30_000, interval: 20 },
  );
  return ids;
}

const numbersOf = (events: string): readonly number[] =>
  Array.from(events.matchAll(/^id: \w+-(\d+)$/gmu), ([, number]) => Number(number));

describe("a caller of a service beside others [L3]", () => {
  it("cannot count their jobs by the numbers of events", async () => {
    const world = await startWorld();
    await work(world, "ada", "mine", 1);
    const alone = numbersOf((await world.as("ada", "/jobs/events?batch=mine")).text);
    await work(world, "operator", "others", 3);
    const beside = numbersOf((await world.as("ada", "/jobs/events?batch=mine")).text);
    expect(alone.length).toBeGreaterThan(1);
    expect(beside).toEqual(alone);
    expect(Math.max(...numbersOf((await world.as("operator", "/jobs/events?batch=others")).text))).toBeGreaterThan(
      Math.max(...alone),
    );
  });

  it("cannot go on with a job in a scope that the key has lost, and gets it back with the scope", async () => {
    let list: readonly AccessKey[] = Object.values(keys);
    const world = await startWorld({ keys: () => list });
    const [id] = await work(world, "ada", "team", 1);
    const broken = await world.as("ada", "/jobs?uri=broken.pdf", { body: "no pdf" });
    const failed: string = broken.json.jobs[0].id;
    await vi.waitFor(
      async () => expect((await world.as("ada", `/job?id=${failed}`)).json.state).toBe("failed"),
      10_000,
    );
    const { teamId: _, ...rest } = keys.ada;
    list = [rest, keys.operator];
    for (const [path, body] of [
      [`/job?id=${id}`, undefined],
      [`/upload?id=${id}`, undefined],
      ["/jobs/retry", { ids: [failed] }],
      ["/jobs/cancel", { ids: [id] }],
    ] as const)
      expect([path, (await world.as("ada", path, { body })).status]).toEqual([path, 404]);
    expect((await world.as("ada", "/jobs")).json).toEqual({ jobs: [], total: 0 });
    list = Object.values(keys);
    expect((await world.as("ada", "/jobs")).json.total).toBe(2);
  });

  it("cannot resume an answer that was begun with other rights, or whose document was purged", async () => {
    let list: readonly AccessKey[] = Object.values(keys);
    const model = createScriptedChatModel(() => "Acme rotates its key on the first of May [1].");
    const world = await startWorld({ keys: () => list }, await openWorld(model));
    const ask = async (): Promise<string> => {
      const { text } = await world.as("ada", "/ask", {
        body: { question: "When does Acme rotate its key?" },
        headers: { accept: "text/event-stream" },
      });
      expect(text).toContain("first of May");
      return /^id: ([\w-]+)\.\d+$/mu.exec(text)![1]!;
    };
    const id = await ask();
    expect((await world.as("ada", `/stream?id=${id}`)).text).toContain("first of May");
    const { teamId: _, ...rest } = keys.ada;
    list = [rest, keys.operator];
    expect((await world.as("ada", `/stream?id=${id}`)).status).toBe(404);
    list = Object.values(keys);
    expect((await world.as("ada", `/stream?id=${id}`)).status).toBe(200);
    await world.as("operator", "/document?uri=team-acme.md&scope=team:acme&purge=true", { method: "DELETE" });
    expect((await world.as("ada", `/stream?id=${id}`)).status).toBe(404);
  });

  it("has threads of its own, also beside a person of the same name", async () => {
    const kb = await openWorld();
    const people: Record<string, string> = { "1": "ada", "2": "another" };
    const service = await startService(kb, {
      port: 0,
      files: createMemoryBlobStore(),
      authenticate: async (request) => {
        const userId = people[request.headers.get("x-person") ?? ""];
        return userId === undefined ? undefined : { name: "Ada Lovelace", access: { userId }, write: true };
      },
      log: () => {},
    });
    onTestFinished(() => service.stop());
    const as = (person: string, path: string, sent: object = {}) =>
      send(service.url, path, { ...sent, headers: { "x-person": person } });
    const sentences = [{ text: "It is under the mat.", places: [] }];
    const thread = { title: "My key", turns: [{ question: "Where is my key?", kind: "written", sentences }] };
    const { id } = (await as("1", "/threads", { body: thread })).json as { id: string };
    expect((await as("1", "/threads")).json.threads).toHaveLength(1);
    expect((await as("1", `/thread?id=${id}`)).json).toMatchObject({ own: true, title: "My key" });
    expect((await as("2", "/threads")).json).toEqual({ threads: [] });
    for (const [method, body] of [["GET"], ["PUT", thread], ["DELETE"]] as const)
      expect([method, (await as("2", `/thread?id=${id}`, { method, body })).status]).toEqual([method, 404]);
    expect((await as("1", `/thread?id=${id}`, { method: "DELETE" })).status).toBe(200);
  });

  it("has a name that no key with other rights has", () => {
    const key = (n: number, more: object = {}) => ({ name: "ada", key: `${n}`.repeat(20), userId: "ada", ...more });
    const parse = (...list: object[]): unknown => parseKeys(JSON.stringify({ keys: list }));
    expect(parse(key(1), key(2, { write: true }))).toHaveLength(2);
    expect(() => parse(key(1), key(2, { teams: ["acme"] }))).toThrow(/"ada" names two keys with different rights/u);
    expect(() => parse(key(1), { name: "ada", key: "3".repeat(20), operator: true })).toThrow(/different rights/u);
  });

  it("sees files under the same names, whatever lies under one name in scopes of others", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "ibid-names-")));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const [place, words] of [
      ["a/docs", "The board sells the herons."],
      ["b/docs", "The herons eat fish."],
    ] as const) {
      await mkdir(join(folder, place), { recursive: true });
      writeFileSync(join(folder, place, "plan.md"), words);
    }
    async function serve(withBoard: boolean) {
      const kb = await openKnowledgeBase({ reading: { worker: false } });
      onTestFinished(() => kb.close());
      if (withBoard) await kb.ingest(join(folder, "a/docs"), { scope: "team:board" });
      await kb.ingest(join(folder, "b/docs"));
      await kb.ingest({ uri: "z.md", text: "The zebra sleeps." });
      return startWorld({ readSource: (path) => readFile(path).catch(() => undefined) }, kb);
    }
    const [whole, alone] = [await serve(true), await serve(false)];
    const see = async ({ as }: TestService) => {
      const seen: unknown[] = [];
      const { json } = await as("anyone", "/documents?total=true&limit=1");
      seen.push(
        json.documents.map(({ uri }: { uri: string }) => uri),
        json.total,
        json.next,
      );
      for (const path of [
        `/documents?after=${encodeURIComponent(String(json.next))}`,
        `/documents?after=${encodeURIComponent(JSON.stringify(["gone.md", "deployment"]))}`,
        "/document?uri=docs/plan.md",
        "/original?uri=docs/plan.md",
      ]) {
        const { status, text } = await as("anyone", path);
        seen.push([path, status, text.replaceAll(/"(?:ingestedAt|requestId)":"[^"]*"/gu, "")]);
      }
      return seen;
    };
    const seen = await see(whole);
    expect(seen).toEqual(await see(alone));
    expect(JSON.stringify(seen)).toContain("The herons eat fish.");
    // An operator sees both, and a reader of both sees two names.
    const uris = async (world: TestService, who: Who): Promise<readonly string[]> =>
      (await world.as(who, "/documents")).json.documents.map(({ uri }: { uri: string }) => uri);
    expect(await uris(whole, "operator")).toContain(join(folder, "a/docs/plan.md"));
  });

  it("learns nothing of a file of the machine by a document under its path", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "ibid-guess-")));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const secret = join(folder, "secret.txt");
    writeFileSync(secret, "The code is 4711.");
    const read = vi.fn((path: string) => readFile(path).catch(() => undefined));
    const { as } = await startWorld({ readSource: read });
    const original = `/original?uri=${encodeURIComponent(secret)}`;
    const answers = [];
    for (const guess of ["The code is 4711.", "The code is 4712."]) {
      await as("ada", "/documents", { body: { uri: secret, text: guess } });
      const { status, text } = await as("ada", original);
      answers.push([status, text.replaceAll(/"requestId":"[^"]*"/gu, "")]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(read).not.toHaveBeenCalled();
  });
});
