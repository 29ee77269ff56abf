import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { mediaTypeOfName } from "../../src/readers/media-type-names.ts";
import { defaultReadLimits } from "../../src/readers/read-limits.ts";
import { createReaders } from "../../src/readers/create-readers.ts";

const page = readFileSync(new URL("../../docs/formats.md", import.meta.url), "utf8");
const nameOf = ({ name }: { readonly name: string }): string => name.split(/[/+]/u, 1)[0] ?? "";
const rows = page
  .split("\n")
  .filter((line) => /^\| [^|]+ \| `/u.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, , reader = "", extensions = ""]) => ({
    reader: reader.replaceAll("`", ""),
    extensions: [...extensions.matchAll(/`(\w+)`/gu)].map(([, extension = ""]) => extension),
  }));

describe("the page of formats", () => {
  it("has a row for each reader", () => {
    expect(rows.map(({ reader }) => reader).toSorted()).toEqual(createReaders().map(nameOf).toSorted());
  });

  it.each(rows)("names files that $reader reads", ({ reader, extensions }) => {
    expect(extensions.length).toBeGreaterThan(0);
    const readers = createReaders();
    const read = extensions.map((extension) => {
      const mediaType = mediaTypeOfName(`a.${extension}`) ?? "";
      const first = readers.find((each) => each.accepts(mediaType));
      return [extension, first && nameOf(first)];
    });
    expect(read).toEqual(extensions.map((extension) => [extension, reader]));
  });

  it("says the limits as they are", () => {
    const {
      maxBytes,
      maxExpandedBytes,
      maxTextLength,
      maxPages,
      maxCells,
      maxParts,
      maxDepth,
      timeoutMs,
      maxMemoryBytes,
    } = defaultReadLimits;
    const inMebibytes = (bytes: number): string => `${bytes / 2 ** 20} Mi`;
    const said = [
      `${inMebibytes(maxBytes)}B of bytes`,
      `${inMebibytes(maxExpandedBytes)}B unpacked`,
      `${inMebibytes(maxTextLength)} characters`,
      `${maxPages.toLocaleString("en")} pages`,
      `${maxCells.toLocaleString("en")} cells`,
      `${maxParts.toLocaleString("en")} parts`,
      `${maxDepth} levels`,
      `${timeoutMs / 1000} seconds`,
      `${maxMemoryBytes / 2 ** 30} GiB of memory`,
    ];
    for (const each of said) expect(page).toContain(each);
  });
});
