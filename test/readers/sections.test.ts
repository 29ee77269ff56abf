import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Section } from "../../src/contracts/document.ts";
import type { IbidError } from "../../src/contracts/errors.ts";
import { buildSections, type Heading } from "../../src/readers/build-sections.ts";
import { findSectionPath, listDescendants, listLeaves, walkSections } from "../../src/text/walk-sections.ts";

const heading = (title: string, level: number, start: number): Heading => ({
  title,
  level,
  start,
  contentStart: start + 1,
});
const outline = (root: Section): string[] =>
  [...walkSections(root)].map(({ id, title, level, start, end }) => `${id} ${title} ${level} ${start}-${end}`);

describe("buildSections", () => {
  it("makes a root that spans a text without headings [E2]", () => {
    expect(buildSections("hello", "t", [])).toEqual({
      id: "0",
      title: "t",
      level: 0,
      start: 0,
      end: 5,
      contentStart: 0,
      children: [],
    });
  });

  it("nests by level, lets levels jump, and ends a section where what follows begins [E2 E8]", () => {
    const root = buildSections("x".repeat(100), "t", [
      heading("a", 1, 10),
      heading("b", 3, 20),
      heading("c", 2, 30),
      heading("d", 2, 40),
      heading("e", 1, 50),
      heading("f", 6, 60),
    ]);
    expect(outline(root)).toEqual([
      "0 t 0 0-100",
      "0.0 a 1 10-50",
      "0.0.0 b 3 20-30",
      "0.0.1 c 2 30-40",
      "0.0.2 d 2 40-50",
      "0.1 e 1 50-100",
      "0.1.0 f 6 60-100",
    ]);
  });

  it("ends a section where its heading says, and never beyond the one around it [E2]", () => {
    const root = buildSections("x".repeat(100), "t", [
      { ...heading("a", 1, 10), end: 40 },
      { ...heading("b", 2, 20), end: 30 },
      { ...heading("c", 2, 35), end: 90 },
      heading("d", 2, 50),
    ]);
    expect(outline(root)).toEqual([
      "0 t 0 0-100",
      "0.0 a 1 10-40",
      "0.0.0 b 2 20-30",
      "0.0.1 c 2 35-40",
      "0.1 d 2 50-100",
    ]);
  });

  it.each([
    ["that end before their text begins", [{ ...heading("a", 1, 2), end: 2 }]],
    ["out of order", [heading("a", 1, 5), heading("b", 1, 2)]],
    ["overlapping", [{ title: "a", level: 1, start: 0, contentStart: 5 }, heading("b", 1, 3)]],
    ["outside the text", [heading("a", 1, 10)]],
    ["of level 0", [heading("a", 0, 1)]],
    ["of level 7", [heading("a", 7, 1)]],
    ["of a level that is no number", [heading("a", Number.NaN, 1)]],
    ["at a place that is no number", [heading("a", 1, Number.NaN)]],
  ])("refuses headings %s [E2]", (_, headings) => {
    expect(() => buildSections("0123456789", "t", headings)).toThrow(
      expect.objectContaining({ code: "invalid-argument" }) as IbidError,
    );
  });

  it("keeps siblings disjoint and children inside their parent, whatever the levels [E2 E13]", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 60 }), (levels) => {
        const text = "x".repeat(levels.length * 3 + 1);
        const root = buildSections(
          text,
          "t",
          levels.map((level, index) => heading(String(index), level, index * 3)),
        );
        const all = [...walkSections(root)];
        expect(all.slice(1).map(({ title, level }) => [title, level])).toEqual(
          levels.map((level, index) => [String(index), level]),
        );
        expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
        for (const section of all) {
          let reached = section.contentStart;
          for (const child of section.children) {
            expect(child.start).toBeGreaterThanOrEqual(reached);
            expect(child.level).toBeGreaterThan(section.level);
            reached = child.end;
          }
          // The last child ends with its parent: no text falls between them.
          expect(section.children.length === 0 || reached === section.end).toBe(true);
          expect(findSectionPath(root, section.id)?.at(-1)).toBe(section);
        }
      }),
    );
  });

  it("takes a quarter of a million headings in a moment's memory [E2]", () => {
    const headings = Array.from({ length: 250_000 }, (_, index) => heading("h", (index % 6) + 1, index * 2));
    expect([...walkSections(buildSections("x".repeat(500_000), "t", headings))]).toHaveLength(250_001);
  });
});

describe("walking sections", () => {
  const root = buildSections("x".repeat(100), "t", [
    heading("a", 1, 10),
    heading("a1", 2, 20),
    heading("a2", 2, 30),
    heading("a2i", 3, 35),
    heading("b", 1, 50),
  ]);

  it("lists everything below, in reading order [E13]", () => {
    expect(listDescendants(root).map(({ title }) => title)).toEqual(["a", "a1", "a2", "a2i", "b"]);
  });

  it("lists direct leaves before nested ones [E13]", () => {
    expect(listLeaves(root).map(({ title }) => title)).toEqual(["b", "a1", "a2i"]);
  });

  it("finds the way from the root, which names every parent [E2 E7 E12]", () => {
    expect(findSectionPath(root, "0.0.1.0")?.map(({ title }) => title)).toEqual(["t", "a", "a2", "a2i"]);
    expect(findSectionPath(root, "0")).toEqual([root]);
    for (const id of ["0.7", "1", "0.00", "0.0.x", "", "0."]) expect(findSectionPath(root, id)).toBeUndefined();
  });
});
