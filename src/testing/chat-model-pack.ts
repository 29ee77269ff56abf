import type { ChatMessage, ChatModel, ChatStreamPart, Prompt } from "../contracts/chat.ts";
import type { IbidErrorCode } from "../contracts/errors.ts";
import { check, collect, equal, throwsCode } from "./assert.ts";
import { defineCases } from "./contract-case.ts";
import type { CaseDefinition, ContractCase } from "./contract-case.ts";
import { chunkOf, documentOf } from "./store-fixtures.ts";
import { checkSubject } from "./check-subject.ts";

/**
 * A model whose other side the subject controls.
 *
 * @experimental
 */
export interface ChatModelSubject {
  /** A model that will say exactly this, once for each reply. */
  create(replies: readonly string[]): Promise<ChatModel> | ChatModel;
  /** The last request to the other side, as text: the cases look for words in it. */
  lastRequest(model: ChatModel): Promise<string> | string;
  /** A model that wants to call this tool with these arguments. */
  calling?(tool: string, given: { readonly city: string }): Promise<ChatModel> | ChatModel;
  /** Models that fail, and how. */
  readonly failing?:
    | readonly {
        readonly name: string;
        readonly code: IbidErrorCode;
        readonly create: () => Promise<ChatModel> | ChatModel;
      }[]
    | undefined;
}

const hello: ChatMessage = { role: "user", content: "Say hello." };

/**
 * Contract of every {@link ChatModel}: messages in, text out, whole or as it comes; typed errors.
 *
 * @experimental
 */
export function createChatModelPack(subject: ChatModelSubject): readonly ContractCase[] {
  checkSubject("createChatModelPack", subject);
  return defineCases("chat-model", [...talking(subject), ...failing(subject)]);
}

function talking(subject: ChatModelSubject): readonly CaseDefinition[] {
  return [
    [
      "answers-with-an-assistant-message",
      "B41 B42",
      async () => {
        const model = await subject.create(["Hello, 世界 👋"]);
        check(model.provider.trim() !== "" && model.model.trim() !== "", "provider and model have names");
        const { message, usage } = await model.chat([hello]);
        equal([message.role, message.content], ["assistant", "Hello, 世界 👋"], "the message");
        for (const count of [usage?.inputTokens, usage?.outputTokens]) {
          check(count === undefined || (Number.isFinite(count) && count >= 0), "tokens, when counted", count);
        }
      },
    ],
    [
      "one-message-or-many",
      "B41 B42 B38 B40",
      async () => {
        const model = await subject.create(["one", "many"]);
        equal(
          (await model.chat({ role: "user", content: "A single message." })).message.content,
          "one",
          "a single message",
        );
        check((await subject.lastRequest(model)).includes("A single message."), "the single message arrived");
        const many: readonly ChatMessage[] = [
          { role: "system", content: "Be brief." },
          { role: "user", content: "First.", name: "ada" },
          { role: "assistant", content: "Noted." },
          { role: "user", content: "Second." },
        ];
        equal((await model.chat(many)).message.content, "many", "many messages");
        const request = await subject.lastRequest(model);
        const places = ["Be brief.", "First.", "Noted.", "Second."].map((text) => request.indexOf(text));
        check(
          places.every((place, i) => place > (places[i - 1] ?? -1)),
          "messages arrive in order",
          places,
        );
      },
    ],
    [
      "prompts-with-documents",
      "B39 B40 B43",
      async () => {
        const model = await subject.create(["ok"]);
        const content: Prompt = {
          strings: ["Compare ", " with ", " and number ", "."],
          insertions: [documentOf("a.md", "the first text"), [chunkOf("c", { text: "the second text" })], 42],
        };
        await model.chat({ role: "user", content });
        const request = await subject.lastRequest(model);
        const places = ["Compare", "the first text", "with", "the second text", "42"].map((text) =>
          request.indexOf(text),
        );
        check(
          places.every((place, i) => place > (places[i - 1] ?? -1)),
          "strings and insertions arrive in order",
          places,
        );
      },
    ],
    [
      "streams-what-it-would-have-said",
      "B41",
      async () => {
        const text = "A longer answer, with 漢字 and 👩‍🚀, in several parts [1].";
        const model = await subject.create([text]);
        const parts = await collect<ChatStreamPart>(model.stream([hello]));
        const deltas = parts.flatMap((part) => (part.type === "text" ? [part.delta] : []));
        equal(deltas.join(""), text, "deltas, joined");
        const last = parts.at(-1);
        check(last?.type === "finish", "the last part is finish", last);
        equal(parts.filter(({ type }) => type === "finish").length, 1, "finish parts");
        equal(last.result.message.content, text, "the message of the last part");
      },
    ],
    [
      "an-empty-answer-is-an-answer",
      "B46 W28",
      async () => {
        const model = await subject.create(["", ""]);
        const { message } = await model.chat([hello]);
        check(message.content === "" || message.content === null, "the content of an empty answer", message.content);
        const parts = await collect(model.stream([hello]));
        equal(
          parts.map(({ type }) => type).filter((type) => type === "finish"),
          ["finish"],
          "the end of an empty stream",
        );
      },
    ],
    [
      "calls-tools",
      "B41 B42",
      async () => {
        if (subject.calling === undefined) return;
        const model = await subject.calling("weather", { city: "Tromsø" });
        const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
        const tools = [{ name: "weather", description: "The weather of a city.", parameters: schema }];
        const { message } = await model.chat([hello], { tools });
        equal(
          message.toolCalls?.map((call) => [call.name, call.arguments]),
          [["weather", { city: "Tromsø" }]],
          "tool calls",
        );
        check(message.toolCalls?.every(({ id }) => id !== "") === true, "every call has an id");
        check((await subject.lastRequest(model)).includes("The weather of a city."), "the tool's description arrived");
      },
    ],
    [
      "a-stream-may-be-left",
      "B41",
      async () => {
        const model = await subject.create(["a rather long answer that nobody reads to its end", "next"]);
        for await (const part of model.stream([hello])) {
          check(part.type === "text" || part.type === "finish", "the type of a part");
          break;
        }
        equal((await model.chat([hello])).message.content, "next", "the answer after a stream that was left");
      },
    ],
  ];
}

function failing(subject: ChatModelSubject): readonly CaseDefinition[] {
  const stops: CaseDefinition = [
    "stops-when-told",
    "",
    async () => {
      const signal = AbortSignal.abort();
      const model = await subject.create(["never", "never"]);
      await throwsCode(() => model.chat([hello], { signal }), "aborted", "chat with a signal that has fired");
      await throwsCode(
        () => collect(model.stream([hello], { signal })),
        "aborted",
        "stream with a signal that has fired",
      );
    },
  ];
  const failures = (subject.failing ?? []).map(({ name, code, create }): CaseDefinition => [
    `fails/${name}`,
    "W11 W13 B44",
    async () => {
      const model = await create();
      const whole = await throwsCode(() => model.chat([hello]), code, `chat: ${name}`);
      check(!whole.message.includes("Say hello."), "the error repeats what was asked (law 10)", whole.message);
      const streaming = await create();
      await throwsCode(() => collect(streaming.stream([hello])), code, `stream: ${name}`);
    },
  ]);
  return [stops, ...failures];
}
