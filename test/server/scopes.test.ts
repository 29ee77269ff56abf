import { describe, expect, it } from "vitest";
import { startWorld, type Who } from "./service.ts";

/** What each caller may read, by the uris that stand for the scopes. */
const readable: Readonly<Record<Who, readonly string[]>> = {
  ada: ["deployment.md", "team-acme.md", "user-ada.md"],
  bob: ["deployment.md", "team-umbrella.md"],
  anyone: ["deployment.md"],
  operator: ["deployment.md", "team-acme.md", "team-umbrella.md", "user-ada.md"],
};
const everybody = Object.keys(readable) as Who[];
const allUris = readable.operator;

describe("each key's scope [L3 T21]", () => {
  it.each(everybody)("%s finds, lists, opens and cites what they may read, and nothing else", async (who) => {
    const { as } = await startWorld();
    const listed = await as(who, "/documents");
    expect(listed.json.documents.map(({ uri }: { uri: string }) => uri)).toEqual(readable[who]);
    const { json } = await as(who, "/search", { body: { query: "who rotates the key", topK: 100 } });
    const found = new Set(json.hits.map(({ source }: { source: { uri: string } }) => source.uri) as string[]);
    expect([...found].toSorted()).toEqual(readable[who]);
    for (const question of [
      "Where does Umbrella rotate its key?",
      "When does Acme rotate its key?",
      "Where does Ada rotate her key?",
    ]) {
      const answered = await as(who, "/ask", { body: { question } });
      const cited = answered.json.citations.map(({ uri }: { uri: string }) => uri) as string[];
      expect(cited.filter((uri) => !readable[who].includes(uri))).toEqual([]);
      const plain = await as(who, "/rag/query", { body: { query: question } });
      const mayRead = readable[who].includes("team-umbrella.md");
      const says = plain.text.includes("cellar");
      expect(says && !mayRead).toBe(false);
      expect(says || !mayRead || !question.includes("Umbrella")).toBe(true);
    }
  });

  it("what may not be read answers to every byte as what is not there", async () => {
    const { as } = await startWorld();
    const requests = (uri: string): readonly (readonly [string, string])[] => [
      ["GET", `/document?uri=${uri}`],
      ["GET", `/document?uri=${uri}&scope=team:umbrella`],
      ["GET", `/document?uri=${uri}&start=0&end=5`],
      ["HEAD", `/document?uri=${uri}`],
      ["GET", `/outline?uri=${uri}`],
      ["GET", `/outline?uri=${uri}&scope=team:umbrella`],
      ["GET", `/versions?uri=${uri}`],
      ["GET", `/versions?uri=${uri}&scope=team:umbrella`],
      ["DELETE", `/document?uri=${uri}`],
      ["DELETE", `/document?uri=${uri}&scope=team:umbrella&purge=true`],
    ];
    const answers = await Promise.all(
      ["team-umbrella.md", "nowhere-to-be.md"].map((uri) =>
        Promise.all(
          requests(uri).map(async ([method, path]) => {
            const { status, headers, text } = await as("ada", path, { method, headers: { "x-request-id": "same" } });
            const { date: _, ratelimit: _left, ...rest } = headers;
            // A refusal repeats the uri that was sent; both have the same length.
            return { status, headers: rest, text: text.replaceAll(uri, "URI") };
          }),
        ),
      ),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(new Set(answers[0]?.map(({ status }) => status))).toEqual(new Set([404]));
    expect((await as("bob", "/document?uri=team-umbrella.md")).json.text).toContain("in the cellar");
  });

  it("a former version is listed to readers and written again by writers, of documents that they may read", async () => {
    const { as, kb } = await startWorld();
    const then = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await kb.ingest(
      { uri: "team-acme.md", text: "Acme has no key.", mediaType: "text/markdown" },
      { scope: "team:acme" },
    );
    const { versions } = (await as("ada", "/versions?uri=team-acme.md")).json;
    expect(versions).toMatchObject([{ chunks: 1 }, { title: "Keys of Acme", to: versions[0].from }]);
    const restore = (who: Who, uri: string, asOf = then) => as(who, "/restore", { body: { uri, asOf } });
    expect((await restore("bob", "team-acme.md")).status).toBe(403);
    const [other, unknown] = await Promise.all([
      restore("ada", "team-umbrella.md"),
      restore("ada", "nowhere-to-be.md"),
    ]);
    expect([other.status, unknown.status]).toEqual([404, 404]);
    expect(other.json.error.message).toBe(unknown.json.error.message);
    expect((await restore("ada", "team-acme.md", "2001-01-01")).json.error.code).toBe("not-found");
    expect((await restore("ada", "team-acme.md", "soon")).status).toBe(400);
    expect((await restore("ada", "team-acme.md")).json.restored).toMatchObject([{ scope: "team:acme", chunks: 1 }]);
    expect((await as("ada", "/document?uri=team-acme.md")).json.text).toContain("first of May");
  });

  it("scopes that are asked for can only narrow", async () => {
    const { as } = await startWorld();
    const uris = async (body: object) => {
      const { json } = await as("ada", "/search", { body: { query: "rotates key", topK: 100, ...body } });
      return [
        ...new Set(json.hits.map(({ source }: { source: { uri: string } }) => source.uri) as string[]),
      ].toSorted();
    };
    expect(await uris({ scopes: ["team:umbrella"] })).toEqual([]);
    expect(await uris({ scopes: ["team:acme", "team:umbrella"] })).toEqual(["team-acme.md"]);
    expect(await uris({ strategy: "active-team" })).toEqual(["team-acme.md"]);
    expect(await uris({ filter: { or: [] } })).toEqual([]);
  });

  it("a folder is named as readers know it, and narrows what they find, never what others may read", async () => {
    const { as, kb } = await startWorld();
    await kb.ingest({ uri: "/srv/data/quays/a.md", text: "A crane stands at the quay." });
    await kb.ingest({ uri: "yard/south/a.md", text: "A crane stands in the yard." });
    await kb.ingest({ uri: "yard/south/b.md", text: "A crane is hidden." }, { scope: "team:umbrella" });
    await kb.ingest({ uri: "yard/north/c.md", text: "A crane stands in the north." });
    const folders = async (who: Who) => (await as(who, "/folders")).json.folders;
    expect(await folders("ada")).toEqual(
      expect.arrayContaining([
        { under: "yard/", name: "yard", documents: 2 },
        { under: "yard/south/", name: "yard/south", documents: 1 },
      ]),
    );
    expect(await folders("bob")).toEqual(
      expect.arrayContaining([{ under: "yard/south/", name: "yard/south", documents: 2 }]),
    );
    const kinds = async (who: Who) => (await as(who, "/folders?under=yard/")).json.kinds;
    expect(await kinds("ada")).toEqual([{ kind: "md", documents: 2 }]);
    expect(await kinds("bob")).toEqual([{ kind: "md", documents: 3 }]);
    const found = async (who: Who, under: string) =>
      (await as(who, "/search", { body: { query: "crane", under } })).json.hits.map(
        ({ source }: { source: { uri: string } }) => source.uri,
      );
    expect(await found("ada", "yard/south/")).toEqual(["yard/south/a.md"]);
    expect((await found("bob", "yard/south/")).toSorted()).toEqual(["yard/south/a.md", "yard/south/b.md"]);
    // A prefix of this machine's paths tells a reader nothing.
    expect(await found("ada", "/srv/data/")).toEqual([]);
    expect((await as("ada", "/search", { body: { query: "crane", under: ["yard/"] } })).status).toBe(400);
    const ofDocuments = async (who: Who, ...uris: readonly string[]) =>
      (await as(who, "/search", { body: { query: "crane", uris } })).json.hits
        .map(({ source }: { source: { uri: string } }) => source.uri)
        .toSorted();
    expect(await ofDocuments("ada", "yard/south/a.md", "yard/south/b.md")).toEqual(["yard/south/a.md"]);
    expect(await ofDocuments("bob", "yard/south/a.md", "yard/south/b.md")).toEqual([
      "yard/south/a.md",
      "yard/south/b.md",
    ]);
    expect(await ofDocuments("ada", "a.md", "yard/south")).toEqual(["a.md"]);
    expect(await ofDocuments("ada", "/srv/data/quays/a.md")).toEqual([]);
    expect((await as("ada", "/search", { body: { query: "crane", uris: "a.md" } })).status).toBe(400);
    const asked = await as("ada", "/ask", { body: { question: "Where does a crane stand?", under: "yard/north/" } });
    expect(asked.json.citations.map(({ uri }: { uri: string }) => uri)).toEqual(["yard/north/c.md"]);
  });

  it("hidden documents move neither hits nor scores", async () => {
    const { as, kb } = await startWorld();
    const ask = async () =>
      (await as("anyone", "/search", { body: { query: "rotates key valid" } })).json.hits as unknown[];
    const before = await ask();
    for (let i = 0; i < 20; i++)
      await kb.ingest({ uri: `hidden-${i}.md`, text: "Rotates key valid ninety days." }, { scope: "team:umbrella" });
    expect(await ask()).toEqual(before);
  });

  it("who writes: only keys that may, only where the gate lets them", async () => {
    const { as, kb } = await startWorld();
    const text = (scope?: string) => ({ body: { uri: "new.md", text: "New.", ...(scope && { scope }) } });
    expect((await as("bob", "/documents", text())).status).toBe(403);
    expect((await as("anyone", "/documents", text())).status).toBe(403);
    expect((await as("bob", "/document?uri=team-umbrella.md", { method: "DELETE" })).status).toBe(403);
    expect((await as("bob", "/document?uri=x.md", { method: "PUT", body: "x" })).status).toBe(403);
    for (const scope of ["deployment", "team:umbrella", "user:bob", "platform"])
      expect((await as("ada", "/documents", text(scope))).json.error).toMatchObject({ code: "access-denied" });
    expect((await as("ada", "/document?uri=deployment.md", { method: "DELETE" })).status).toBe(403);
    const uris: string[] = [];
    for await (const { uri } of kb.list()) uris.push(uri);
    expect(uris).toEqual(allUris);
    expect(await as("ada", "/documents", text())).toMatchObject({ status: 201, json: { scope: "team:acme" } });
    expect(await as("ada", "/documents", text("user:ada"))).toMatchObject({ status: 201, json: { scope: "user:ada" } });
    const both = await as("ada", "/document?uri=new.md");
    expect(both).toMatchObject({ status: 409, json: { error: { code: "ambiguous" } } });
    expect(both.json.error.message).toContain("team:acme, user:ada");
    expect(await as("operator", "/documents", text("team:umbrella"))).toMatchObject({ status: 201 });
  });
});
