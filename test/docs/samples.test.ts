import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findFences, findFreePorts, findPorts, replacePorts, steady } from "../../scripts/docs-samples.ts";

const root = join(import.meta.dirname, "../..");

it("the ports that a session names are found, once each", () => {
  const samples = [
    "npx ibid serve --port 9418 --metrics-port 9419 &\ncurl localhost:9418/readyz",
    "fetch(`http://127.0.0.1:9420/`); startService(kb, { port: 0 })",
    "ibid serve --port=9421 # in 2026, at 12:30",
  ];
  expect(findPorts(samples)).toEqual(["9418", "9419", "9420", "9421"]);
});

it("a session has other ports than the page, and its output shows the page's", () => {
  const [shown, free] = [
    ["9418", "941"],
    ["40001", "40002"],
  ];
  const text = "http://localhost:9418/ and :941, not 94180 or 0.9418 or 9418.5";
  const run = replacePorts(text, shown, free);
  expect(run).toBe("http://localhost:40001/ and :40002, not 94180 or 0.9418 or 9418.5");
  expect(replacePorts(run, free, shown)).toBe(text);
  expect(replacePorts("Listening at http://127.0.0.1:40001.", free, shown)).toBe("Listening at http://127.0.0.1:9418.");
});

it("free ports are different ones, at which a server can listen", async () => {
  const ports = await findFreePorts(3);
  expect(new Set(ports).size).toBe(3);
  for (const port of ports) {
    const server = createServer().listen(Number(port), "127.0.0.1");
    await once(server, "listening");
    server.close();
  }
});

it("a sample of a page says whether it is run", () => {
  expect(() => findFences("docs/a.md", "# A\n\n```sh\nibid list\n```\n")).toThrow(
    /docs\/a\.md:3: a sample has no mark/u,
  );
  expect(() => findFences("docs/a.md", "```js\nstart();\n```\n")).toThrow(/docs\/a\.md:1: a sample has no mark/u);
  const [fence] = findFences("docs/a.md", "```sh no-run\nibid list\n```\n");
  expect(fence).toMatchObject({ language: "sh", marks: ["no-run"], code: "ibid list\n" });
});

it("each sample of a shell under docs has a mark", () => {
  const pages = globSync("docs/**/*.md", { cwd: root }).filter((path) => !path.startsWith("docs/decisions/"));
  expect(pages.length).toBeGreaterThan(60);
  for (const page of pages) findFences(page, readFileSync(join(root, page), "utf8"));
});

it("each sample that is not run says what is run instead", () => {
  const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: root })].filter((path) => !/decisions/u.test(path));
  /** Languages whose fences are programs of others. */
  const foreign = ["ballerina", "csharp", "fsharp", "kotlin", "rust", "python", "java"];
  let count = 0;
  for (const page of pages) {
    const text = readFileSync(join(root, page), "utf8");
    for (const { line, language, marks, end } of findFences(page, text)) {
      const isRun = !marks.includes("no-run") && (!foreign.includes(language) || marks.length > 0);
      if (isRun) continue;
      count += 1;
      expect(text.slice(end), `${page}:${line}`).toMatch(/^```\n\nRun instead: .{20,}\n/u);
    }
  }
  expect(count).toBeGreaterThan(25);
});

it("times, dates and ids of an output are those of another run", () => {
  const output = (time: string, id: string) => `${time}-${id} keys.md`;
  expect(steady(output("20261128T223908849Z", "41bf98d6"))).toBe(steady(output("20251231T000000001Z", "00aa98d6")));
  expect(steady("docs/keys.md  2026-11-28")).toBe(steady("docs/keys.md  2027-01-02"));
  expect(steady("docs/keys.md  2026-11-28")).not.toBe(steady("docs/doors.md  2026-11-28"));
});
