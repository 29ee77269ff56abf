import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { choosePassages } from "../../src/answers/passages/choose-passages.ts";
import { cutPassages, longestQuotable, passageLength } from "../../src/answers/passages/cut-passages.ts";
import { createStances } from "../../src/answers/passages/opposite-actions.ts";
import { readPassages } from "../../src/answers/passages/read-passages.ts";
import type { Section } from "../../src/contracts/document.ts";
import type { Hit } from "../../src/contracts/retriever.ts";
import { findBlocks } from "../../src/text/find-blocks.ts";
import { collect, createHit, hitOf, rankIn, slicesOf } from "./support.ts";

const cut = (text: string, openFence?: string): string[] =>
  cutPassages(text, openFence).map(({ start, end }) => text.slice(start, end));

/** A sentence of so many characters. */
const sentence = (length: number, letter = "a"): string => `${letter.toUpperCase()}${letter.repeat(length - 2)}.`;

describe("blocks", () => {
  it("are paragraphs, items, rows and code; front matter and tags are none", () => {
    const text =
      "---\ntitle: T\n---\n\nimport X from 'x'\n\nOne\ntwo.\n\n- a\n  b\n- c\n\n| h |\n| - |\n| r |\n\n```js\nx\n```\n\n<Tag>\n\nEnd.";
    const blocks = findBlocks(text, "---");
    expect(blocks.map(({ kind, start, end }) => [kind, text.slice(start, end)])).toEqual([
      ["paragraph", "One\ntwo."],
      ["item", "- a\n  b"],
      ["item", "- c"],
      ["row", "| r |"],
      ["code", "```js\nx\n```"],
      ["paragraph", "End."],
    ]);
    expect(blocks.map(({ isApart }) => isApart)).toEqual([true, false, false, false, false, true]);
    const { header } = blocks[3]!;
    expect(text.slice(header!.start, header!.end)).toBe("| h |\n| - |");
  });
});

describe("passages", () => {
  it("merge whole blocks in order while they fit", () => {
    const [a, b, c] = [sentence(200), sentence(95, "b"), sentence(10, "c")];
    expect(cut(`${a}\n\n${b}\n\n${c}`)).toEqual([`${a}\n\n${b}`, c]);
  });

  it("cut a long paragraph at its sentences, in any script", () => {
    const [a, b] = [sentence(200), sentence(200, "b")];
    expect(cut(`${a} ${b}`)).toEqual([a, b]);
    const [x, y] = [`${"鍵".repeat(200)}。`, `${"門".repeat(200)}。`];
    expect(cut(x + y)).toEqual([x, y]);
  });

  it("cut a text without sentences at white space, or within no character", () => {
    const words = "word ".repeat(200).trim();
    for (const passage of cut(words)) {
      expect(passage.length).toBeLessThanOrEqual(longestQuotable);
      expect(passage).toMatch(/^word( word)*$/u);
    }
    const faces = `x${"😀".repeat(600)}`;
    expect(cut(faces).join("")).toBe(faces);
    for (const passage of cut(faces)) expect(passage.isWellFormed()).toBe(true);
  });

  it("cut rows of delimited text between rows", () => {
    const rows = Array.from({ length: 60 }, (_, index) => `${index},name of ${index},place ${index * 7} by the sea`);
    const parts = cut(["number,name,place", ...rows].join("\n"));
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.join("\n")).toBe(["number,name,place", ...rows].join("\n"));
  });

  it("hold a list with its lead, and keep the lead for the items that follow", () => {
    const lead = "Choose one of these:";
    const items = [sentence(180), sentence(180, "b"), sentence(180, "c")].map((item) => `- ${item}`);
    const text = `${lead}\n\n${items.join("\n")}`;
    const passages = cutPassages(text);
    expect(passages.map(({ start, end }) => text.slice(start, end))).toEqual([
      `${lead}\n\n${items[0]}`,
      items[1],
      items[2],
    ]);
    expect(passages.slice(1).map(({ context }) => text.slice(context!.start, context!.end))).toEqual([lead, lead]);
  });

  it("are the rows of a table, each with its header row and its cells", () => {
    const header = "| name | meaning |\n| --- | --- |";
    const rows = ["a", "b"].map((letter) => `| ${letter} | ${sentence(220, letter)} |`);
    const text = `${header}\n${rows.join("\n")}`;
    const passages = cutPassages(text);
    expect(passages.map(({ start, end }) => text.slice(start, end))).toEqual(rows);
    for (const { context, row } of passages) {
      expect(text.slice(context!.start, context!.end)).toBe(header);
      expect(row).toMatchObject({
        columns: ["name", "meaning"],
        cells: [expect.stringMatching(/^[ab]$/u), expect.any(String)],
      });
    }
  });

  it("hold code with the sentence before it, and cut long code at its lines", () => {
    const intro = sentence(190);
    const code = `\`\`\`sh\n${Array.from({ length: 30 }, (_, i) => `command --number ${i}`).join("\n")}\n\`\`\``;
    const text = `${intro} Run this:\n\n${code}`;
    const passages = cutPassages(text);
    const parts = passages.map(({ start, end }) => text.slice(start, end));
    expect(parts[0]!.endsWith("Run this:")).toBe(false);
    const later = passages.filter(({ fence }) => fence !== undefined);
    expect(later.length).toBeGreaterThan(0);
    for (const { start, end, fence, context } of later) {
      expect(fence).toBe("```sh");
      expect(text.slice(start, end)).toMatch(/^command --number \d+\n/u);
      expect(text.slice(context!.start, context!.end)).toBe("Run this:");
    }
  });

  it("are in order, apart, verbatim, bounded, and the same every time", () => {
    const line = fc.constantFrom(
      "",
      "",
      "- item one",
      "  more of it",
      "1. first",
      "| a | b |",
      "| - | - |",
      "```js",
      "```",
      "x = [1];",
      "---",
      "<Tag>",
      "# Heading",
      "Plain words stand here. And more of them follow.",
      "鍵は90日ごとに交換される。",
      "Lead:",
      "word ".repeat(150),
      "y".repeat(900),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.constantFrom("", "```"), (lines, openFence) => {
        const text = lines.join("\n");
        const passages = cutPassages(text, openFence);
        let last = 0;
        for (const { start, end, context } of passages) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end - start).toBeLessThanOrEqual(longestQuotable);
          const words = text.slice(start, end);
          expect(words).toBe(words.trim());
          expect(context?.end ?? 0).toBeLessThanOrEqual(start);
          last = end;
        }
        expect(cutPassages(text, openFence)).toEqual(passages);
      }),
    );
    expect(passageLength).toBeLessThanOrEqual(350);
  });
});

describe("passages of a document", () => {
  const part = (title: string, body: string): string => `## ${title}\n\n${body}\n\n`;
  /** A text of parts, and its sections. */
  function documentOf(parts: readonly (readonly [title: string, body: string])[]) {
    let text = "";
    const children: Section[] = parts.map(([title, body], index) => {
      const start = text.length;
      text += part(title, body);
      const contentStart = start + `## ${title}\n`.length;
      return { id: `0.${index}`, title, level: 2, start, end: text.length, contentStart, children: [] };
    });
    const root: Section = { id: "0", title: "", level: 0, start: 0, end: text.length, contentStart: 0, children };
    return { text, root };
  }
  const hitAt = (text: string, start: number, end: number): Hit =>
    createHit(1, "keys", 0, 0, {
      text: text.slice(start, end),
      source: { uri: "x", title: "", headings: [], start, end },
    });

  it("stand anywhere in the documents of hits, each under its heading; contents are left out", async () => {
    const { text, root } = documentOf([
      ["Contents", "Keys and locks."],
      ["Keys", "Keys turn."],
      ["Locks", "Locks hold."],
    ]);
    const start = text.indexOf("Keys turn.");
    const documents = { ...slicesOf(() => text), sections: async () => root };
    const hits = [hitAt(text, start, start + 10)];
    const found = await readPassages(hits, documents, { beyondHits: true });
    expect(found.map((one) => [one.headings, one.text, one.isInHit])).toEqual([
      [["Keys"], "Keys turn.", true],
      [["Locks"], "Locks hold.", false],
    ]);
    const within = await readPassages(hits, documents, { beyondHits: false });
    expect(within.map((one) => one.text)).toEqual(["Keys turn."]);
  });

  it("cost a bounded slice of a large document, and no part of a block", async () => {
    const bodies = Array.from({ length: 3000 }, (_, index) => [`Part ${index}`, `Body ${index} ends here.`] as const);
    const { text, root } = documentOf([...bodies, ["Long", "Words stand here. ".repeat(5000)]]);
    const start = text.indexOf("Body 2000 ");
    const read: number[] = [];
    const documents = {
      read: async (_: string, __: unknown, from: number, to: number) => {
        read.push(to - from);
        return text.slice(from, to);
      },
      sectionStart: async () => start,
      sections: async () => root,
    };
    const found = await readPassages([hitAt(text, start, start + 20)], documents, { beyondHits: true });
    expect(Math.max(...read)).toBeLessThan(5000);
    expect(found.length).toBeGreaterThan(40);
    for (const one of found) expect(one.text).toMatch(/^Body \d+ ends here\.$/u);
    for (const one of found) expect(text.slice(one.start, one.end)).toBe(one.text);
  });

  it("are none of a document that changed since the search", async () => {
    const hits = [hitOf("Keys turn.")];
    expect(
      await readPassages(
        hits,
        slicesOf(() => "Keys burn."),
        { beyondHits: true },
      ),
    ).toEqual([]);
  });
});

describe("a passage that may stand", () => {
  it.each([
    "See the page on rotating keys.",
    "For more on how keys rotate, see the guide.",
    "To rotate keys:",
    "- [How to rotate keys](#rotate)\n- [Why keys rotate](#why)",
    "Why keys rotate ........ 12\nHow keys rotate ........ 14",
  ])("is no pointer and no table of contents: %s", async (text) => {
    expect(await rankIn("How do I rotate keys?", text)).toEqual([]);
    expect(await rankIn("How do I rotate keys?", "Rotate keys with the tool.")).toHaveLength(1);
  });

  it.each(["Why do keys rotate?", "how come keys rotate", "Warum rotate keys?", "なぜ rotate keys"])(
    "is never code alone for a reason: %s",
    async (question) => {
      const code = "```sh\nrotate keys\n```";
      expect(await rankIn(question, code)).toEqual([]);
      expect(await rankIn("How do keys rotate?", code)).toHaveLength(1);
    },
  );

  it("is prose rather than a row of a table, unless the question names the row", async () => {
    const table =
      "| flag | meaning |\n|---|---|\n| `--older-than` | How long deleted documents are kept. |\n| `--dry-run` | Whether deleted documents are listed. |";
    const text = `${table}\n\n## Forgetting\n\nA vacuum erases deleted documents after seven days, and until then they are kept for those who want them back.`;
    const [answer] = await rankIn("deleted documents kept", text);
    expect(answer!.text).toMatch(/^A vacuum erases/u);
    const [named] = await rankIn("older than deleted documents", text);
    expect(named!.kinds).toContain("row");
  });

  it("does not answer by what is long where the question is how long", async () => {
    const kept = `Rows that were deleted are kept for 7 days. ${sentence(200)}`;
    const long = `A long line is wrapped, and long names are cut. ${sentence(200, "b")}`;
    const text = `${long}\n\n${kept}`;
    for (const [measure, plain] of [
      ["How long are deleted rows kept?", "How are deleted rows kept?"],
      ["Wie lange sind rows deleted?", "Wie sind rows deleted?"],
    ] as const)
      expect(await rankIn(measure, text)).toEqual(await rankIn(plain, text));
    expect((await rankIn("How are long names cut?", text))[0]?.text).toBe(long);
  });

  it("is prose rather than an example that repeats the question", async () => {
    const text =
      '## Example\n\nOpen a terminal:\n\n```sh\nibid ask "rotate keys"\nibid search "rotate keys"\n```\n\n## Rotation\n\nThe operator makes new keys each spring, and then both keys open the door while the staff rotate.';
    const [first] = await rankIn("rotate keys", text);
    expect(first!.text).toMatch(/^The operator/u);
  });

  it("joins its neighbours into one quotation, at most two and 700 characters", async () => {
    const paragraphs = ["a", "b", "c", "d", "e", "f"].map((letter) => `Keys ${sentence(190, letter)}`);
    const chosen = choosePassages(await rankIn("keys", paragraphs.join("\n\n")));
    expect(chosen.length).toBeLessThanOrEqual(2);
    expect(chosen[0]!.end - chosen[0]!.start).toBe(392);
    expect(chosen.reduce((sum, { start, end }) => sum + end - start, 0)).toBeLessThanOrEqual(700);
  });
});

describe("a passage whose action is the opposite of the question's", () => {
  const verbs = [
    "set up/disable, enable/disable, turn on/turn off, switch on/switch off, activate/deactivate, install/uninstall, add/remove, create/delete",
    "start/stop, pause/resume, connect/disconnect, attach/detach, mount/unmount, link/unlink, join/leave, allow/block, grant/revoke, include/exclude",
    "show/hide, open/close, lock/unlock, follow/unfollow, subscribe/unsubscribe, encrypt/decrypt, compress/decompress, import/export",
    "upload/download, push/pull, increase/decrease, scale up/scale down, grow/shrink, upgrade/downgrade, promote/demote, register/deregister",
    "archive/unarchive, silence/unsilence, mute/unmute, stage/unstage, pin/unpin, expand/collapse, load/unload, sign in/sign out, log in/log out",
    "check in/check out, opt in/opt out, star/unstar, flag/unflag",
  ].flatMap((line) => line.split(", ").map((pair) => pair.split("/") as [string, string]));
  const objects = ["telemetry", "the mail gateway"];
  const cases = verbs.flatMap(([a, b]) =>
    objects.flatMap((object) => [
      { asked: a, opposite: b, object },
      { asked: b, opposite: a, object },
    ]),
  );
  /** How two instructions stand to each other, the opposite first. */
  const layouts: Readonly<Record<string, (wrong: string, right: string) => string>> = {
    apart: (wrong, right) => `${wrong}\n\n<br/>\n\n${right}`,
    "two paragraphs": (wrong, right) => `${wrong}\n\n${right}`,
    "two sentences": (wrong, right) => `${wrong} ${right}`,
    "two items": (wrong, right) => `Choose:\n\n- ${wrong}\n- ${right}`,
    "the opposite around": (wrong, right) => `${wrong}\n\n${right}\n\n${wrong.replace("To", "And to")}`,
  };

  it.each(Object.keys(layouts))("is never the first: %s [T48]", async (layout) => {
    expect(cases.length).toBeGreaterThanOrEqual(100);
    for (const { asked, opposite, object } of cases) {
      const question = `How do I ${asked} ${object}?`;
      const wrong = `To ${opposite} ${object}, call ${object} with the ${object} option.`;
      const right = `To ${asked} ${object}, run the tool. The command needs a name.`;
      const [first] = choosePassages(await rankIn(question, layouts[layout]!(wrong, right)));
      expect(first?.text.replace(/^- /u, "")).toMatch(new RegExp(`^To ${asked} ${object}`, "u"));
    }
  });

  it("is not quoted where it stands alone [T48]", async () => {
    for (const { asked, opposite, object } of cases) {
      const wrong = `To ${opposite} ${object}, call ${object} with the ${object} option.`;
      const question = `How do I ${asked} ${object}?`;
      expect([question, ...choosePassages(await rankIn(question, wrong))]).toEqual([question]);
    }
  });

  it.each([
    ["How do I add a user?", "Removal of a user"],
    ["How do I remove a user?", "Addition of a user"],
    ["How do I uninstall users?", "Installation"],
    ["How do I activate a user?", "Deactivation of users"],
    ["Addition of a user?", "How to remove a user"],
    ["Wie aktiviere ich einen user?", "Deaktivierung von Benutzern"],
  ])("may be named by the noun of a heading: %s", async (question, heading) => {
    const text = "Call the user tool with the name of the user, then wait for the user.";
    expect(choosePassages(await rankIn(question, text))).toHaveLength(1);
    expect(choosePassages(await rankIn(question, text, [heading]))).toEqual([]);
  });

  it.each([
    ["Wie kann ich Telemetrie einschalten?", "Schalten Sie die Telemetrie mit einer Option der Telemetrie aus."],
    ["Wie schalte ich Telemetrie ein?", "Um die Telemetrie auszuschalten, gibt es eine Option der Telemetrie."],
    ["Wie entferne ich Telemetrie?", "Um Telemetrie hinzuzufügen, gibt es eine Option der Telemetrie."],
    ["Wie öffne ich die Telemetrie?", "Schließen Sie die Telemetrie mit der Option der Telemetrie."],
    ["Anmeldung von Telemetrie?", "Melden Sie die Telemetrie bei uns ab, auch die Telemetrie von gestern."],
  ])("may be German: %s", async (question, text) => {
    expect(choosePassages(await rankIn(question, text))).toEqual([]);
    const right = text.replaceAll(/Schalten|auszuschalten|hinzuzufügen|Schließen|Melden/gu, "Sehen");
    expect(choosePassages(await rankIn(question, right))).toHaveLength(1);
  });

  it("is told by what is done, and by no state", () => {
    const stanceOf = createStances("How do I enable telemetry?");
    expect(stanceOf("Telemetry can be disabled.")).toBe("opposite");
    expect(stanceOf("Telemetry is disabled by default.")).toBe("neither");
    expect(stanceOf("Enable or disable telemetry.")).toBe("same");
    expect(createStances("enable or disable?")("Disable it.")).toBe("same");
    expect(createStances("turn it off")("Turning telemetry on")).toBe("opposite");
    expect(createStances("How do I undo the installation?")("Uninstall it.")).toBe("neither");
    expect(createStances("How do I use the unit?")("The unit is under the roof, unless it is used.")).toBe("neither");
  });
});

describe("an answer of passages", () => {
  it("reads as Markdown: fences stand around cut code, and a marker stands below code and tables", async () => {
    const code = `\`\`\`sh\n${Array.from({ length: 30 }, (_, i) => `rotate --number ${i}`).join("\n")}\n\`\`\``;
    const text = `Rotate keys like this:\n\n${code}`;
    const { answer } = await collect({
      question: "rotate number",
      hits: [hitOf(text)],
      documents: slicesOf(() => text),
    });
    expect(answer.text.match(/^```/gmu)!.length % 2).toBe(0);
    expect(answer.text).toMatch(/\n```\n\[1\]/u);
    for (const { start, end, quote } of answer.citations) expect(text.slice(start, end)).toBe(quote);
    for (const one of answer.sentences) expect(answer.text.slice(one.start, one.end)).toBe(one.text);

    const table = `| key | age |\n| --- | --- |\n${["a", "b"].map((letter) => `| ${letter} | ${sentence(300, letter)} |`).join("\n")}`;
    const found = await collect({ question: "b", hits: [hitOf(table)], documents: slicesOf(() => table) });
    expect(found.answer.text).toMatch(/\|\n\n\[1\]/u);
    expect(found.answer.text).toMatch(/^\| key \| age \|\n\| --- \| --- \|\n/u);
  });

  it("keeps the addresses of what it quotes, within hits and beyond", async () => {
    const text = "Keys turn.\n\nLocks of keys stand at https://locks.example/a.";
    const root: Section = { id: "0", title: "", level: 0, start: 0, end: text.length, contentStart: 0, children: [] };
    const hit = createHit(1, "keys", 0, 0, {
      text: "Keys turn.",
      source: { uri: "x", title: "", headings: [], start: 0, end: 10 },
    });
    const documents = { ...slicesOf(() => text), sections: async () => root };
    const result = await collect({ question: "locks of keys", hits: [hit], documents });
    expect(result.answer.text).toContain("https://locks.example/a");
    expect(result.answer.removedAddresses).toEqual([]);
    const within = await collect({ question: "keys", hits: [hit], documents, isWithinHits: true });
    expect(within.answer.text).toBe("Keys turn. [1]");
  });
});
