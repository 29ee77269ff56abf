import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { IbidError, type KnowledgeBase, openKnowledgeBase, type Scope } from "ibid";
import {
  createMemoryPlugin,
  createTemplate,
  createTextMemory,
  type MemoryPluginOptions,
  type MemoryWrite,
} from "ibid/compat";
import { callTools } from "ibid/tools";

let kb: KnowledgeBase;
beforeEach(async () => {
  kb = await openKnowledgeBase();
});
afterEach(() => kb.close());

const render = (text: string, options: MemoryPluginOptions = {}, args = {}): Promise<string> =>
  createTemplate(text, { functions: createMemoryPlugin(kb, options).functions, trusted: true }).render(args);
const call = (options: MemoryPluginOptions, name: string, input: object, view = kb): Promise<string> => {
  const tool = createMemoryPlugin(view, options).tools.find((one) => one.name === name);
  return tool === undefined ? Promise.reject(new Error(`no tool ${name}`)) : tool.execute(input);
};

describe("the memory plugin in a template", () => {
  it("recalls a text, or an array where more are asked for, or nothing [S1 S6 S20]", async () => {
    await render("{{save $text key='budget'}}", {}, { text: "The company budget for 2024 is ninety thousand." });
    await render("{{save 'The company budget for 2023 was eighty thousand.' key='old'}}");
    const template = "{{recall 'company budget by year 2024'}} What is my budget for 2024?";
    expect(await render(template)).toBe("The company budget for 2024 is ninety thousand. What is my budget for 2024?");
    const several = await render("{{recall 'company budget' limit='2'}}");
    expect(JSON.parse(several)).toHaveLength(2);
    expect(await render("{{recall 'company budget'}}", { limit: 2 })).toBe(several);
    expect(await render("{{recall 'company budget' limit=$many}}", {}, { many: 2 })).toBe(several);
    expect(await render("[{{recall 'zebra'}}]")).toBe("[]");
    expect(await render("[{{recall 'company budget' limit='0'}}]")).toBe("[]");
    expect(await render("[{{recall 'company budget' relevance='99'}}]")).toBe("[]");
    expect(await render("[{{recall 'company budget'}}]", { relevance: 99 })).toBe("[]");
    expect(await render("[{{recall 'company budget' collection='other'}}]")).toBe("[]");
    expect(JSON.parse(await render("{{recall 'company budget 2024' limit='9' relevance='0.01'}}"))).toContain(
      "The company budget for 2024 is ninety thousand.",
    );
  });

  it("retrieves by key, removes, and knows collections [S6 S20]", async () => {
    expect(await render("{{save text='Apples are red.' key='a' collection='fruit'}}[{{retrieve 'a'}}]")).toBe("[]");
    expect(await render("{{retrieve 'a' collection='fruit'}}")).toBe("Apples are red.");
    expect(await render("{{retrieve key='a'}}", { collection: "fruit" })).toBe("Apples are red.");
    expect(await render("{{remove 'a' collection='fruit'}}[{{retrieve 'a' collection='fruit'}}]")).toBe("[]");
    await createTextMemory(kb).saveReference(
      { text: "Holidays", externalId: "7", externalSource: "wiki" },
      { description: "How to apply." },
    );
    expect(await render("{{recall 'holidays'}}")).toBe("How to apply. wiki: 7");
  });

  it.each([
    "{{recall}}",
    "{{recall ' '}}",
    "{{recall 'x' collection=' '}}",
    "{{recall 'x' limit='many'}}",
    "{{recall 'x' limits='3'}}",
    "{{retrieve ''}}",
    "{{save 'text'}}",
    "{{save '' key='a'}}",
    "{{remove $missing}}",
  ])("refuses %s [S20]", async (text) => {
    await expect(render(text)).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

describe("what is beneath the plugin", () => {
  it("is any knowledge base, and can be another one the next time [S1 S3]", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-plugin-"));
    const durable = await openKnowledgeBase(join(folder, "kb"));
    for (const one of [kb, durable]) {
      const { functions } = createMemoryPlugin(one);
      const template = createTemplate("{{save 'Apples are red.' key='a'}}{{recall 'red apples'}}", { functions });
      expect(await template.render()).toBe("Apples are red.");
    }
    await durable.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("keeps what it can do within reach: a plugin of one's own calls it as it is [S10 S16]", async () => {
    await kb.ingest({ uri: "keys.md", text: "The key is AB-123.", metadata: { year: 2024 } });
    await kb.ingest({ uri: "old.md", text: "The key is AB-122.", metadata: { year: 2023 } });
    const search = async (pattern: unknown, { since }: { since?: unknown }): Promise<string | undefined> => {
      const hits = await kb.search(String(pattern), { mode: "regex", filter: { year: { gte: Number(since) } } });
      return hits[0]?.matches?.map(({ start, end }) => hits[0]!.text.slice(start, end)).join();
    };
    const template = createTemplate(String.raw`{{mine.search 'AB-\d+' since='2024'}}`, {
      plugins: { mine: { search } },
    });
    expect(await template.render()).toBe("AB-123");
  });
});

describe("the memory plugin before a model", () => {
  it("offers what reads, and what writes only to who opted in [S7 S8]", () => {
    const offered = (options: MemoryPluginOptions) =>
      createMemoryPlugin(kb, options).tools.map(({ name, readOnly }) => [name, readOnly]);
    const reading = [
      ["memory_recall", true],
      ["memory_retrieve", true],
    ];
    expect(offered({})).toEqual(reading);
    expect(offered({ writes: false })).toEqual(reading);
    expect(offered({ writes: true, name: "notes" })).toEqual([
      ["notes_recall", true],
      ["notes_retrieve", true],
      ["notes_save", false],
      ["notes_remove", false],
    ]);
  });

  it("asks before each write, and tells a model of a refusal [S7]", async () => {
    const asked: MemoryWrite[] = [];
    const answers: (boolean | string)[] = [true, "Not on a Sunday.", false, true];
    const writes = {
      confirm: (write: MemoryWrite) => {
        asked.push(write);
        return answers[asked.length - 1]!;
      },
    };
    const save = { key: "a", text: "Apples are red." };
    expect(await call({ writes }, "memory_save", save)).toBe('Saved under "a".');
    const { tools } = createMemoryPlugin(kb, { writes });
    const told = await callTools(tools, [{ id: "1", name: "memory_remove", arguments: { key: "a" } }]);
    expect(told[0]?.content).toBe("This was not allowed: nothing was removed. Not on a Sunday.");
    expect(await call({ writes }, "memory_save", { ...save, text: "Apples are blue." })).toBe(
      "This was not allowed: nothing was saved.",
    );
    expect(await createTextMemory(kb).get("a")).toMatchObject({ text: "Apples are red." });
    expect(await call({ writes }, "memory_remove", { key: "a" })).toBe('"a" is no longer remembered.');
    expect(await createTextMemory(kb).get("a")).toBeUndefined();
    expect(asked).toEqual([
      { action: "save", collection: "generic", ...save },
      { action: "remove", collection: "generic", key: "a" },
      { action: "save", collection: "generic", ...save, text: "Apples are blue." },
      { action: "remove", collection: "generic", key: "a" },
    ]);
  });

  it("writes nothing when asking fails, or the wish was changed meanwhile [S8 L12]", async () => {
    const fail = () => Promise.reject(new IbidError("timeout", "Nobody answered."));
    await expect(call({ writes: { confirm: fail } }, "memory_save", { key: "a", text: "b" })).rejects.toMatchObject({
      code: "timeout",
    });
    expect(await createTextMemory(kb).get("a")).toBeUndefined();
    const input = { key: "a", text: "harmless" };
    const confirm = () => {
      input.text = "harmful";
      return true;
    };
    await call({ writes: { confirm } }, "memory_save", input);
    expect(await createTextMemory(kb).get("a")).toMatchObject({ text: "harmless" });
  });

  it("keeps collection, scope and floor with the application [S8 L12]", async () => {
    const memory = createTextMemory(kb);
    await memory.save("a", "Apples are red.");
    await memory.save("b", "Bananas are secret.", { collection: "secret" });
    await memory.save("c", "Cherries are red.", { collection: "fruit" });
    for (const more of [{ collection: "secret" }, { scope: "team:acme" }, { filter: {} }, { minScore: 0 }])
      await expect(call({}, "memory_recall", { query: "secret", ...more })).rejects.toMatchObject({
        code: "invalid-argument",
      });
    const options = { collections: ["fruit"] };
    expect(await call(options, "memory_recall", { query: "red cherries", collection: "fruit" })).toBe(
      "Cherries are red.",
    );
    expect(await call(options, "memory_retrieve", { key: "a" })).toBe("Apples are red.");
    await expect(call(options, "memory_retrieve", { key: "b", collection: "secret" })).rejects.toMatchObject({
      message: "memory_retrieve: collection must be one of generic, fruit.",
    });
    expect(await call({ relevance: 99 }, "memory_recall", { query: "apples", relevance: 0 })).toBe("");
    expect(await call({}, "memory_recall", { query: "apples", relevance: 99 })).toBe("");
    expect(JSON.parse(await call({}, "memory_recall", { query: "apples", limit: 2 }))).toEqual(["Apples are red."]);
  });

  it("shows and changes for each caller what is theirs [L3]", async () => {
    const scopes: readonly Scope[] = ["deployment", "team:acme", "team:zenith", "user:ada", "user:bob"];
    for (const scope of scopes)
      await createTextMemory(kb, { scope }).save(scope, `The quartz of ${scope} is in a drawer.`);
    const callers = [
      [{ userId: "ada", teamId: "acme" }, ["deployment", "team:acme", "user:ada"], ["team:acme", "user:ada"]],
      [{ userId: "bob" }, ["deployment", "user:bob"], ["user:bob"]],
      [{}, ["deployment"], []],
    ] as const;
    for (const [context, readable, writable] of callers) {
      const { tools } = createMemoryPlugin(kb.as(context), { writes: true });
      const run = (name: string, input: object) =>
        tools
          .find((tool) => tool.name === `memory_${name}`)!
          .execute(input)
          .catch((error: IbidError) => `${error.code}: ${error.message}`);
      const recalled = JSON.parse(await run("recall", { query: "quartz drawer", limit: 50 })) as string[];
      expect(new Set(recalled.map((text) => /of (\S+) is/u.exec(text)?.[1]))).toEqual(new Set(readable));
      const retrieved = await Promise.all(scopes.map(async (key) => (await run("retrieve", { key })) !== ""));
      expect(scopes.filter((_, index) => retrieved[index])).toEqual(readable);
      const unseen = scopes.filter((scope) => !readable.includes(scope as never));
      const never = await run("remove", { key: "never" });
      for (const key of unseen) expect(await run("remove", { key })).toBe(never.replace("never", key));
      for (const scope of scopes) {
        const kept = await createTextMemory(kb, { scope }).get(scope);
        expect(kept).toBeDefined();
      }
      for (const key of writable) {
        await run("remove", { key });
        expect(await createTextMemory(kb, { scope: key }).get(key)).toBeUndefined();
        await createTextMemory(kb, { scope: key }).save(key, `The quartz of ${key} is in a drawer.`);
      }
    }
  });
});

it("its functions can be called by a program with the text alone [S6]", async () => {
  await using base = await openKnowledgeBase();
  const call = createMemoryPlugin(base).functions as unknown as Record<
    string,
    (input?: string, named?: object) => unknown
  >;
  await call["save"]!("Herons eat eels.", { key: "herons" });
  expect(await call["recall"]!("herons")).toBe("Herons eat eels.");
  expect(await call["retrieve"]!("nobody")).toBe("");
});
