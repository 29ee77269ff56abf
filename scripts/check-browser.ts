// Runs ibid in a browser, in a page and in a worker. The bundle must load nothing that a browser does not have, and
// find the same, with the same scores, as on Node. Needs Chromium: on the PATH, or where IBID_CHROMIUM says. The check
// cannot be skipped in part.
//
// Then it uses the page of `ibid serve` as a reader does; IBID_SCREENSHOT=FILE keeps a picture.
//
//   npm run check:browser
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as ibid from "../src/index.ts";
import { checkPage } from "./browser/check-page.ts";
import { type Bundle, bundleForBrowser } from "./browser/bundle.ts";
import { chromiumSwitches, findChromium } from "./browser/find-chromium.ts";
import { runScenario } from "./browser/scenario.ts";

const timeoutMs = 60_000;
const browser = findChromium();
if (browser === undefined) {
  throw new Error(
    "There is no Chromium. Install it (Debian: apt-get install chromium), or say in IBID_CHROMIUM where it is.",
  );
}

/** The scenario as it stands, and telling what came out, or what went wrong. */
const program = (where: string): string => `
import * as ibid from "ibid";
import { runScenario } from ${JSON.stringify(join(import.meta.dirname, "browser", "scenario.ts"))};
const tell = (result) => fetch(${JSON.stringify(`/result/${where}`)}, { method: "POST", body: JSON.stringify(result) });
runScenario(ibid).then((came) => tell({ came }), (error) => tell({ failed: String(error?.stack ?? error) }));
`;

const bundles: Readonly<Record<string, Bundle>> = {
  page: await bundleForBrowser(program("page")),
  worker: await bundleForBrowser(program("worker")),
};
const page = `<!doctype html><meta charset="utf-8"><title>ibid</title>
<script>
const fail = (where, what) => fetch("/result/" + where, { method: "POST", body: JSON.stringify({ failed: String(what) }) });
addEventListener("error", (event) => fail("page", event.message));
const worker = new Worker("/worker/entry.js", { type: "module" });
worker.onerror = (event) => fail("worker", event.message);
</script>
<script type="module" src="/page/entry.js"></script>`;

interface Told {
  readonly came?: unknown;
  readonly failed?: string;
}
const told = new Map<string, Told>();
const server = createServer((request, response) => {
  const [, where = "", name = ""] = (request.url ?? "").split("/");
  if (request.method === "POST" && where === "result") {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (!told.has(name)) told.set(name, JSON.parse(Buffer.concat(parts).toString("utf8")) as Told);
      response.end();
      server.emit("told");
    });
    return;
  }
  const code = bundles[where]?.files.find((file) => file.name === name)?.code;
  if (code !== undefined) response.setHeader("content-type", "text/javascript; charset=utf-8").end(code);
  else if (where === "") response.setHeader("content-type", "text/html; charset=utf-8").end(page);
  else response.writeHead(404).end();
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const profile = mkdtempSync(join(tmpdir(), "ibid-browser-"));
const quiet = [...chromiumSwitches, "--headless", "--no-first-run", `--user-data-dir=${profile}`];
// It must not end by itself: what is waited for is what the page tells.
const child = spawn(browser, [...quiet, "--remote-debugging-port=0", address], { stdio: "ignore" });
try {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`${browser} ended with ${String(code)} before the page reported a result.`);
  });
  ended.catch(() => {});
  const deadline = AbortSignal.timeout(timeoutMs);
  while (told.size < 2) await Promise.race([once(server, "told", { signal: deadline }), ended]);
} finally {
  child.kill("SIGKILL");
  server.close();
  server.closeAllConnections();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const expected = plain(await runScenario(ibid)) as Record<string, unknown>;
for (const [where, { came, failed }] of told) {
  if (failed !== undefined) throw new Error(`In the ${where}: ${failed}`);
  const results = came as Record<string, unknown>;
  for (const [name, result] of Object.entries(expected)) {
    if (isDeepStrictEqual(withoutTimes(results[name]), withoutTimes(result))) continue;
    throw new Error(
      `In the ${where}, "${name}" is not as on Node:\n${JSON.stringify(results[name])}\n${JSON.stringify(result)}`,
    );
  }
  console.log(`${where.padEnd(7)} the same ${Object.keys(expected).length} results as on Node`);
}
const ownProfile = mkdtempSync(join(tmpdir(), "ibid-page-"));
try {
  const flags = quiet.map((flag) => (flag.startsWith("--user-data-dir=") ? `--user-data-dir=${ownProfile}` : flag));
  await checkPage(browser, flags, process.env["IBID_SCREENSHOT"]);
} finally {
  rmSync(ownProfile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
console.log("ibid serve  its page asks, and shows the cited place");
process.exit();

/** Times differ, and are nobody's promise. */
function withoutTimes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null, (key, inner: unknown) => (key === "ms" ? 0 : inner)));
}
