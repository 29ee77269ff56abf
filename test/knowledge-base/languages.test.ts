import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openKnowledgeBase } from "../../src/index.node.ts";
import { createAnalyzer, snowballLanguages } from "../../src/text/index.node.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";

let folder: string;
let kb: KnowledgeBase;

const files: Readonly<Record<string, string>> = {
  "rotation.md": `# Rotation of keys

The operator rotates every signing key before it expires. Services that were deployed with the old key go on verifying for a day.

Résumés of applicants are kept in the drawer of the personnel office, and nobody may read them without a reason.`,
  "lager.md": `# Das Lager

Die Verkäuferinnen haben die Bücher in den Häusern am Hafen gelagert, weil dort der Platz billiger ist als in der Stadt.
Die Schlüssel werden vom Wächter aufbewahrt.`,
  "biblioteca.md": `# La biblioteca

Los bibliotecarios catalogaron las colecciones antiguas que estaban en el sótano, y después las trasladaron a una sala nueva con ventanas.`,
  "notes.txt": "kubectl get pods --watch\nNODE_ENV=production\nQUEUE_SIZES=12",
};

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "languages-")));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  kb = await openKnowledgeBase({ models: { embedding: null } });
});
afterEach(async () => {
  await kb.close();
  await rm(folder, { recursive: true });
});

const best = async (query: string): Promise<string | undefined> => {
  const [hit] = await kb.search(query, { mode: "lexical" });
  return hit?.source.uri.replace(/^.*\//u, "");
};

describe("a folder with documents in several languages [T29]", () => {
  it.each([
    // No word of these stands in its document as it is asked.
    ["how do I rotate keys that are expiring?", "rotation.md"],
    ["deployment of a service", "rotation.md"],
    ["resume", "rotation.md"],
    ["Verkäuferin im Haus", "lager.md"],
    ["Wo ist ein Buch?", "lager.md"],
    ["Buch", "lager.md"],
    ["catalogar una colección", "biblioteca.md"],
    ["¿Dónde está el bibliotecario?", "biblioteca.md"],
    ["queue size", "notes.txt"],
  ])("finds by %j what says it in another form", async (query, uri) => {
    await kb.ingest(folder);
    expect(await best(query)).toBe(uri);
  });

  it("says in what language a hit is, and marks the words that were asked in their other forms", async () => {
    await kb.ingest(folder);
    const [hit] = await kb.search("die Häuser", { mode: "lexical", snippetLength: 60 });
    expect(hit?.source.language).toBe("de");
    expect(hit?.snippet).toContain("Häusern");
    const [code] = await kb.search("kubectl", { mode: "lexical" });
    expect(code?.source).not.toHaveProperty("language");
  });

  it("answers from sentences that say it in another form", async () => {
    await kb.ingest(folder);
    const answer = await kb.ask("Wer hat die Schlüssel aufbewahrt?");
    expect(answer.kind).toBe("quotes");
    expect(answer.citations[0]?.quote).toContain("Wächter");
  });

  it("writes nothing the second time, and all of it again for other rules [L7]", async () => {
    const place = join(folder, "kb");
    const open = async (analyzer = createAnalyzer({ languages: snowballLanguages })) =>
      openKnowledgeBase(place, { models: { embedding: null }, search: { analyzer } });
    const first = await open();
    expect(await first.ingest(folder)).toMatchObject({ added: 4, unchanged: 0 });
    expect(await first.ingest(folder)).toMatchObject({ added: 0, updated: 0, unchanged: 4 });
    await first.close();
    const again = await open();
    expect(await again.ingest(folder)).toMatchObject({ updated: 0, unchanged: 4 });
    await again.close();
    const { de, ...others } = snowballLanguages;
    const other = await open(
      createAnalyzer({ languages: { ...others, de: { ...de!, version: "2", stem: (word) => word } } }),
    );
    expect((await other.search("Haus", { mode: "lexical" })).length).toBe(0);
    expect(await other.ingest(folder)).toMatchObject({ added: 0, updated: 4, unchanged: 0 });
    await other.close();
  });
});

describe("what a document says of its language", () => {
  const text = "Gift und Rat und Arm und Gifte.";
  const language = async (): Promise<string | undefined> =>
    (await kb.search("Gift Rat", { mode: "lexical" }))[0]?.source.language;

  it.each([
    ["page.html", `<html lang="sv-SE"><body><p>${text}</p></body></html>`, "sv"],
    ["page.md", `---\nlanguage: da\n---\n${text}`, "da"],
    ["page.txt", `${text}\nDas ist es, was wir in der Stadt und auf dem Land haben.`, "de"],
  ])("counts before what its words show: %s", async (name, content, expected) => {
    const path = join(folder, name);
    await writeFile(path, content);
    await kb.ingest(path);
    expect(await language()).toBe(expected);
  });

  it("counts when the caller says it", async () => {
    const path = join(folder, "said.txt");
    await writeFile(path, text);
    await kb.ingest(path, { metadata: { language: "nb-NO" } });
    expect(await language()).toBe("no");
    await kb.ingest(path, { metadata: { language: "nonsense!" } });
    expect(await language()).toBeUndefined();
  });

  it("is told of chunks that somebody else has cut by what those of one document say together", async () => {
    const chunk = (id: string, words: string) => ({
      type: "text-chunk" as const,
      id,
      documentId: "d",
      uri: "d",
      title: "",
      text: words,
      urtext: words,
      start: 0,
      end: words.length,
      index: 0,
      sectionId: "0",
      headings: [],
      metadata: {},
      origin: "user-content" as const,
    });
    await kb.ingest([chunk("a", "Gift und Rat"), chunk("b", "Das ist es, was wir in der Stadt haben.")]);
    expect(await language()).toBe("de");
    await kb.ingest([{ ...chunk("a", "Gift und Rat"), language: "nn" }]);
    expect(await language()).toBe("no");
    // The same words in another language have other terms.
    const found = async (): Promise<number> => (await kb.search("Haus", { mode: "lexical" })).length;
    await kb.ingest([{ ...chunk("h", "Häuser"), language: "de" }]);
    expect(await found()).toBe(1);
    await kb.ingest([{ ...chunk("h", "Häuser"), language: "sv" }]);
    expect(await found()).toBe(0);
  });
});
