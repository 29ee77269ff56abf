import { describe, expect, it } from "vitest";

import { readManualPages } from "../../bench/answers/answerable-sets.ts";
import { manualQuestions } from "../../bench/answers/manual-questions.ts";

describe("questions about the documentation", () => {
  it("name places whose words stand on their pages", () => {
    const pages = new Map(readManualPages().map(({ uri, text }) => [uri, text]));
    const places = manualQuestions.flatMap((one) => one.places);
    expect(places.length).toBeGreaterThan(30);
    expect(places.filter(([uri, words]) => pages.get(uri)?.includes(words) !== true)).toEqual([]);
  });
});
