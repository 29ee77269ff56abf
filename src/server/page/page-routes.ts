import { pageHtml } from "./page-html.ts";
import { pageScript } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";
import { defineRoute, type Route } from "../route.ts";

/** The page loads from this service only, and no other page may frame it. */
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

/** The page at `/`, its style and its script. They hold no data: the script requests it with the reader's key. */
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
    isLight: true,
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
