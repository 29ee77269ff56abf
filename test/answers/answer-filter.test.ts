import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { renderAll } from "../support/render-markdown.ts";
import { createAnswerFilter } from "../../src/answers/untrusted/answer-filter.ts";
import { createPlainMarkdown, type PlainPiece } from "../../src/text/untrusted/plain-markdown.ts";
import { findAddresses } from "../../src/answers/untrusted/find-addresses.ts";

const known = "https://known.example/a";
const filter = (...deltas: string[]): { text: string; removed: readonly string[] } => {
  // A model's text is made plain before it is judged, and again by the filter.
  const plain = createPlainMarkdown();
  const one = createAnswerFilter(new Set([known]));
  const pass = (pieces: Iterable<PlainPiece>): string => Array.from(pieces, (piece) => one.push(piece.text)).join("");
  const text = deltas.map((delta) => pass(plain.push(delta))).join("") + pass(plain.finish()) + one.finish();
  return { text, removed: one.removed() };
};

describe("addresses in an answer", () => {
  it.each([
    ["see https://evil.example/?q=1.", "see ….", "https://evil.example/?q=1"],
    ["[a b](https://evil.example/?q 't') x", "a b x", "https://evil.example/?q"],
    ["![a](https://evil.example)", "a", "https://evil.example"],
    ["![](https://evil.example)", "…", "https://evil.example"],
    ["[r]: https://evil.example", "[r] : …", "https://evil.example"],
    ["<https://evil.example>", "…", "https://evil.example"],
    ["[1](https://evil.example) b", "(…) b", "https://evil.example"],
    ["secret@evil.example", "…", "secret@evil.example"],
    ["evil.com/secret", "…", "evil.com/secret"],
    ["[x](&#x68;ttps&colon;//evil.example)", "x", "https://evil.example"],
    ["[m](mailto:a@b.example?body=x)", "m", "mailto:a@b.example?body=x"],
    [`${known}/secret`, "…", `${known}/secret`],
  ])("%s becomes %s [L12]", (text, expected, removed) => {
    expect(filter(text)).toEqual({ text: expected, removed: [removed] });
  });

  it.each([
    [`see ${known}, and [there](${known}).`],
    [`<a href="${known}">x</a> <${known}>`, `x ${known}`],
    ["`fn[0](x, y)` and `vec![1, 2]`; a < b > c"],
    ["Array<string[]> and [key: string]: unknown", "Array‹string[]> and [key: string] : unknown"],
    ["[b](docs/keys.md) ![c](img/logo.png) [d]: e", "b c [d] : e"],
    ["see main.rs, or evil.com", "see `main.rs`, or `evil.com`"],
    ["`curl` e.g. 3.5 kB, i.e. v1.2"],
  ])("%s stays, as far as it leads nowhere else [L12]", (text, expected = text) => {
    expect(filter(text)).toEqual({ text: expected, removed: [] });
  });

  it("pictures and definitions of known addresses become words and links: nothing loads [L12]", () => {
    expect(filter(`![a](${known}) ![b][r]\n\n[r]: ${known}\n<img src="${known}">`).text).toBe(
      `[a](${known}) [b][r]\n\n[r] : ${known}`,
    );
  });

  it("are found in sources as they are looked for in answers [L12]", () => {
    expect([...findAddresses(`a ${known}. [b](mailto:x@y.example) (www.c.example/d_(e)) keys.md [k](../k)`)]).toEqual(
      expect.arrayContaining([known, "www.c.example/d_(e)", "mailto:x@y.example", "keys.md", "../k"]),
    );
  });

  it("go wherever the text is cut, and the same ones [L12]", () => {
    const part = fc.constantFrom(
      "[",
      "]",
      "(",
      ")",
      "!",
      "<",
      ">",
      ":",
      "/",
      "//",
      "https://",
      "https:",
      known,
      "evil.example/x",
      "www.",
      "img src=",
      "a href='",
      "'",
      '"',
      " ",
      "\n",
      "\n\n",
      "a",
      "b c",
      "1",
      "é",
      "&#104;ttps://e",
      "[1]",
      "](",
    );
    fc.assert(
      // What is taken out must not join what stood around it.
      fc.property(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(120), { maxLength: 12 }), (parts, cuts) => {
        const text = parts.join("");
        const bounds = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        const pieces = bounds.slice(1).map((end, index) => text.slice(bounds[index], end));
        for (const cut of [[text], pieces, text.split("")]) {
          const out = filter(...cut).text;
          const led = renderAll(out).flatMap(({ addresses }) => addresses);
          expect(led.filter((address) => address !== known)).toEqual([]);
        }
      }),
      {
        numRuns: 200,
        examples: [
          [["](", "https:", "](", "//"], []],
          [[known, "!", "<"], []],
        ],
      },
    );
  });

  it.each([
    "[x](https:](//evil.example/SECRET)",
    "[1](https:a)(//evil.example/SECRET)",
    "[1](https:a)(https:b)(https:c)(https:d)(https:e)(https:f)(https:g)(https:h)(https:i)(//evil.example/SECRET)",
    "![x](https:](https://evil.example/SECRET)",
    `](${known}[SECRET b`,
  ])("what is taken out joins nothing to a new address: %s [L12]", (text) => {
    for (const cut of [[text], text.split("")]) {
      const out = filter(...cut).text;
      const led = renderAll(out).flatMap(({ addresses }) => addresses);
      expect(led.filter((address) => address !== known)).toEqual([]);
    }
  });

  it.each(["[", "]", '"', "'"])("nothing sticks to a known address: %s [L12]", (sign) => {
    for (const cut of [[`See ${known}${sign}SECRET now.`], `See ${known}${sign}SECRET now.`.split("")])
      expect(filter(...cut).text).toBe(`See ${known} ${sign}SECRET now.`);
    expect(filter(`See "${known}" and ${known}.`).text).toBe(`See "${known}" and ${known}.`);
  });
});
