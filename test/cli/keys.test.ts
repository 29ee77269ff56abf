import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyring, parseKeys } from "../../src/server/caller-keys.ts";
import { addKey, revokeKey, rotateKey } from "../../src/server/manage-keys.ts";
import type { AccessKey } from "../../src/server/index.node.ts";
import { callIbid, makeFolder } from "./run-ibid.ts";

describe("ibid keys", () => {
  it("a key is shown once and stored as a hash that its owner alone may read, and it opens what its entry says", async () => {
    const folder = await makeFolder({});
    const keys = (...args: string[]) => callIbid(folder, ["keys", ...args, "--keys", "keys.json", "--json"]);
    const { key } = JSON.parse((await keys("add", "ada", "--user", "ada", "--team", "acme", "--write")).stdout) as {
      key: string;
    };
    expect(key).toMatch(/^ibid_[\w-]{32}$/u);
    const file = join(folder, "keys.json");
    const stored = await readFile(file, "utf8");
    expect(stored).not.toContain(key);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(createKeyring(parseKeys(stored)).find(key)).toMatchObject({
      entry: { name: "ada", write: true },
      access: { userId: "ada", teamId: "acme" },
    });
    const again = await keys("add", "ada");
    expect(again).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("has a key already") as string,
    });
    const listed = await keys("list");
    expect(JSON.parse(listed.stdout)).toEqual({
      keys: [{ name: "ada", userId: "ada", teamId: "acme", write: true, expired: false }],
    });
    expect((await keys("rotate", "bob")).code).toBe(1);
    expect((await keys("revoke", "ada")).code).toBe(0);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ keys: [] });
    const nameless = await callIbid(folder, ["keys", "list"]);
    expect(nameless).toMatchObject({ code: 2, stderr: expect.stringContaining("serve.keys") as string });
    const absent = await callIbid(folder, ["keys", "list", "--keys", "kyes.json"]);
    expect(absent).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no file of keys at kyes.json") as string,
    });
  });

  it("says when a key ends, and when the former ones do", async () => {
    const folder = await makeFolder({});
    const keys = (...args: string[]) => callIbid(folder, ["keys", ...args, "--keys", "keys.json"]);
    const started = Date.now();
    const made = await keys("add", "ada", "--user", "ada");
    expect(made.stderr).toContain("The key of ada has no end.");
    // A script takes the key alone.
    expect(made.stdout).toMatch(/^ibid_[\w-]{32}\n$/u);
    expect((await keys("add", "ci", "--user", "ci", "--quiet")).stderr).toBe("");
    await keys("add", "shop", "--requests-per-minute", "1200", "--tokens-per-day", "5");
    expect((await keys("list")).stdout).toContain("shop  shared scopes, 1,200 requests a minute, 5 tokens a day\n");
    const limited = await keys("add", "bob", "--user", "bob", "--expires", "2h");
    const rotated = await keys("rotate", "ada", "--overlap", "7d");
    const [until = ""] = /(?<=The key of bob opens until )\S+Z/u.exec(limited.stderr) ?? [];
    const [former = ""] = /(?<=The former key opens until )\S+Z/u.exec(rotated.stderr) ?? [];
    const elapsed = Date.now() - started;
    for (const [end, ms] of [
      [until, 2 * 3_600_000],
      [former, 7 * 86_400_000],
    ] as const) {
      expect(Date.parse(end)).toBeGreaterThanOrEqual(started + ms);
      expect(Date.parse(end)).toBeLessThanOrEqual(started + ms + elapsed);
    }
    const again = JSON.parse((await keys("rotate", "ada", "--overlap", "8d", "--json")).stdout) as object;
    expect(again).toMatchObject({ name: "ada", formersExpireAt: [former, expect.any(String) as string] });
    // A key that ends stays one that ends.
    expect((await keys("rotate", "bob", "--overlap", "1h")).stderr).toContain(`The key of bob opens until ${until}.`);
    const before = Date.now();
    const later = JSON.parse((await keys("rotate", "bob", "--expires", "30d", "--json")).stdout) as {
      readonly expiresAt: string;
    };
    expect(Date.parse(later.expiresAt)).toBeGreaterThanOrEqual(before + 30 * 86_400_000);
    expect(Date.parse(later.expiresAt)).toBeLessThanOrEqual(Date.now() + 30 * 86_400_000);
  });

  it("whatever is added, rotated and revoked, exactly the keys open whose name is there and whose time is not over", () => {
    const step = fc.record({
      act: fc.constantFrom("add", "rotate", "revoke", "wait"),
      name: fc.constantFrom("ada", "bob"),
      ms: fc.integer({ min: 0, max: 1000 }),
      expires: fc.option(fc.integer({ min: 1, max: 1500 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let now = Date.now() + 10_000;
        let keys: readonly AccessKey[] = [];
        // Each key with the time at which it ends.
        let model: { name: string; key: string; end: number }[] = [];
        for (const { act, name, ms, expires } of steps) {
          const has = keys.some((each) => each.name === name);
          if (act === "wait") now += ms;
          if (act === "add" && !has) {
            const end = expires === undefined ? Infinity : now + expires;
            const made = addKey(keys, { name, ...(end < Infinity && { expiresAt: new Date(end).toISOString() }) });
            keys = made.keys;
            model.push({ name, key: made.key, end });
          }
          if (act === "rotate" && has) {
            const latest = model.findLast((one) => one.name === name)!.end;
            const rotate = () => rotateKey(keys, name, { overlapMs: ms, expiresMs: expires }, now);
            const isOver = latest <= now && expires === undefined;
            let made: ReturnType<typeof rotate> | undefined;
            try {
              made = rotate();
            } catch (error) {
              if (!isOver || !String(error).includes("and so would a new one")) throw error;
            }
            if (isOver && made !== undefined) throw new Error("A key that is over was replaced by one without an end.");
            if (made !== undefined) {
              keys = made.keys;
              for (const one of model) if (one.name === name) one.end = Math.min(one.end, now + ms);
              model.push({ name, key: made.key, end: expires === undefined ? latest : now + expires });
            }
          }
          if (act === "revoke" && has) {
            keys = revokeKey(keys, name);
            model = model.filter((one) => one.name !== name);
          }
          const ring = keys.length === 0 ? undefined : createKeyring(keys, () => now);
          for (const { key, end } of model) expect(ring?.find(key) !== undefined).toBe(end > now);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("an expiry that is no time is refused", () => {
    const entry = { name: "ada", key: "0123456789abcdef", expiresAt: "tomorrow" };
    expect(() => parseKeys(JSON.stringify({ keys: [entry] }))).toThrow("must be a time");
    expect(() => createKeyring([entry])).toThrow("must be a time");
  });
});
