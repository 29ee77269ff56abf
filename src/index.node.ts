/** `ibid` on Node: a path is a folder. */
export * from "./index.ts";
export { openKnowledgeBase, type OpenOptions } from "./knowledge-base/open/open-knowledge-base.ts";
