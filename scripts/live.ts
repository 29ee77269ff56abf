// Tries a provider's real models: embeds, answers and reranks, and prints its steps. Needs a key or a server; never
// part of the tests.
//
//   npm run live                                        which there are, and what each wants
//   npm run live -- openai                              with usual models
//   npm run live -- ollama --embed nomic-embed-text --chat llama3.2
//   npm run live -- hosted                              SERVICE_URL and ACCESS_TOKEN
//
// Exit codes: 0 all steps succeeded, 1 a step failed, 2 nothing could be tried, with the missing part named.
import { parseArgs } from "node:util";
import { IbidError, openKnowledgeBase } from "../src/index.node.ts";
import {
  type ChatModel,
  createHostedChatModel,
  createHostedEmbeddingModel,
  type EmbeddingModel,
  type Reranker,
  resolveChatModel,
  resolveEmbeddingModel,
  resolveReranker,
} from "../src/models/index.node.ts";

interface Usual {
  readonly embed?: string;
  readonly chat?: string;
  readonly rerank?: string;
  readonly wants: string;
}

const usual: Readonly<Record<string, Usual>> = {
  openai: { embed: "text-embedding-3-small", chat: "gpt-5-mini", wants: "OPENAI_API_KEY and @ai-sdk/openai" },
  anthropic: { chat: "claude-haiku-4-5", wants: "ANTHROPIC_API_KEY and @ai-sdk/anthropic" },
  google: {
    embed: "gemini-embedding-001",
    chat: "gemini-2.5-flash",
    wants: "GOOGLE_GENERATIVE_AI_API_KEY and @ai-sdk/google",
  },
  cohere: {
    embed: "embed-v4.0",
    chat: "command-a-03-2025",
    rerank: "rerank-v3.5",
    wants: "COHERE_API_KEY and @ai-sdk/cohere",
  },
  ollama: { embed: "nomic-embed-text", chat: "llama3.2", wants: "a server (OLLAMA_HOST) with the models pulled" },
  "openai-compatible": { wants: "OPENAI_COMPATIBLE_BASE_URL, and --embed, --chat or --rerank" },
  hosted: { embed: "", chat: "", wants: "SERVICE_URL and ACCESS_TOKEN" },
  transformers: {
    embed: "Xenova/all-MiniLM-L6-v2",
    rerank: "Xenova/ms-marco-MiniLM-L-6-v2",
    wants: "@huggingface/transformers, and IBID_ALLOW_DOWNLOAD=1 or models that are here",
  },
};

/** Says what is missing, and ends with 2. */
function stop(message: string): never {
  console.error(message);
  process.exit(2);
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { embed: { type: "string" }, chat: { type: "string" }, rerank: { type: "string" } },
});
const [provider = ""] = positionals;
const known = Object.hasOwn(usual, provider) ? usual[provider] : undefined;
if (known === undefined) {
  const list = Object.entries(usual).map(([name, { wants }]) => `  ${name.padEnd(18)} ${wants}`);
  stop(
    `${provider === "" ? "Which provider?" : `There is no provider ${provider}.`} npm run live -- <provider>\n${list.join("\n")}`,
  );
}
const names = { ...known, ...values };

async function make<Model>(
  name: string | undefined,
  resolve: (name: string) => Promise<Model>,
): Promise<Model | undefined> {
  if (name === undefined) return undefined;
  return resolve(`${provider}/${name}`);
}

/** **Errors** the library's own, for a missing part. */
async function makeModels(): Promise<{ embedding?: EmbeddingModel; chat?: ChatModel; reranker?: Reranker }> {
  if (provider === "hosted") {
    const { SERVICE_URL: serviceUrl = "", ACCESS_TOKEN: accessToken = "" } = process.env;
    const [embedModel, chatModel] = [names.embed, names.chat].map((model) => (model ? { model } : {}));
    return {
      embedding: createHostedEmbeddingModel({ serviceUrl, accessToken, ...embedModel }),
      chat: createHostedChatModel({ serviceUrl, accessToken, ...chatModel }),
    };
  }
  const embedding = await make(names.embed, resolveEmbeddingModel);
  const chat = await make(names.chat, resolveChatModel);
  const reranker = await make(names.rerank, resolveReranker);
  return { ...(embedding && { embedding }), ...(chat && { chat }), ...(reranker && { reranker }) };
}

const models = await makeModels().catch((error: unknown) => {
  if (!IbidError.isInstance(error)) throw error;
  stop(`${error.message} ${error.hint ?? ""}\n${provider} wants ${known.wants}.`);
});
if (Object.keys(models).length === 0) stop(`No model is named. ${provider} wants ${known.wants}.`);

let failed = false;
async function attempt(what: string, work: () => Promise<string>): Promise<void> {
  const started = performance.now();
  try {
    const said = await work();
    console.log(`${what}: ${said} (${Math.round(performance.now() - started)} ms)`);
  } catch (error) {
    failed = true;
    const hint = IbidError.isInstance(error) ? ` ${error.hint ?? ""}` : "";
    console.log(`${what}: FAILED. ${String(error)}${hint}`);
  }
}

const documents = ["A key is valid for ninety days.", "Tea is served at five.", "The heron waits in the reeds."];
const question = "How long can I use a key?";
const { embedding, chat, reranker } = models;
if (embedding) {
  await attempt(`embeds with ${embedding.provider}/${embedding.model}`, async () => {
    const kb = await openKnowledgeBase({ models: { embedding: embedding } });
    const { usage, failed: refused } = await kb.ingest(documents.map((text, index) => ({ uri: `${index}.txt`, text })));
    if (refused > 0)
      throw await embedding.embed(documents, { purpose: "document" }).then(
        () => new Error("Nothing was ingested."),
        (error: unknown) => error,
      );
    const [hit] = await kb.search(question, { mode: "dense" });
    const [version] = (await kb.status()).embeddingVersions;
    await kb.close();
    if (hit?.source.uri !== "0.txt") throw new Error(`The nearest text is ${hit?.source.uri ?? "none"}, not 0.txt.`);
    return `${version?.dimensions} dimensions, nearest text right, ${usage?.inputTokens ?? "no"} tokens counted`;
  });
} else console.log("embeds: no embedding model is known of this provider; name one with --embed");
if (chat) {
  await attempt(`answers with ${chat.provider}/${chat.model}`, async () => {
    const kb = await openKnowledgeBase({ models: { chat: chat } });
    await kb.ingest(documents.map((text, index) => ({ uri: `${index}.txt`, text })));
    const { text, citations, usage } = await kb.ask("How many days is a key valid?");
    await kb.close();
    if (citations.length === 0) throw new Error(`Nothing is cited: ${text}`);
    return `${JSON.stringify(text)}, ${citations.length} citations, ${usage?.inputTokens ?? "?"} + ${usage?.outputTokens ?? "?"} tokens`;
  });
} else console.log("answers: no language model is known of this provider; name one with --chat");
if (reranker) {
  await attempt(`reranks with ${reranker.name}`, async () => {
    const scores = await reranker.rerank(question, documents);
    if (scores.indexOf(Math.max(...scores)) !== 0)
      throw new Error(`The best text is not the first: ${scores.join(", ")}.`);
    return `best text right, scores ${scores.map((score) => score.toFixed(3)).join(", ")}`;
  });
} else console.log("reranks: no reranking model is known of this provider; name one with --rerank");
process.exitCode = failed ? 1 : 0;
