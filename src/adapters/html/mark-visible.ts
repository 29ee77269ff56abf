import { noiseClass } from "./html-classes.ts";
import { prose, sectioning, skipped } from "./html-elements.ts";
import type { HtmlEvent, OpenEvent } from "./html-events.ts";

/** A run of events to be read: the open event at `start` to its close event at `end`, or the whole page. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

/** Parts of a page that serve to get around it. **Source** WAI-ARIA 1.2 landmarks and widgets. */
const furnitureRoles = new Set(
  "alert alertdialog banner complementary contentinfo dialog menu menubar navigation search searchbox slider spinbutton status switch tablist textbox toolbar tooltip tree".split(
    " ",
  ),
);

interface Around {
  readonly index: number;
  readonly event: OpenEvent;
  readonly textBefore: number;
  holdsMenu: boolean;
}

/**
 * Marks what is not read, and finds the main content.
 *
 * Dropped are: what is hidden (`hidden`, `aria-hidden`, `display: none`), what is never text (scripts, media, form controls), navigation,
 * menus that pop up, and the header, footer and asides of the page — not those of an article or of the main content, whose titles and notes they hold.
 * The main content is what `<main>` or `role=main` holds; else all outermost `<article>`s, when they hold at least half of what is visible; else the page.
 * When nothing is left that way, only what is hidden stays dropped.
 *
 * **Shape** regions in order, disjoint. **Cost** linear in the events.
 */
export function markVisible(events: readonly HtmlEvent[]): readonly Region[] {
  return findRegions(events, false) ?? findRegions(events, true) ?? [];
}

function findRegions(events: readonly HtmlEvent[], keepFurniture: boolean): readonly Region[] | undefined {
  const around: Around[] = [];
  const mains: (Region & { text: number })[] = [];
  const articles: (Region & { text: number })[] = [];
  let visible = 0;
  let scopes = 0;
  for (let index = 0; index < events.length; index++) {
    const event = events[index];
    if (event?.type === "open") {
      event.dropped = isHidden(event) || (!keepFurniture && isFurniture(event, scopes > 0));
      event.holdsBlocks = false;
      const parent = around[around.length - 1];
      if (parent !== undefined && !keepFurniture && popsUp(event)) parent.holdsMenu = true;
      if (event.dropped) {
        index = event.close;
        continue;
      }
      around.push({ index, event, textBefore: visible, holdsMenu: false });
      if (sectioning.has(event.tag)) scopes++;
    } else if (event?.type === "close") {
      const ended = around.pop();
      if (ended === undefined) continue;
      const { event: opened, index: start, textBefore } = ended;
      if (sectioning.has(opened.tag)) scopes--;
      const parent = around[around.length - 1];
      if (ended.holdsMenu && !opened.holdsBlocks && /^(?:div|span|li)$/.test(opened.tag)) {
        opened.dropped = true;
        visible = textBefore;
        continue;
      }
      if (parent !== undefined && (opened.holdsBlocks || prose(opened.tag))) parent.event.holdsBlocks = true;
      const text = visible - textBefore;
      if (text === 0) continue;
      const region = { start, end: index, text };
      if (isMain(opened)) addOutermost(mains, region);
      else if (opened.tag === "article") addOutermost(articles, region);
    } else if (event !== undefined) {
      visible += countVisible(event.text);
    }
  }
  if (visible === 0) return undefined;
  if (mains.length > 0) return mains;
  const inArticles = articles.reduce((sum, { text }) => sum + text, 0);
  return inArticles * 2 >= visible ? articles : [{ start: 0, end: events.length - 1 }];
}

/** Inner regions close first: an outer one takes the place of those it holds. */
function addOutermost<T extends Region>(regions: T[], region: T): void {
  while ((regions[regions.length - 1]?.start ?? -1) > region.start) regions.pop();
  regions.push(region);
}

function isMain({ tag, attributes }: OpenEvent): boolean {
  return tag === "main" || attributes.get("role") === "main";
}

function isHidden({ tag, attributes }: OpenEvent): boolean {
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
