/**
 * Models on this machine, by name: Ollama's, or any server's that speaks OpenAI's API. No key, no package to install.
 *
 *     ollama pull nomic-embed-text && ollama pull llama3.2
 *     npm run build && OLLAMA=http://127.0.0.1:11434 npx node examples/models/local.ts
 *
 * Without OLLAMA a stand-in answers, so that it runs as it is.
 */
import { IbidError, openKnowledgeBase } from "ibid";
import { resolveEmbeddingModel } from "ibid/models";
import { check } from "../check.ts";
import { startStandIn } from "../stand-in.ts";

const standIn = process.env["OLLAMA"] === undefined ? await startStandIn() : undefined;
const ollama = process.env["OLLAMA"] ?? standIn?.url;

const kb = await openKnowledgeBase({
  models: {
    // Without the address it is OLLAMA_HOST, or this machine. The model's prefixes for documents and queries are known.
    embedding: `ollama/nomic-embed-text@${ollama}`,
    chat: `ollama/llama3.2@${ollama}`,
  },
});
await kb.ingest([
  { uri: "keys.md", text: "# Keys\n\nA key is valid for ninety days." },
  { uri: "tea.md", text: "# Tea\n\nTea is served at five." },
]);
const [hit] = await kb.search("How long is a key valid?", { mode: "dense" });
check("found by its vector", hit?.source.uri, "keys.md");
const answer = await kb.ask("How long is a key valid?");
console.log(answer.text);
check("answered by", answer.model, "ollama/llama3.2");
check("cited", answer.citations[0]?.uri, "keys.md");
await kb.close();
standIn?.stop();

// Any other server goes by its address; one that nobody started says so.
const nowhere = await resolveEmbeddingModel("openai-compatible/bge-m3@http://127.0.0.1:9/v1");
const failure: unknown = await nowhere.embed(["a text"], { purpose: "document" }).catch((error: unknown) => error);
check("nobody there", IbidError.isInstance(failure, "embedding-failed"), true);
console.log(String(failure));
