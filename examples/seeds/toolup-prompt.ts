/**
 * ToolUp's prompt builder: what is found is put into the system prompt of a chat, request by request.
 *
 * | ToolUp | ibid |
 * |---|---|
 * | `RAGPromptBuilder.withRetrieval pipeline { … }` | `createPromptBuilder(kb, { … })` |
 * | `TopK = 5`, `MinScore = 0.3` | `topK: 5`, `minScore: 0.3`; the defaults too |
 * | `GroundingMode = Preferred` | `grounding: "preferred"` |
 * | `ScopeStrategy = ActiveTeamPlusPlatform` | `search: { strategy: "active-team-plus-platform" }` |
 * | `SystemPrompt = Some ragBuilder` | `builder.build(messages)`, of which `system` is the system prompt |
 * | `AccessContext.TeamId` | `kb.as({ userId, teamId })` |
 * | `KnowledgeRetrievalMiss` | `tracer.miss` |
 *
 * The answer comes back to us, which it does not there: `builder.check` holds its citations against the sources.
 *
 *     npm run build && npx node examples/seeds/toolup-prompt.ts
 */
import { openKnowledgeBase } from "ibid";
import { createPromptBuilder } from "ibid/answers";
import { renderPrompt } from "ibid/compat";
import { type ChatMessage, createHashingModel, createHostedChatModel } from "ibid/models";
import { check } from "../check.ts";
import { startStandIn } from "../stand-in.ts";

const misses: string[] = [];
const kb = await openKnowledgeBase({
  models: { embedding: createHashingModel() },
  access: { platform: true },
  operations: { tracer: { trace() {}, miss: (_, queryHash) => void misses.push(queryHash) } },
});
await kb.ingest(
  [
    { uri: "leave.md", text: "Annual leave is 30 days for everybody." },
    { uri: "carry.md", text: "Annual leave that is left over can be carried into March." },
  ],
  { scope: "platform" },
);
await kb.ingest({ uri: "support.md", text: "Annual leave in support is 32 days." }, { scope: "team:support" });
await kb.ingest({ uri: "sales.md", text: "Annual leave in sales is 28 days." }, { scope: "team:sales" });

const builder = createPromptBuilder(kb.as({ userId: "tom", teamId: "support" }), {
  topK: 5,
  minScore: 0.3,
  grounding: "preferred",
  search: { strategy: "active-team-plus-platform" },
  instructions: "You are the assistant of the people department.",
});

// A chat: the latest message of the user is what is searched for.
const messages: readonly ChatMessage[] = [
  { role: "user", content: "Hello." },
  { role: "assistant", content: "Hello, what can I do for you?" },
  { role: "user", content: "How many days of annual leave are there in support?" },
];
const built = await builder.build(messages);
check("which documents", built.hits.map(({ source }) => source.uri).toSorted(), ["carry.md", "leave.md", "support.md"]);
check(
  "short identifiers",
  built.labels.map((label) => /^\[Doc [0-9a-f]{3,}, Chunk 1 of 1\]$/u.test(label)),
  [true, true, true],
);
const system = renderPrompt(built.system);
check("the application's own words first", system.startsWith("You are the assistant of the people department."), true);
check("a section of its own", system.includes("## Retrieved context"), true);
check("nothing of another team", system.includes("28 days"), false);

// The application calls its model itself, and has the answer checked.
const label = built.labels[built.hits.findIndex(({ source }) => source.uri === "support.md")];
const standIn = await startStandIn(
  "secret",
  () => `Annual leave in support is 32 days ${label}. It is paid [Doc fff, Chunk 9 of 9].`,
);
const model = createHostedChatModel({ serviceUrl: standIn.url, accessToken: "secret" });
const { message } = await model.chat([{ role: "system", content: built.system }, ...messages]);
const said = typeof message.content === "string" ? message.content : "";
const answer = await builder.check(built, "How many days of annual leave are there in support?", said);
check(
  "what it cites",
  answer.citations.map(({ uri, quote }) => [uri, quote]),
  [["support.md", "Annual leave in support is 32 days."]],
);
check("a label that leads nowhere is taken out", answer.text.includes("Chunk 9"), false);

// Nothing retrieved: said in the prompt, reported as a miss, and in strict mode no model need be called.
const before = misses.length;
const strict = createPromptBuilder(kb.as({ userId: "tom", teamId: "support" }), { grounding: "strict" });
const nothing = await strict.build("Who won the world cup in 1954?");
check("refuse", nothing.refuse, true);
check("a miss", misses.length - before, 1);
check("without a word of the query", /^[0-9a-f]{64}$/u.test(misses.at(-1) ?? ""), true);

standIn.stop();
await kb.close();
