import { describe, expect, it } from "vitest";

import { createWordsJudge } from "../../src/answers/citations/judge-sentence.ts";
import { readEvidence } from "../../src/answers/citations/find-quote.ts";
import { judgeByWords } from "../../src/answers/support/judge-by-words.ts";
import { titles } from "../../src/text/languages/abbreviations.ts";
import { languageAnalyzer } from "../../src/text/index.node.ts";
import { collect, createScriptedModel, slicesOf } from "./support.ts";
import type { Hit } from "../../src/contracts/retriever.ts";

const judge = (sentence: string, sources: readonly string[], language = "en") =>
  judgeByWords({
    sentence,
    evidence: [...sources, "The canteen opens at noon."].map((text) => ({ text, title: "Manual" })),
    analyzer: languageAnalyzer,
    language,
  });
const kindsOf = (sentence: string, ...sources: readonly string[]) => [
  ...new Set(judge(sentence, sources).vetoes.map(({ kind }) => kind)),
];

/** The abbreviations, every listed title, and some that no list has. */
const abbreviations = [
  "Inc.",
  "No.",
  "vs.",
  "Cllr.",
  "Dipl.-Ing.",
  "Hptm.",
  "Ald.",
  "Bgm.",
  "Jdg.",
  ...[...titles].map((title) => `${title[0]!.toUpperCase()}${title.slice(1)}.`),
];

describe("a name behind an abbreviation", () => {
  it.each(abbreviations)("is a name: %s", (title) => {
    for (const [before, after] of [
      ["", "leads the help desk."],
      ["The help desk is led by", "on weekdays."],
      ["Since 2019 the desk of", "answers every call."],
    ]) {
      const source = `${before} ${title} Smith ${after}`.trim();
      const found = judge(source.replace("Smith", "Jones"), [source]);
      expect(found.verdict).not.toBe("supported");
      expect(found.vetoes.map(({ kind }) => kind)).toContain("name");
      expect(judge(source, [source])).toMatchObject({ verdict: "supported", isVerbatim: true });
    }
  });

  it("is a name in German too, whose nouns have capitals", () => {
    for (const title of ["Dr.", "Prof.", "Herr", "Frau"]) {
      const source = `Die Auskunft leitet ${title} Schmidt seit Mai.`;
      expect(judge(source.replace("Schmidt", "Meier"), [source], "de").verdict).not.toBe("supported");
    }
  });

  it("is known without its title, and by another one", () => {
    expect(kindsOf("Ada Smith leads the help desk.", "Dr. Ada Smith leads the help desk.")).toEqual([]);
    expect(kindsOf("Dr. Smith leads the help desk.", "Ada Smith leads the help desk.")).toEqual([]);
    expect(kindsOf("Prof. Smith leads the help desk.", "Dr. Smith leads the help desk.")).toEqual([]);
  });

  it("behind a colon is compared with the name in its place", () => {
    expect(kindsOf("Contact: Jones leads the help desk.", "Contact: Smith leads the help desk.")).toEqual(["name"]);
  });
});

/** Class, source, and edits of it. */
const edits: readonly (readonly [string, string, ...string[]])[] = [
  [
    "unit",
    "Keys are rotated every ninety days.",
    "Keys are rotated every ninety weeks.",
    "Every 90 hours keys are rotated.",
  ],
  ["unit", "The disk holds 500 GB of data.", "The disk holds 500 MB of data.", "The disk holds 500 terabytes of data."],
  [
    "unit",
    "The bus drives 12 km to the lake.",
    "The bus drives 12 miles to the lake.",
    "The bus drives 12 m to the lake.",
  ],
  ["unit", "Uploads are limited to 20MB per file.", "Uploads are limited to 20GB per file."],
  ["unit", "The rate is 5% a year.", "The rate is 5 euros a year.", "The rate is 5% a month."],
  ["number", "The office opens at 9 am.", "The office opens at 9 pm."],
  [
    "unit",
    "The fee is 40 euros.",
    "The fee is 40 dollars.",
    "The fee is $40.",
    "The fee is 40 USD.",
    "A fee of £40 is due.",
  ],
  ["number", "The fee is 40 euros.", "The fee is -40 euros.", "The fee is minus 40 euros.", "The fee is €-40."],
  ["number", "The freezer is kept at -18 degrees.", "The freezer is kept at 18 degrees."],
  ["relation", "Refunds are paid within 14 days.", "Refunds are paid after 14 days."],
  [
    "relation",
    "Old keys stay valid until the audit.",
    "Old keys stay valid after the audit.",
    "Old keys stay valid since the audit.",
  ],
  ["relation", "Send the form by Friday.", "Send the form after Friday."],
  ["relation", "Run the tests before the merge.", "Run the tests after the merge.", "After the merge, run the tests."],
  [
    "relation",
    "Orders of at least 50 pieces are free.",
    "Orders of at most 50 pieces are free.",
    "Orders of up to 50 pieces are free.",
  ],
  ["relation", "More than 20 users may log in.", "Fewer than 20 users may log in."],
  ["relation", "The alarm rings above 80 degrees.", "The alarm rings below 80 degrees."],
  [
    "modal",
    "Visitors may use the side door.",
    "Visitors must use the side door.",
    "Visitors should use the side door.",
    "Visitors use the side door.",
  ],
  [
    "modal",
    "Users must reset the password.",
    "Users may reset the password.",
    "Users can reset the password.",
    "Users should reset the password.",
  ],
  ["modal", "The field is optional in this form.", "The field is required in this form."],
  [
    "negation",
    "Visitors may use the side door.",
    "Visitors cannot use the side door.",
    "Visitors never use the side door.",
  ],
  ["role", "Acme pays Beta for the licence.", "Beta pays Acme for the licence."],
  ["role", "The tenant pays the landlord every month.", "The landlord pays the tenant every month."],
  ["role", "Trains run from Paris to Lyon every hour.", "Trains run from Lyon to Paris every hour."],
  ["role", "Copy the file from the server to the laptop.", "Copy the file from the laptop to the server."],
  ["role", "The sender pays the fee of the parcel.", "The receiver pays the fee of the parcel."],
  ["role", "Each child inherits the rights of its parent.", "Each parent inherits the rights of its child."],
];
const germanEdits: typeof edits = [
  ["unit", "Die Schlüssel wechseln alle 90 Tage.", "Die Schlüssel wechseln alle 90 Wochen."],
  ["unit", "Die Gebühr beträgt 40 Euro.", "Die Gebühr beträgt 40 Franken."],
  ["unit", "Das Amt öffnet am Montag.", "Das Amt öffnet am Freitag."],
  ["relation", "Die Frist endet vor dem 1. Mai.", "Die Frist endet nach dem 1. Mai."],
  ["relation", "Höchstens 20 Gäste dürfen bleiben.", "Mindestens 20 Gäste dürfen bleiben."],
  ["relation", "Der Ausweis gilt bis Freitag.", "Der Ausweis gilt seit Freitag."],
  ["modal", "Besucher dürfen die Seitentür benutzen.", "Besucher müssen die Seitentür benutzen."],
  ["role", "Die Züge fahren von Bonn nach Kiel.", "Die Züge fahren von Kiel nach Bonn."],
  ["role", "Der Mieter zahlt die Reparatur.", "Der Vermieter zahlt die Reparatur."],
];

describe("a veto for a detail beside numbers and names", () => {
  it.each([...edits.map((edit) => ["en", ...edit]), ...germanEdits.map((edit) => ["de", ...edit])])(
    "%s, %s: %s",
    (language = "en", kind, source = "", ...sentences) => {
      for (const sentence of sentences) {
        const found = judge(sentence, [source], language);
        expect([sentence, found.verdict]).not.toEqual([sentence, "supported"]);
        expect(found.vetoes.map((veto) => veto.kind)).toContain(kind);
        for (const { start, end } of found.vetoes) expect(end).toBeGreaterThan(start);
      }
    },
  );

  it.each([
    ["The fee is $40.", "The fee is 40 dollars."],
    ["The fee is EUR 40.", "The fee is 40 euros."],
    ["The disk holds 500 GB.", "The disk holds 500 gigabytes."],
    ["Keys are rotated every ninety days.", "Every 90 days the keys are rotated."],
    ["Acme pays Beta for the licence.", "Beta is paid by Acme for the licence."],
    ["In 2019 Acme bought Beta.", "Acme bought Beta in 2019."],
    ["If the server restarts, clients reconnect.", "Clients reconnect if the server restarts."],
    ["Germany has its capital in Berlin.", "Berlin is the capital of Germany."],
    ["Refunds are paid within 14 days.", "Refunds are paid in at most 14 days."],
    ["Refunds are paid within 14 days.", "Refunds are paid no later than 14 days."],
    ["Visitors may use the side door.", "Visitors can use the side door."],
    ["Users are required to reset the password.", "Users must reset the password."],
    ["The form is due before Friday.", "The form is due by Friday."],
    ["Pages 3-5 describe it and 10-20 items fit.", "Between 10 and 20 items fit."],
  ])("is not made by the same in other words: %s %s", (source, sentence) => {
    expect(kindsOf(sentence, source)).toEqual([]);
  });

  it("holds against a judge that lies, but for quantifiers", async () => {
    const lie = {
      ...createScriptedModel(["1: supported 1"]).model,
      chat: async () => ({ message: { role: "assistant" as const, content: "1: supported 1" } }),
    };
    for (const [, source, ...sentences] of edits)
      for (const sentence of sentences) {
        const { answer } = await collect({
          hits: [hitOf(source)],
          documents: slicesOf(() => source),
          model: createScriptedModel([`${sentence} [1]`]).model,
          judge: lie,
          grounding: "strict",
        });
        expect([sentence, answer.kind]).toEqual([sentence, "refused"]);
      }
  });
});

const rotated = "The keys are rotated every ninety days.";
const desk = "The help desk is at extension 42.";

describe("a clause whose facts come from two sentences", () => {
  it.each([
    "The help desk rotates keys every ninety days at extension 42.",
    "Keys are rotated every ninety days at extension 42.",
    "At extension 42, keys are rotated every ninety days.",
    "Keys are rotated every ninety days and are at extension 42.",
  ])("is not supported where these do not speak of the same thing: %s", (sentence) => {
    for (const sources of [
      [rotated, desk],
      [desk, rotated],
    ])
      expect(judge(sentence, sources).verdict).toBe("partly");
    const hits = [hitOf(`${rotated}\n\nTools are kept in the shed.\n\n${desk}`)];
    const words = createWordsJudge(hits, readEvidence(hits, languageAnalyzer), undefined);
    expect(words(sentence, [0]).verdict).toBe("partly");
  });

  it.each([
    ["Keys are rotated every ninety days, and the help desk is at extension 42.", rotated, desk],
    ["The help desk is at extension 42 and opens on Monday.", desk, "It opens on Monday."],
    ["The help desk at extension 42 opens on Monday.", desk, "The help desk opens on Monday."],
  ])("is supported where each clause has its sentence, or both speak of one thing: %s", (sentence, ...sources) => {
    expect(judge(sentence, sources)).toMatchObject({ verdict: "supported", vetoes: [] });
  });
});

function hitOf(text: string): Hit {
  return {
    rank: 1,
    score: 1,
    chunkId: "c",
    documentId: "d",
    scope: "deployment",
    text,
    snippet: "",
    source: { uri: "d.md", title: "Manual", headings: [], start: 0, end: text.length, language: "en" },
    metadata: {},
    origin: "user-content",
  };
}
