import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { startService } from "../../src/server/index.node.ts";

const timeoutMs = 60_000;
const filler = (about: string): string => `${about} is told of at length, and nobody asks. `.repeat(200);
const sentence = "Signing keys are rotated every ninety days.";
/** An answer is shown without tags, and its place as the document has it. */
const paragraph = `${sentence} <b>Nobody</b> keeps one.`;
const document = `# Handbook\n\n${filler("Tea")}\n\n## Keys\n\n${paragraph}\n\n${filler("Wine")}`;

/**
 * Uses the page of `ibid serve` in a browser as a reader does. It asks, follows the citation's marker, looks at the
 * place, opens its address anew, and searches.
 *
 * **Errors** name the difference. With `screenshot`, a picture of the page is written there.
 */
export async function checkPage(browser: string, flags: readonly string[], screenshot?: string): Promise<void> {
  const kb = await openKnowledgeBase();
  await kb.ingest({ uri: "handbook.md", text: document, mediaType: "text/markdown" });
  const service = await startService(kb, { port: 0 });
  const child = spawn(browser, [...flags, "--remote-debugging-port=0", "--window-size=1200,800", "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const page = await openTab(child.stderr);
    const see = async <Value>(expression: string): Promise<Value> => {
      const { result, exceptionDetails } = await page("Runtime.evaluate", { expression, returnByValue: true });
      if (exceptionDetails !== undefined) throw new Error(`The page: ${JSON.stringify(exceptionDetails)}`);
      return (result as { value: Value }).value;
    };
    const waitFor = async (what: string, expression: string): Promise<void> => {
      const until = Date.now() + timeoutMs;
      while (!(await see<boolean>(expression))) {
        if (Date.now() > until)
          throw new Error(`The page does not show ${what}: ${await see<string>("document.body.innerText")}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const same = (what: string, came: unknown, expected: unknown): void => {
      if (JSON.stringify(came) !== JSON.stringify(expected))
        throw new Error(`${what} is ${JSON.stringify(came)}, not ${JSON.stringify(expected)}.`);
    };

    await page("Page.navigate", { url: service.url });
    await waitFor("its form", "document.querySelector('#words') !== null && document.readyState === 'complete'");
    await see("words.value = 'How often are signing keys rotated?'; document.querySelector('[name=ask]').click()");
    await waitFor("a citation", "document.querySelector('.marker') !== null");
    same("The answer", await see("document.querySelector('.answer').textContent"), `${sentence} Nobody keeps one. [1]`);
    await see("document.querySelector('.marker').click()");
    await waitFor("the place", "document.querySelector('#place mark') !== null");
    same("The cited place", await see("document.querySelector('#place mark').textContent"), paragraph);
    const isInSight = `(() => {
      const [mark, panel] = ["#place mark", "#place"].map((at) => document.querySelector(at).getBoundingClientRect());
      return mark.top >= Math.max(0, panel.top) && mark.bottom <= Math.min(innerHeight, panel.bottom);
    })()`;
    same("Whether the place is in sight", await see(isInSight), true);
    same("What a document made of markup", await see("document.querySelectorAll('#place b').length"), 0);
    same("The citation's line", await see("document.querySelector('.hit .where').textContent"), "handbook.md, line 7");
    if (screenshot !== undefined) {
      const { data } = await page("Page.captureScreenshot", { format: "png" });
      writeFileSync(screenshot, Buffer.from(data as string, "base64"));
    }

    // On a telephone nothing stands outside the window.
    await page("Emulation.setDeviceMetricsOverride", { width: 340, height: 700, deviceScaleFactor: 1, mobile: false });
    same(
      "What is wider than a narrow window",
      await see("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
      0,
    );
    await page("Emulation.clearDeviceMetricsOverride", {});

    // A place can be passed on.
    const address = await see<string>("location.href");
    await page("Page.navigate", { url: "about:blank" });
    await page("Page.navigate", { url: address });
    await waitFor("a place by its address", "document.querySelector('#place mark')?.textContent.length > 0");
    same("The place by its address", await see("document.querySelector('#place mark').textContent"), paragraph);
    await see("words.value = 'wine'; document.querySelector('[name=search]').click()");
    await waitFor("what a search found", "document.querySelectorAll('#found .hit').length > 0");
  } finally {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    await service.stop();
    await kb.close();
  }
}

type Command = (method: string, params?: object) => Promise<Readonly<Record<string, unknown>>>;

/** The first tab, by the DevTools protocol. **Source** Chrome DevTools Protocol: `Page`, `Runtime`. */
async function openTab(stderr: NodeJS.ReadableStream): Promise<Command> {
  let devTools = "";
  for await (const line of createInterface({ input: stderr })) {
    devTools = /^DevTools listening on (ws:\S+)$/u.exec(line)?.[1] ?? "";
    if (devTools !== "") break;
  }
  stderr.resume();
  const { host } = new URL(devTools);
  const tabs = (await (await fetch(`http://${host}/json/list`)).json()) as readonly {
    readonly type: string;
    readonly webSocketDebuggerUrl: string;
  }[];
  const tab = tabs.find(({ type }) => type === "page");
  if (tab === undefined) throw new Error("The browser has no tab.");
  const socket = new WebSocket(tab.webSocketDebuggerUrl);
  await once(socket, "open");
  const waiting = new Map<number, (answer: Readonly<Record<string, unknown>>) => void>();
  socket.addEventListener("message", ({ data }) => {
    const {
      id,
      result = {},
      error,
    } = JSON.parse(String(data)) as {
      id?: number;
      result?: Record<string, unknown>;
      error?: unknown;
    };
    if (id !== undefined) waiting.get(id)?.(error === undefined ? result : { exceptionDetails: error });
  });
  let last = 0;
  return (method, params = {}) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
}
