import { pageHtml } from "./page/page-html.ts";
import { pageScript } from "./page/page-script.ts";
import { pageStyle } from "./page/page-style.ts";
import { defineRoute, type Route } from "./route.ts";

/** The page may load what this service gives, and nothing else; nobody may show it in a frame, where clicks are stolen. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The page at `/`, with its style and its script. It holds nothing of anybody: what it shows it asks for, with the reader's key. */
export const pageRoutes: readonly Route[] = [
  file("/", "page", "text/html", pageHtml),
  file("/page.css", "pageStyle", "text/css", pageStyle),
  file("/page.js", "pageScript", "text/javascript", pageScript),
];

function file(path: string, name: string, type: string, text: string): Route {
  return defineRoute({
    method: "GET",
    path,
    name,
    summary: "A page that searches and asks.",
    needs: "nobody",
    answers: { 200: { description: "The page.", content: { [type]: undefined } } },
    handle: async () =>
      new Response(text, {
        headers: {
          "content-type": `${type}; charset=utf-8`,
          "content-security-policy": contentPolicy,
          "cache-control": "no-cache",
        },
      }),
  });
}
