import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { endsInformalSentence } from "../../src/text/sentence-end.ts";
import { cutAtEnds, segmentSentences } from "../../src/text/sentences.ts";
import { anyText, hostileTexts } from "./texts.ts";

const sentences = (text: string): string[] => segmentSentences(text).map(({ start, end }) => text.slice(start, end));
/** Marks where sentences begin, so that a case is one line. */
const divided = (text: string): string => sentences(text).join("‖");

function expectCovering(text: string): void {
  let last = 0;
  for (const { start, end } of segmentSentences(text)) {
    expect(start).toBe(last);
    expect(end).toBeGreaterThan(start);
    last = end;
  }
  expect(last).toBe(text.length);
}

describe("segmentSentences", () => {
  it.each([
    // Abbreviations, initials, numbers
    "Dr. Smith met J. R. R. Tolkien, e.g. in Fig. 3. ‖They spoke, cf. p. 12 and No. 5. ‖No. ‖That is all.",
    "The U.S. Government said no. ‖She lives in the U.S. ‖The end.",
    "Apple Inc. announced it. ‖Acme Ltd. The name is gone.".replace("Ltd. The", "Ltd. ‖The"),
    "Plan B. ‖It works. ‖George W. Bush spoke at 5 p.m. ‖The end.",
    "It costs 3.14 or 1.000,50. ‖Version v1.2.3 is at example.com/a.b now. ‖Use foo.bar() here.",
    "See Smith et al. (2009) and Jones vs. Brown. ‖Done.",
    "Ph.D. students met Mrs. Jones on Sept. 9. ‖Then they left.",
    "Am 3. Oktober, z.B. im 19. Jahrhundert, war es so. ‖Er ist 42. ‖Dann ging er.",
    "Das gilt z. B. für alle. ‖Auch z. B. Kosten zählen. ‖Es gilt d. h. Nichts fehlt hier, u. a. Äpfel und Birnen.",
    "Der Preis gilt i. d. R. Ende Mai, m. E. Anfang Juni. ‖Danach nicht.",
    "Dr. h. c. Müller kam. ‖Im Jahr 44 v. Chr. starb er. ‖Die Abt. Einkauf hilft. ‖Im 19. Jh. Anfang Mai.",
    "The temp. is 20. ‖At temp. 40 it stops. ‖The desk is in Bldg. 7, Rm. 5, Apt. 4B, Opt. 3, Bldg. C and on Hwy. 61.",
    "Open Mon. to Fri. and Tues. 9 to 5. ‖Closed on Sun. ‖The desk opens on Mon. ‖It closes on Wed. Holidays are free.",
    "Meet in Sept. Paris is nice. ‖On Dec. 5 we leave. ‖We saw the sun. ‖Peter did not. ‖I said so. ‖5 people came.",
    "Hauptstr. 5 ist nah. ‖Er wohnt in der Goethestr. ‖Die Tür ist blau. ‖Es kostet 5 Mio. Euro, ca. 3 Mrd. Euro.",
    "Smith, op. cit. 42, says so. ‖See op. cit. Smith for more. ‖Take approx. 5, fig. 3 and ext. 42. ‖Done.",
    "We sell keys, locks, etc. ‖Doors are extra. ‖Keys etc. 5 of them, usw. und so fort, usw. ‖Türen kosten mehr.",
    "J. A. Smith and J. R. R. Tolkien met. ‖Plan B. ‖It works. ‖Solve for x. ‖The rest is easy. ‖Use apt. ‖Peter did.",
    "Send it over HTTP. ‖Peter did. ‖It is a README.md. ‖Peter wrote it. ‖It was 5 km. ‖Peter left. ‖Run npm. ‖Open the page. ‖Use css. ‖A page has it.",
    // Ellipsis, quotes, brackets, notes
    "Wait... what? ‖Wait… ‖What?",
    'Really? ‖“Yes.” ‖She left (at last.) ‖"Stop!" he said. ‖„Hallo.“ ‖Er kam.',
    "What?! ‖No!! ‖**Bold.** ‖Plain.",
    "As shown.[1] ‖And here. [2] ‖Then [3].",
    // Small letters
    "Call it etc. and go on. ‖openStore returns a store. ‖iPhone is a name.",
    // Other scripts
    "他来了。‖「好。」‖他说：“是！”‖然后走了？‖对。",
    "هل أنت بخير؟ ‖نعم، أنا بخير. ‖شكرا",
    "यह एक वाक्य है। ‖यह दूसरा है॥ ‖अंत",
    "한국어 문장입니다. ‖다음 문장입니다.",
    "Это первое. ‖Это второе! ‖А это третье?",
    "Αυτό είναι. ‖Και αυτό;",
    "是的.‖他来了!‖好",
    "値は５．３です。‖次。",
    "ይህ ነው። ‖እሺ።",
  ])("divides %j", (marked) => {
    expect(divided(marked.replaceAll("‖", ""))).toBe(marked);
  });

  it.each([
    "Keys are rotated every 90 days. ‖ibid was asked. ‖npm installs it.",
    "It cites its sources.[1] ‖ibid is asked . ‖ibid was built for that. [2] ‖git keeps it.",
    "Is it safe? ‖ibid says so! ‖pip says no. ‖curl agrees.",
    "Send it over HTTP. ‖curl does. ‖Version 2.0. ‖npm has it. ‖There are 1200. ‖git counts them.",
    // A full stop that belongs to its word
    "The help desk is at ext. 42, ext. two or ext. numbers on a list. ‖ibid knows.",
    "It takes approx. five days, e.g. this, i.e. that, etc. and so on, incl. tax, max. two, vol. of May.",
    "Acme Inc. is here, with J. de Vries, and the U.S. government, at 5 p.m. sharp on the 3. of May.",
    "Das gilt z.B. für alle, ca. fünf, usw. und so fort, am 3. oder 4. Mai.",
    "“Stop.” she said. ‖**Bold.** is bold... and goes on… or not",
    "Это г. до н. э. или ул. мира.",
  ])("divides a text whose sentences may begin with a small letter: %j", (marked) => {
    const text = marked.replaceAll("‖", "");
    const cut = cutAtEnds(text, endsInformalSentence).map(({ start, end }) => text.slice(start, end));
    expect(cut.join("‖")).toBe(marked);
  });

  it("ends a sentence at a blank line or page break, not at a single line break", () => {
    expect(divided("One goes\non here\n\nTwo\n \nThree\fFour\u2029Five")).toBe(
      "One goes\non here\n\n‖Two\n \n‖Three\f‖Four\u2029‖Five",
    );
  });

  it("sets headings, list items, table rows, fences and underlined titles apart", () => {
    expect(divided("# 1. Title\nText goes\non.\n- one\n  more\n- two. Three\n1. first\n12) second\na) third")).toBe(
      "# 1. Title\n‖Text goes\non.\n‖- one\n  more\n‖- two. ‖Three\n‖1. first\n‖12) second\n‖a) third",
    );
    expect(divided("Intro\n| a | b. c |\n|---|---|\n| 1 | 2 |\nafter")).toBe(
      "Intro\n‖| a | b. c |\n‖|---|---|\n‖| 1 | 2 |\n‖after",
    );
    expect(divided("Title\n=====\nText\n```ts\nconst a = 1;\n```\nAfter\n> quoted\n> on\n> - item")).toBe(
      "Title\n=====\n‖Text\n‖```ts\n‖const a = 1;\n‖```\n‖After\n> quoted\n> on\n‖> - item",
    );
    expect(divided("not a #heading\n#nor this\n2015 was\n3.5 times")).toBe(
      "not a #heading\n#nor this\n2015 was\n3.5 times",
    );
  });

  it("gives white space to the sentence before it, at the front to the first", () => {
    expect(sentences("  \n One. \t\n Two.  ")).toEqual(["  \n One. \t\n ", "Two.  "]);
    expect(sentences("")).toEqual([]);
    expect(sentences(" \n\n ")).toEqual([" \n\n "]);
  });

  it("covers every text", () => {
    fc.assert(fc.property(anyText, expectCovering), { numRuns: 2000 });
  });

  it("never ends a sentence at an abbreviation before a small letter or a digit, and covers every text of them", () => {
    const abbreviations =
      "z. B.|d. h.|u. a.|h. c.|op. cit.|temp.|Bldg.|Rm.|Apt.|Hwy.|Opt.|Mon.|Tues.|Sept.|Hauptstr.|approx.|fig.|ext.|etc.|usw.|Dr.|e.g.|bzw.|Hptm.|Brgm.".split(
        "|",
      );
    const piece = fc.tuple(fc.constantFrom(...abbreviations), fc.constantFrom("seven", "7", "42nd", "über"));
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        const text = `Take ${pieces.flat().join(" ")} of it.`;
        expect(sentences(text)).toEqual([text]);
        const two = `${text} Then go.`;
        expectCovering(two);
        expect(sentences(two)).toEqual([`${text} `, "Then go."]);
      }),
      { numRuns: 500 },
    );
  });

  it("never begins a sentence inside a word or a surrogate pair", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { start } of segmentSentences(text).slice(1)) {
          expect(text.slice(start - 1, start + 1)).not.toMatch(/^[\ud800-\udbff][\udc00-\udfff]$|^[a-z]{2}$/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("is linear on hostile input", () => {
    for (const text of Object.values(hostileTexts(100_000))) {
      const spans = segmentSentences(text);
      expect(spans.at(-1)?.end).toBe(text.length);
    }
  });
});
