import { describe, expect, it } from "vitest";

import { snowballLanguages } from "../../src/text/languages/snowball/snowball-languages.ts";
import { findSubject } from "../../src/search/find-subject.ts";
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

  it("drops a word, and not what merely has its stem [T24]", () => {
    expect(subject("how is canned food made in the willing?")).toBe("canned food willing?");
    expect(subject("qu'est-ce que c'est que la démocratie ?")).toBe("démocratie");
  });

  it("knows the function words that the analyzer brings, in all their forms [T24]", () => {
    const snowball = createAnalyzer({ languages: snowballLanguages });
    expect(findSubject("Vilka nycklar är det som finns i lådan?", snowball).text).toBe("nycklar lådan?");
    expect(findSubject("Hangi anahtar nerede ve neden orada?", snowball).text).toBe("anahtar orada?");
    expect(findSubject("chìa khóa ở đâu và là của ai?", snowball).text).toBe("chìa khóa");
    const { functionTerms } = findSubject("Wie werden die Schlüssel rotiert?", snowball);
    for (const term of ["werden", "werd", "die"]) expect(functionTerms.has(term)).toBe(true);
  });

  it("asks nothing of question words and of what is contracted, in either apostrophe [T24]", () => {
    expect(subject("I'm sure they don't rotate the keys")).toBe("sure rotate keys");
    expect(subject("I’d like what we can’t rotate")).toBe("rotate");
    expect(subject("Wann wurden die Schlüssel rotiert?")).toBe("Schlüssel rotiert?");
    expect(subject("Worüber wird berichtet, und wozu?")).toBe("berichtet,");
    expect(subject("Waarmee worden de sleutels vervangen?")).toBe("sleutels vervangen?");
    expect(subject("Auquel et lesquelles des clés ?")).toBe("clés");
    expect(subject("Зачем и кому нужны ключи?")).toBe("нужны ключи?");
  });

  it("sees words as the given analyzer does [T24]", () => {
    expect(findSubject("how does it do this", createAnalyzer({ stem: "none" })).text).toBe("how does it do this");
    expect(findSubject("how does rotation work", createAnalyzer({ stem: "none" })).text).toBe("rotation work");
  });
});
