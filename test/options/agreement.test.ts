import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callIbid } from "../cli/run-ibid.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createSearchTools } from "../../src/integrations/tools/create-search-tools.ts";
import { askOptions } from "../../src/knowledge-base/asking/ask-options.ts";
import { flagOf, readOptionText } from "../../src/runtime/describe-options.ts";
import { acceptsOption, type Audience, type OptionRule, type OptionTable } from "../../src/runtime/plan-options.ts";
import { searchOptions } from "../../src/search/search-options.ts";
import { createHandler, type Handler } from "../../src/server/index.node.ts";

/** Values of every shape, and every name that some option knows. */
const names = Object.values({ ...searchOptions, ...askOptions } as OptionTable).flatMap(({ kind }) => {
  const choice = kind.type === "list" ? kind.of : kind;
  return choice.type === "choice" ? Object.keys(choice.values) : [];
});
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
];

let kb: KnowledgeBase;
let handler: Handler;
let folder: string;
const text = "The heron waits in the reeds.";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ibid-options-"));
  kb = await openKnowledgeBase(folder);
  handler = createHandler(kb, { limits: { requestsPerMinute: 100_000 } });
  await kb.ingest({ uri: "heron.txt", text });
});
afterAll(async () => {
  await kb.close();
  rmSync(folder, { recursive: true });
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
  readonly path: string;
  readonly field: string;
  readonly command: string;
  call(options: object): PromiseLike<unknown>;
}
const verbs: Readonly<Record<string, Verb>> = {
  search: {
    table: searchOptions,
    path: "/search",
    field: "query",
    command: "search",
    call: (options) => kb.search("heron", options),
  },
  ask: {
    table: askOptions,
    path: "/ask",
    field: "question",
    command: "ask",
    call: (options) => kb.ask("heron", options),
  },
};

/** The argument that stands for a value; `undefined` where no argument is read as it. */
function toArgument(name: string, rule: OptionRule, value: unknown): string | undefined {
  if (rule.kind.type === "boolean") return value === (rule.default !== true) ? flagOf(name, rule) : undefined;
  const text = typeof value === "string" ? value : Array.isArray(value) ? value.join(",") : JSON.stringify(value);
  const read = readOptionText(rule, text);
  return JSON.stringify(read) === JSON.stringify(value) ? `${flagOf(name, rule).split(" ")[0]}=${text}` : undefined;
}

/** How each surface sets an option. `undefined`: the surface cannot write the value. */
const surfaces: Readonly<
  Record<Audience, (verb: Verb, name: string, rule: OptionRule, value: unknown) => Promise<boolean> | undefined>
> = {
  library: (verb, name, _, value) => isTaken(() => verb.call({ [name]: value })),
  async http({ path, field }, name, _, value) {
    const response = await handler(
      new Request(`http://127.0.0.1${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ [field]: "heron", [name]: value }),
      }),
      { remoteAddress: "127.0.0.1" },
    );
    expect([200, 400]).toContain(response.status);
    return response.status === 200;
  },
  cli({ command }, name, rule, value) {
    const argument = toArgument(name, rule, value);
    if (argument === undefined) return undefined;
    return callIbid(folder, [command, "heron", "--kb", folder, "--json", argument]).then(({ code }) => {
      expect([0, 2]).toContain(code);
      return code === 0;
    });
  },
  tool: () => undefined,
};

describe.each(Object.entries(verbs))("%s: library, HTTP and command line", (_, verb) => {
  const rows = Object.entries(verb.table).filter(([, { kind }]) => !["value", "group"].includes(kind.type));
  it.each(rows)("take the same values for %s", async (name, rule) => {
    /** The command line opens the folder anew for each call, so it gets one accepted and one refused value. */
    const called = new Set<boolean>();
    for (const value of values) {
      const isTaken = await surfaces.library(verb, name, rule, value);
      for (const audience of ["http", "cli"] as const) {
        if (!rule.for.includes(audience) || (name === "instructions" && audience === "cli")) continue;
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

describe("the search tools", () => {
  it.each([
    ["topK", "documents_search", "topK"],
    ["minScore", "documents_vector_search", "threshold"],
    ["minFusedScore", "documents_text_search", "threshold"],
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
    expect(rows.map(([name]) => name)).toEqual(["topK", "minScore", "minFusedScore"]);
  });
});
