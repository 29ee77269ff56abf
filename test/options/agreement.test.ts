import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { callIbid } from "../cli/run-ibid.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { ingestOptions } from "../../src/ingest/ingest-options.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createSearchTools } from "../../src/integrations/tools/create-search-tools.ts";
import { askOptions } from "../../src/knowledge-base/asking/ask-options.ts";
import { verifyOptions } from "../../src/knowledge-base/asking/verify-options.ts";
import { nodeOptions } from "../../src/knowledge-base/open/open-knowledge-base.ts";
import { flagOf, readOptionText } from "../../src/runtime/describe-options.ts";
import { acceptsOption, type Audience, type OptionRule, type OptionTable } from "../../src/runtime/plan-options.ts";
import { searchOptions } from "../../src/search/search-options.ts";
import { createHandler, type Handler } from "../../src/server/index.node.ts";
import { sample } from "../support/runs.ts";

/** Values of every shape, and every name that some option knows. */
const names = Object.values({ ...searchOptions, ...askOptions, ...ingestOptions } as OptionTable).flatMap(
  ({ kind }) => {
    const choice = kind.type === "list" ? kind.of : kind;
    return choice.type === "choice" ? Object.keys(choice.values) : [];
  },
);
const values: readonly unknown[] = [
  0,
  1,
  5,
  31,
  32,
  50,
  51,
  100,
  101,
  2000,
  2001,
  8193,
  -1,
  1.5,
  "",
  " ",
  "x",
  "all",
  "half",
  "team:north",
  "team:",
  ...new Set(names),
  true,
  false,
  null,
  {},
  { year: { gte: 2024 } },
  [],
  ["note"],
  ["nothing"],
  ["team:north"],
  ["team:"],
  "utf-8",
  "12h",
  "inside",
];

let kb: KnowledgeBase;
let handler: Handler;
let folder: string;
let files: string;
const text = "The heron waits in the reeds.";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ibid-options-"));
  kb = await openKnowledgeBase(folder);
  handler = createHandler(kb, { local: { access: "operator", write: true }, limits: { requestsPerMinute: 100_000 } });
  await kb.ingest({ uri: "heron.txt", text });
  files = mkdtempSync(join(tmpdir(), "ibid-options-files-"));
  writeFileSync(join(files, "heron.txt"), text);
});
afterAll(async () => {
  await kb.close();
  rmSync(folder, { recursive: true });
  rmSync(files, { recursive: true });
});

const refusals = ["invalid-argument", "invalid-filter", "invalid-regex"];

/** Whether the call goes through; throws what is no refusal. */
async function isTaken(call: () => PromiseLike<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (IbidError.isInstance(error) && refusals.includes(error.code)) return false;
    throw error;
  }
}

interface Verb {
  readonly table: OptionTable;
  /** Requests that set the option, one for each route that takes it. */
  readonly requests: (name: string, rule: OptionRule, value: unknown) => readonly Request[];
  readonly command: readonly string[];
  call(options: object): PromiseLike<unknown>;
}

const origin = "http://127.0.0.1";
const post = (path: string, body: object): Request =>
  new Request(`${origin}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** An upload with the option in its address; none where no text is read as the value. */
function put(name: string, rule: OptionRule, value: unknown): readonly Request[] {
  const written = toText(rule, value);
  if (written === undefined) return [];
  const address = `${origin}/document?uri=heron.txt&${name}=${encodeURIComponent(written)}`;
  return [new Request(address, { method: "PUT", headers: { "content-type": "text/plain" }, body: text })];
}

const verbs: Readonly<Record<string, Verb>> = {
  search: {
    table: searchOptions,
    requests: (name, _, value) => [post("/search", { query: "heron", [name]: value })],
    command: ["search", "heron"],
    call: (options) => kb.search("heron", options),
  },
  ask: {
    table: askOptions,
    requests: (name, _, value) => [post("/ask", { question: "heron", [name]: value })],
    command: ["ask", "heron"],
    call: (options) => kb.ask("heron", options),
  },
  verify: {
    table: verifyOptions,
    requests: (name, _, value) => [post("/verify", { answer: text, [name]: value })],
    command: ["verify", "heron.txt"],
    call: (options) => kb.verify(text, options),
  },
  ingest: {
    table: ingestOptions,
    requests: (name, rule, value) => [
      post("/documents", { uri: "heron.txt", text, [name]: value }),
      ...put(name, rule, value),
    ],
    command: ["ingest", "heron.txt"],
    call: (options) => kb.ingest({ uri: "heron.txt", text }, options),
  },
};

/** The text that is read as a value; `undefined` where there is none. */
function toText(rule: OptionRule, value: unknown): string | undefined {
  const written = typeof value === "string" ? value : Array.isArray(value) ? value.join(",") : JSON.stringify(value);
  return JSON.stringify(readOptionText(rule, written)) === JSON.stringify(value) ? written : undefined;
}

/** The argument that stands for a value; `undefined` where no argument is read as it. */
function toArgument(name: string, rule: OptionRule, value: unknown): string | undefined {
  if (rule.kind.type === "boolean") return value === (rule.default !== true) ? flagOf(name, rule) : undefined;
  const flag = flagOf(name, rule).split(" ")[0]!;
  if (rule.spelling?.each === "item")
    return Array.isArray(value) && value.length === 1 ? `${flag}=${String(value[0])}` : undefined;
  if (rule.spelling?.each === "pair") {
    const [pair, ...more] = typeof value === "object" && !Array.isArray(value) ? Object.entries(value ?? {}) : [];
    return pair === undefined || more.length > 0 ? undefined : `${flag}=${pair[0]}=${JSON.stringify(pair[1])}`;
  }
  const written = toText(rule, value);
  return written === undefined ? undefined : `${flag}=${written}`;
}

/** The options of a table, those in its groups by their path. */
function leavesOf(table: OptionTable, path: readonly string[] = []): readonly (readonly [string, OptionRule])[] {
  return Object.entries(table).flatMap(([name, rule]): readonly (readonly [string, OptionRule])[] =>
    rule.kind.type === "group"
      ? leavesOf(rule.kind.options, [...path, name])
      : [[[...path, name].join("."), rule] as const],
  );
}

/** Options with one value at a path. */
const optionsWith = (path: string, value: unknown): object =>
  path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;

/** How each surface sets an option. `undefined`: the surface cannot write the value. */
const surfaces: Readonly<
  Record<Audience, (verb: Verb, name: string, rule: OptionRule, value: unknown) => Promise<boolean> | undefined>
> = {
  library: (verb, path, _, value) => isTaken(() => verb.call(optionsWith(path, value))),
  async http({ requests }, name, rule, value) {
    const taken = new Set<boolean>();
    for (const request of requests(name, rule, value)) {
      const response = await handler(request, { remoteAddress: "127.0.0.1" });
      expect([200, 201, 400]).toContain(response.status);
      taken.add(response.status !== 400);
    }
    expect(taken.size, "all routes agree").toBe(1);
    return taken.has(true);
  },
  cli({ command }, path, rule, value) {
    const argument = toArgument(path.split(".").at(-1)!, rule, value);
    if (argument === undefined) return undefined;
    return callIbid(files, [...command, "--kb", folder, "--json", argument]).then(({ code }) => {
      // 3 is a refusal: the value was taken.
      expect([0, 2, 3]).toContain(code);
      return code !== 2;
    });
  },
  tool: () => undefined,
};

/** Options that the command line takes beside `--model` alone. */
const needsModel = /^(?:instructions|context\..+)$/u;

describe.each(Object.entries(verbs))("%s: library, HTTP and command line", (_, verb) => {
  const rows = leavesOf(verb.table).filter(([, { kind }]) => kind.type !== "value");
  it.each(rows)("take the same values for %s", async (name: string, rule: OptionRule) => {
    /** The command line opens the folder anew for each call, so it gets one accepted and one refused value. */
    const called = new Set<boolean>();
    for (const value of sample(values, 2)) {
      const isTaken = await surfaces.library(verb, name, rule, value);
      for (const audience of ["http", "cli"] as const) {
        if (!rule.for.includes(audience) || (audience === "cli" && needsModel.test(name))) continue;
        // A bound that the table gives to one surface is the only difference.
        const isBeyond = acceptsOption(rule, "library", value) && !acceptsOption(rule, audience, value);
        const expected = isTaken === true && !isBeyond;
        if (audience === "cli" && called.has(expected)) continue;
        const there = await surfaces[audience](verb, name, rule, value);
        if (there === undefined) continue;
        if (audience === "cli") called.add(expected);
        expect({ audience, value, isTaken: there }).toEqual({ audience, value, isTaken: expected });
      }
    }
  });
});

describe("ingest", () => {
  it("has one reading of a refresh policy, and no option for tools", async () => {
    const rule: OptionRule = ingestOptions.refresh;
    for (const [argument, taken] of [
      ["always", true],
      ["12h", true],
      ["often", false],
    ] as const) {
      expect(acceptsOption(rule, "library", readOptionText(rule, argument))).toBe(taken);
      const { code } = await callIbid(files, ["ingest", "heron.txt", "--kb", folder, `--refresh=${argument}`]);
      expect(code).toBe(taken ? 0 : 2);
    }
    expect(leavesOf(ingestOptions).filter(([, one]) => one.for.includes("tool"))).toEqual([]);
  });

  it("has the values of its shorthands in its table", async () => {
    const rows = leavesOf(ingestOptions).flatMap(([, rule]) =>
      (rule.spelling?.shorthands ?? []).map((shorthand) => ({ rule, ...shorthand })),
    );
    expect(rows.map(({ flag }) => flag)).toEqual(["--team <team>", "--user <user>", "--platform", "--follow-symlinks"]);
    for (const { rule, flag, value } of rows) {
      expect(acceptsOption(rule, "library", value("ada"))).toBe(true);
      const [name = "", argument] = flag.split(" ");
      const given = argument === undefined ? name : `${name}=ada`;
      const run = await callIbid(files, ["ingest", "heron.txt", "--kb", folder, "--json", given]);
      expect({ flag, code: run.code }).toEqual({ flag, code: 0 });
    }
    const both = await callIbid(files, ["ingest", "heron.txt", "--kb", folder, "--team=a", "--scope=team:b"]);
    expect(both.code).toBe(2);
  });
});

describe("openKnowledgeBase", () => {
  const rows = leavesOf(nodeOptions);
  const nobodyListens = "postgres://nobody@127.0.0.1:1/none";
  const beside: Readonly<Record<string, { readonly follow?: "listen"; readonly lazy?: true }>> = {
    listenAt: { follow: "listen" },
    keepBytes: { lazy: true },
  };
  /** Options of copies are for a base in Postgres: with them, what was taken fails at the server. */
  const open = async (options: object): Promise<void> => {
    const { replica } = options as { readonly replica?: object };
    // Only a node that listens has an address for it, and only one without a copy keeps a part of the index.
    const whole = replica && { ...beside[Object.keys(replica)[0]!], ...replica };
    const opening =
      whole === undefined
        ? openKnowledgeBase(options)
        : openKnowledgeBase(nobodyListens, { ...options, replica: whole });
    await opening.then(
      (opened) => opened.close(),
      (error: unknown) => {
        if (!IbidError.isInstance(error) || error.code !== "store-failed") throw error;
      },
    );
  };

  it.each(rows.filter(([, { kind }]) => kind.type !== "value"))(
    "takes the values of its table for %s",
    async (path: string, rule: OptionRule) => {
      for (const value of values) {
        const taken = await isTaken(() => open(optionsWith(path, value)));
        expect({ value, taken }).toEqual({ value, taken: acceptsOption(rule, "library", value) });
      }
    },
  );

  it.each(rows.filter(([path, { kind }]) => kind.type === "value" && path !== "store"))(
    "refuses other values for %s by its path",
    async (path: string, rule: OptionRule) => {
      const refused = values.filter((value) => !acceptsOption(rule, "library", value));
      expect(refused.length).toBeGreaterThan(0);
      for (const value of refused)
        await expect(open(optionsWith(path, value))).rejects.toMatchObject({
          code: "invalid-argument",
          message: expect.stringContaining(`${path} is `) as string,
        });
    },
  );

  const flags = rows.filter(([path, rule]) => rule.for.includes("cli") && !path.startsWith("reading.folders."));

  it("shares these options with the command line, where an ingestion has the rules of folders too", () => {
    expect(flags.map(([path]) => path)).toEqual([
      "quality",
      "models.embedding",
      "models.formerEmbeddings",
      "models.chat",
      "models.judge",
      "models.reranker",
      "search.synonyms",
      "access.platform",
      "history",
    ]);
    const folders = rows.filter(([path, rule]) => rule.for.length > 1 && !flags.some(([flag]) => flag === path));
    expect(folders.map(([path]) => path)).toEqual(
      ["include", "exclude", "maxDepth", "symlinks", "junk", "media"].map((name) => `reading.folders.${name}`),
    );
  });

  const texts = ["", " ", "x", "x/", "nobody/x", "proximity", "openai-compatible/x"];

  // The list of synonyms is a text in code and a file at the command line. The one value of `quality` loads models: test/cli/local-models.test.ts.
  it.each(flags.filter(([path]) => path !== "search.synonyms" && path !== "quality"))(
    "and the command line take the same values for %s",
    async (path: string, rule: OptionRule) => {
      vi.stubEnv("OPENAI_COMPATIBLE_BASE_URL", "http://127.0.0.1:9");
      const taken = new Set<boolean>();
      for (const value of [true, ...texts, ...texts.map((text) => [text])]) {
        const argument = toArgument(path.split(".").at(-1)!, rule, value);
        if (argument === undefined) continue;
        const isOpened = await isTaken(() => open(optionsWith(path, value)));
        // A judge is asked about the answers of a model.
        const model = path === "models.judge" ? ["--model=openai-compatible/x"] : [];
        const { code } = await callIbid(files, ["ask", "...", "--kb", folder, argument, ...model]);
        expect({ value, isTaken: code !== 2 }).toEqual({ value, isTaken: isOpened });
        taken.add(isOpened);
      }
      expect(taken).toContain(true);
      expect(taken.size).toBe(rule.kind.type === "boolean" ? 1 : 2);
    },
  );
});

describe("the search tools", () => {
  it.each([
    ["topK", "documents_search", "topK"],
    ["minScore", "documents_vector_search", "threshold"],
    ["minFusedScore", "documents_text_search", "threshold"],
    ["merge", "documents_search", "merge"],
    ["groupBy", "documents_search", "groupBy"],
  ] as const)("take the values of %s that the table allows to tools", async (option, toolName, argument) => {
    const rule: OptionRule = searchOptions[option];
    const tool = createSearchTools(kb).find(({ name }) => name === toolName);
    for (const value of values) {
      const taken = await isTaken(async () => tool!.execute({ query: "heron", [argument]: value }));
      expect({ value, taken }).toEqual({ value, taken: acceptsOption(rule, "tool", value) });
    }
  });

  it("have an argument for each row that names tools", () => {
    const rows = Object.entries(searchOptions).filter(([, rule]) => (rule.for as readonly Audience[]).includes("tool"));
    expect(rows.map(([name]) => name)).toEqual(["topK", "minScore", "minFusedScore", "merge", "asOf", "groupBy"]);
  });
});
