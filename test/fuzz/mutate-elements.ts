import type { Random } from "../../src/testing/random.ts";
import { numbers } from "./mutate-tokens.ts";

/** An element of a source: where it begins and where it ends, its tags included. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * A source of XML whose elements were changed and which is well formed all the same, so that its reader gets past the parser: elements taken out, doubled,
 * moved, nested, numbers of attributes and texts made strange.
 */
export function mutateElements(
  source: string,
  nests: readonly (readonly [open: string, close: string])[],
  random: Random,
): string {
  let out = source;
  for (let count = 1 + random.below(5); count > 0; count--) out = change(out, nests, random);
  return out.length > 2_000_000 ? source : out;
}

function change(source: string, nests: readonly (readonly [string, string])[], random: Random): string {
  const elements = findElements(source);
  if (elements.length < 2) return source;
  // The root stays: without it nothing is left to try.
  const { start, end } = elements[1 + random.below(elements.length - 1)] as Span;
  const element = source.slice(start, end);
  const put = (text: string): string => source.slice(0, start) + text + source.slice(end);
  switch (random.below(10)) {
    case 0:
      return put("");
    case 1:
      return put(element.repeat(2 + random.below(random.pick([3, 30, 300]))));
    case 2: {
      const other = elements[1 + random.below(elements.length - 1)] as Span;
      return put(source.slice(other.start, other.end));
    }
    case 3: {
      const [open, close] = random.pick(nests);
      const depth = 1 + random.below(random.pick([3, 30, 300, 3000]));
      return put(open.repeat(depth) + element + close.repeat(depth));
    }
    case 4:
      return put(element.replace(/ [\w:]+="[^"]*"/u, ""));
    case 5:
    case 6:
      return put(
        replaceOne(
          element,
          /(?<==")[^"]*\d[^"]*(?=")/gu,
          (value) => value.replace(/\d+/u, random.pick(numbers)),
          random,
        ),
      );
    case 7:
      return put(
        replaceOne(
          element,
          /(?<==")[^"]*(?=")/gu,
          () =>
            random.pick([
              "",
              "0",
              "true",
              "none",
              "x".repeat(3000),
              "../../a",
              "&#x10FFFF;",
              "rId1",
              "rId999",
              "A1:XFD1048576",
            ]),
          random,
        ),
      );
    case 8:
      return put(
        replaceOne(
          element,
          /(?<=>)[^<>]+(?=<)/gu,
          () =>
            random.pick([
              "",
              " ",
              "&amp;lt;",
              "&#10;",
              "9".repeat(400),
              "-1",
              "1e999",
              "無 👍🏽 e\u0301",
              "a\tb",
              "&#xFFFD;",
            ]),
          random,
        ),
      );
    default: {
      // From here to there.
      const place = elements[random.below(elements.length)] as Span;
      const inside = source.indexOf(">", place.start) + 1;
      return source.slice(0, inside) + element + source.slice(inside);
    }
  }
}

function replaceOne(text: string, pattern: RegExp, replace: (found: string) => string, random: Random): string {
  const found = Array.from(text.matchAll(pattern));
  if (found.length === 0) return text;
  const { index, 0: match } = random.pick(found);
  return text.slice(0, index) + replace(match) + text.slice(index + match.length);
}

/** Elements in the order of their beginnings. **Shape** whatever is not closed in its parent is left out. */
function findElements(source: string): readonly Span[] {
  const open: { name: string; start: number }[] = [];
  const spans: Span[] = [];
  for (const { index, 0: tag, 1: slash, 2: name = "", 3: empty } of source.matchAll(
    /<(\/?)([\w:.-]+)[^<>]*?(\/?)>/gu,
  )) {
    if (slash === "/") {
      if (open.at(-1)?.name !== name) continue;
      spans.push({ start: open.pop()?.start ?? 0, end: index + tag.length });
    } else if (empty === "/") spans.push({ start: index, end: index + tag.length });
    else open.push({ name, start: index });
  }
  return spans.toSorted((a, b) => a.start - b.start);
}
