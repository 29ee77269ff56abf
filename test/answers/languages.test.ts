import { describe, expect, it } from "vitest";

import { snowballLanguages } from "../../src/text/languages/snowball/snowball-languages.ts";
import { findQuote, readEvidence } from "../../src/answers/citations/find-quote.ts";
import { languageOfHits } from "../../src/answers/hits-language.ts";
import { rankPassages } from "../../src/answers/passages/rank-passages.ts";
import { readPassages } from "../../src/answers/passages/read-passages.ts";
import type { Hit } from "../../src/contracts/retriever.ts";
import { slicesOf } from "./support.ts";
import { createAnalyzer } from "../../src/text/analyzer.ts";

const analyzer = createAnalyzer({ languages: snowballLanguages });

function hitIn(language: string | undefined, text: string, extra: Partial<Hit> = {}): Hit {
  return {
    rank: 1,
    score: 1,
    chunkId: text,
    documentId: text,
    scope: "deployment",
    text,
    snippet: text,
    source: {
      uri: "u",
      title: "",
      headings: [],
      start: 0,
      end: text.length,
      ...(language !== undefined && { language }),
    },
    metadata: {},
    origin: "user-content",
    ...extra,
  };
}

const text = "Der Wächter bewahrt einen Mantel auf. Die Verkäuferinnen lagern Bücher in den Häusern.";

/** Passages of hits whose documents are their texts. */
async function rankIn(question: string, hits: readonly Hit[]) {
  const passages = await readPassages(
    hits,
    slicesOf((id) => id),
    { beyondHits: true },
  );
  return rankPassages(question, passages, hits, analyzer);
}

describe("the language in which a question and its hits are compared [B46]", () => {
  it("is that of most hits, the better ones' among equals, and none when none says any", () => {
    expect(languageOfHits([hitIn("en", "a"), hitIn("de", "b"), hitIn("de", "c")])).toBe("de");
    expect(languageOfHits([hitIn("fr", "a"), hitIn("de", "b"), hitIn(undefined, "c")])).toBe("fr");
    expect(languageOfHits([hitIn(undefined, "a")])).toBe("");
    expect(languageOfHits([])).toBe("");
  });

  it("lets a passage answer that says the question's words in other forms", async () => {
    const [other, said] = text.split(/(?<=\.) /u);
    const [best] = await rankIn("Haus und Buch", [hitIn("de", other!), hitIn("de", said!)]);
    expect(best?.text).toMatch(/^Die Verkäuferinnen/u);
    expect(best?.coverage).toBeGreaterThan(0.5);
  });

  it("knows how rare a word is, under whichever of its forms that stands", async () => {
    const explain = {
      fusion: "lexical",
      legs: {},
      parts: [],
      terms: [],
      // The index holds English first: "Häuser" is looked up as "hauser", "haus" and "häuser".
      queryTerms: [{ term: "hauser", idf: 5, count: 1, chunks: 1 }],
    };
    const [best] = await rankIn("Häuser", [hitIn("de", text, { explain }), hitIn("en", "x")]);
    expect(best?.coverage).toBe(1);
  });

  it("quotes for a claim the sentence that has its words in other forms", () => {
    const quote = findQuote(readEvidence([hitIn("de", text)], analyzer), 0, "Buch, Haus", "");
    expect(text.slice(quote?.start, quote?.end)).toMatch(/^Die Verkäuferinnen/u);
  });
});
