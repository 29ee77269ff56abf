import { createServer } from "node:net";
import { once } from "node:events";
import { expect, it } from "vitest";
import { findFreePorts, findPorts, replacePorts } from "../../scripts/docs-samples.ts";

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
