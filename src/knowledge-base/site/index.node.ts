/** `ibid/site` on Node: also builds the index. */
export * from "./index.ts";
export { buildSite, type BuildSiteOptions, type BuiltSite } from "./build-site.ts";
