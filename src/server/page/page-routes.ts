import { z } from "zod";
import { sha256 } from "../../runtime/hash.ts";
import { Refusal } from "../refusal.ts";
import { defineRoute, type Route } from "../route.ts";
import { loadPageFile, type PageFileName, pageFileNames } from "./page-files.ts";

/** The page loads from this service only, no other page may frame it, and no text becomes markup or a script. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self' data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types ibid",
].join("; ");

const types = { html: "text/html", css: "text/css", js: "text/javascript" } as const;

/** Screens of the page with an address of their own. `/search` takes searches by POST besides, so a GET of what is no browser is refused there. */
const screens = {
  "/": "page",
  "/t": "pageThread",
  "/search": "pageSearch",
  "/library": "pageLibrary",
  "/d": "pageDocument",
  "/history": "pageHistory",
  "/memory": "pageMemory",
  "/add": "pageAdd",
  "/ops": "pageOperator",
};

/** The page, one address for each screen, and its files. They hold no data: the scripts request it with the reader's key. */
export const pageRoutes: readonly Route[] = [
  ...Object.entries(screens).map(([path, name]) => file(path, name, "index.html")),
  ...pageFileNames.filter((name) => name !== "index.html").map((name) => file(`/${name}`, operationOf(name), name)),
];

/** `pagePdfWorker` for `page-pdf-worker.js`. */
function operationOf(name: string): string {
  const [stem = "", ending = ""] = name.split(".");
  const own = stem.replaceAll(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase());
  return ending === "css" ? `${own}Style` : stem === "page" ? "pageScript" : own;
}

function file(path: string, name: string, source: PageFileName): Route {
  const type = types[source.split(".").at(-1) as keyof typeof types];
  return defineRoute({
    method: "GET",
    path,
    name,
    summary: source === "index.html" ? "A screen of the page." : "A file of the page.",
    tag: "page",
    needs: "nobody",
    isLight: true,
    // The parameters of a screen are for its script.
    query: z.looseObject({}),
    answers: { 200: { description: "The file.", content: { [type]: undefined } } },
    async handle({ request }) {
      if (path === "/search" && !wantsPage(request)) {
        throw new Refusal(405, "method-not-allowed", "/search does not take this method.", {
          hint: "Use POST with a body of JSON; a browser gets the screen of searches.",
          headers: { allow: "POST, OPTIONS" },
        });
      }
      const zipped = await loadPageFile(source);
      const headers = {
        "content-type": `${type}; charset=utf-8`,
        "content-security-policy": contentPolicy,
        "cache-control": "no-cache",
        etag: (etags[source] ??= `"${sha256(zipped).slice(0, 32)}"`),
      };
      if (request.headers.get("if-none-match") === headers.etag) return new Response(null, { status: 304, headers });
      if (/\bgzip\b/u.test(request.headers.get("accept-encoding") ?? ""))
        return new Response(zipped, { headers: { ...headers, "content-encoding": "gzip" } });
      return new Response(new Blob([zipped]).stream().pipeThrough(new DecompressionStream("gzip")), { headers });
    },
  });
}

/** Whether a browser asks for a page to show, and no program for data. */
export function wantsPage({ method, headers }: Request): boolean {
  return (method === "GET" || method === "HEAD") && (headers.get("accept") ?? "").includes("text/html");
}

/** A small page for an address that there is not, with the way to the first screen. `home` is the address of the service. */
export function missingPage(home: string, requestId: string): Response {
  const first = new URL(home).pathname;
  return smallPage(404, "There is nothing at this address", first, { href: first, text: "Go to the first page" }, [
    `Request ${requestId}`,
  ]);
}

/** Sends a browser without a session to `login`, with the fragment of its address. A script must do it: the service never sees a fragment. */
export function signInPage(home: string, login: string): Response {
  const first = new URL(home).pathname;
  const link = { href: `${first}${login}`, text: "Sign in" };
  return smallPage(200, "Please sign in", first, link, [], "page-sign-in.js");
}

/** A page of one heading, a way on, and small lines. `first` is the path of the first screen; texts of a client are encoded. */
export function smallPage(
  status: number,
  heading: string,
  first: string,
  { href, text }: { readonly href: string; readonly text: string },
  lines: readonly string[] = [],
  script?: PageFileName,
): Response {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${heading}</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="${first}page.css"></head>
<body><main class="column empty"><h1>${heading}</h1>
<p><a class="button" href="${href}">${text}</a></p>
${lines.map((line) => `<p class="small faint">${line}</p>`).join("\n")}</main>${script === undefined ? "" : `<script type="module" src="${first}${script}"></script>`}</body>
</html>
`;
  return new Response(html, {
    status,
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": contentPolicy },
  });
}

const etags: Partial<Record<PageFileName, string>> = {};
