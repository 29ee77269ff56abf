import { collectLine } from "./collect-text.ts";
import type { HtmlEvent } from "./html-events.ts";
import type { Region } from "./link-parts.ts";
import { isHidden } from "./mark-visible.ts";

/**
 * Adds the page's heading to the visible regions where it stands outside: many sites have it in a header above the article.
 *
 * It is the page's only `h1`, it stands before the regions, they hold none, and the page's title begins with it; the name of the site would be its end.
 */
export function withTitleHeading(
  events: readonly HtmlEvent[],
  regions: readonly Region[],
  title: string,
): readonly Region[] {
  let heading: Region | undefined;
  for (const [index, event] of events.entries()) {
    if (event.type !== "open" || event.tag !== "h1") continue;
    if (heading !== undefined) return regions;
    heading = { start: index, end: event.close };
  }
  const first = regions[0];
  if (heading === undefined || first === undefined || heading.end >= first.start || isOutOfSight(events, heading))
    return regions;
  const { text } = collectLine(events, heading.start, heading.end, title.length * 2);
  return text !== "" && title.startsWith(text) ? [heading, ...regions] : regions;
}

/** Whether an element or one around it is hidden. Hidden parts inside are marked, because headers outside the content were not examined. */
function isOutOfSight(events: readonly HtmlEvent[], { start, end }: Region): boolean {
  for (const event of events.slice(start + 1, end)) if (event.type === "open") event.dropped = isHidden(event);
  return events.slice(0, start + 1).some((event) => event.type === "open" && event.close > start && isHidden(event));
}
