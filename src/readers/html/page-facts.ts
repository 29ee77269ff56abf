import type { Metadata } from "../../contracts/metadata.ts";

import { collectLine } from "./collect-text.ts";
import type { HtmlEvent } from "./html-events.ts";

/** Metadata that a page states. */
export interface PageFacts {
  readonly title: string;
  readonly metadata: Metadata;
  /** Base of relative addresses on the page, when it states one. */
  readonly base: string | undefined;
}

const maxFactLength = 2000;

/** Names of `meta` elements, and the metadata that they become. Dates must be ISO 8601 to compare as strings. */
const factNames: Readonly<Record<string, "description" | "author" | "createdAt" | "modifiedAt" | "pageTitle">> = {
  description: "description",
  "og:description": "description",
  author: "author",
  "article:published_time": "createdAt",
  "article:modified_time": "modifiedAt",
  "og:title": "pageTitle",
};

/**
 * Title, language and the usual `meta` facts of a page.
 *
 * **Shape** the first of each kind wins; `description`, `author`, `language`, `createdAt` and `modifiedAt`, each only when stated.
 */
export function readPageFacts(events: readonly HtmlEvent[]): PageFacts {
  const facts: Partial<
    Record<"description" | "author" | "createdAt" | "modifiedAt" | "pageTitle" | "language", string>
  > = {};
  let title = "";
  let base: string | undefined;
  for (const [index, event] of events.entries()) {
    if (event.type !== "open") continue;
    if (event.tag === "title" && title === "") title = collectLine(events, index, event.close).text;
    else if (event.tag === "base") base ??= event.attributes.get("href")?.trim();
    else if (event.tag === "html" && facts.language === undefined) {
      const language = (event.attributes.get("lang") ?? event.attributes.get("xml:lang") ?? "").trim();
      if (/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(language)) facts.language = language;
    } else if (event.tag === "meta") {
      const name = (event.attributes.get("name") ?? event.attributes.get("property") ?? "").toLowerCase();
      const fact = Object.hasOwn(factNames, name) ? factNames[name] : undefined;
      const value = (event.attributes.get("content") ?? "").trim().slice(0, maxFactLength).toWellFormed();
      if (fact === undefined || value === "" || facts[fact] !== undefined) continue;
      if (
        (fact === "createdAt" || fact === "modifiedAt") &&
        !/^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(value)
      )
        continue;
      facts[fact] = value;
    }
  }
  const { pageTitle = "", ...metadata } = facts;
  return { title: title === "" ? pageTitle : title.slice(0, maxFactLength).toWellFormed(), metadata, base };
}
