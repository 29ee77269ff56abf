/** The search of a site, loaded when a reader first wants it. */
export { openSite, type Site } from "../../src/knowledge-base/site/open-site.ts";
