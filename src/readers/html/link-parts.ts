import { furnitureName } from "./html-classes.ts";
import type { HtmlEvent, OpenEvent } from "./html-events.ts";

/** A run of events to be read: the open event at `start` to its close event at `end`, or the whole page. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

/** A region with its counts. **Units** characters of text that are not white space. */
export interface CountedRegion extends Region {
  readonly text: number;
  readonly linked: number;
  readonly links: number;
  readonly headings: number;
  readonly mainHeadings: number;
}

const containers = new Set("div ul ol dl section table p span form center aside fieldset".split(" "));

/** From this share of its text on, a part with many links is there to go elsewhere. **Source** Kohlschütter et al., Boilerplate Detection using Shallow Text Features (2010): link density. */
const manyLinks = 0.6;
/** Share of links that confirms a part as furniture, when its name says so. */
const someLinks = 0.25;
const leastLinks = 4;
/** Between the links of a line of navigation: "Next:", "Up:". **Units** characters. */
const fewWords = 60;
/** A part that is called after consent or advertisements needs no links; it is short. */
const shortText = 1200;
const asksForConsent =
  /(?:^|[\s_-])(?:cookies?|consent|gdpr|onetrust|advert(?:isement)?s?|newsletter|subscribe|share|sharing|sharedaddy|social|skip-?(?:link|nav|to-content)|printfooter)(?:[\s_-]|$)/i;
/** Least share of the text that must remain … */
const leastShare = 0.25;
/** … or at least so many characters of it. */
const leastText = 500;

/** Whether a part of a page may turn out to be there only to go elsewhere. */
export function mayBeLinkPart({ tag, attributes, holdsBlocks }: OpenEvent, region: CountedRegion): boolean {
  // A note of the author that leads to other pages is a note.
  if (!containers.has(tag) || region.mainHeadings > 0 || attributes.get("role") === "note") return false;
  const name = `${attributes.get("class") ?? ""} ${attributes.get("id") ?? ""}`;
  if (asksForConsent.test(name)) return region.text <= shortText;
  const named = furnitureName.test(name);
  if (named && region.linked >= region.text * someLinks) return true;
  // A list under a text is the author's; a division of nothing but links is the page's.
  if (!named && tag !== "div" && tag !== "section" && tag !== "form") return false;
  if (region.links < leastLinks || region.linked < region.text * manyLinks) return false;
  return named || !holdsBlocks || (region.headings === 0 && region.text - region.linked <= fewWords);
}

/**
 * Marks navigation as dropped in the visible regions: lists of links, and parts whose name and content both show furniture.
 *
 * Inside an article or the main content lists of links are the author's; there only names speak.
 * A page that would lose three quarters of its text, and nearly all, consists of links: then nothing is dropped.
 *
 * **Cost** linear in the parts. **Shape** `parts` are outermost ones, in order.
 */
export function dropLinkParts(
  events: readonly HtmlEvent[],
  regions: readonly CountedRegion[],
  parts: readonly CountedRegion[],
): void {
  const isPage = regions.length === 1 && regions[0]?.start === 0 && regions[0].end === events.length - 1;
  const found = parts.filter(({ start, end }) =>
    regions.some((region) => region.start <= start && end <= region.end && !(region.start === start)),
  );
  const dropped = isPage ? found : found.filter(({ start }) => isNamed(events[start]));
  const all = regions.reduce((sum, { text }) => sum + text, 0);
  const left = all - dropped.reduce((sum, { text }) => sum + text, 0);
  if (left < all * leastShare && left < leastText) return;
  for (const { start } of dropped) {
    const event = events[start];
    if (event?.type === "open") event.dropped = true;
  }
}

function isNamed(event: HtmlEvent | undefined): boolean {
  if (event?.type !== "open") return false;
  return furnitureName.test(`${event.attributes.get("class") ?? ""} ${event.attributes.get("id") ?? ""}`);
}
