import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { checkAnswer } from "../../src/answers/citations/check-answer.ts";
import type { ChatMessage, ChatModel } from "../../src/contracts/chat.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/knowledge-base/open/open-knowledge-base.ts";
import { renderPrompt } from "../../src/models/render-prompt.ts";
import { makeXlsx } from "../readers/make-xlsx.ts";
import { claimsAbout, type Office, offices } from "./offices.ts";

const header = "office,manager,opened,desks";
const rowOf = ({ office, manager, opened, desks }: Office): string => `${office},${manager},${opened},${desks}`;
const text = `${header}\n${offices.map(rowOf).join("\n")}\n`;

let kb: KnowledgeBase;
beforeAll(async () => {
  kb = await openKnowledgeBase();
  await kb.ingest({ uri: "offices.csv", text, mediaType: "text/csv" });
});
afterAll(() => kb.close());

/** One in twenty, and the last. */
const some = offices.filter((_, i) => i % 20 === 7 || i === offices.length - 1);

describe("rows of delimited text in answers", () => {
  it("are quoted one by one, with the names of their columns", async () => {
    for (const one of some) {
      const answer = await kb.ask(`Who is the manager of the office ${one.office}?`);
      const [first] = answer.citations;
      expect(first).toMatchObject({ quote: rowOf(one), header: { start: 0, end: header.length, quote: header } });
      expect(answer.citations).toHaveLength(1);
      expect(answer.text).toBe(`${header}\n\n${rowOf(one)} [1]`);
    }
  });

  it("are quoted together where they hold as much of the question", async () => {
    // Every 280th office is alike in both; so are few neighbours.
    const alike = offices.filter(({ manager, desks }) => manager === "Ana Silva" && desks === 100);
    const twin = { ...alike[0]!, office: "Cork 1" };
    const base = await openKnowledgeBase();
    const csv = `${header}\n${[...offices, twin].map(rowOf).join("\n")}\n`;
    await base.ingest({ uri: "offices.csv", text: csv, mediaType: "text/csv" });
    const { citations } = await base.ask("Which offices of the manager Ana Silva have 100 desks?");
    expect(citations.map(({ quote }) => quote).sort()).toEqual([...alike, twin].map(rowOf).sort());
    await base.close();
  });

  it("support what stands in one of them, and nothing that is put together from two", async () => {
    for (const one of some) {
      const claims = claimsAbout(one);
      const { sentences } = await kb.verify(claims.join(" "));
      expect(sentences.map(({ verdict }) => verdict === "supported")).toEqual([true, true, false, false, false]);
      expect(sentences[0]!.quotes).toMatchObject([{ quote: rowOf(one), header: { quote: header } }]);
    }
  });

  it("support a claim over two of them where both hold it whole", async () => {
    for (const one of some.slice(0, 5)) {
      const same = offices.find((other) => other.manager === one.manager && other.office !== one.office)!;
      const other = offices.find(({ manager, desks }) => manager !== one.manager && desks !== one.desks)!;
      const claims = [
        `${one.manager} manages ${one.office} and ${same.office}.`,
        `${one.manager} manages ${one.office} and ${other.office}.`,
        `The offices ${one.office} and ${other.office} have ${one.desks} desks.`,
        `The office ${one.office} has ${one.desks} desks, and the office ${other.office} has ${other.desks} desks.`,
      ];
      const { sentences } = await kb.verify(claims.join(" "));
      expect(sentences.map(({ verdict }) => verdict === "supported")).toEqual([true, false, false, true]);
    }
  });

  it("are checked with the header that their citations carry", async () => {
    const one = offices[150]!;
    const { citations } = await kb.ask(`Who is the manager of the office ${one.office}?`);
    const claims = [
      `The office ${one.office} has ${one.desks} desks [1].`,
      `${one.office} has ${one.opened} desks [1].`,
    ];
    const { sentences } = await checkAnswer({ text: claims.join(" "), citations });
    expect(sentences.map(({ verdict }) => verdict)).toEqual(["supported", "partly"]);
  });

  it("are shown to a model with the names of their columns, and cited by row", async () => {
    const one = offices[150]!;
    let shown = "";
    const model = {
      provider: "testing",
      model: "scripted",
      chat: () => Promise.reject(new Error("not asked")),
      async *stream(messages: readonly ChatMessage[]) {
        shown = renderPrompt(messages.at(-1)!.content ?? "");
        const delta = `The manager of the office ${one.office} is ${one.manager} [1].`;
        yield { type: "text", delta } as const;
        yield { type: "finish", result: { message: { role: "assistant", content: delta } } } as const;
      },
    } satisfies ChatModel;
    const base = await openKnowledgeBase({ models: { chat: model } });
    await base.ingest({ uri: "offices.csv", text, mediaType: "text/csv" });
    const answer = await base.ask(`Who is the manager of the office ${one.office}?`, { judge: null });
    await base.close();
    expect(shown).toContain('columns="office, manager, opened, desks"');
    expect(answer).toMatchObject({ grounded: true, citations: [{ quote: rowOf(one), header: { quote: header } }] });
  });

  it("of a workbook are quoted one by one, and support what stands in one of them", async () => {
    const base = await openKnowledgeBase();
    const rows = [
      header.split(","),
      ...offices.map(({ office, manager, opened, desks }) => [office, manager, opened, desks]),
    ];
    await base.ingest({ uri: "offices.xlsx", bytes: makeXlsx([{ name: "Offices", rows }]) });
    for (const one of some.slice(0, 4)) {
      const { citations } = await base.ask(`How many desks has the office ${one.office}?`);
      const { office, manager, opened, desks } = one;
      const written = `office: ${office} | manager: ${manager} | opened: ${opened} | desks: ${desks}`;
      expect(citations).toMatchObject([{ quote: written, sheet: "Offices" }]);
      const other = offices.find((another) => another.manager !== manager && another.desks !== desks)!;
      const claims = [
        `The manager of the office ${office} is ${manager}.`,
        `The manager of the office ${office} is ${other.manager}.`,
        `The office ${office} has ${desks} desks.`,
        `The office ${office} has ${opened} desks.`,
      ];
      const { sentences } = await base.verify(claims.join(" "));
      expect(sentences.map(({ verdict }) => verdict === "supported")).toEqual([true, false, true, false]);
    }
    await base.close();
  });

  it("leave the prose of a sheet what it is", async () => {
    const base = await openKnowledgeBase();
    const note = "The list was checked by the auditors in May. Desks in the corridor are not counted.";
    const rows = [[note], [], header.split(","), ...offices.slice(0, 9).map((one) => rowOf(one).split(","))];
    await base.ingest({ uri: "offices.xlsx", bytes: makeXlsx([{ name: "Offices", rows }]) });
    const { citations } = await base.ask("Are desks in the corridor counted?");
    expect(citations).toMatchObject([{ quote: note }]);
    const { sentences } = await base.verify("Desks in the corridor are not counted.");
    expect(sentences).toMatchObject([
      { verdict: "supported", quotes: [{ quote: "Desks in the corridor are not counted." }] },
    ]);
    await base.close();
  });

  it("of a sheet lead where a question names their column by a number", async () => {
    const base = await openKnowledgeBase();
    const rows = [
      ["Host", "2025", "2026"],
      ["atlas", 4200, 3900],
      ["borealis", 1100, 1250],
    ];
    await base.ingest([
      { uri: "costs.xlsx", bytes: makeXlsx([{ name: "Costs", rows }]) },
      { uri: "plan.md", text: "# Plan\n\nThe release ships on 14 May 2026, and the next one in 2027." },
    ]);
    const { citations } = await base.ask("What did atlas cost in 2026?");
    expect(citations).toMatchObject([{ quote: "Host: atlas | 2025: 4200 | 2026: 3900" }]);
    await base.close();
  });

  it("of a Markdown table lead below a heading that asks the same", async () => {
    const base = await openKnowledgeBase();
    const rows = ["| Free | none |", "| Team | 12 a seat |"];
    const table = `| Plan | Price |\n|---|---|\n${rows.join("\n")}`;
    const news = { uri: "news.md", text: "# News\n\nThe move is planned for the spring." };
    await base.ingest([{ uri: "help.md", text: `# Help\n\n## Which plans are there?\n\n${table}\n` }, news]);
    expect((await base.ask("Which plans are there?")).citations[0]).toMatchObject({
      quote: rows.join("\n"),
      header: { quote: "| Plan | Price |" },
    });
    expect((await base.ask("What is the price of the plan Team?")).citations).toMatchObject([
      { quote: rows[1], header: { quote: "| Plan | Price |" } },
    ]);
    await base.ingest({ uri: "help.md", text: `# Help\n\n## Prices\n\n${table}\n` });
    expect((await base.ask("Which plans are there?")).citations[0]).toMatchObject({ uri: "news.md" });
    await base.close();
  });

  it("of a Markdown table stand under their columns too", async () => {
    const base = await openKnowledgeBase();
    const table =
      "# Offices\n\n| Office | Opened | Desks |\n|---|---|---|\n| Kiel 7 | 2017 | 127 |\n| Lisbon 7 | 2021 | 155 |\n";
    await base.ingest({ uri: "offices.md", text: table });
    const { sentences } = await base.verify("The office Kiel 7 has 127 desks. The office Kiel 7 has 2017 desks.");
    expect(sentences.map(({ verdict }) => verdict)).toEqual(["supported", "partly"]);
    await base.close();
  });

  it("keep line breaks in quotes, other delimiters and lines above the table", async () => {
    const base = await openKnowledgeBase();
    const csv = 'Parts of the store\n\npart;note;stock\nAX-200;"Keep dry;\nnot in the sun";14\nAX-300;"";3\n';
    await base.ingest({ uri: "parts.csv", text: csv, mediaType: "text/csv" });
    const { citations } = await base.ask("What is the note of AX-200?");
    expect(citations).toMatchObject([
      { quote: 'AX-200;"Keep dry;\nnot in the sun";14', header: { quote: "part;note;stock" } },
    ]);
    await base.close();
  });

  it("have no header where no row names the columns", async () => {
    const base = await openKnowledgeBase();
    const csv = "2021-01-04,17,0.3\n2021-01-05,19,0.1\n2021-01-06,23,0.7\n";
    await base.ingest({ uri: "rain.csv", text: csv, mediaType: "text/csv" });
    const { citations } = await base.ask("2021-01-05");
    expect(citations[0]).toMatchObject({ quote: "2021-01-05,19,0.1" });
    expect(citations[0]!.header).toBeUndefined();
    await base.close();
  });
});
