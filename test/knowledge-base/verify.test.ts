import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KnowledgeBase, TextInput } from "../../src/contracts/knowledge-base.ts";
import type { Verification } from "../../src/contracts/verification.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";

const library: readonly TextInput[] = [
  {
    uri: "docs/keys.md",
    title: "Key Handbook",
    mediaType: "text/markdown",
    text: "# Keys\n\nSigning keys live ninety days. Both keys are logged.\n",
  },
  {
    uri: "docs/backup.md",
    title: "Backups",
    text: "Backups run every night at two. They are kept for thirty days in another building.",
  },
];
const secret = "The launch code of the northern silo is tangerine seven.";

let kb: KnowledgeBase;
beforeAll(async () => {
  kb = await openKnowledgeBase();
  await kb.ingest(library);
  await kb.ingest({ uri: "docs/secret.md", title: "Silo", text: secret }, { scope: "team:silo" });
});
afterAll(() => kb.close());

const verdictsOf = ({ sentences }: Verification) => sentences.map(({ verdict }) => verdict);
const statusesOf = ({ quotations }: Verification) => quotations.map(({ status, place }) => [status, place?.uri]);

describe("verify", () => {
  it("judges each sentence by the sources that it names, with the place of what carries it", async () => {
    const text =
      "Signing keys live ninety days [1]. Penguins swim under the ice [2]. Nobody cites this claim.\n\n## Sources\n\n1. docs/keys.md\n2. Backups\n";
    const result = await kb.verify(text);
    expect(result).toMatchObject({
      verified: false,
      grounded: false,
      format: "markdown",
      evidence: "citations",
      unknownSources: [],
      quotations: [],
      support: { by: "words" },
      citations: [
        { marker: "[1]", uri: "docs/keys.md", line: 3, headings: ["Keys"], quote: "Signing keys live ninety days." },
      ],
    });
    expect(verdictsOf(result)).toEqual(["supported", "unsupported", "uncited"]);
    for (const { text: said, start, end } of result.sentences) expect(text.slice(start, end)).toBe(said);
    for (const { uri, start, end, quote } of result.citations)
      expect((await kb.document(uri))?.text.slice(start, end)).toBe(quote);
  });

  it("verifies what is supported and quoted as it stands", async () => {
    const result = await kb.verify(
      'The handbook says "Signing keys live ninety days." [1] Backups run every night at two [2].\n\n[1]: docs/keys.md\n[2]: docs/backup.md\n',
    );
    expect(result).toMatchObject({ verified: true, grounded: true });
    expect(statusesOf(result)).toEqual([["found", "docs/keys.md"]]);
  });

  it.each([
    ["docs/keys.md"],
    ["docs/keys.md:3"],
    ["keys.md"],
    ["key handbook"],
    ["Key Handbook, page 2"],
    ["See the Key Handbook of ACME"],
    ["[the handbook](docs/keys.md#keys)"],
  ])("finds the document that a source names: %s", async (source) => {
    const result = await kb.verify(`Signing keys live ninety days [1].\n\nSources:\n1. ${source}\n`);
    expect(result).toMatchObject({ verified: true, unknownSources: [] });
  });

  it("finds a quotation in its source, elsewhere, or nowhere", async () => {
    const quote = "They are kept for thirty days in another building.";
    const status = async (citation: object) =>
      statusesOf(await kb.verify("Backups are kept for thirty days.", { citations: [citation] }));
    expect(await status({ quote, uri: "docs/backup.md" })).toEqual([["found", "docs/backup.md"]]);
    expect(await status({ quote })).toEqual([["found", "docs/backup.md"]]);
    expect(await status({ quote, uri: "docs/keys.md" })).toEqual([["found-elsewhere", "docs/backup.md"]]);
    expect(await status({ quote, uri: "docs/none.md" })).toEqual([["found-elsewhere", "docs/backup.md"]]);
    expect(await status({ quote: quote.replace("thirty", "thirsty"), uri: "docs/backup.md" })).toEqual([
      ["not-found", undefined],
    ]);
    const wrong = await kb.verify("Backups are kept for thirty days.", {
      citations: [{ quote: "Backups are kept for thirty days.", uri: "docs/backup.md" }],
    });
    expect(wrong).toMatchObject({ verified: false, grounded: false });
    expect(verdictsOf(wrong)).toEqual(["unsupported"]);
  });

  it("never confirms a document that the caller may not read", async () => {
    const ada = kb.as({ userId: "ada" });
    const silo = kb.as({ userId: "bob", teamId: "silo" });
    const say = (title: string, quote: string) =>
      `The launch code is tangerine seven [1].\n\nSources:\n1. ${title}: "${quote}"\n`;
    const nothing = "The lunch menu of the southern canteen is tangerine soup.";
    const hidden = await ada.verify(say("docs/secret.md", secret));
    const absent = await ada.verify(say("docs/absent.md", nothing));
    const blank = (result: Verification): unknown =>
      JSON.parse(
        JSON.stringify({ ...result, ms: 0 }).replaceAll(/docs\/\w+\.md|The (?:launch code of|lunch)[^"\\]*/gu, "…"),
      );
    expect(blank(hidden)).toEqual(blank(absent));
    expect(hidden).toMatchObject({ verified: false, unknownSources: ["docs/secret.md"], citations: [] });
    expect(statusesOf(hidden)).toEqual([["not-found", undefined]]);
    expect(statusesOf(await silo.verify(say("docs/secret.md", secret)))).toEqual([["found", "docs/secret.md"]]);
    // Without citations the search sees as little; with scopes, no more than these.
    expect(JSON.stringify(await ada.verify(secret))).not.toContain("docs/secret.md");
    expect(verdictsOf(await ada.verify(secret))).toEqual(["unsupported"]);
    expect(verdictsOf(await silo.verify(secret))).toEqual(["supported"]);
    expect(verdictsOf(await silo.verify(secret, { scopes: ["deployment"] }))).toEqual(["unsupported"]);
  });

  it("searches for each sentence of an answer without citations, and says so", async () => {
    const result = await kb.verify("Hello! Signing keys live ninety days. Penguins swim under the ice.");
    expect(result).toMatchObject({
      evidence: "search",
      verified: false,
      citations: [{ marker: "", uri: "docs/keys.md" }],
    });
    expect(verdictsOf(result)).toEqual([undefined, "supported", "unsupported"]);
  });

  it("verifies nothing in a text that has nothing to verify", async () => {
    for (const text of ["", " \n", "Hello!", "# Keys", "What else?"])
      expect(await kb.verify(text)).toMatchObject({ verified: false, grounded: false, quotations: [] });
  });

  it("looks for longer quotations of a text that cites nothing", async () => {
    const result = await kb.verify(
      'As they say, "Both keys are logged." It is "fine". They add: "Both keys are lost."',
    );
    expect(result.quotations.map(({ quote, status }) => [quote, status])).toEqual([
      ["Both keys are logged.", "found"],
      ["Both keys are lost.", "not-found"],
    ]);
  });

  it("asks a judge once, which words may lower, and says who judged [L2]", async () => {
    const judge = createScriptedChatModel(() => "1: supported 1\n2: supported 2");
    const text =
      "Keys expire after a quarter [1]. Backups run at three in 2031 [2].\n\n[1]: docs/keys.md\n[2]: docs/backup.md\n";
    const result = await kb.verify(text, { judge });
    expect(judge.calls).toHaveLength(1);
    expect(result).toMatchObject({ support: { by: "judge", judge: "testing/scripted" }, usage: {} });
    // Numbers stay with the words.
    expect(result.sentences[1]?.verdict).not.toBe("supported");
    expect((await kb.verify(text, { judge: null })).support).toEqual({ by: "words" });
    const broken = createScriptedChatModel(() => '{"verdicts": ["supported"]}');
    expect((await kb.verify(text, { judge: broken })).support).toMatchObject({
      by: "words",
      judgeFailure: "invalid-response",
    });
  });

  it("refuses unknown options and forms, and stops [B44]", async () => {
    const refused = (call: () => Promise<unknown>) =>
      expect(call()).rejects.toMatchObject({ code: "invalid-argument" });
    await refused(() => kb.verify("A.", { other: 1 } as object));
    await refused(() => kb.verify("A.", { format: "other" } as object));
    await refused(() => kb.verify(7 as unknown as string));
    await refused(() => kb.verify({}));
    await refused(() => kb.verify("A.", { citations: [{}] }));
    await expect(kb.verify("Keys live.", { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
    const closed = await openKnowledgeBase();
    await closed.close();
    await expect(closed.verify("A.")).rejects.toMatchObject({ code: "store-closed" });
  });

  it("verifies ibid's own answers", async () => {
    const answer = await kb.ask("How long do signing keys live?");
    expect(await kb.verify(answer)).toMatchObject({ format: "ibid", verified: true, grounded: true });
  });
});
