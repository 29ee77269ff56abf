import { describe, expect, it } from "vitest";
import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import { describeElement } from "../../src/readers/describe-element.ts";
import { listLeaves, walkSections } from "../../src/text/walk-sections.ts";
import { documentOf } from "../../src/testing/store-fixtures.ts";

const document = documentOf("book.md", "# One\n\n## Heron\n\nIt waits.\n\n## Otter\n\nIt swims.\n", {
  title: "Birds",
  metadata: { year: 2026 },
});

describe("elements of a tree [E3 E4 E7 E10]", () => {
  it("have the labels of their kind", () => {
    const chunk = [...createSectionChunker().chunk(document)][0]!;
    const labels = (element?: Parameters<typeof describeElement>[1]): readonly string[] =>
      describeElement(document, element).labels.toSorted();
    const [root, container, leaf] = [...walkSections(document.root)];
    expect(labels()).toEqual(["ContentElement", "ContentRoot", "Document"]);
    expect(labels(root)).toEqual(labels());
    expect(labels(container)).toEqual(["ContainerSection", "ContentElement", "Section"]);
    expect(labels(leaf)).toEqual(["ContentElement", "LeafSection", "Section"]);
    expect(labels(chunk)).toEqual(["Chunk", "ContentElement"]);
  });

  it("know their parent, up to the document", () => {
    const byId = new Map(
      [...walkSections(document.root)].map((section) => {
        const element = describeElement(document, section);
        return [element.id, element] as const;
      }),
    );
    expect(byId.size).toBe(4);
    for (const leaf of listLeaves(document.root)) {
      const way: string[] = [];
      for (let at = describeElement(document, leaf); ; at = byId.get(at.parentId ?? "")!) {
        way.push(at.id);
        if (at.parentId === null) break;
      }
      expect(way).toEqual([`${document.id}#${leaf.id}`, `${document.id}#0.0`, document.id]);
    }
    for (const chunk of createSectionChunker({ maxSize: 20, overlap: 0 }).chunk(document))
      expect(byId.has(describeElement(document, chunk).parentId ?? "")).toBe(true);
  });

  it("say what stands for them where they are embedded", () => {
    const value = (id: string): string => {
      const section = [...walkSections(document.root)].find((each) => each.id === id)!;
      return describeElement(document, section).embeddableValue;
    };
    expect(["0", "0.0", "0.0.0", "0.0.1"].map(value)).toEqual(["Birds", "One", "Heron\nIt waits.", "Otter\nIt swims."]);
    const [chunk] = createSectionChunker().chunk(document);
    expect(describeElement(document, { ...chunk!, text: "written around" }).embeddableValue).toBe("written around");
  });

  it("say what of them is worth keeping: what names them, what they say, and their metadata", () => {
    const { id, uri } = document;
    const [leaf] = listLeaves(document.root);
    expect(describeElement(document).propertiesToPersist).toEqual({ id, uri, title: "Birds", year: 2026 });
    expect(describeElement(document, leaf).propertiesToPersist).toEqual({
      id: `${id}#0.0.0`,
      uri,
      parentId: `${id}#0.0`,
      title: "Heron",
      text: "It waits.",
      year: 2026,
    });
    const [chunk] = createSectionChunker().chunk(document);
    expect(describeElement(document, chunk).propertiesToPersist).toMatchObject({
      id: chunk!.id,
      text: chunk!.text,
      urtext: chunk!.urtext,
      year: 2026,
    });
  });

  it("have the time at which their document was taken in, where it has one [E3]", () => {
    const stored = { ...document, ingestedAt: "2026-11-23T10:00:00.000Z" };
    const [chunk] = createSectionChunker().chunk(document);
    for (const element of [stored, ...walkSections(document.root), chunk!])
      expect(describeElement(stored, element).propertiesToPersist["ingestionTimestamp"]).toBe(stored.ingestedAt);
    expect(describeElement(document, chunk).propertiesToPersist).not.toHaveProperty("ingestionTimestamp");
  });
});
