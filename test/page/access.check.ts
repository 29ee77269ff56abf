import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type AccessKey, type Login, openLogin, startService } from "../../src/server/index.node.ts";
import { defineRoute, type Route } from "../../src/server/route.ts";
import { openFileBlobStore } from "../../src/stores/index.node.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { startProvider } from "../server/openid-provider.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { papers } from "./documents.ts";
import { askOnPage, openHarbour, serve, visit, visitHarbour } from "./open-page.ts";
import type { Page } from "playwright-core";
import { beyondWidth, violationsOf } from "./violations.ts";

const keys = [
  { name: "ada", key: "ada-ada-ada-ada-ada", userId: "ada", write: true },
  { name: "bob", key: "bob-bob-bob-bob-bob", userId: "bob" },
] as const;
const [ada, bob] = keys;

async function openTwo() {
  const kb = await openKept("user:ada");
  return serve(kb, { keys, local: undefined as never });
}

/** A base whose spare key lies in a scope of few, and a model that tells of it. */
async function openKept(scope: Scope) {
  const kb = await openHarbour(
    // A source has the number of its place in what the model is asked. The third sentence tells of one without citing it.
    createScriptedChatModel((messages) => {
      const { insertions } = messages.at(-1)!.content as unknown as {
        readonly insertions: readonly (string | { readonly text: string })[];
      };
      const numberOf = (words: string): number =>
        1 + insertions.findIndex((each) => typeof each !== "string" && each.text.includes(words));
      const [lamp, stone] = [numberOf("lamp glass** is polished"), numberOf("under the blue")];
      return `The lamp glass is polished every ninety days [${lamp}]. The spare key of the lamp glass lies under the blue stone [${stone}]. Somebody saw that blue stone.`;
    }),
  );
  await kb.ingest(
    {
      uri: "secret.md",
      text: "# Keys\n\nThe spare key of the lamp glass lies under the blue stone.",
      mediaType: "text/markdown",
    },
    { scope },
  );
  return kb;
}

async function unlock(page: Page, key: string): Promise<void> {
  await page.fill("#key", key);
  await page.press("#key", "Enter");
  await page.waitForSelector("dialog", { state: "detached" });
}

test("[page 18] a place that one may not read answers like one that never was, byte for byte", async () => {
  const { url, kb } = await openTwo();
  const { uri } = (await kb.as({ userId: "ada" }).document("secret.md"))!;
  const as = async (key: string, path: string): Promise<[number, string]> => {
    const response = await fetch(new URL(path, url), {
      headers: { authorization: `Bearer ${key}`, "x-request-id": "same-same-same" },
    });
    return [response.status, (await response.text()).replaceAll(/secret\.md|never\.md/gu, "…")];
  };
  expect((await as(ada.key, `view?uri=${uri}&start=0&end=20`))[0]).toBe(200);
  for (const route of ["view", "document", "outline", "original", "geometry"])
    expect([route, await as(bob.key, `${route}?uri=secret.md`)]).toEqual([
      route,
      await as(bob.key, `${route}?uri=never.md`),
    ]);
});

test("[page 18] Ada's link shows Bob that there is no such place, and her thread no sentence that rests on what is hers", async () => {
  const serving = await openTwo();
  const { page } = await visit(serving);
  await unlock(page, ada.key);
  await askOnPage(page, "How often is the lamp glass polished, and where does the spare key lie?", ada.key);
  await page.waitForURL(/\/t\?id=/u);
  expect(await page.textContent(".answer")).toContain("blue stone");
  const thread = page.url();
  const other = await visit(serving);
  await other.page.goto(thread);
  await unlock(other.page, bob.key);
  await other.page.waitForSelector(".answer");
  expect(await other.page.textContent("body")).toContain("ninety days");
  expect(await other.page.textContent("body")).not.toContain("blue stone");
  expect(await other.page.textContent(".withheld")).toContain("withheld");
  await other.page.goto(new URL("d?uri=secret.md&scope=user:ada&at=8:20", serving.url).href);
  await other.page.waitForSelector(".notice-bad");
  expect(await other.page.textContent(".notice-bad")).toContain("There is no such document, or you may not read it.");
});

test("[page 28] no key, a wrong one and one that no header can carry: three sentences, and the form stays usable", async () => {
  const serving = await openTwo();
  const { page } = await visit(serving);
  const said = async (key: string): Promise<string> => {
    await page.fill("#key", key);
    await page.press("#key", "Enter");
    await expect.poll(async () => (await page.textContent("#key-said")) ?? "").not.toBe("");
    await page.waitForTimeout(300);
    return (await page.textContent("#key-said"))!;
  };
  const sentences = [await said(""), await said("пароль"), await said("wrong-wrong-wrong-wrong")];
  expect(new Set(sentences).size).toBe(3);
  for (const sentence of sentences) expect(sentence.length).toBeGreaterThan(10);
  expect(sentences.join(" ")).not.toMatch(/401|header|authorization|bearer/iu);
  await unlock(page, ada.key);
  await page.waitForSelector("#question");
  expect(await page.textContent("body")).not.toMatch(/key is not known|Your key, please/u);
});

test("[page 28] a key that is revoked while the page is open is asked for again; with another one no sentence about keys remains", async () => {
  let given: readonly AccessKey[] = [ada, bob];
  const { page } = await visit(await serve(await openHarbour(), { local: undefined as never, keys: () => given }));
  await unlock(page, ada.key);
  await page.click('.rail-link[href$="library"]');
  await page.waitForSelector("a.document");
  given = [bob];
  await page.click("a.document >> nth=0");
  await page.waitForSelector("dialog #key");
  expect(await page.textContent("#key-said")).toContain("That key is not known.");
  await unlock(page, bob.key);
  await page.waitForSelector(".place-head h2");
  expect(await page.textContent("main")).not.toMatch(/\bkey\b/iu);
  await page.click('.rail-link >> text="Ask"');
  given = [ada];
  await page.fill("#question", papers[0]!.question);
  await page.press("#question", "Enter");
  await page.waitForSelector("dialog #key");
  given = [ada, bob];
  await unlock(page, bob.key);
  await page.waitForSelector('.turn[data-state="done"] .answer');
  expect(await page.textContent("main")).not.toMatch(/\bkey\b/iu);
  // Another caller is shown what they may read of it, as another person's.
  given = [ada];
  await page.click(".source >> nth=0");
  await page.waitForSelector("dialog #key");
  await unlock(page, ada.key);
  await page.waitForSelector("text=Another person's thread.");
});

test("[page 18] a document that is not there is told in one sentence, with nothing to open below it", async () => {
  const { page, url } = await visit(await serve(await openHarbour()));
  await page.goto(new URL("d?uri=harbour/nothing.md", url).href);
  await page.waitForSelector("text=There is no such document");
  await page.waitForSelector(".versions", { state: "attached" });
  expect(await page.isVisible(".versions")).toBe(false);
  await page.goto(new URL("d?uri=harbour/handbook.md", url).href);
  await page.waitForSelector(".versions");
});

test("[page 18] an address that was cut shows the beginning of its document, or says that there is none", async () => {
  const { page, url } = await visitHarbour();
  for (const at of ["x:y", "12", "-3:4", "1e9:2"]) {
    await page.goto(new URL(`d?uri=harbour/rules.txt&at=${at}`, url).href);
    await page.waitForSelector(".text-view");
    expect(await page.textContent(".text-view")).toContain("Rules of the quay");
  }
  await page.goto(new URL("d?uri=&at=", url).href);
  await page.waitForSelector(".notice-bad");
  expect(await page.textContent(".notice-bad")).toContain("There is no such document, or you may not read it.");
});

test("[page 34] on a phone the head of a page with a key is one line", async () => {
  const { page } = await visit(await openTwo(), { viewport: { width: 390, height: 844 } });
  await unlock(page, ada.key);
  await page.waitForSelector("#question");
  const tops = await page.$$eval(".rail > .brand, .rail-foot > label, .rail-foot > button:last-of-type", (parts) =>
    parts.map((part) => {
      const { top, height } = part.getBoundingClientRect();
      return top + height / 2;
    }),
  );
  expect(tops.length).toBe(4);
  expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(8);
});

test("[page 28] the page of someone who may write differs from that of someone who may not", async () => {
  const serving = await openTwo();
  const linksOf = async (key: string): Promise<string[]> => {
    const { page } = await visit(serving);
    await unlock(page, key);
    await page.waitForSelector(".rail-link");
    return page.$$eval(".rail-link", (links) => links.map((link) => link.getAttribute("href")));
  };
  expect(await linksOf(ada.key)).toContain("add");
  expect(await linksOf(bob.key)).not.toContain("add");
});

/** Ada asks and asks further; in between, something happens to what her first answer rests on. */
async function askFurther(
  serving: Awaited<ReturnType<typeof openTwo>>,
  between: (page: Page) => Promise<Page>,
): Promise<{ readonly id: string; readonly turns: readonly object[] }> {
  const first = await visit(serving);
  await unlock(first.page, ada.key);
  await askOnPage(first.page, "How often is the lamp glass polished, and where does the spare key lie?", ada.key);
  await first.page.waitForURL(/\/t\?id=/u);
  const page = await between(first.page);
  await askOnPage(page, "How often is the lamp glass polished?", ada.key);
  const address = new URL(`thread${new URL(first.page.url()).search}`, serving.url);
  const read = async (): Promise<{ readonly id: string; readonly turns: readonly object[] }> => {
    const response = await fetch(address, { headers: { authorization: `Bearer ${ada.key}` } });
    return (await response.json()) as { id: string; turns: object[] };
  };
  await expect.poll(async () => (await read()).turns.length).toBe(2);
  return read();
}

test("[page 18] a follow-up leaves the sentences before it as they were kept, also those that are withheld from their owner now", async () => {
  const kb = await openKept("team:keepers");
  const member = { ...ada, teams: ["keepers"] };
  const serving = await serve(kb, { keys: [member], local: undefined as never });
  const thread = await askFurther(serving, async (page) => {
    // A second service over the same files, in which ada has left the team.
    const later = await startService(kb, {
      port: 0,
      files: openFileBlobStore(join(serving.folder, "files")),
      keys: [ada],
    });
    onTestFinished(() => later.stop());
    const other = await visit({ ...serving, url: later.url });
    await other.page.goto(new URL(`t${new URL(page.url()).search}`, later.url).href);
    await unlock(other.page, ada.key);
    await other.page.waitForSelector(".answer");
    expect(await other.page.textContent(".withheld")).toContain("withheld");
    return other.page;
  });
  const before = JSON.stringify(thread.turns[0]);
  expect(before).toContain("The spare key of the lamp glass lies under the blue stone [");
  expect(before).toContain("Somebody saw that blue stone.");
  expect(before).not.toContain("withheld");
});

test("[page 22] a follow-up in a window that was open during a purge does not bring the erased sentences back", async () => {
  const serving = await openTwo();
  const thread = await askFurther(serving, async (page) => {
    await fetch(new URL("document?uri=secret.md&scope=user:ada&purge=true", serving.url), {
      method: "DELETE",
      headers: { authorization: `Bearer ${ada.key}` },
    });
    return page;
  });
  expect(JSON.stringify(thread)).toContain("ninety days");
  const kept = await openFileBlobStore(join(serving.folder, "files")).get(`threads/${thread.id}.json`);
  const [before] = (JSON.parse(new TextDecoder().decode(kept!.bytes)) as { turns: object[] }).turns;
  expect(JSON.stringify(before)).not.toContain("blue stone");
});

test("[page 28] an operator lists, makes, replaces and revokes keys; a new one is shown once and opens the page", async () => {
  const operator = { name: "olga", key: "olga-olga-olga-olga", operator: true, write: true };
  const ended = { name: "eve", key: "eve-eve-eve-eve-eve", userId: "eve", expiresAt: "2020-01-01T00:00:00Z" };
  let list: readonly AccessKey[] = [operator, ada, ended];
  const serving = await serve(await openHarbour(), {
    keys: () => list,
    changeKeys: async (change) => void (list = change(list)),
    local: undefined as never,
  });
  const { page, url } = await visit(serving, { viewport: { width: 320, height: 800 }, bypassCSP: true });
  await unlock(page, operator.key);
  await page.goto(new URL("ops", url).href);
  const rows = (): Promise<string[]> =>
    page.$$eval(".keys-list .upload-words", (all) => all.map(({ textContent }) => textContent));
  await expect.poll(async () => (await rows()).length).toBe(3);
  expect((await rows())[1]).toContain("not used since the start");
  await page.click('[aria-label="Replace: eve"]');
  expect(await page.textContent(".made-key")).toMatch(/^ibid_/u);
  await page.keyboard.press("Escape");
  await page.click('[aria-label="Revoke: eve"]');
  await page.click("dialog button.danger");
  await expect.poll(async () => (await rows()).length).toBe(2);
  await page.click("text=Make a key");
  await page.fill("dialog input[required]", "Mara");
  await page.fill("dialog input[type=text] >> nth=1", "mara");
  expect([await beyondWidth(page), await violationsOf(page)]).toEqual([0, []]);
  await page.keyboard.press("Enter");
  const made = (await page.textContent(".made-key"))!;
  expect([await beyondWidth(page), await violationsOf(page)]).toEqual([0, []]);
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await rows())[2]).toContain("Mara");
  expect(await page.content()).not.toContain(made);
  const other = await visit(serving);
  await unlock(other.page, made);
  await other.page.waitForSelector("#question");
  await page.click('[aria-label="Replace: Mara"]');
  await page.waitForSelector(".made-key");
  expect(await page.textContent(".made-key")).not.toBe(made);
  await page.click("dialog >> text=Close");
  await page.click('[aria-label="Revoke: Mara"]');
  await page.click("dialog button.danger");
  await expect.poll(async () => (await rows()).length).toBe(2);
  expect(await page.$$('[aria-label="Revoke: olga"]')).toEqual([]);
  await other.page.reload();
  await other.page.waitForSelector("#key");
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** A login whose provider confirms everybody at once. */
function createInstantLogin(): Login {
  const cookie = "test-session";
  const answer = (status: number, headers: Record<string, string>) => async () =>
    new Response(null, { status, headers });
  const open = (name: string, method: "GET" | "POST", handle: Route["handle"]): Route =>
    defineRoute({
      method,
      path: `/${name}`,
      name,
      summary: "Of a test.",
      tag: "page",
      needs: "nobody",
      query: z.looseObject({}),
      answers: {},
      handle,
    });
  return {
    path: "login",
    cookie,
    routes: [
      open("login", "GET", async ({ request }) => {
        const to = new URL(request.url).searchParams.get("to") ?? "/";
        return answer(302, { location: `.${to}`, "set-cookie": `${cookie}=ada; Path=/; HttpOnly` })();
      }),
      open("logout", "POST", answer(204, { "set-cookie": `${cookie}=; Path=/; Max-Age=0` })),
    ],
    authenticate: (request) =>
      (request.headers.get("cookie") ?? "").includes(`${cookie}=ada`)
        ? { name: "ada", access: { userId: "ada" } }
        : undefined,
  };
}

test("[page 28] people who sign in at a provider come back to their screen, sign out in fact, and are never asked for a key", async () => {
  const login = createInstantLogin();
  const kb = await openKept("user:ada");
  const { authenticate } = login;
  const serving = await serve(kb, { local: undefined as never, login, authenticate });
  const { page } = await visit(serving);
  const place = new URL("d?uri=secret.md&scope=user:ada&at=8:20", serving.url).href;
  await page.context().clearCookies();
  await page.goto(place);
  await expect.poll(() => page.textContent("body")).toContain("blue stone");
  expect(page.url()).toBe(place);

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForSelector("dialog");
  expect(await page.textContent("dialog")).not.toMatch(/key/iu);
  expect((await page.context().request.get(`${serving.url}session`)).status()).toBe(401);
  expect(await page.textContent("#main")).not.toContain("blue stone");
  await page.getByRole("link", { name: "Sign in" }).click();
  await expect.poll(() => page.textContent("#main")).toContain("blue stone");
  expect(page.url()).toBe(place);

  // A session that ends while the page is open.
  await page.context().clearCookies();
  await page.click('.rail-link[href$="library"]');
  await page.waitForSelector("dialog");
  expect(await page.textContent("dialog")).not.toMatch(/key/iu);
  expect(await page.getByRole("link", { name: "Sign in" }).getAttribute("href")).toBe("login?to=%2Flibrary");
});

test("[page 28] a place behind # comes back from the form of a real provider, as one in the parameters does", async () => {
  const provider = await startProvider();
  onTestFinished(() => provider.stop());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  provider.redirects.push(`${url}login/callback`);
  const login = await openLogin({
    issuer: provider.issuer,
    clientId: "ibid",
    clientSecret: "a-secret-of-the-client-ibid",
    publicUrl: url,
    claims: {},
  });
  const kb = await openKept("user:ada");
  const { authenticate } = login;
  const serving = await serve(kb, { port, local: undefined as never, login, authenticate });
  // The form of the provider loads a typeface from elsewhere.
  const others = [provider.issuer, "https://fonts."];
  for (const path of ["#uri=secret.md&scope=user:ada&at=8:20", "d?uri=secret.md&scope=user:ada&at=8:20"]) {
    const { page } = await visit(serving, {}, others);
    await page.route(/fonts/u, (route) => route.abort());
    await page.context().clearCookies();
    await page.goto("about:blank");
    await page.goto(url + path);
    await page.fill("input[name=login]", "ada");
    await page.fill("input[name=password]", "any");
    await page.click("button[type=submit]");
    await page.click("button[type=submit] >> text=Continue");
    await expect.poll(() => page.textContent("body")).toContain("blue stone");
    expect(page.url()).toBe(url + path);
    await page.waitForSelector("mark");
  }
});

test("[page 28] people whom a proxy names are offered no signing out, which the page could not do", async () => {
  const authenticate = ({ headers }: Request) =>
    headers.get("x-forwarded-user") === "ada" ? { name: "ada", access: { userId: "ada" } } : undefined;
  const serving = await serve(await openKept("user:ada"), { local: undefined as never, keys, authenticate });
  const named = await visit(serving, { extraHTTPHeaders: { "x-forwarded-user": "ada" } });
  await named.page.waitForSelector("#question");
  expect(await named.page.getByRole("button", { name: "Sign out" }).count()).toBe(0);
  const { page } = await visit(serving);
  await unlock(page, bob.key);
  await page.waitForSelector("#question");
  expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(1);
});
