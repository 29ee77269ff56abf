/** `ibid/site`: a folder of pages that searches itself, without a server. */
export { openSite, type OpenSiteOptions, type Site } from "./open-site.ts";
