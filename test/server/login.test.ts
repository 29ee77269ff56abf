import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { AccessContext } from "../../src/contracts/scope.ts";
import { callerOf } from "../../src/server/identity.ts";
import { firstOf, openLogin, startService, trustHeaders, verifyTokens } from "../../src/server/index.node.ts";
import { startProvider } from "./openid-provider.ts";
import { keys, openWorld, send } from "./service.ts";

const audience = "https://kb.example/";
const claims = {
  teams: "groups",
  write: { claim: "groups", value: "writers" },
  operator: { claim: "roles.ibid", value: "owner" },
};

let issuer = "";
let redirects: string[] = [];
beforeAll(async () => {
  const provider = await startProvider();
  ({ issuer, redirects } = provider);
  return () => provider.stop();
});

async function tokenOf(resource = audience): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("robot:a-secret-of-the-client-robot")}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "read", resource }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

describe("signed tokens", () => {
  it("name callers with their teams, beside keys, and open nothing when they are not of this service", async () => {
    const kb = await openWorld();
    const authenticate = await verifyTokens({ issuer, audience, claims });
    const service = await startService(kb, { port: 0, keys: Object.values(keys), authenticate });
    onTestFinished(() => service.stop());
    const list = async (key?: string) => {
      const { status, json } = await send(service.url, "/documents", { key });
      const { documents = [] } = json as { documents?: { scope: string }[] };
      return [status, documents.map(({ scope }) => scope)];
    };
    const token = await tokenOf();
    expect(await list(token)).toEqual([200, ["deployment", "team:acme"]]);
    expect(await list(keys.bob.key)).toEqual([200, ["deployment", "team:umbrella"]]);
    const put = { method: "PUT", key: token, body: "A note.", headers: { "content-type": "text/plain" } };
    expect((await send(service.url, "/document?uri=note.txt", put)).status).toBe(201);

    const [head, body, signature] = token.split(".") as [string, string, string];
    const decoded = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
    const changed = Buffer.from(JSON.stringify({ ...decoded, groups: ["umbrella"] })).toString("base64url");
    const shared = await new SignJWT(decoded).setProtectedHeader({ alg: "HS256" }).sign(new Uint8Array(32));
    const wrong = [
      await tokenOf("https://other.example/"),
      `${head}.${changed}.${signature}`,
      new UnsecuredJWT(decoded).encode(),
      shared,
      "a.b.c",
      undefined,
    ];
    for (const each of wrong) expect((await list(each))[0]).toBe(401);
  });

  it("have an end, else they are refused", async () => {
    const { publicKey, privateKey } = await generateKeyPair("RS256");
    const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "RS256" };
    const server = createServer(({ url }, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(url === "/jwks" ? { keys: [jwk] } : { issuer: own, jwks_uri: `${own}/jwks` }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const authenticate = await verifyTokens({ issuer: own, audience });
    const callerBy = async (end?: string) => {
      const token = new SignJWT({ sub: "ada" }).setProtectedHeader({ alg: "RS256", kid: "one" });
      token.setIssuer(own).setAudience(audience);
      if (end !== undefined) token.setExpirationTime(end);
      const authorization = `Bearer ${await token.sign(privateKey)}`;
      return authenticate(new Request(own, { headers: { authorization } }), {});
    };
    expect((await callerBy("5m"))?.access).toEqual({ userId: "ada" });
    expect(await callerBy("5m ago")).toBeUndefined();
    expect(await callerBy()).toBeUndefined();
  });

  it("need an issuer whose address is safe", async () => {
    for (const wrong of ["http://login.example", "login.example", "ftp://127.0.0.1"])
      await expect(verifyTokens({ issuer: wrong, audience })).rejects.toThrow("must be an https address");
    await expect(verifyTokens({ issuer, audience: "" })).rejects.toThrow("the audience is blank");
    await expect(verifyTokens({ issuer, audience, claims: { users: "x" } as never })).rejects.toThrow("users");
  });
});

/** A browser's cookies and redirects, by origin and path. */
function createBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const visit = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const { origin } = new URL(address);
    browser.at = address;
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = new Headers(init.headers);
    headers.set("cookie", cookie);
    if (browser.accept !== undefined) headers.set("accept", browser.accept);
    const response = await fetch(address, { ...init, redirect: "manual", headers });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      const at = pair.indexOf("=");
      if (/max-age=0|expires=thu, 01 jan 1970/iu.test(set)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const location = response.headers.get("location");
    return location === null ? response : visit(new URL(location, address).href);
  };
  // A response has no fragment in its address.
  const browser = { visit, jars, accept: undefined as string | undefined, at: "" };
  return browser;
}

describe("a login with code and PKCE", () => {
  async function serve(more: object = {}) {
    const kb = await openWorld();
    const probe = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => probe.once("listening", resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const publicUrl = `http://127.0.0.1:${port}/kb/`;
    redirects.push(`${publicUrl}login/callback`);
    const login = await openLogin({
      issuer,
      clientId: "ibid",
      clientSecret: "a-secret-of-the-client-ibid",
      publicUrl,
      claims,
      ...more,
    });
    const log: string[] = [];
    const { authenticate } = login;
    const service = await startService(kb, {
      port,
      basePath: "/kb",
      login,
      authenticate,
      log: (entry) => void log.push(JSON.stringify(entry)),
    });
    onTestFinished(() => service.stop());
    return { publicUrl, log };
  }

  /** Fills the forms of the provider: name, then consent. */
  async function signIn(browser: ReturnType<typeof createBrowser>, address: string, name: string): Promise<Response> {
    let response = await browser.visit(address);
    // Where a screen is asked for, a script of the page takes its link to the login.
    const [, link] = /class="button" href="([^"]+)"/u.exec(await response.clone().text()) ?? [];
    if (link !== undefined) response = await browser.visit(new URL(link, address).href);
    for (let form = 0; form < 2; form++) {
      const html = await response.text();
      const [, action] = /<form[^>]* action="([^"]+)"/u.exec(html) ?? [];
      const [, prompt = ""] = /name="prompt" value="([^"]+)"/u.exec(html) ?? [];
      response = await browser.visit(action!, {
        method: "POST",
        body: new URLSearchParams({ prompt, login: name, password: "any" }),
      });
    }
    return response;
  }

  it("opens the page for people of the provider, with their scopes and rights, and ends with a logout", async () => {
    const { publicUrl, log } = await serve();
    const browser = createBrowser();
    const page = await signIn(browser, publicUrl, "ada");
    expect([page.status, page.url]).toEqual([200, publicUrl]);
    expect(await page.text()).toContain("<!doctype html>");
    const list = async (): Promise<unknown> => {
      const response = await browser.visit(`${publicUrl}documents`);
      const { documents } = (await response.json()) as { documents?: { scope: string }[] };
      return [response.status, documents?.map(({ scope }) => scope)];
    };
    expect(await list()).toEqual([200, ["deployment", "team:acme", "user:ada"]]);
    const note = { method: "PUT", body: "A note.", headers: { "content-type": "text/plain" } };
    expect((await browser.visit(`${publicUrl}document?uri=note.txt`, note)).status).toBe(201);
    // A page of another site cannot use the session.
    const foreign = { ...note, headers: { ...note.headers, origin: "https://evil.example" } };
    expect((await browser.visit(`${publicUrl}document?uri=evil.txt`, foreign)).status).toBe(403);
    expect(log.join("\n")).not.toMatch(/code=|state=|writers/u);

    expect((await browser.visit(`${publicUrl}logout`, { method: "POST" })).status).toBe(204);
    expect((await list()) as unknown[]).toContain(401);

    const other = createBrowser();
    await signIn(other, publicUrl, "bob");
    expect((await other.visit(`${publicUrl}metrics`)).status).toBe(404);
    expect((await other.visit(`${publicUrl}health/rag`)).status).toBe(200);
  });

  it("leads nowhere else, and takes no answer that it did not ask for", async () => {
    const { publicUrl } = await serve();
    const browser = createBrowser();
    const page = await signIn(browser, `${publicUrl}login?to=//evil.example/`, "ada");
    expect(page.url).toBe(publicUrl);
    const invited = createBrowser();
    const place = `${publicUrl}d?uri=a+b%2Fc%25.md&at=0%3A4&v=1f`;
    invited.accept = "text/html";
    expect((await signIn(invited, place, "bob")).url).toBe(place);
    expect((await invited.visit(`${publicUrl}session`)).status).toBe(200);
    // Marks of a fragment, and what a cookie has no room for.
    const marked = `${publicUrl}?a=(b)#uri=a(b)'!%2Fc.md&at=0:4&q=%C3%A9`;
    const to = (path: string): string => `${publicUrl}login?${new URLSearchParams({ to: path }).toString()}`;
    const long = "x".repeat(2000);
    for (const [path, back] of [
      ["/?a=(b)#uri=a(b)'!%2Fc.md&at=0:4&q=é", marked],
      [`/search#q=${long}`, `${publicUrl}search`],
      [`/search?q=${long}`, publicUrl],
      ["/\\evil.example/", publicUrl],
    ] as const) {
      const other = createBrowser();
      await signIn(other, to(path), "ada");
      expect(other.at).toBe(back);
    }
    const stranger = createBrowser();
    expect((await stranger.visit(`${publicUrl}login/callback?code=x&state=y`)).status).toBe(400);
    const begun = createBrowser();
    await begun.visit(`${publicUrl}login`);
    expect((await begun.visit(`${publicUrl}login/callback?code=x&state=y`)).status).toBe(401);
    // A person gets a way on.
    for (const [browser, status] of [[stranger, 400] as const, [begun, 401] as const]) {
      browser.accept = "text/html";
      const said = await browser.visit(`${publicUrl}login/callback?code=<b>x&state=<b>y`);
      const html = await said.text();
      expect([said.status, /href="([^"]*login)">([^<]*)/u.exec(html)?.slice(1)]).toEqual([
        status,
        ["/kb/login", "Sign in"],
      ]);
      expect(html).not.toContain("<b>");
      expect(said.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  });

  it("keeps sessions over services with one secret, and none without it", async () => {
    const sessionSecret = "a secret that several services share, and nobody else";
    const one = await serve({ sessionSecret });
    const [two, three] = [await serve({ sessionSecret }), await serve()];
    const browser = createBrowser();
    await signIn(browser, one.publicUrl, "ada");
    const cookie = `__Host-ibid=${browser.jars.get(new URL(one.publicUrl).origin)?.get("__Host-ibid")}`;
    const status = async (url: string) =>
      (await send(new URL(url).origin, "/kb/documents", { headers: { cookie } })).status;
    expect([await status(two.publicUrl), await status(three.publicUrl)]).toEqual([200, 401]);
    await expect(
      openLogin({ issuer, clientId: "x", publicUrl: one.publicUrl, sessionSecret: "short" }),
    ).rejects.toThrow("shorter than 32");
  });
});

describe("headers of a proxy", () => {
  it("name callers from listed networks alone", async () => {
    const kb = await openWorld();
    const headers = {
      "x-forwarded-user": "ada",
      "x-forwarded-groups": "acme, writers",
      "x-forwarded-for": "198.51.100.1",
    };
    for (const [network, trustedProxies, status] of [
      ["127.0.0.0/8", [], 200],
      ["127.0.0.0/8", ["127.0.0.1"], 200],
      ["10.0.0.0/8", [], 401],
      // The address that the header names is no proxy.
      ["198.51.100.1", ["127.0.0.1"], 401],
    ] as const) {
      const authenticate = await trustHeaders({ networks: [network], writers: "writers" });
      const service = await startService(kb, { port: 0, authenticate, trustedProxies });
      onTestFinished(() => service.stop());
      expect([network, (await send(service.url, "/documents", { headers })).status]).toEqual([network, status]);
      expect((await send(service.url, "/documents")).status).toBe(401);
    }
    await expect(trustHeaders({ networks: [] })).rejects.toThrow("every client could name itself");
  });
});

describe("claims", () => {
  const access = (given: Record<string, unknown>, rules = {}): AccessContext | "operator" | undefined =>
    callerOf(given, rules)?.access;

  it("are read by name, by path, and as lists of any form", () => {
    expect(access({ sub: "ada" })).toEqual({ userId: "ada" });
    expect(access({ sub: "ada", groups: "a b,c  a" })).toEqual({ userId: "ada", teams: ["a", "b", "c"] });
    expect(access({ sub: "ada", x: { y: ["a", 7, ""] } }, { teams: "x.y" })).toEqual({ userId: "ada", teams: ["a"] });
    expect(access({ sub: "ada", "https://x.y/t": ["a"] }, { teams: "https://x.y/t" })).toMatchObject({ teams: ["a"] });
    expect(access({ sub: "ada", groups: ["a"], team: "a" }, { team: "team" })).toMatchObject({ teamId: "a" });
    // A team that the caller is not in does not count.
    expect(access({ sub: "ada", groups: ["a"], team: "b" }, { team: "team" })).toEqual({ userId: "ada", teams: ["a"] });
    for (const given of [{}, { sub: "" }, { sub: 7 }, { sub: ["ada"] }, { sub: " " }])
      expect(access(given)).toBeUndefined();
    // Properties that every object has are no claims.
    expect(access({ sub: "ada" }, { user: "constructor.name" })).toBeUndefined();
  });

  it("the first way that finds a caller decides", async () => {
    const ways = [
      () => undefined,
      async () => ({ name: "b", access: "operator" as const }),
      () => ({ name: "c", access: {} }),
    ];
    expect((await firstOf(ways)(new Request("http://x/"), {}))?.name).toBe("b");
    expect(await firstOf([])(new Request("http://x/"), {})).toBeUndefined();
  });
});
