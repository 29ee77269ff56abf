import type * as Ibid from "../../src/index.ts";
import { where } from "../../src/search/index.ts";

/** The work of the check in a page, in a worker and on Node, whose results must be the same. Plain data. */
export async function runScenario({ openKnowledgeBase }: typeof Ibid): Promise<unknown> {
  const kb = await openKnowledgeBase();
  const texts = [
    [
      "keys.txt",
      "# Keys\n\nTo rotate the signing keys, revoke the old key first.\n\n## Backup\n\nKeys are backed up every night. 🔑",
    ],
    ["leave.txt", "Every employee has twenty five days of leave a year. Ask the office for more."],
    ["größe.txt", "Die Größe des Schlüssels beträgt 256 Bit. Straßen haben keine Schlüssel."],
    ["密钥.txt", "每个员工每年有二十五天假期。签名密钥必须每九十天更换一次。"],
  ] as const;
  const ingested = await kb.ingest(texts.map(([uri, text]) => ({ uri, text, metadata: { language: uri } })));
  const again = await kb.ingest(texts.map(([uri, text]) => ({ uri, text, metadata: { language: uri } })));
  const ada = kb.as({ userId: "ada" });
  await ada.ingest({ uri: "note.txt", text: "Ada keeps her own key under the mat." });

  const found = async (query: string, options: Ibid.SearchOptions = {}, from = kb): Promise<unknown> =>
    (await from.search(query, { explain: true, ...options })).map(
      ({ chunkId, score, text, snippet, source, matches, explain }) => ({
        chunkId,
        score,
        text,
        snippet,
        source,
        matches,
        explain,
      }),
    );
  const { text, citations, grounded } = await kb.ask("How do I rotate the signing keys?");
  const results = {
    ingested,
    again,
    hybrid: await found("rotate signing keys"),
    german: await found("Schlüssel Größe"),
    chinese: await found("签名密钥"),
    misspelt: await found("emploiee leeve"),
    lexical: await found("leave", { mode: "lexical" }),
    regex: await found("[Kk]eys?\\b", { mode: "regex" }),
    pattern: await found("days of leave", { pattern: "STRASSEN|Straßen", ignoreCase: true }),
    filtered: await found("keys", { filter: where("language").ne("keys.txt") }),
    hers: await found("mat", {}, ada),
    notHers: await found("mat"),
    answer: { text, citations, grounded },
  };
  await kb.close();
  return results;
}
