import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IbidError } from "../../src/contracts/errors.ts";
import type { IngestInput, IngestOptions, KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Metadata } from "../../src/contracts/metadata.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { openOptions } from "../../src/knowledge-base/open/open-options.ts";
import type { OptionTable } from "../../src/runtime/plan-options.ts";
import { errorOf } from "../support/error-of.ts";

/** An object in itself. */
const endless: Record<string, unknown> = {};
endless["in"] = endless;

/** Lists with holes. */
const holes: readonly unknown[][] = [
  Object.assign([] as unknown[], { length: 2 }),
  Object.assign(["a"] as unknown[], { 2: "b" }),
];

/** A signal of another realm: it has what a signal has, and is none to `AbortSignal.any`. */
const foreignSignal = { aborted: false, reason: undefined, addEventListener() {}, removeEventListener() {} };

/** Values that are wrong nearly everywhere. An error that a caller's own function, getter or iterator throws leaves as it is. */
const odd: readonly unknown[] = [
  null,
  undefined,
  5,
  -1,
  Number.NaN,
  1n,
  true,
  "",
  "nothing here",
  Symbol("scope"),
  [],
  [null],
  {},
  { scope: Symbol("scope") },
  Object.create(null),
  new Date(0),
  () => [],
  ...holes,
  { aborted: false },
  { aborted: false, addEventListener() {} },
  foreignSignal,
  endless,
  new Map([["a", 1]]),
  new Uint8Array(2),
  "\ud800",
  2 ** 53,
  Object.freeze({ scope: Object.freeze([]) }),
];

/** The verbs with arguments that are right, and the names of their options. */
const verbs: readonly {
  readonly name: keyof KnowledgeBase;
  readonly args: readonly unknown[];
  readonly options?: readonly string[];
}[] = [
  {
    name: "ingest",
    args: [{ uri: "b.md", text: "A text." }, {}],
    options: ["scope", "metadata", "signal", "onProgress"],
  },
  {
    name: "search",
    args: ["keys", {}],
    options: [
      "topK",
      "mode",
      "filter",
      "scopes",
      "strategy",
      "pattern",
      "weights",
      "signal",
      "origins",
      "minScore",
      "asOf",
      "under",
      "filter.filters",
      "filter.a",
      "filter.and",
      "weights.dense",
      "uris",
      "explain",
    ],
  },
  {
    name: "ask",
    args: ["How often do keys rotate?", {}],
    options: [
      "history",
      "history.0",
      "grounding",
      "context",
      "context.tokens",
      "instructions",
      "judge",
      "signal",
      "minSupport",
      "scopes",
      "topK",
    ],
  },
  {
    name: "verify",
    args: ["Keys rotate.", {}],
    options: ["citations", "citations.0", "format", "judge", "signal", "minSupport"],
  },
  { name: "list", args: [{}], options: ["under", "sort", "after", "asOf", "limit"] },
  { name: "folders", args: [{}], options: ["scope", "mediaType", "since", "before"] },
  { name: "versions", args: ["a.md", {}], options: ["scope"] },
  {
    name: "searchVector",
    args: [[1, 2], {}],
    options: ["topK", "filter", "scopes", "version", "version.model", "asOf"],
  },
  { name: "document", args: ["a.md", {}], options: ["scope", "start", "end", "asOf"] },
  { name: "outline", args: ["a.md", {}], options: ["scope"] },
  { name: "section", args: ["a.md", "0", {}], options: ["scope", "maxLength", "around"] },
  {
    name: "expand",
    args: ["0".repeat(32), { neighbours: 1 }],
    options: ["scope", "neighbours", "zoomOut", "maxLength"],
  },
  { name: "chunks", args: [{}], options: ["scope", "filter", "uri"] },
  { name: "restore", args: ["nothing.md", {}], options: ["scope"] },
  { name: "delete", args: ["nothing.md", {}], options: ["scope", "purge", "onMissing"] },
  { name: "vacuum", args: [{}], options: ["olderThanMs"] },
  { name: "reset", args: ["team:nobody"] },
  { name: "doctor", args: [{}], options: ["fix", "absent"] },
  { name: "status", args: [] },
  { name: "health", args: [{}], options: ["everywhere"] },
  { name: "mayWrite", args: ["deployment"] },
  { name: "report", args: ["KnowledgeQueued", [], { depth: 0, rejected: 0 }] },
  { name: "reembed", args: [{}], options: ["scope", "estimate", "rollback", "signal"] },
  { name: "collection", args: ["notes", {}], options: ["schema", "key", "text", "vectors", "filterable"] },
  { name: "collections", args: [] },
  { name: "media", args: ["a.md", {}], options: ["scope"] },
  { name: "find", args: ["keys", {}], options: ["scope", "limit", "signal"] },
  { name: "deleted", args: [{}], options: ["scope", "under", "after"] },
  { name: "info", args: [] },
  { name: "retriever", args: [{}], options: ["topK", "mode", "filter", "rerank"] },
  { name: "copyRecords", args: [{}], options: ["from", "to", "signal"] },
  { name: "as", args: [{ userId: "ada" }, {}], options: ["strategy", "userId", "teamId", "teams"] },
];

let kb: KnowledgeBase;
beforeAll(async () => {
  kb = await openKnowledgeBase();
  await kb.ingest({ uri: "a.md", text: "# Keys\n\nKeys rotate every 90 days. Old keys stay valid for a day." });
});
afterAll(() => kb.close());

const show = (value: unknown): string => inspect(value, { breakLength: Infinity });

/** The error of a call of the knowledge base. */
const errorOfCall = (name: keyof KnowledgeBase, args: readonly unknown[]): Promise<unknown> =>
  errorOf(() => (kb[name] as (...args: readonly unknown[]) => unknown)(...args));

const expectOurs = (error: unknown, call: string): void => {
  if (error === undefined) return;
  expect({ call, isOurs: IbidError.isInstance(error), error }).toMatchObject({ call, isOurs: true });
  // The caller reads what to do, and no text of the engine's.
  expect((error as IbidError).message).not.toMatch(/Cannot (?:read|mix|convert|use)|is not a function/u);
};

describe.each(verbs)("kb.$name with values of a wrong kind", ({ name, args, options = [] }) => {
  it("answers, or ends with an error of ibid", async () => {
    for (const [at] of args.entries()) {
      for (const value of odd) {
        const given = args.with(at, value);
        expectOurs(await errorOfCall(name, given), `kb.${String(name)}(${given.map(show).join(", ")})`);
      }
    }
    for (const option of options) {
      for (const value of odd) {
        const at = name === "as" && option !== "strategy" ? 0 : args.length - 1;
        const [outer = "", inner] = option.split(".");
        const put = inner === undefined ? value : inner === "0" ? [value] : { [inner]: value };
        const given = args.with(at, { ...(args[at] as object), [outer]: put });
        expectOurs(await errorOfCall(name, given), `kb.${String(name)}(${given.map(show).join(", ")})`);
      }
    }
  });
});

/** The names of all options, those of groups by their path. */
function namesOf(table: OptionTable, above = ""): readonly string[] {
  return Object.entries(table).flatMap(([name, { kind }]) =>
    kind.type === "group" ? [above + name, ...namesOf(kind.options, `${above + name}.`)] : [above + name],
  );
}

describe("a Proxy that was revoked", () => {
  /** Where one may stand in a value: alone, and within lists and objects. */
  const places: readonly ((proxy: object) => unknown)[] = [
    (proxy) => proxy,
    (proxy) => [proxy],
    (proxy) => ({ a: proxy }),
    (proxy) => ({ a: { in: [proxy] }, uri: "b.md", text: "A text." }),
    (proxy) => ({ filters: [{ key: "a", operator: "in", value: [proxy] }], condition: "and" }),
    (proxy) => ({ uri: "b.md", text: "A text.", metadata: { a: { b: [proxy] } } }),
    (proxy) => ({ uri: "b.md", chunks: [{ text: "A text.", headings: [proxy], metadata: { a: proxy } }] }),
    (proxy) => ({ uri: "b.md", bytes: proxy }),
    (proxy) => [
      { uri: "b.md", text: "A text." },
      { uri: "c.md", text: "A text.", metadata: proxy },
    ],
    (proxy) => [{ role: "user", content: proxy }],
    (proxy) => [{ role: "user", content: [{ type: "text", text: proxy }] }],
    (proxy) => ({ strings: ["", ""], insertions: [proxy] }),
    (proxy) => ({ output: [{ type: "message", content: [{ type: "output_text", annotations: [proxy] }] }] }),
  ];
  const revoked = (target: object): object => {
    const { proxy, revoke } = Proxy.revocable(target, {});
    revoke();
    return proxy;
  };

  it.each(verbs)(
    "ends kb.$name with an error of ibid, however deep it stands",
    async ({ name, args, options = [] }) => {
      for (const place of places) {
        for (const target of [{}, [], () => undefined]) {
          const value = place(revoked(target));
          for (const [at] of args.entries())
            expectOurs(
              await errorOfCall(name, args.with(at, value)),
              `kb.${String(name)}, argument ${at}, ${String(place)}`,
            );
          for (const option of options.filter((each) => !each.includes("."))) {
            const at = name === "as" && option !== "strategy" ? 0 : args.length - 1;
            const given = args.with(at, { ...(args[at] as object), [option]: value });
            expectOurs(await errorOfCall(name, given), `kb.${String(name)}, ${option}, ${String(place)}`);
          }
        }
      }
    },
  );

  it("is named by its place", async () => {
    const proxy = revoked({});
    for (const [call, place] of [
      [() => kb.search("keys", { filter: { a: { in: [proxy] } } as never }), "filter.a.in[0]"],
      [() => kb.ask("keys", { history: [{ role: "user", content: proxy }] as never }), "history[0].content"],
      [
        () => kb.ingest([{ uri: "b.md", text: "A text.", metadata: { a: { b: proxy } } as never }]),
        "input[0].metadata.a.b",
      ],
    ] as const)
      await expect((async () => await call())()).rejects.toThrow(`${place} is a Proxy that was revoked`);
  });
});

describe("openKnowledgeBase with options of a wrong kind", () => {
  it.each(namesOf(openOptions))("opens and works, or ends with an error of ibid: %s", async (path) => {
    for (const value of odd) {
      const given = path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
      let error: unknown;
      try {
        const opened = await openKnowledgeBase(given as object);
        await opened.ingest({ uri: "a.md", text: "Keys rotate every 90 days." });
        await opened.search("keys");
        await opened.close();
      } catch (thrown) {
        error = thrown;
      }
      expectOurs(error, `openKnowledgeBase(${show(given)})`);
    }
  });

  it.each([
    ["nothing", () => []],
    ["null", () => null],
    ["a number", () => 5],
    ["a number in a list", () => [5]],
    ["positions of a wrong kind", () => [{ start: 1n, end: "2" }]],
    ["positions beyond the text", () => [{ start: 5, end: 5_000 }]],
    ["a promise of a symbol", async () => Symbol("chunk")],
  ])("says so for a chunker that gives %s", async (what, chunk) => {
    const opened = await openKnowledgeBase({ chunker: { fingerprint: "odd", chunk: chunk as () => [] } });
    const error = await opened.ingest({ uri: "a.md", text: "Keys rotate." }).then(
      ({ failures }) => failures[0]?.error,
      (thrown: unknown) => thrown,
    );
    await opened.close();
    expectOurs(error, "ingest");
    expect(error !== undefined).toBe(what !== "nothing");
  });
});

describe("metadata that are nested without end", () => {
  /** An object in an object, so often. */
  const nested = (levels: number): object => {
    let value: object = { end: true };
    for (let level = 1; level < levels; level++) value = { in: value };
    return value;
  };

  it("are taken up to 100 levels, and refused beyond by every input", async () => {
    const inputs = (metadata: object): readonly (readonly [IngestInput, IngestOptions])[] => [
      [{ uri: "deep.md", text: "A text.", metadata: metadata as Metadata }, {}],
      [{ uri: "deep.md", text: "A text." }, { metadata: metadata as Metadata }],
      [{ uri: "deep.md", chunks: [{ text: "A text.", metadata: metadata as Metadata }] }, {}],
    ];
    for (const [input, options] of inputs(nested(100))) expect((await kb.ingest(input, options)).failed).toBe(0);
    for (const levels of [101, 5_000]) {
      for (const [input, options] of inputs(nested(levels))) {
        const error = await kb.ingest(input, options).then(
          ({ failures }) => failures[0]?.error,
          (thrown: unknown) => thrown,
        );
        expect(error).toMatchObject({ code: "invalid-argument", message: expect.stringContaining("100 levels") });
      }
    }
  });
});
