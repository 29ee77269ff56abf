import type * as Jose from "jose";
import type * as OpenIdClient from "openid-client";
import { z } from "zod";
import { IbidError } from "../contracts/errors.ts";
import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import { loadPackage } from "../runtime/packages.ts";
import { showValue } from "../runtime/plan-options.ts";
import { type Authenticate, callerOf, checkClaimRules, type ClaimRules } from "./identity.ts";
import type { Login } from "./handler-options.ts";
import { smallPage, wantsPage } from "./page/page-routes.ts";
import { defineRoute, type Route } from "./route.ts";

/**
 * Tokens of an OpenID provider or an authorization server.
 *
 * @experimental
 */
export interface TokenOptions {
  /** Issuer of the tokens, such as `https://login.example/realms/main`. Its discovery document names the keys. */
  readonly issuer: string;
  /** Audience that a token must name: the id of this service. One of several is enough, such as the address of `/mcp` beside it. */
  readonly audience: string | readonly string[];
  readonly claims?: ClaimRules | undefined;
}

/**
 * A login with code and PKCE.
 *
 * @experimental
 */
export interface LoginOptions {
  /** Issuer of the provider, such as `https://login.example/realms/main`. */
  readonly issuer: string;
  readonly claims?: ClaimRules | undefined;
  /** Id of this service at the provider; the audience of its id tokens. */
  readonly clientId: string;
  /** Secret of this service at the provider. Default: none, for a public client. */
  readonly clientSecret?: string | undefined;
  /** Address of this service as browsers see it, such as `https://kb.example/`. The provider sends people to `login/callback` below it. */
  readonly publicUrl: string;
  /** Secret of at least 32 characters that protects the sessions. Default: a random one, so a restart ends all sessions. */
  readonly sessionSecret?: string | undefined;
  /** Length of a session. **Units** minutes. Default 480. */
  readonly sessionMinutes?: number | undefined;
  /** Scopes to ask for. Default `openid profile email`. */
  readonly scope?: string | undefined;
}

/** Signatures by a key pair: a provider's published key could be taken for a shared secret otherwise. **Source** RFC 8725, 3.1. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** Difference between clocks. **Units** seconds. */
const clockTolerance = 30;

const sessionCookie = "__Host-ibid";
const attemptCookie = "__Host-ibid-login";
/** Time for a login. **Units** seconds. */
const attemptSeconds = 600;

/**
 * Takes the caller from a signed token in `Authorization: Bearer …`, by the keys that its issuer publishes.
 *
 * **Shape** a token that is no JWT, that is expired, or of another issuer or audience, names nobody. **Errors** `dependency-missing` without the package jose; `invalid-argument`
 * for an issuer that is no https address, but for this machine's. **Cost** keys are fetched once, and again for an unknown one.
 * **Source** RFC 9068, RFC 8725.
 *
 * @experimental
 */
export async function verifyTokens(options: TokenOptions): Promise<Authenticate> {
  checkGiven("verifyTokens", "options", options, "object");
  checkOptions("verifyTokens", options, { issuer: true, audience: true, claims: true });
  const { issuer, audience } = options;
  checkAddress("issuer", issuer);
  const audiences = [audience].flat();
  if (audiences.length === 0 || audiences.some((one) => typeof one !== "string" || one === ""))
    throw wrong("the audience is blank", "Name this service's id.");
  const claims = checkClaimRules("claims", options.claims);
  const jose = loadJose();
  let keys: Jose.JWTVerifyGetKey | undefined;
  return async ({ headers }) => {
    const [, token] = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/iu.exec(headers.get("authorization") ?? "") ?? [];
    if (token === undefined) return undefined;
    keys ??= jose.createRemoteJWKSet(new URL(await findKeys(issuer)));
    try {
      const { payload } = await jose.jwtVerify(token, keys, {
        issuer,
        audience: audiences,
        algorithms,
        clockTolerance,
        // A token without an end would be a key that nobody can take back.
        requiredClaims: ["exp"],
      });
      return callerOf(payload, claims);
    } catch (error) {
      if (error instanceof jose.errors.JOSEError && !(error instanceof jose.errors.JWKSTimeout)) return undefined;
      throw error;
    }
  };
}

/** Address of the issuer's keys. **Source** OpenID Connect Discovery 1.0; RFC 8414. */
async function findKeys(issuer: string): Promise<string> {
  const base = issuer.replace(/\/$/u, "");
  const response = await fetch(`${base}/.well-known/openid-configuration`, { signal: AbortSignal.timeout(10_000) });
  const found = (await response.json()) as { readonly issuer?: unknown; readonly jwks_uri?: unknown };
  if (found.issuer !== issuer || typeof found.jwks_uri !== "string")
    throw wrong(
      `the discovery document of ${issuer} is of another issuer`,
      "Write the issuer exactly as it calls itself.",
    );
  checkAddress("jwks_uri", found.jwks_uri);
  return found.jwks_uri;
}

/**
 * Opens a login with an OpenID provider: `GET /login`, `GET /login/callback` and `POST /logout`.
 *
 * Code flow with PKCE, state and nonce. The session is an encrypted cookie that no script can read, so that every process with the secret knows it.
 *
 * **Errors** `dependency-missing` without the packages jose and openid-client, `invalid-argument` for wrong options.
 * **Source** OpenID Connect Core 1.0; RFC 7636; RFC 9700.
 *
 * @experimental
 */
export async function openLogin(options: LoginOptions): Promise<Login> {
  checkGiven("openLogin", "options", options, "object");
  checkOptions("openLogin", options, {
    issuer: true,
    claims: true,
    clientId: true,
    clientSecret: true,
    publicUrl: true,
    sessionSecret: true,
    sessionMinutes: true,
    scope: true,
  });
  const { issuer, clientId, clientSecret, publicUrl, sessionMinutes = 480, scope = "openid profile email" } = options;
  checkAddress("issuer", issuer);
  checkAddress("publicUrl", publicUrl);
  checkLoginValues(options);
  const { sessionSecret = crypto.randomUUID() + crypto.randomUUID() } = options;
  if (sessionSecret.length < 32) throw wrong("sessionSecret is shorter than 32 characters", "Give a long random text.");
  const claims = checkClaimRules("claims", options.claims);
  const [jose, oidc] = [loadJose(), loadOpenIdClient()];
  const secret = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(sessionSecret)));
  const root = new URL(publicUrl.endsWith("/") ? publicUrl : `${publicUrl}/`);
  const redirectUri = new URL("login/callback", root).href;

  const seal = (payload: Record<string, unknown>, use: string, seconds: number): Promise<string> =>
    new jose.EncryptJWT(payload)
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .setIssuedAt()
      .setAudience(use)
      .setExpirationTime(`${seconds}s`)
      .encrypt(secret);
  const unseal = async (
    request: Request,
    cookie: string,
    use: string,
  ): Promise<Record<string, unknown> | undefined> => {
    const sealed = readCookie(request, cookie);
    if (sealed === undefined) return undefined;
    try {
      return (await jose.jwtDecrypt(sealed, secret, { audience: use })).payload;
    } catch {
      // It is of another secret, or its time is over.
      return undefined;
    }
  };

  let provider: Awaited<ReturnType<typeof oidc.discovery>> | undefined;
  const providerNow = async () =>
    (provider ??= await oidc.discovery(
      new URL(issuer),
      clientId,
      undefined,
      clientSecret === undefined ? oidc.None() : oidc.ClientSecretPost(clientSecret),
      isOfThisMachine(issuer) ? { execute: [oidc.allowInsecureRequests] } : {},
    ));

  /** A sentence, and for a browser the way to begin again. */
  const say = (request: Request, status: number, heading: string, advice = "Begin again from the page."): Response =>
    wantsPage(request)
      ? smallPage(status, heading, root.pathname, { href: `${root.pathname}login`, text: "Sign in" }, [advice])
      : new Response(`${heading}. ${advice}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8" } });

  const begin = async (request: Request): Promise<Response> => {
    const verifier = oidc.randomPKCECodeVerifier();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const to = ownPath(new URL(request.url).searchParams.get("to"));
    const address = oidc.buildAuthorizationUrl(await providerNow(), {
      redirect_uri: redirectUri,
      scope,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    const attempt = await seal({ verifier, state, nonce, to }, attemptCookie, attemptSeconds);
    return redirect(address.href, [writeCookie(attemptCookie, attempt, attemptSeconds)]);
  };

  const finish = async (request: Request): Promise<Response> => {
    const attempt = await unseal(request, attemptCookie, attemptCookie);
    const { verifier, state, nonce, to } = attempt ?? {};
    if (typeof verifier !== "string" || typeof state !== "string" || typeof nonce !== "string")
      return say(request, 400, "This login has expired or was begun in another browser");
    const here = new URL(redirectUri);
    here.search = new URL(request.url).search;
    let granted: Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;
    try {
      granted = await oidc.authorizationCodeGrant(await providerNow(), here, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
    } catch {
      return say(request, 401, "The provider did not confirm this login");
    }
    const caller = callerOf(granted.claims() ?? {}, claims);
    if (caller === undefined)
      return say(request, 403, "The provider names no user", "Ask the operator to check the claims.");
    const session = await seal({ caller }, sessionCookie, sessionMinutes * 60);
    return redirect(new URL(`.${ownPath(to)}`, root).href, [
      writeCookie(sessionCookie, session, sessionMinutes * 60),
      writeCookie(attemptCookie, "", 0),
    ]);
  };

  return {
    path: "login",
    cookie: sessionCookie,
    routes: [
      loginRoute("GET", "/login", "login", "Begins a login with the OpenID provider.", begin),
      loginRoute("GET", "/login/callback", "loginCallback", "Ends a login, and begins a session.", finish),
      loginRoute(
        "POST",
        "/logout",
        "logout",
        "Ends a session.",
        async () => new Response(null, { status: 204, headers: { "set-cookie": writeCookie(sessionCookie, "", 0) } }),
      ),
    ],
    async authenticate(request) {
      const { caller } = (await unseal(request, sessionCookie, sessionCookie)) ?? {};
      return caller as Awaited<ReturnType<Authenticate>>;
    },
  };
}

function loginRoute(
  method: "GET" | "POST",
  path: string,
  name: string,
  summary: string,
  handle: (request: Request) => Promise<Response>,
): Route {
  return defineRoute({
    method,
    path,
    name,
    summary,
    tag: "page",
    needs: "nobody",
    isLight: true,
    query: z.looseObject({}),
    answers: { [method === "POST" ? 204 : 302]: { description: summary, content: {} } },
    handle: ({ request }) => handle(request),
  });
}

/** The longest address to come back to: it is sealed in a cookie, which may have 4,096 characters. */
const longestReturn = 2000;

/** A path of this service: an address elsewhere would send people who signed in to another site. One that is too long comes without its fragment, or not at all. */
function ownPath(path: unknown): string {
  if (typeof path !== "string" || !/^\/(?![/\\])[^\p{Cc}]*$/u.test(path)) return "/";
  const { pathname, search, hash } = new URL(path, "http://localhost");
  return [pathname + search + hash, pathname + search].find(({ length }) => length <= longestReturn) ?? "/";
}

function readCookie(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** **Source** RFC 6265bis: `__Host-` binds a cookie to this host, to https and to every path. */
function writeCookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Lax`;
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 302, headers });
}

function isOfThisMachine(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u.test(hostname);
}

function checkLoginValues(options: LoginOptions): void {
  for (const name of ["clientId", "clientSecret", "sessionSecret", "scope"] as const) {
    const value = options[name];
    if (value === undefined && name !== "clientId") continue;
    checkGiven("openLogin", name, value, "text");
    if (value!.trim() === "") throw wrong(`${name} is blank`, "Give it, or leave it out.");
  }
  const { sessionMinutes = 1 } = options;
  if (!(typeof sessionMinutes === "number" && sessionMinutes > 0))
    throw wrong("sessionMinutes is no time", "Give minutes.");
}

function checkAddress(option: string, address: string): void {
  if (URL.canParse(address) && (new URL(address).protocol === "https:" || isOfThisMachine(address))) return;
  throw wrong(`${option} is ${showValue(address)}; it must be an https address`, "Only this machine's may be http.");
}

function wrong(problem: string, hint: string): IbidError {
  return new IbidError("invalid-argument", `The login is configured wrongly: ${problem}.`, { hint });
}

/** Found by Node, so that an application is built without them. */
const loadJose = () => loadPackage<typeof Jose>("jose", "logins need", ({ jwtVerify }) => jwtVerify !== undefined);
const loadOpenIdClient = () =>
  loadPackage<typeof OpenIdClient>("openid-client", "logins need", ({ discovery }) => discovery !== undefined);
