// The part of an application that uses ibid, the same in every build of the matrix.
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { createMemory } from "ibid/memory";
import { createHandler } from "ibid/server";

export async function probe() {
  const animals = JSON.parse(process.env.IBID_ANIMALS);
  const folder = process.env.IBID_FILES;
  const warnings = [];
  process.on("warning", ({ code, message }) => warnings.push(code ?? message));
  const opened = process.env.IBID_MEMORY ? undefined : join(mkdtempSync(join(tmpdir(), "ibid-probe-")), "kb");
  const kb = await (opened === undefined ? openKnowledgeBase() : openKnowledgeBase(opened));
  const found = {};
  for (const file of readdirSync(folder).sort()) {
    // Each report holds its own failures; a search shows whether the words arrived.
    await kb.ingest(join(folder, file));
    const hits = await kb.search(`${animals[file]}`, { topK: 1 });
    found[file] = hits[0]?.source.uri.endsWith(file) ?? false;
  }
  // A section that only a parser of code finds.
  const [code] = await kb.search(animals["g.ts"], { topK: 1 });
  const answer = await kb.ask("How long does the quokka sleep?");
  const handler = createHandler(kb, { local: { access: "operator" } });
  const served = await handler(new Request("http://localhost/documents?limit=1"), { remoteAddress: "127.0.0.1" });
  // A note is checked by a detector of secrets that is loaded when it is needed.
  const memory = createMemory(kb, { by: "keeper" });
  await memory.remember("The quokka is fed at nine.");
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const kept = await memory.remember(`The token is ${secret}.`).then(
    () => "kept",
    ({ details }) => details.rule,
  );
  await kb.close();
  return {
    kept,
    found,
    served: served.status,
    headings: code?.source.headings ?? [],
    answer: answer.text,
    citations: answer.citations.length,
    warnings,
  };
}
