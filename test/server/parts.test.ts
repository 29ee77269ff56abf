import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IbidError } from "../../src/contracts/errors.ts";
import { describeFailure } from "../../src/server/describe-failure.ts";
import { createHandler, parseKeys } from "../../src/server/index.node.ts";
import { createKeyring } from "../../src/server/caller-keys.ts";
import { hostName, isLoopbackAddress, isLoopbackName } from "../../src/server/loopback.ts";
import { addressGroup, createRateLimiter } from "../../src/server/limits.ts";
import { toRefusal } from "../../src/server/refusal.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { openWorld } from "./service.ts";

const key = "0123456789abcdef";

describe("keys", () => {
  it("are read from a file, plain or hashed, and open what they say", () => {
    const keys = parseKeys(
      JSON.stringify({
        keys: [
          { name: "ada", key, userId: "ada", teamId: "acme", teams: ["acme", "beta"], write: true },
          { name: "ops", sha256: sha256("the operator's own key").toUpperCase(), operator: true },
        ],
      }),
    );
    const ring = createKeyring(keys);
    expect(ring.find(key)).toMatchObject({
      entry: { name: "ada" },
      access: { userId: "ada", teamId: "acme", teams: ["acme", "beta"] },
    });
    expect(ring.find("the operator's own key")).toMatchObject({ entry: { name: "ops" }, access: "operator" });
    for (const other of ["", key.slice(0, -1), `${key} `, key.toUpperCase(), sha256(key)])
      expect(ring.find(other)).toBeUndefined();
  });

  it.each([
    ["no JSON", `{"keys": [{"name": "a", "key": "${key}"`, "not JSON"],
    ["no list", "{}", "keys is missing"],
    ["an empty list", '{"keys": []}', "keys must have at least 1 entry"],
    ["an unknown field", `{"keys": [{"name": "a", "key": "${key}", "admin": true}]}`, "admin"],
    ["a short key", '{"keys": [{"name": "a", "key": "secret-but-short".}]}'.replace('short".', 'sh"'), "16 characters"],
    ["a team of null", `{"keys": [{"name": "a", "key": "${key}", "teamId": null}]}`, "keys.0.teamId"],
    ["no name", `{"keys": [{"key": "${key}"}]}`, "keys.0.name"],
  ])("a file with %s is refused, and nothing of its keys is said", (_, json, said) => {
    expect(() => parseKeys(json)).toThrow(said);
    const message = ((): string => {
      try {
        return JSON.stringify(parseKeys(json));
      } catch (error) {
        return `${String(error)} ${(error as IbidError).hint}`;
      }
    })();
    expect(message).not.toMatch(/0123456789|secret-but/u);
  });

  it.each([
    [[{ name: "a" }], "needs one of key and sha256"],
    [[{ name: "a", key, sha256: sha256(key) }], "needs one of key and sha256"],
    [
      [
        { name: "a", key },
        { name: "b", sha256: sha256(key) },
      ],
      "the same key",
    ],
    [[{ name: "a", key, operator: true, userId: "a" }], "only one of the two is possible"],
    [[{ name: "a", key, teamId: "x", teams: ["y"] }], "not among"],
    [[{ name: "a", key, userId: " " }], "blank"],
  ])("%j cannot be keys", (keys, said) => {
    expect(() => createKeyring(keys)).toThrow(said);
  });

  it("a service begins with a key, and a list that is read anew may be empty", async () => {
    const kb = await openWorld();
    expect(() => createHandler(kb, { keys: [] })).toThrow("has no key");
    const handler = createHandler(kb, { keys: () => [] });
    expect((await handler(new Request("http://localhost/documents"))).status).toBe(401);
  });
});

describe("what may ask", () => {
  it("options that nobody knows, or that contradict one another, throw at once", async () => {
    const kb = await openWorld();
    const keys = [{ name: "a", key }];
    for (const options of [
      { key: "x" },
      { keys, local: { access: "operator" } },
      { hosts: ["http://a.example"] },
      { origins: ["https://a.example/"] },
      { origins: ["*"] },
      { limits: { concurrent: 0 } },
      { limits: { requests: 1 } },
      { local: { access: { userId: "" } } },
    ])
      expect(() => createHandler(kb, options as object)).toThrow(IbidError);
  });

  it("loopback is loopback, however it is written", () => {
    expect(["127.0.0.1", "127.9.9.9", "::1", "::FFFF:127.0.0.1"].filter((each) => !isLoopbackAddress(each))).toEqual(
      [],
    );
    expect(["128.0.0.1", "127.0.0.1.x", "::2", "::ffff:10.0.0.1", "localhost", ""].filter(isLoopbackAddress)).toEqual(
      [],
    );
    expect(["localhost", "a.localhost", "[::1]", "127.0.0.1"].filter((each) => !isLoopbackName(each))).toEqual([]);
    expect(["localhost.example", "xlocalhost", "[::2]", "0.0.0.0"].filter(isLoopbackName)).toEqual([]);
    expect(["a:1", "A.b.", "[::1]:9", "a b", "a/b", "a@b", "", "a:b", ":1"].map(hostName)).toEqual([
      "a",
      "a.b",
      "[::1]",
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("addresses of one household count as one", () => {
    expect(addressGroup("192.0.2.7")).toBe("192.0.2.7");
    expect(addressGroup("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
    expect(addressGroup("2001:db8::1")).toBe("2001:db8:0:0::/64");
    expect(addressGroup("::1")).toBe("0:0:0:0::/64");
    expect(addressGroup("::ffff:192.0.2.7")).toBe("::ffff:192.0.2.7");
  });
});

describe("limits", () => {
  it("a bucket gives a minute's worth at once, then as time goes, and says how much is left", () => {
    let now = 0;
    const limiter = createRateLimiter(() => now);
    const waits = (count: number) => Array.from({ length: count }, () => limiter.take("a", 6).wait);
    expect(Array.from({ length: 3 }, () => limiter.take("a", 6).left)).toEqual([5, 4, 3]);
    expect(waits(4)).toEqual([0, 0, 0, 10]);
    expect(limiter.take("b", 6)).toEqual({ wait: 0, left: 5 });
    now += 10_000;
    expect(waits(2)).toEqual([0, 10]);
    now += 3_600_000;
    expect(waits(7)).toEqual([0, 0, 0, 0, 0, 0, 10]);
    // A clock that is set back gives nothing, and takes nothing.
    now -= 60_000;
    expect(limiter.take("a", 6)).toEqual({ wait: 10, left: 0 });
  });

  it("never lets more through than the minutes that went by allow", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.array(fc.nat(5000), { maxLength: 200 }), (perMinute, waits) => {
        let now = 0;
        const limiter = createRateLimiter(() => now);
        let through = 0;
        for (const wait of waits) {
          now += wait;
          through += Number(limiter.take("a", perMinute).wait === 0);
        }
        expect(through).toBeLessThanOrEqual(perMinute + (now / 60_000) * perMinute);
      }),
    );
  });
});

describe("what is said of failures", () => {
  it("the client is told its own mistakes, and of the inside nothing", () => {
    expect(toRefusal(new IbidError("invalid-filter", "filter.a is odd.", { hint: "Write it well." }))).toMatchObject({
      status: 400,
      message: "filter.a is odd.",
      hint: "Write it well.",
    });
    const inside = [
      new IbidError("store-failed", "The disk /srv/kb is full.", { uri: "/srv/kb" }),
      new IbidError("store-corrupt", "Page 7 of /srv/kb is damaged."),
      new IbidError("configuration-missing", "OPENAI_API_KEY is not set."),
      new IbidError("dependency-missing", "The package of openai is not there."),
      new IbidError("model-failed", "The model openai/x failed."),
      new IbidError("rate-limited", "openai.com says 429."),
      new TypeError("Cannot read properties of undefined (reading 'srv')"),
      "srv",
    ];
    for (const error of inside) {
      const { status, code, message, hint, uri } = toRefusal(error);
      // The caller may ask for another mode or collection.
      expect(status === 409 ? code.endsWith("-missing") : status >= 500).toBe(true);
      expect(`${message} ${hint} ${uri}`).not.toMatch(/srv|openai|OPENAI|damaged/u);
    }
  });

  it("the log has the causes, and not eight characters of what was asked [L10]", () => {
    const question = 'Is "Project\nHeron" still secret?';
    const nested = new Error(`400: ${JSON.stringify({ content: question })}`);
    const error = new IbidError("model-failed", "The model failed.", {
      cause: new TypeError("fetch failed", { cause: nested }),
    });
    const told = describeFailure(error, [question]);
    expect(told).toMatchObject({
      code: "model-failed",
      message: "The model failed.",
      causes: [{ name: "TypeError", message: "fetch failed" }, { name: "Error" }],
    });
    expect(JSON.stringify(told)).not.toMatch(/Heron|secret/u);
    expect(JSON.stringify(describeFailure(new Error("Where is heron?"), ["heron"]))).not.toContain("heron?");
    const bug = describeFailure(new RangeError("out of range"), [question]);
    expect(bug).toMatchObject({ code: "internal", message: "out of range" });
    expect(bug.stack?.[0]).toMatch(/^at /u);
  });

  it("whatever was asked and wherever it is quoted [L10]", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 60 }),
        fc.string({ maxLength: 20 }),
        fc.boolean(),
        (asked, around, asJson) => {
          const quoted = asJson ? JSON.stringify(asked) : asked;
          const { message } = describeFailure(new Error(`${around}${quoted}${around}`), [asked]);
          // Of signs that are quoted in several ways nothing is left to compare.
          const isTelling = /[^\s"\\nrt]/iu.test(asked);
          expect(isTelling && message !== "(left out: it repeats the question)" && message.includes(asked)).toBe(false);
        },
      ),
      { examples: [["n#", "\\", false]] },
    );
    expect(describeFailure(new Error("No such file: C:\\notes"), ["notes"]).message).not.toContain("notes");
  });
});
