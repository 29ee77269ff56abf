import { describe, expect, it } from "vitest";
import { cutAnswer } from "../../src/answers/given/cut-answer.ts";
import { placeSpan } from "../../src/answers/given/place-span.ts";
import { readAnswer, readCitations } from "../../src/answers/given/read-answer.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { AnswerFormat, GivenAnswer } from "../../src/contracts/verification.ts";

const keys = "Signing keys live ninety days.";
const backups = "Backups run every night at two.";

/** Each sentence with what its citations quote, or the sources that they name. */
function cited(answer: GivenAnswer): readonly (readonly [string, readonly string[]])[] {
  return cutAnswer(answer).map(({ cut, citations }) => [
    cut.words,
    citations.map((index) => {
      const { quote, uri, title } = answer.citations[index]!;
      return quote ?? uri ?? title ?? "";
    }),
  ]);
}

/** Responses after the vendors' documentation, each of the same answer. */
const responses: Readonly<Record<string, readonly [format: AnswerFormat, answer: object, cited: readonly unknown[]]>> =
  {
    "Anthropic, characters, pages and blocks": [
      "anthropic",
      {
        type: "message",
        role: "assistant",
        content: [
          { type: "text", text: "Keys " },
          {
            type: "text",
            text: "live ninety days.",
            citations: [
              {
                type: "char_location",
                cited_text: keys,
                document_index: 0,
                document_title: "Keys",
                start_char_index: 0,
                end_char_index: 30,
              },
              {
                type: "page_location",
                cited_text: "Page",
                document_index: 1,
                document_title: null,
                start_page_number: 1,
                end_page_number: 2,
              },
            ],
          },
          { type: "text", text: " " },
          {
            type: "text",
            text: "Backups run at two.",
            citations: [
              {
                type: "content_block_location",
                cited_text: backups,
                document_index: 0,
                document_title: "B",
                start_block_index: 0,
                end_block_index: 1,
              },
              {
                type: "search_result_location",
                cited_text: "Found",
                source: "docs/b.md",
                title: "B",
                search_result_index: 0,
                start_block_index: 0,
                end_block_index: 1,
              },
            ],
          },
        ],
      },
      [
        ["Keys live ninety days.", [keys, "Page"]],
        ["Backups run at two.", [backups, "Found"]],
      ],
    ],
    "Cohere, version 2": [
      "cohere",
      {
        id: "c1",
        message: {
          role: "assistant",
          content: [{ type: "text", text: "Keys 🔑 live ninety days. Backups run at two." }],
          citations: [
            // Code points: the key takes one.
            {
              start: 7,
              end: 23,
              text: "live ninety days",
              sources: [{ type: "document", id: "doc:0", document: { id: "doc:0", title: "Keys", snippet: keys } }],
              type: "TEXT_CONTENT",
            },
            {
              start: 25,
              end: 32,
              text: "Backups",
              sources: [{ type: "tool", id: "search:0", tool_output: { text: backups } }],
            },
          ],
        },
      },
      [
        ["Keys 🔑 live ninety days.", [keys]],
        ["Backups run at two.", [backups]],
      ],
    ],
    "Cohere, version 1": [
      "cohere",
      {
        text: "Keys live ninety days. Backups run at two.",
        citations: [{ start: 23, end: 30, text: "Backups", document_ids: ["b"] }],
        documents: [
          { id: "a", snippet: keys },
          { id: "b", snippet: backups },
        ],
      },
      [
        ["Keys live ninety days.", []],
        ["Backups run at two.", [backups]],
      ],
    ],
    "OpenAI, Responses": [
      "openai",
      {
        object: "response",
        output: [
          {
            type: "file_search_call",
            id: "fs_1",
            status: "completed",
            queries: ["keys"],
            results: [{ file_id: "file-1", filename: "keys.md", score: 0.9, text: keys }],
          },
          {
            type: "message",
            role: "assistant",
            content: [
              {
                type: "output_text",
                text: "Keys live ninety days. Backups run at two ([b](https://b.example/x)).",
                annotations: [
                  { type: "file_citation", index: 21, file_id: "file-1", filename: "keys.md" },
                  { type: "url_citation", start_index: 42, end_index: 68, url: "https://b.example/x", title: "b" },
                ],
              },
            ],
          },
        ],
      },
      [
        ["Keys live ninety days.", ["keys.md"]],
        ["Backups run at two.", ["https://b.example/x"]],
      ],
    ],
    "OpenAI, Assistants": [
      "openai",
      {
        object: "thread.message",
        role: "assistant",
        content: [
          {
            type: "text",
            text: {
              value: "Keys live ninety days【4:0†keys.md】. Backups run at two.",
              annotations: [
                {
                  type: "file_citation",
                  text: "【4:0†keys.md】",
                  start_index: 21,
                  end_index: 34,
                  file_citation: { file_id: "file-1", quote: keys },
                },
              ],
            },
          },
        ],
      },
      [
        ["Keys live ninety days.", [keys]],
        ["Backups run at two.", []],
      ],
    ],
    "OpenAI, Chat Completions": [
      "openai",
      {
        object: "chat.completion",
        choices: [
          {
            message: {
              role: "assistant",
              content: "Keys live ninety days. Backups run at two.",
              annotations: [
                {
                  type: "url_citation",
                  url_citation: { url: "https://k.example", title: "k", start_index: 0, end_index: 22 },
                },
              ],
            },
          },
        ],
      },
      [
        ["Keys live ninety days.", ["https://k.example"]],
        ["Backups run at two.", []],
      ],
    ],
    "Vertex, grounding metadata in bytes": [
      "vertex",
      {
        candidates: [
          {
            content: { role: "model", parts: [{ text: "Schlüssel: ninety days. Backups run at two." }] },
            groundingMetadata: {
              groundingChunks: [
                { retrievedContext: { uri: "gs://k", title: "Keys", text: keys } },
                { web: { uri: "https://b.example", title: "b" } },
              ],
              groundingSupports: [
                { segment: { startIndex: 0, endIndex: 24 }, groundingChunkIndices: [0], confidenceScores: [0.9] },
                { segment: { startIndex: 25, endIndex: 44, text: "Backups run at two." }, groundingChunkIndices: [1] },
              ],
            },
          },
        ],
      },
      [
        ["Schlüssel: ninety days.", [keys]],
        ["Backups run at two.", ["https://b.example"]],
      ],
    ],
    "Vertex, as its Python client prints it": [
      "vertex",
      {
        candidates: [
          {
            content: { parts: [{ text: "Keys live ninety days." }] },
            grounding_metadata: {
              grounding_chunks: [{ retrieved_context: { uri: "gs://k", text: keys } }],
              grounding_supports: [{ segment: { end_index: 22 }, grounding_chunk_indices: [0] }],
            },
          },
        ],
      },
      [["Keys live ninety days.", [keys]]],
    ],
    "Vertex, grounding check": [
      "vertex",
      {
        supportScore: 0.9,
        citedChunks: [{ chunkText: keys, source: "3", index: 0 }],
        claims: [
          {
            startPos: 0,
            endPos: 22,
            claimText: "Keys live ninety days.",
            citationIndices: [0],
            groundingCheckRequired: true,
          },
          { startPos: 23, endPos: 42, claimText: "Backups run at two.", citationIndices: [] },
        ],
      },
      [
        ["Keys live ninety days.", [keys]],
        ["Backups run at two.", []],
      ],
    ],
    "AI SDK, a message with sources": [
      "ai-sdk",
      {
        id: "m1",
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "text", text: "Keys live ninety days." },
          {
            type: "source-document",
            sourceId: "1",
            mediaType: "text/plain",
            title: "Keys",
            filename: "keys.md",
            providerMetadata: { anthropic: { citedText: keys } },
          },
          { type: "text", text: " Backups run at two." },
          { type: "source-url", sourceId: "2", url: "https://b.example", title: "b" },
        ],
      },
      [
        ["Keys live ninety days.", [keys]],
        ["Backups run at two.", ["https://b.example"]],
      ],
    ],
    "AI SDK, numbers in the text": [
      "ai-sdk",
      {
        text: "Keys live ninety days [1]. Backups run at two [2].",
        sources: [
          { type: "source", sourceType: "document", id: "1", mediaType: "text/plain", title: "keys.md" },
          { type: "source", sourceType: "url", id: "2", url: "https://b.example" },
        ],
      },
      [
        ["Keys live ninety days.", ["keys.md"]],
        ["Backups run at two.", ["https://b.example"]],
      ],
    ],
    "AI SDK, cited words of a text part": [
      "ai-sdk",
      [
        { role: "user", parts: [{ type: "text", text: "How long?" }] },
        {
          role: "assistant",
          parts: [
            {
              type: "text",
              text: "Keys live ninety days.",
              citations: [{ source: { type: "source", sourceType: "document", title: "k" }, citedText: keys }],
            },
          ],
        },
      ],
      [["Keys live ninety days.", [keys]]],
    ],
    "ibid's own": [
      "ibid",
      {
        kind: "written",
        question: "?",
        text: "Keys live ninety days [1].",
        citations: [{ marker: "[1]", uri: "keys.md", title: "Keys", quote: keys, start: 0, end: 30 }],
      },
      [["Keys live ninety days.", [keys]]],
    ],
  };

/** The result of a call, or the code of its error. */
function codeOf(call: () => boolean): string {
  try {
    return String(call());
  } catch (error) {
    return IbidError.isInstance(error) ? error.code : String(error);
  }
}

describe("an answer of an API", () => {
  it.each(Object.entries(responses))(
    "is read with the citations of each sentence: %s",
    (_, [format, answer, expected]) => {
      const read = readAnswer(answer);
      expect(read.format).toBe(format);
      expect(cited(read)).toEqual(expected);
      expect(readAnswer(answer, format)).toEqual(read);
      // As a file holds it.
      expect(readAnswer(JSON.parse(JSON.stringify(answer)) as object)).toEqual(read);
    },
  );

  it("in no known form, or not in the form that is named, is refused with the next action", () => {
    for (const [answer, format] of [
      [{}, undefined],
      [[], undefined],
      [{ text: "Bare." }, undefined],
      [{ content: "Bare." }, "anthropic"],
      [responses["Cohere, version 2"]![1], "openai"],
      ["A text.", "cohere"],
      [{}, "markdown"],
    ] as const) {
      expect(() => readAnswer(answer, format)).toThrow(
        expect.objectContaining({ code: "invalid-argument", hint: expect.stringMatching(/Give/u) }),
      );
    }
  });

  it("survives fields of any other type", () => {
    for (const [, [, answer]] of Object.entries(responses)) {
      const text = JSON.stringify(answer);
      for (const broken of [null, 7, "x", [], {}]) {
        for (const name of new Set(text.match(/"\w+"(?=:)/gu))) {
          const changed = JSON.parse(text, (key, value: unknown) =>
            key === name.slice(1, -1) ? broken : value,
          ) as object;
          expect(codeOf(() => cutAnswer(readAnswer(changed)).every(({ start, end }) => start < end))).toMatch(
            /^(?:true|invalid-argument)$/u,
          );
        }
      }
    }
  });
});

describe("citations beside a text", () => {
  it("are read in each form, and those without a place count for each sentence that has no other", () => {
    const text = "Keys live ninety days. Backups run at two.";
    const read = (citation: object) =>
      cited({ text, format: "markdown", asides: [], citations: readCitations(text, [citation]) });
    expect(read({ quote: keys })).toEqual([
      ["Keys live ninety days.", [keys]],
      ["Backups run at two.", [keys]],
    ]);
    expect(read({ uri: "b.md", textStart: 23, textEnd: 42 })[1]?.[1]).toEqual(["b.md"]);
    expect(
      read({ start: 23, end: 30, text: "Backups", sources: [{ document: { snippet: backups } }] })[1]?.[1],
    ).toEqual([backups]);
    expect(read({ type: "url_citation", url: "https://k", start_index: 0, end_index: 22 })[0]?.[1]).toEqual([
      "https://k",
    ]);
    expect(read({ type: "char_location", cited_text: keys })[0]?.[1]).toEqual([keys]);
    expect(read({ type: "source", sourceType: "url", url: "https://s" })[0]?.[1]).toEqual(["https://s"]);
    expect(() => readCitations(text, [{ score: 1 }])).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});

describe("an answer in Markdown", () => {
  it.each([
    [
      "footnotes",
      `Keys live long [^1]. Backups run [^b].\n\n[^1]: keys.md, "${keys}"\n[^b]: [Backups](docs/b.md)\n`,
      [keys, "docs/b.md"],
    ],
    [
      "a numbered list of sources",
      `Keys live long [1]. Backups run [2].\n\n## Sources\n\n1. keys.md\n2. <https://b.example/x>\n`,
      ["keys.md", "https://b.example/x"],
    ],
    [
      "a list with brackets",
      `Keys live long [1]. Backups run [2].\n\n**References:**\n- [1] keys.md\n- [2] b.md, page 4\n`,
      ["keys.md", "b.md, page 4"],
    ],
    [
      "what ibid ask prints",
      `Keys live long [1]. Backups run [2].\n\n[1] docs/keys.md:3\n    “${keys}”\n[2] docs/b.md\n    “${backups}”\n`,
      [keys, backups],
    ],
    [
      "link definitions",
      `Keys live long [1]. Backups run [2].\n\n[1]: https://k.example\n[2]: b.md\n`,
      ["https://k.example", "b.md"],
    ],
    [
      "other brackets",
      `Keys live long 【1】. Backups run [1, 2].\n\nSources:\n[1] keys.md\n[2] b.md\n`,
      ["keys.md", "keys.md,b.md"],
    ],
  ])("has its markers and %s", (_, text, expected) => {
    const sentences = cited(readAnswer(text));
    expect(sentences.map(([words]) => words)).toEqual(["Keys live long.", "Backups run."]);
    expect(sentences.map(([, sources]) => sources.join(","))).toEqual(expected);
  });

  it("keeps lists, headings and code that are no sources", () => {
    for (const text of [
      "## Sources of error\n\n1. Keys expire.\n2. Backups fail.\n",
      "Run:\n\n```\n[1]: not a definition\n```\n",
      "Steps:\n\n1. Rotate keys.\n2. Log out.\n",
    ]) {
      expect(readAnswer(text)).toMatchObject({ citations: [], asides: [] });
    }
  });
});

describe("a stretch that an API counts", () => {
  it.each([
    ["utf-16", 3, 5],
    ["code-points", 2, 4],
    ["bytes", 5, 7],
  ] as const)("in %s is found", (unit, start, end) => {
    expect(placeSpan("🔑 ab", start, end, { unit })).toEqual([3, 5]);
  });

  it("is where its words are, when these are known", () => {
    expect(placeSpan("🔑 ab xy", 5, 7, { unit: "utf-16", words: "ab" })).toEqual([3, 5]);
    expect(placeSpan("ab ab", 900, 902, { unit: "utf-16", words: "ab" })).toEqual([3, 5]);
    expect(placeSpan("ab", 0, 2, { unit: "utf-16", words: "xy" })).toBeUndefined();
    expect(placeSpan("ab", undefined, undefined, { unit: "bytes" })).toBeUndefined();
  });
});
