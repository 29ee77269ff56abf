import { describe, expect, it } from "vitest";

import { createTransformer } from "../../../src/chunkers/transformers/create-transformer.ts";
import { createSectionChunker } from "../../../src/chunkers/section-chunker.ts";
import { createStructureTransformer } from "../../../src/chunkers/transformers/structure-transformer.ts";
import { createTitleTransformer } from "../../../src/chunkers/transformers/title-transformer.ts";
import { transformChunks } from "../../../src/chunkers/transformers/transform-chunks.ts";
import type { Chunk } from "../../../src/contracts/chunk.ts";
import type { ChunkTransformer } from "../../../src/contracts/chunker.ts";
import { IbidError } from "../../../src/contracts/errors.ts";
import { markdown } from "../generated-document.ts";

const document = {
  ...markdown("# Guide\n\n## Keys\n\nRotate them.\n\n## Scopes\n\nUse few.\n"),
  title: "The\nGuide",
  metadata: { year: 2024 },
};
const chunks = [...createSectionChunker({ maxSize: 35, overlap: 0 }).chunk(document)];
const context = { document };

const refusal = async (work: Promise<unknown>): Promise<IbidError> => {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!IbidError.isInstance(error)) throw new Error("no IbidError");
  return error;
};

describe("transformChunks", () => {
  it("hands chunks through as they are without transformers [E19]", async () => {
    expect(await transformChunks(chunks, [], context)).toEqual(chunks);
  });

  it("gives each transformer what the one before it made, and marks each [E19 E20]", async () => {
    const shout = createTransformer({ name: "shout", text: (chunk) => chunk.text.toUpperCase() });
    const quote = createTransformer({
      name: "quote",
      text: (chunk) => `"${chunk.text}"`,
      metadata: () => ({ quoted: true }),
    });
    const [first] = await transformChunks(chunks, [shout, quote], context);
    expect(first?.text).toBe(`"${chunks[0]?.text.toUpperCase()}"`);
    expect(first?.metadata).toEqual({ year: 2024, quoted: true, transform_shout: true, transform_quote: true });
    expect(first).toMatchObject({ id: chunks[0]?.id, urtext: chunks[0]?.urtext, start: chunks[0]?.start });
    const [reversed] = await transformChunks(chunks, [quote, shout], context);
    expect(reversed?.text).toBe(`"${chunks[0]?.text}"`.toUpperCase());
  });

  it("lets the new text see the new metadata, in that order, and marks last [E19]", async () => {
    const transformer = createTransformer({
      name: "year",
      metadata: async (chunk, { document: { uri } }) => ({ year: Number(chunk.metadata["year"]) + 1, from: uri }),
      text: (chunk) => JSON.stringify(chunk.metadata),
    });
    const [first] = await transformChunks(chunks, [transformer], context);
    expect(first?.text).toBe(JSON.stringify({ year: 2025, from: "docs/a.md" }));
    expect(first?.metadata).toEqual({ year: 2025, from: "docs/a.md", transform_year: true });
    expect(chunks[0]?.metadata).toEqual({ year: 2024 });
  });

  it("marks for a transformer that does not do so itself, synchronous or not [E19]", async () => {
    const plain: ChunkTransformer = { name: "plain", transform: (chunk) => ({ ...chunk, text: "x" }) };
    const later: ChunkTransformer = { name: "later", transform: async (chunk) => ({ ...chunk, text: "y" }) };
    const [first] = await transformChunks(chunks, [plain, later], context);
    expect(first?.metadata).toMatchObject({ transform_plain: true, transform_later: true });
  });

  it("refuses a transformer that moves what citations stand on [E11 E19]", async () => {
    const changes: Partial<Chunk>[] = [
      { id: "else" },
      { documentId: "else" },
      { urtext: "else" },
      { start: 1 },
      { end: 1 },
      { text: 7 as never },
    ];
    for (const change of changes) {
      const broken: ChunkTransformer = { name: "broken", transform: (chunk) => ({ ...chunk, ...change }) };
      const error = await refusal(transformChunks(chunks, [broken], context));
      expect([error.code, error.details["changed"]]).toEqual(["invalid-response", Object.keys(change)[0]]);
    }
    const nothing: ChunkTransformer = { name: "nothing", transform: () => undefined as never };
    expect((await refusal(transformChunks(chunks, [nothing], context))).code).toBe("invalid-response");
  });

  it("refuses a transformer without a name", async () => {
    expect(() => createTransformer({ name: " " })).toThrow(IbidError);
    const unnamed: ChunkTransformer = { name: "", transform: (chunk) => chunk };
    expect((await refusal(transformChunks(chunks, [unnamed], context))).code).toBe("invalid-argument");
    expect(() => createTransformer({ name: "a", newText: () => "" } as never)).toThrow(IbidError);
  });
});

describe("createTitleTransformer", () => {
  it("writes title, uri and section before the text, one line each [E19]", async () => {
    const transformed = await transformChunks(chunks, [createTitleTransformer()], context);
    expect(transformed[0]?.text).toBe(
      `# Title: The Guide\n# URI: docs/a.md\n# Section: Guide > Keys\n${chunks[0]?.urtext}`.replace(
        "Guide > Keys",
        chunks[0]?.headings.join(" > ") ?? "",
      ),
    );
    expect(transformed.at(-1)?.text).toBe(
      "# Title: The Guide\n# URI: docs/a.md\n# Section: Guide > Scopes\n## Scopes\n\nUse few.",
    );
    expect(transformed.at(-1)?.urtext).toBe("## Scopes\n\nUse few.");
    expect(transformed.at(-1)?.metadata["transform_add-titles"]).toBe(true);
  });

  it("leaves out what there is not", async () => {
    const [bare] = await transformChunks(
      [{ ...chunks[0]!, title: "", headings: [] }],
      [createTitleTransformer()],
      context,
    );
    expect(bare?.text).toBe(`# URI: docs/a.md\n${chunks[0]?.text}`);
  });
});

describe("createStructureTransformer", () => {
  it("writes place and headings under the seeds' names [B10 E12]", async () => {
    const transformed = await transformChunks(chunks, [createStructureTransformer()], context);
    expect(transformed.at(-1)?.metadata).toEqual({
      year: 2024,
      chunk_index: 1,
      sequence_number: 1,
      root_document_id: "doc",
      root_document_title: "The\nGuide",
      header: "Scopes",
      header1: "Guide",
      header2: "Scopes",
      container_section_id: "0.0",
      container_section_title: "Guide",
      container_section_url: "docs/a.md",
      leaf_section_id: "0.0.1",
      leaf_section_title: "Scopes",
      leaf_section_url: "docs/a.md",
      transform_structure: true,
    });
    expect(transformed[0]?.metadata).toMatchObject({ header: "Guide", container_section_id: "0.0" });
    expect(transformed[0]?.metadata).not.toHaveProperty("leaf_section_id");
  });

  it("counts the chunks of the document where that is asked for [E12]", async () => {
    const transformed = await transformChunks(chunks, [createStructureTransformer({ totalChunks: true })], context);
    expect(transformed.map(({ metadata }) => metadata["total_chunks"])).toEqual(chunks.map(() => chunks.length));
    expect(() => createStructureTransformer({ totalChunks: 3 as never })).toThrow(/totalChunks is 3/u);
  });

  it("names the language of code that a chunk lies in [B10]", async () => {
    const code = markdown(`# A\n\nText before the code.\n\n\`\`\`ts\nconst a = 1;\nconst b = 2;\n\`\`\`\n`);
    const withLanguage = {
      ...code,
      blocks: code.blocks?.map((block) => (block.kind === "code" ? { ...block, language: "ts" } : block)) ?? [],
    };
    const cut = [...createSectionChunker({ maxSize: 40, overlap: 0 }).chunk(withLanguage)];
    const transformed = await transformChunks(cut, [createStructureTransformer()], { document: withLanguage });
    expect(transformed.map((chunk) => chunk.metadata["code_language"])).toEqual([undefined, "ts"]);
  });
});
