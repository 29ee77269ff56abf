import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../src/contracts/answer.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createAskTool } from "../../src/integrations/tools/create-ask-tool.ts";
import { createHandler } from "../../src/server/index.ts";
import { callIbid, makeFolder } from "../cli/run-ibid.ts";
import { keys } from "../server/service.ts";
import { makePdf } from "../readers/make-pdf.ts";

const question = "How often are certificates renewed?";
// The sentence begins at the foot of the first page and ends at the head of the second.
const bytes = makePdf([
  [
    { text: "Locks of the old doors stay as they are for now.", y: 700 },
    { text: "Certificates of the service are renewed every", y: 80 },
  ],
  [
    { text: "ninety days by the operator on duty.", y: 700 },
    { text: "Doors are painted in spring.", y: 500 },
  ],
]);
const pages = { page: 1, lastPage: 2 };
let folder: string;
let kb: KnowledgeBase;

beforeAll(async () => {
  folder = await makeFolder({ "docs/tea.md": "Tea is served at four.\n" });
  await writeFile(join(folder, "docs/report.pdf"), bytes);
  kb = await openKnowledgeBase();
  await kb.ingest({ uri: "report.pdf", mediaType: "application/pdf", bytes });
  await callIbid(folder, ["ingest", "docs"]);
}, 30_000);
afterAll(async () => {
  await kb.close();
  await rm(folder, { recursive: true });
});

describe("a quotation over two pages of a PDF names both", () => {
  it("in the library, in answers and in hits [T48]", async () => {
    const { citations } = await kb.ask(question);
    expect(citations).toMatchObject([pages]);
    expect(citations[0]?.quote).toContain("ninety days");
    const [hit] = await kb.search(question);
    expect(hit?.source).toMatchObject(pages);
  });

  it("on the command line [T48]", async () => {
    const { stdout } = await callIbid(folder, ["ask", question]);
    expect(stdout).toMatch(/report\.pdf, pages 1–2/u);
    const { stdout: json } = await callIbid(folder, ["ask", question, "--json"]);
    expect((JSON.parse(json) as Answer).citations).toMatchObject([pages]);
  });

  it("over HTTP, in the stream and in the tool of agents [T48]", async () => {
    const handler = createHandler(kb, { keys: [keys.operator] });
    const ask = async (accept: string): Promise<string> => {
      const headers = { "content-type": "application/json", accept, authorization: `Bearer ${keys.operator.key}` };
      const body = JSON.stringify({ question });
      return (await handler(new Request("http://kb.example/ask", { method: "POST", headers, body }))).text();
    };
    expect((JSON.parse(await ask("application/json")) as Answer).citations).toMatchObject([pages]);
    expect(await ask("text/event-stream")).toMatch(/"page":1,"lastPage":2/u);
    const said = JSON.parse(await createAskTool(kb, {}).execute({ question })) as Answer;
    expect(said.citations).toMatchObject([pages]);
  });
});
