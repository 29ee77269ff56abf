import { describe, expect, it } from "vitest";
import { parseStored } from "../../src/runtime/parse-stored.ts";

describe("JSON that the store wrote", () => {
  it.each(["null", "5", '"text"', "true", "{", ""])(
    "is store-corrupt where it is no list and no object: %s",
    (json) => {
      expect(() => parseStored(json)).toThrow(expect.objectContaining({ code: "store-corrupt" }));
    },
  );

  it("is read where it is one", () => {
    expect([parseStored("[1]"), parseStored('{"a":null}')]).toEqual([[1], { a: null }]);
  });
});
