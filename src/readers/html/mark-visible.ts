import { readAlternative } from "./collect-text.ts";
import { lineNumberClass, noiseClass } from "./html-classes.ts";
import { isHeading, prose, sectioning, skipped } from "./html-elements.ts";
import type { HtmlEvent, OpenEvent } from "./html-events.ts";
import { dropLinkParts, mayBeLinkPart, type CountedRegion, type Region } from "./link-parts.ts";

/** Parts of a page that serve to get around it. **Source** WAI-ARIA 1.2 landmarks and widgets. */
const furnitureRoles = new Set(
  "alert alertdialog banner complementary contentinfo dialog menu menubar navigation search searchbox slider spinbutton status switch tablist textbox toolbar tooltip tree".split(
    " ",
  ),
);

interface Around {
  readonly index: number;
  readonly event: OpenEvent;
  readonly before: Amount;
  holdsMenu: boolean;
}

/** Counts along the way through a page. */
interface Amount {
  /** Characters that are not white space. */
  readonly text: number;
  /** Characters in links, among these. */
  readonly linked: number;
  readonly links: number;
  readonly headings: number;
  /** Headings of the first level, among these. */
  readonly mainHeadings: number;
}

/**
 * Marks invisible parts, and finds the main content.
 *
 * Dropped are hidden parts (`hidden`, `aria-hidden`, `display: none`), parts without text (scripts, media, form
 * controls), navigation and pop-up menus. The page's own header, footer and asides go too. In an article or in the main
 * content they stay, because they hold titles and notes. The main content is the content of `<main>` or `role=main`.
 * Its outermost `<article>`s take its place when they have at least half of its text and its `h1`. Else it is all
 * outermost articles of the page, when they have at least half of the visible text; else the page. Then parts that
 * consist of links are dropped; see {@link dropLinkParts}. When nothing remains, only hidden parts stay dropped.
 *
 * **Shape** regions in order, disjoint. **Cost** linear in the events.
 */
export function markVisible(events: HtmlEvent[]): readonly Region[] {
  setNumbersApart(events);
  return findRegions(events, false) ?? findRegions(events, true) ?? [];
}

/** A number that leads to a note is set apart from the word before it: `harbour[1]`, since `harbour1` is another word. */
function setNumbersApart(events: HtmlEvent[]): void {
  for (const [index, event] of events.entries()) {
    if (event.type !== "text" || !/^\s*\d{1,3}\s*$/u.test(event.text)) continue;
    let at = index - 1;
    let isLink = false;
    for (let each = events[at]; each?.type === "open" && each.close > index; each = events[--at])
      isLink ||= each.tag === "a" && each.attributes.get("href")?.includes("#") === true;
    const before = events[at];
    if (isLink && before?.type === "text" && /[\p{L}\p{N}]$/u.test(before.text))
      events[index] = { ...event, text: `[${event.text.trim()}]` };
  }
}

function findRegions(events: readonly HtmlEvent[], keepFurniture: boolean): readonly Region[] | undefined {
  const around: Around[] = [];
  const mains: CountedRegion[] = [];
  const articles: CountedRegion[] = [];
  const parts: CountedRegion[] = [];
  let [text, linked, links, headings, mainHeadings] = [0, 0, 0, 0, 0];
  let scopes = 0;
  let linkEnd = -1;
  const addText = (words: string, index: number): void => {
    const count = countVisible(words);
    text += count;
    if (index < linkEnd) linked += count;
  };
  for (let index = 0; index < events.length; index++) {
    const event = events[index];
    if (event?.type === "open") {
      event.dropped =
        isHidden(event) || isLineNumbers(events, index, event) || (!keepFurniture && isFurniture(event, scopes > 0));
      event.holdsBlocks = false;
      const parent = around[around.length - 1];
      if (parent !== undefined && !keepFurniture && popsUp(event)) parent.holdsMenu = true;
      if (event.dropped) {
        index = event.close;
        continue;
      }
      around.push({ index, event, before: { text, linked, links, headings, mainHeadings }, holdsMenu: false });
      if (sectioning.has(event.tag)) scopes++;
      if (isHeading(event.tag)) headings++;
      if (event.tag === "h1") mainHeadings++;
      if (event.tag === "img") addText(readAlternative(event), index);
      if (event.tag === "a" && event.attributes.has("href") && index > linkEnd) {
        linkEnd = event.close;
        links++;
      }
    } else if (event?.type === "close") {
      const ended = around.pop();
      if (ended === undefined) continue;
      const { event: opened, index: start, before } = ended;
      if (sectioning.has(opened.tag)) scopes--;
      const parent = around[around.length - 1];
      if (ended.holdsMenu && !opened.holdsBlocks && /^(?:div|span|li)$/.test(opened.tag)) {
        opened.dropped = true;
        ({ text, linked, links, headings, mainHeadings } = before);
        continue;
      }
      if (parent !== undefined && (opened.holdsBlocks || prose(opened.tag))) parent.event.holdsBlocks = true;
      if (text === before.text) continue;
      const region: CountedRegion = {
        start,
        end: index,
        text: text - before.text,
        linked: linked - before.linked,
        links: links - before.links,
        headings: headings - before.headings,
        mainHeadings: mainHeadings - before.mainHeadings,
      };
      if (isMain(opened)) addOutermost(mains, region);
      else if (opened.tag === "article") addOutermost(articles, region);
      if (mayBeLinkPart(opened, region)) addOutermost(parts, region);
    } else if (event !== undefined) {
      addText(event.text, index);
    }
  }
  if (text === 0) return undefined;
  const page = { start: 0, end: events.length - 1, text, linked, links, headings, mainHeadings };
  const regions =
    narrowToArticles(mains, articles) ??
    (mains.length > 0 ? mains : (narrowToArticles([page], articles, true) ?? [page]));
  if (!keepFurniture) dropLinkParts(events, regions, parts);
  return regions;
}

/** The articles, when they hold half of the text, and the main heading if there is one around them. */
function narrowToArticles(
  around: readonly CountedRegion[],
  articles: readonly CountedRegion[],
  isPage = false,
): readonly CountedRegion[] | undefined {
  const inside = articles.filter(({ start, end }) => around.some((outer) => outer.start < start && outer.end >= end));
  const sum = (regions: readonly CountedRegion[], key: "text" | "mainHeadings"): number =>
    regions.reduce((total, region) => total + region[key], 0);
  if (inside.length === 0 || sum(inside, "text") * 2 < sum(around, "text")) return undefined;
  return !isPage && sum(inside, "mainHeadings") < sum(around, "mainHeadings") ? undefined : inside;
}

/** Inner regions close first: an outer one takes the place of those it holds. */
function addOutermost<T extends Region>(regions: T[], region: T): void {
  while ((regions[regions.length - 1]?.start ?? -1) > region.start) regions.pop();
  regions.push(region);
}

function isMain({ tag, attributes }: OpenEvent): boolean {
  return tag === "main" || attributes.get("role") === "main";
}

/** Whether a reader of the page does not see an element, whatever it is there for. */
export function isHidden({ tag, attributes }: OpenEvent): boolean {
  if (skipped.has(tag) || (tag === "dialog" && !attributes.has("open"))) return true;
  if (attributes.size === 0) return false;
  // Inactive tabs hide content that a reader can reveal; a search for it should find it.
  const hidden =
    attributes.has("hidden") && attributes.get("hidden") !== "until-found" && attributes.get("role") !== "tabpanel";
  // A kept style is one that hides; of classes, some kept ones name a language.
  return (
    hidden ||
    attributes.get("aria-hidden") === "true" ||
    attributes.has("style") ||
    noiseClass.test(attributes.get("class") ?? "")
  );
}

/** Numbers beside code, by their name and by being nothing but numbers. */
function isLineNumbers(events: readonly HtmlEvent[], index: number, { attributes, close }: OpenEvent): boolean {
  if (!lineNumberClass.test(attributes.get("class") ?? "")) return false;
  for (let inner = index + 1; inner < close; inner++) {
    const event = events[inner];
    if (event?.type === "text" && !/^[\s\d]*$/.test(event.text)) return false;
  }
  return true;
}

function isFurniture({ tag, attributes }: OpenEvent, inText: boolean): boolean {
  if (tag === "nav") return true;
  if (tag === "header" || tag === "footer" || tag === "aside") return !inText;
  const role = attributes.get("role");
  if (role === undefined) return false;
  if (role === "complementary" || role === "status" || role === "alert") return !inText;
  return furnitureRoles.has(role);
}

function popsUp({ attributes }: OpenEvent): boolean {
  const popup = attributes.get("aria-haspopup");
  return popup !== undefined && popup !== "false";
}

function countVisible(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x20) count++;
  return count;
}
