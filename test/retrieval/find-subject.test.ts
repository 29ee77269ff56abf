import { describe, expect, it } from "vitest";

import { findSubject } from "../../src/retrieval/find-subject.ts";
import { createAnalyzer, defaultAnalyzer } from "../../src/text/analyzer.ts";

const subject = (query: string) => findSubject(query, defaultAnalyzer).text;

describe("the subject of a question", () => {
  it("is what is left without its language's function words [T24]", () => {
    expect(subject("How do I rotate the signing keys?")).toBe("rotate signing keys?");
    expect(subject("Wie kann ich die Schlüssel rotieren?")).toBe("Schlüssel rotieren?");
    expect(subject("Как можно менять ключи и где они?")).toBe("можно менять ключи");
    // "die" is an English verb, and one German word makes no German question.
    expect(subject("die casting")).toBe("die casting");
  });

  it("keeps names in capitals, identifiers, and queries that are nothing else [T24]", () => {
    expect(subject("what does the WHO say about IT?")).toBe("WHO say IT?");
    expect(subject("what does get_by_id do?")).toBe("get_by_id");
    expect(subject("to be or not to be")).toBe("to be or not to be");
    expect(subject("WHAT IS THE PLAN")).toBe("PLAN");
  });

  it("leaves scripts without spaces whole, and knows their function words all the same [T24]", () => {
    const { text, functionTerms } = findSubject("黑豹队的防守丢了多少分？", defaultAnalyzer);
    expect(text).toBe("黑豹队的防守丢了多少分？");
    expect(functionTerms.has("多少")).toBe(true);
  });

  it("sees words as the given analyzer does [T24]", () => {
    expect(findSubject("how does it do this", createAnalyzer({ stem: "none" })).text).toBe("how does it do this");
    expect(findSubject("how does rotation work", createAnalyzer({ stem: "none" })).text).toBe("rotation work");
  });
});
