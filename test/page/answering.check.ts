import { createServer, request as startRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import type { ChatModel } from "../../src/contracts/chat.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { papers } from "./documents.ts";
import { askOnPage, openHarbour, serve, visit, visitHarbour } from "./open-page.ts";
import { beyondWidth, violationsOf } from "./violations.ts";

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

test("[page 9] a warm answer without a model stands on the page within a second, in the median of twenty", async () => {
  const { page } = await visitHarbour();
  await askOnPage(page, papers[0]!.question);
  const times: number[] = [];
  for (let index = 0; index < 20; index++) {
    await page.goto(new URL("./", page.url()).href);
    await page.fill("#question", papers[index % papers.length]!.question);
    const started = performance.now();
    await page.press("#question", "Enter");
    await page.waitForSelector(".answer");
    times.push(performance.now() - started);
  }
  expect(median(times)).toBeLessThan(1000);
});

test("[page 10] the first question after /readyz says 200 is answered within a second as well", async () => {
  const serving = await serve(await openHarbour(), { warmUp: true });
  await expect.poll(async () => (await fetch(`${serving.url}readyz`)).status).toBe(200);
  const { page } = await visit(serving);
  await page.fill("#question", papers[0]!.question);
  const started = performance.now();
  await page.press("#question", "Enter");
  await page.waitForSelector(".answer");
  expect(performance.now() - started).toBeLessThan(1000);
});

const markdown = `## Lamp glass

The lamp glass is polished every ninety days [1].

- nobody touches it with bare hands [1]
- it is cold first [1]

| part | interval |
|---|---|
| lens | 90 days |

\`\`\`sh
polish --from centre
\`\`\`

<img src="x" onerror="document.title='broken'"> and [a link](https://elsewhere.example/page) and <https://elsewhere.example>.
`;

test("[page 11] Markdown of an answer becomes elements, and markup and links in it make none", async () => {
  const { page } = await visitHarbour({ model: createScriptedChatModel(() => markdown) });
  await askOnPage(page, papers[0]!.question);
  const count = (selector: string): Promise<number> => page.$$eval(`.answer ${selector}`, (found) => found.length);
  expect(await Promise.all(["h4", "li", "table td", "pre code"].map(count))).toEqual([1, 2, 2, 1]);
  expect(await Promise.all(["img", "a", "script", "iframe"].map(count))).toEqual([0, 0, 0, 0]);
  expect(await page.textContent(".answer pre")).toContain("polish --from centre");
  expect(await page.title()).not.toBe("broken");
});

test("[page 16] reload and Back restore the question, the answer and the open place; no address holds a word of the question", async () => {
  const { page, url } = await visitHarbour();
  await askOnPage(page, papers[0]!.question);
  await page.click(".marker");
  await page.waitForSelector(".evidence mark");
  const shown = await page.textContent(".answer");
  const address = page.url();
  expect(decodeURIComponent(address)).not.toMatch(/lamp|glass|polish/u);
  const look = async (): Promise<void> => {
    await page.waitForSelector(".evidence mark");
    expect(await page.textContent(".asked")).toBe(papers[0]!.question);
    expect(await page.textContent(".answer")).toBe(shown);
  };
  await page.reload();
  await look();
  await page.click(".rail a[href=library]");
  await page.waitForSelector(".document");
  await page.goBack();
  await look();
  await page.goto(new URL("search", url).href);
  await page.goto("about:blank");
  await page.goBack();
  await page.goBack();
  await look();
});

test("[page 17] a follow-up stays in its thread, whose address shows it in another browser", async () => {
  const serving = await serve(await openHarbour(), {
    keys: [{ name: "ada", key: "ada-ada-ada-ada-ada", userId: "ada" }],
    local: undefined as never,
  });
  const unlock = async (page: Awaited<ReturnType<typeof visit>>["page"]): Promise<void> => {
    await page.fill("#key", "ada-ada-ada-ada-ada");
    await page.press("#key", "Enter");
  };
  const { page } = await visit(serving);
  await unlock(page);
  await page.waitForSelector("#question");
  await askOnPage(page, papers[0]!.question, "ada-ada-ada-ada-ada");
  await page.waitForURL(/\/t\?id=/u);
  const address = page.url();
  await askOnPage(page, "and the fog horn?", "ada-ada-ada-ada-ada");
  expect(page.url().split("#")[0]).toBe(address);
  await expect.poll(async () => page.$$eval(".turn", (turns) => turns.length)).toBe(2);
  const other = await visit(serving);
  await other.page.goto(address);
  await unlock(other.page);
  await expect
    .poll(() => other.page.$$eval(".asked", (found) => found.map(({ textContent }) => textContent)))
    .toEqual([papers[0]!.question, "and the fog horn?"]);
});

test("[page 23] a sentence that the documents do not support is marked as such, and has no marker", async () => {
  const lies = "The lamp glass is polished every ninety days [1]. The keeper is paid in whale oil and pearls [1].";
  const { page } = await visitHarbour({ model: createScriptedChatModel(() => lies) });
  await askOnPage(page, papers[0]!.question);
  await page.waitForSelector(".doubt");
  expect(await page.$$eval(".doubt", (found) => found.map((each) => each.getAttribute("data-verdict")))).toEqual([
    "unsupported",
  ]);
  expect(await page.textContent(".doubt")).toContain("whale oil");
  expect(await page.textContent(".doubt .verdict")).toBe("not in your sources");
  expect(await page.$$eval(".doubt .marker", (found) => found.length)).toBe(0);
  await page.click("text=Show only what is supported");
  expect(await page.isVisible(".doubt")).toBe(false);
});

/** An answer of several sentences, so that some have come when the rest does not. */
const long = [
  "The lamp glass is polished every ninety days [1].",
  "Nobody touches it with bare hands [1].",
  "The motor is switched off first [1].",
  "The lens is cold before the glass is polished [1].",
  "The glass is polished from the centre outwards [1].",
].join(" ");

/** A model whose first answer ends in the middle. */
function breaking(): ChatModel {
  const whole = createScriptedChatModel(() => long);
  let calls = 0;
  return {
    ...whole,
    async *stream(messages, options) {
      calls += 1;
      if (calls > 1) return yield* whole.stream(messages, options);
      for (const delta of long.slice(0, 190).split(/(?<= )/u)) yield { type: "text", delta };
      await new Promise((resolve) => setTimeout(resolve, 300));
      throw new TypeError("the provider hung up");
    },
  };
}

test("[page 24] a model that fails in the middle leaves the text, the request's id, and a way to try again", async () => {
  const { page } = await visitHarbour({ model: breaking() });
  await page.fill("#question", papers[0]!.question);
  await page.press("#question", "Enter");
  await page.waitForSelector(".notice-bad");
  expect(await page.textContent(".answer")).toContain("The lamp glass is polished every ninety days");
  // Its citations never came, so that a marker would lead nowhere.
  expect(await page.textContent(".answer")).not.toMatch(/\[\d/u);
  expect(await page.textContent(".notice-bad")).toMatch(/Request [\w-]{8,}/u);
  await page.click(".notice-bad button");
  await page.waitForSelector('.turn[data-state="done"]');
  expect(await page.textContent(".answer")).toContain("ninety days");
});

test("[page 24] a connection that is cut in the middle leaves the same", async () => {
  const slow = createScriptedChatModel(() => long);
  const model: ChatModel = {
    ...slow,
    async *stream(messages, options) {
      for await (const part of slow.stream(messages, options)) {
        yield part;
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
    },
  };
  const serving = await serve(await openHarbour(model));
  let isCut = false;
  const { host, origin } = new URL(serving.url);
  const proxy = createServer((request, response) => {
    const passed = startRequest(
      new URL(request.url ?? "/", serving.url),
      {
        method: request.method,
        headers: { ...request.headers, host, ...(request.headers.origin !== undefined && { origin }) },
      },
      (came) => {
        response.writeHead(came.statusCode ?? 500, came.headers);
        let text = "";
        came.on("data", (part: Buffer) => {
          text += part.toString();
          response.write(part);
          if (request.url !== "/ask" || isCut || text.split("event: text").length < 3) return;
          isCut = true;
          setTimeout(() => response.socket?.destroy(), 100);
        });
        came.on("end", () => response.end());
      },
    );
    passed.on("error", () => {});
    request.pipe(passed);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  await new Promise((resolve) => proxy.once("listening", resolve));
  const { page } = await visit({ ...serving, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/` });
  await page.fill("#question", papers[0]!.question);
  await page.press("#question", "Enter");
  await page.waitForSelector(".notice-bad");
  expect(await page.textContent(".answer")).toContain("The lamp");
  expect(await page.textContent(".notice-bad")).toMatch(/connection broke.*Request [\w-]{8,}/su);
  await page.click(".notice-bad button");
  await page.waitForSelector('.turn[data-state="done"]');
  expect(await page.textContent(".answer")).toContain("ninety days");
});

test("[page 24] a page that is loaded again in the middle of an answer has the question still, and asks it at a press alone", async () => {
  let asked = 0;
  const whole = createScriptedChatModel(() => "The lamp glass is polished every ninety days [1].");
  const model: ChatModel = {
    ...whole,
    async *stream(messages, options) {
      asked += 1;
      if (asked > 1) return yield* whole.stream(messages, options);
      yield { type: "text", delta: "The lamp glass is polished every ninety days [1]. " };
      yield { type: "text", delta: "Nobody touches it with bare hands [1]. The keeper" };
      await new Promise((resolve) => options?.signal?.addEventListener("abort", resolve, { once: true }));
    },
  };
  const { page } = await visitHarbour({ model });
  await page.fill("#question", papers[0]!.question);
  await page.press("#question", "Enter");
  await page.waitForSelector('.turn[data-state="writing"]');
  await page.reload();
  await page.waitForSelector('.turn[data-state="failed"]');
  expect(await page.textContent(".turn .asked")).toBe(papers[0]!.question);
  expect(await page.textContent(".turn .notice")).toContain("loaded again before this was answered");
  expect(asked).toBe(1);
  await page.click(".turn button >> text=Try again");
  await page.waitForSelector('.turn[data-state="done"]');
  await page.waitForURL(/\/t\?id=/u);
  await page.goto(new URL("./", page.url()).href);
  await page.waitForSelector(".welcome");
  expect(await page.$$eval(".turn", (turns) => turns.length)).toBe(0);
});

test("[page 16] after a reload a source is named with its folder, as it was", async () => {
  const { page } = await visitHarbour();
  await askOnPage(page, papers[2]!.question);
  await page.waitForURL(/\/t\?id=/u);
  const before = await page.$$eval(".source", (found) => found.map(({ textContent }) => textContent));
  expect(before[0]).toContain("harbour/contract.docx");
  await page.reload();
  await page.waitForSelector(".source");
  expect(await page.$$eval(".source", (found) => found.map(({ textContent }) => textContent))).toEqual(before);
});

test("[page 33] below an answer stand its tokens, its price and why these sources were found", async () => {
  const text = "The lamp glass is polished every ninety days [1].";
  const kb = await openKnowledgeBase({
    models: {
      chat: createScriptedChatModel(() => text),
      prices: { "testing/scripted": { input: 3, output: 100 } },
    },
  });
  for (const { name, bytes } of papers) await kb.ingest({ uri: `harbour/${name}`, bytes });
  const { page } = await visit(await serve(kb), { viewport: { width: 320, height: 800 }, bypassCSP: true });
  await askOnPage(page, papers[0]!.question);
  expect(await page.textContent(".meta")).toMatch(/^[\d,]+ ms · 13 tokens · price 0\.0013$/u);
  await page.click("text=Why these sources");
  const reasons = await page.$$eval(".why li", (found) => found.map(({ textContent }) => textContent));
  expect(reasons.length).toBeGreaterThan(1);
  expect(reasons[0]).toMatch(/Handbook of the lighthouse.*words: place 1 · meaning: place 1 · lamp, glass, polish/u);
  expect(await beyondWidth(page)).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
});
