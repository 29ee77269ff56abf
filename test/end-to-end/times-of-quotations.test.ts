import { rm } from "node:fs/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../src/contracts/answer.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Hit } from "../../src/contracts/retriever.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createAskTool } from "../../src/integrations/tools/create-ask-tool.ts";
import { createSearchTools } from "../../src/integrations/tools/create-search-tools.ts";
import { createHandler } from "../../src/server/index.ts";
import { callIbid, makeFolder } from "../cli/run-ibid.ts";
import { keys } from "../server/service.ts";

const question = "How often are certificates renewed?";
const before = ["Locks of the old gates stay as they are for now.", "Gates are painted in spring."];
/** A talk of ten minutes: a sentence every ten seconds, and the one that is asked for in two cues. */
const cues = Array.from({ length: 60 }, (_, index) => {
  const clock = `${String(Math.floor(index / 6)).padStart(2, "0")}:${String((index % 6) * 10).padStart(2, "0")}`;
  const words =
    index === 30 ? "Certificates of the service are renewed" : `${before[index % 2]!} Berth ${index} is free.`;
  const next =
    index === 30
      ? `\n\n${clock.slice(0, 3)}04.000 --> ${clock.slice(0, 3)}06.750\nevery ninety days by the operator on duty.`
      : "";
  return `${clock}.250 --> ${clock.slice(0, 4)}4.000\n${words}${next}`;
});
const film = `WEBVTT\n\n${cues.join("\n\n")}\n`;
const time = { start: 280.25, end: 314 };
const findTool = (base: KnowledgeBase) => createSearchTools(base).find(({ name }) => name === "documents_text_search")!;
let folder: string;
let kb: KnowledgeBase;

beforeAll(async () => {
  folder = await makeFolder({ "docs/talk.vtt": film });
  kb = await openKnowledgeBase();
  await kb.ingest({ uri: "talk.vtt", mediaType: "text/vtt", bytes: new TextEncoder().encode(film) });
  await callIbid(folder, ["ingest", "docs"]);
}, 30_000);
afterAll(async () => {
  await kb.close();
  await rm(folder, { recursive: true });
});

describe("a quotation of subtitles names its time", () => {
  it("in the library: hits, answers, evidence, excerpts", async () => {
    const [hit] = await kb.search(question);
    const span = hit!.source.time!;
    expect([span.start < time.start, span.end > time.end, span.end < 594]).toEqual([true, true, true]);
    const { citations } = await kb.ask(question);
    expect(citations).toMatchObject([{ quote: expect.stringContaining("ninety days") as string, time }]);
    expect(await kb.expand(hit!.chunkId, { neighbours: 0 })).toMatchObject({ time: span });
  });

  it("on the command line", async () => {
    const { stdout } = await callIbid(folder, ["ask", question]);
    expect(stdout).toMatch(/talk\.vtt, 00:04:40–00:05:14/u);
    const { stdout: found } = await callIbid(folder, ["search", question]);
    expect(found).toMatch(/00:0\d:\d0–00:0\d:\d4/u);
    const { stdout: hits } = await callIbid(folder, ["search", question, "--json"]);
    const [hit] = (JSON.parse(hits) as { hits: readonly Hit[] }).hits;
    expect(hit?.source.time?.start).toBeLessThan(time.start);
    const { stdout: shown } = await callIbid(folder, ["show", "--chunk", hit!.chunkId, "--json"]);
    expect(JSON.parse(shown)).toMatchObject({ time: hit!.source.time });
  });

  it("over HTTP, in the stream, in views and chunks, and in the tools of agents", async () => {
    const handler = createHandler(kb, { keys: [keys.operator] });
    const send = async (path: string, body?: object, accept = "application/json"): Promise<string> => {
      const headers = { "content-type": "application/json", accept, authorization: `Bearer ${keys.operator.key}` };
      const method = body === undefined ? "GET" : "POST";
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      return (await handler(new Request(`http://kb.example${path}`, init))).text();
    };
    const answer = JSON.parse(await send("/ask", { question })) as Answer;
    expect(answer.citations).toMatchObject([{ time }]);
    expect(await send("/ask", { question }, "text/event-stream")).toContain('"time":{"start":280.25,"end":314}');
    const { start, end } = answer.citations[0]!;
    expect(JSON.parse(await send(`/view?uri=talk.vtt&start=${start}&end=${end}`))).toMatchObject({ place: { time } });
    const { chunks } = JSON.parse(await send("/chunks?uri=talk.vtt")) as { chunks: readonly Hit["source"][] };
    expect([chunks[0]?.time?.start, chunks.at(-1)?.time?.end]).toEqual([0.25, 594]);
    const said = JSON.parse(await createAskTool(kb, {}).execute({ question })) as Answer;
    expect(said.citations).toMatchObject([{ time }]);
    const { data } = await findTool(kb).structured!.call({ query: question });
    const results = data["results"] as readonly object[];
    expect(results[0]).toMatchObject({ time: { start: expect.any(Number) as number } });
  });

  it("of chunks that were cut elsewhere as they say it, and no other shape", async () => {
    const chunk = (given: unknown): never => ({ text: "Ferries sail at dawn.", time: given }) as never;
    await kb.ingest({ uri: "cut.vtt", chunks: [chunk({ start: 5, end: 7.5 })] });
    expect((await kb.search("ferries sail"))[0]?.source.time).toEqual({ start: 5, end: 7.5 });
    await expect(kb.ingest({ uri: "wrong.vtt", chunks: [chunk({ start: 5, end: 4 })] })).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });
});
