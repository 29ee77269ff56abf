import { openKnowledgeBase, IbidError } from "ibid";
import { augmentUserQuery, chunkDocumentRecursively, createTextDataLoader, prompt, renderPrompt } from "ibid/compat";
import { createHostedChatModel, createHostedEmbeddingModel } from "ibid/models";
import { createHtmlChunker, createMarkdownChunker } from "ibid/chunkers";
import { createMarkdownReader, createHtmlReader, createImageDocument } from "ibid/readers";
import { createScriptedChatModel } from "ibid/testing";
import { startService } from "ibid/server";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  bytes,
  countLetters,
  equal,
  holds,
  matches,
  plain,
  refuses,
  textsOf,
  uris,
  withServer,
  withTexts,
} from "../kit.ts";
import { prove } from "../prove.ts";

const said = (content: string): object => ({
  id: "1",
  object: "chat.completion",
  created: 0,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

export const models = [
  prove("B15", "a hosted provider that needs an address and a token alone", () => {
    let token: string | undefined;
    return withServer(
      (path, body, headers) => {
        token = headers.authorization;
        return countLetters(path, body);
      },
      async (serviceUrl) => {
        const model = createHostedEmbeddingModel({ serviceUrl, accessToken: "secret" });
        equal(
          (await model.embed(["tree"], { purpose: "query" })).embeddings.map((one) => Array.from(one as number[])),
          [[3, 2]],
        );
        equal(token, "Bearer secret");
        await refuses("invalid-argument", () =>
          createHostedEmbeddingModel({ serviceUrl: "nowhere", accessToken: "secret" }),
        );
      },
    );
  }),
  prove("B16", "empty answers and transport failures are typed, with their cause", async () => {
    await withServer(
      () => ({ data: [], model: "m", object: "list", usage: { prompt_tokens: 0, total_tokens: 0 } }),
      async (serviceUrl) => {
        const kb = await openKnowledgeBase({
          models: { embedding: createHostedEmbeddingModel({ serviceUrl, accessToken: "s" }) },
        });
        const [failure] = (await kb.ingest([{ uri: "a", text: "x y z" }])).failures;
        equal(failure?.error.code, "invalid-response");
        await kb.close();
      },
    );
    const gone = createHostedEmbeddingModel({ serviceUrl: "http://127.0.0.1:9", accessToken: "s" });
    const kb = await openKnowledgeBase({ models: { embedding: gone } });
    const [failure] = (await kb.ingest([{ uri: "a", text: "x y z" }])).failures;
    equal(failure?.error.code, "embedding-failed");
    holds(failure?.error.cause instanceof Error);
    await kb.close();
  }),
  prove("B38", "messages name their author", () =>
    withServer(
      (_, body: { readonly messages: readonly { readonly name?: string; readonly content: unknown }[] }) =>
        said(JSON.stringify(body.messages)),
      async (serviceUrl) => {
        const model = createHostedChatModel({ serviceUrl, accessToken: "s" });
        const { message } = await model.chat([{ role: "user", content: "Hello.", name: "ada" }]);
        matches(message.content as string, /ada/u);
      },
    ),
  ),
  prove("B40", "a system message may be a prompt", () =>
    withServer(
      (_, body: { readonly messages: readonly { readonly role: string; readonly content: unknown }[] }) =>
        said(JSON.stringify(body.messages)),
      async (serviceUrl) => {
        const model = createHostedChatModel({ serviceUrl, accessToken: "s" });
        const { message } = await model.chat([
          { role: "system", content: prompt`Speak ${"Latin"} only.` },
          { role: "user", content: "Salve." },
        ]);
        matches(message.content as string, /Speak Latin only\./u);
      },
    ),
  ),
  prove("B41", "a list of messages or one alone, with tools and stop words", () => {
    const seen: { stop?: unknown; tools?: unknown; messages?: unknown[] }[] = [];
    return withServer(
      (_, body) => {
        seen.push(body);
        return said("ok");
      },
      async (serviceUrl) => {
        const model = createHostedChatModel({ serviceUrl, accessToken: "s" });
        const tools = [{ name: "look", description: "Looks.", parameters: { type: "object", properties: {} } }];
        equal((await model.chat({ role: "user", content: "One." }, { tools, stop: ["END"] })).message.content, "ok");
        equal(
          (
            await model.chat([
              { role: "user", content: "One." },
              { role: "assistant", content: "Two." },
              { role: "user", content: "Three." },
            ])
          ).message.content,
          "ok",
        );
        equal(
          seen.map(({ messages }) => messages?.length),
          [1, 3],
        );
        equal(seen[0]?.stop, ["END"]);
        holds(JSON.stringify(seen[0]?.tools).includes("look"));
      },
    );
  }),
  prove("B42", "user, system, assistant and function messages", () => {
    let roles: unknown;
    return withServer(
      (_, body: { messages: { role: string }[] }) => {
        roles = body.messages.map(({ role }) => role);
        return said("ok");
      },
      async (serviceUrl) => {
        await createHostedChatModel({ serviceUrl, accessToken: "s" }).chat([
          { role: "system", content: "S" },
          { role: "user", content: "U" },
          { role: "assistant", content: null, toolCalls: [{ id: "c1", name: "look", arguments: {} }] },
          { role: "function", name: "look", id: "c1", content: "seen" },
        ]);
        equal(roles, ["system", "user", "assistant", "tool"]);
      },
    );
  }),
  prove("B43", "a picture becomes a part of a multimodal prompt, a text its words", () => {
    let content: { type: string }[] = [];
    return withServer(
      (_, body: { messages: { content: { type: string }[] }[] }) => {
        content = body.messages[0]!.content;
        return said("ok");
      },
      async (serviceUrl) => {
        const picture = createImageDocument(new Uint8Array([137, 80, 78, 71]), { mediaType: "image/png" });
        await createHostedChatModel({ serviceUrl, accessToken: "s" }).chat({
          role: "user",
          content: prompt`Look at ${picture} and ${plain("a", "these words")}.`,
        });
        equal(
          content.map(({ type }) => type),
          ["text", "image_url", "text", "text", "text"],
        );
        matches(JSON.stringify(content), /data:image\/png;base64,iVBORw==/u);
        matches(JSON.stringify(content), /these words/u);
      },
    );
  }),
  prove("B44", "errors are typed and passed on", async () => {
    const model = createScriptedChatModel([{ error: new IbidError("rate-limited", "Too many.") }]);
    await withTexts(
      { a: "Bees hum." },
      async (kb) => {
        equal((await refuses("rate-limited", () => kb.ask("Do bees hum?"))).message, "Too many.");
      },
      { models: { chat: model } },
    );
  }),
  prove("B45", "the ingestion example: configuration, a Markdown file, recursive chunks, a knowledge base", () =>
    withServer(countLetters, async (serviceUrl) => {
      const folder = mkdtempSync(join(tmpdir(), "ibid-example-"));
      const path = join(folder, "pizza_shop_policy_doc.md");
      writeFileSync(
        path,
        `# Policy\n\n${Array.from({ length: 30 }, (_, i) => `Refund ${i} takes 14 days.`).join(" ")}`,
      );
      const kb = await openKnowledgeBase({
        models: { embedding: createHostedEmbeddingModel({ serviceUrl, accessToken: "s" }) },
      });
      const [document] = [await createTextDataLoader(path).load()].flat();
      const chunks = chunkDocumentRecursively({ ...document!, metadata: { source: "pizza", type: "policy" } });
      holds(chunks.length > 2 && chunks.every(({ text }) => text.length <= 200));
      equal((await kb.ingest(chunks)).embedded, chunks.length);
      equal((await kb.search("refunds", { filter: { type: "policy" } }))[0]?.metadata["source"], "pizza");
      await kb.close();
      rmSync(folder, { recursive: true });
    }),
  ),
  prove("B46", "the query service: an answer, nothing found, and a failure", async () => {
    const kb = await openKnowledgeBase({
      models: {
        chat: createScriptedChatModel((messages) => {
          const last = JSON.stringify(messages);
          if (last.includes("Is the server down?")) throw new Error("down");
          return last.includes("Is a silent film dull?") ? "" : "Refunds take 14 days [1].";
        }),
      },
    });
    await kb.ingest([
      { uri: "a", text: "Refunds take 14 days. A silent film is dull. When the server is down, we wait." },
    ]);
    const service = await startService(kb, { port: 0 });
    const post = async (query: string): Promise<[number, string]> => {
      const response = await fetch(new URL("rag/query", service.url), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query }),
      });
      return [response.status, await response.text()];
    };
    matches((await post("How many days do refunds take?"))[1], /"response":"Refunds take 14 days/u);
    equal(JSON.parse((await post("Is a silent film dull?"))[1]), {
      response: "I couldn't find an answer to your question.",
    });
    equal(await post("Is the server down?"), [500, "Unable to obtain a valid answer at this time."]);
    await service.stop();
    await kb.close();
  }),
  prove(
    "B48",
    "recursive chunks: 200 and 40 characters, strategies that fall back, whole sentences shared",
    async () => {
      const text = Array.from({ length: 40 }, (_, i) => `Sentence ${i} is here.`).join(" ");
      const chunks = chunkDocumentRecursively(text);
      holds(chunks.length > 2 && chunks.every((chunk) => chunk.text.length <= 200));
      holds(
        chunks
          .slice(1)
          .every((chunk, i) => chunk.start < chunks[i]!.end && /^Sentence \d+ is here\./u.test(chunk.text)),
      );
      for (const strategy of ["character", "word", "line", "sentence", "paragraph"] as const)
        holds(
          chunkDocumentRecursively("word ".repeat(100), 50, 0, strategy).every((chunk) => chunk.text.length <= 50),
          strategy,
        );
      const media = createImageDocument(new Uint8Array([1]));
      const error = await refuses("unsupported-input", () => chunkDocumentRecursively(media));
      equal(error.message, "Only text documents are supported for chunking");
      const literal = { type: "text", content: text, metadata: { fileName: "a.txt" } } as const;
      equal(
        chunkDocumentRecursively(literal, 200, 40, "PARAGRAPH").map(({ text: part }) => part),
        chunks.map(({ text: part }) => part),
      );
    },
  ),
  prove("B48", "parts are joined anew by one space, line break or blank line, by an option", () => {
    const text = "One  two\tthree.   Four five six.\n \n\n\nSeven\r\neight  nine.  Ten.";
    const joined = (strategy: Parameters<typeof chunkDocumentRecursively>[3], maxSize: number) =>
      chunkDocumentRecursively(text, maxSize, 0, strategy, { joins: "anew" }).map((chunk) => chunk.text);
    equal(joined("word", 100), ["One two three. Four five six. Seven eight nine. Ten."]);
    equal(joined("word", 16), ["One two three.", "Four five six.", "Seven eight", "nine. Ten."]);
    equal(joined("sentence", 40), ["One  two\tthree. Four five six.", "Seven\r\neight  nine. Ten."]);
    equal(joined("paragraph", 100), ["One  two\tthree.   Four five six.\n\nSeven\r\neight  nine.  Ten."]);
    equal(joined("paragraph", 20), ["One  two\tthree.", "Four five six.", "Seven\r\neight  nine.", "Ten."]);
    equal(joined("line", 100), ["One  two\tthree.   Four five six.\n \n\n\nSeven\neight  nine.  Ten."]);
    equal(joined("character", 100), [text]);
  }),
  prove("B49", "Markdown chunks: code stands alone with its language; sizes are checked", async () => {
    const text = "# A\n\nWords before.\n\n```ts\nconst x = 1;\n```\n\nWords after.\n\n```\nplain\n```\n";
    const read = await createMarkdownReader().read({
      uri: "a.md",
      mediaType: "text/markdown",
      bytes: bytes(text),
    });
    const chunks = [
      ...createMarkdownChunker({ maxSize: 100, overlap: 0 }).chunk({ ...plain("a.md", read.text), ...read }),
    ];
    const code = chunks.filter(({ metadata }) => metadata["type"] === "code_block");
    equal(
      code.map(({ metadata }) => metadata.language),
      ["ts", "unknown"],
    );
    holds(code.every(({ text: own }) => !own.includes("Words")));
    await refuses("invalid-argument", () => createMarkdownChunker({ maxSize: 0 }));
    await refuses("invalid-argument", () => createMarkdownChunker({ maxSize: 10, overlap: 20 }));
  }),
  prove("B51", "delimiters mean what they say: sentences end at their signs, rules cut", async () => {
    const text = "One ends. Two ends! Three ends?\n\n---\n\nBehind the rule.";
    const read = await createMarkdownReader().read({
      uri: "a.md",
      mediaType: "text/markdown",
      bytes: bytes(text),
    });
    const document = { ...plain("a.md", read.text), ...read } as never;
    holds(
      textsOf(createMarkdownChunker({ maxSize: 20, overlap: 0 }).chunk(document)).every((own) => /[.!?-]$/u.test(own)),
    );
    holds(
      textsOf(createMarkdownChunker({ maxSize: 40, overlap: 0 }).chunk(document)).every(
        (own) => !(own.includes("Three") && own.includes("Behind")),
      ),
    );
  }),
  prove("B50", "HTML chunks know the headings above them", async () => {
    const read = await createHtmlReader().read({
      uri: "a.html",
      mediaType: "text/html",
      bytes: bytes("<h1 class=x>One</h1><p>Alpha.</p><h2>Two</h2><p>Beta.</p>"),
    });
    const chunks = [
      ...createHtmlChunker({ maxSize: 20, overlap: 0 }).chunk({ ...plain("a.html", read.text), ...read }),
    ];
    const beta = chunks.find(({ text }) => text.includes("Beta"));
    equal([beta?.metadata["header"], beta?.metadata["header1"], beta?.metadata["header2"]], ["Two", "One", "Two"]);
    const longer = await createHtmlReader().read({
      uri: "b.html",
      mediaType: "text/html",
      bytes: bytes(
        "<h1>Guide</h1><p>Before the sections.</p><h2>Section 1</h2><p>The first section has a paragraph that does not fit.</p><h2>Section 2</h2><p>The second.</p>",
      ),
    });
    const cut = [
      ...createHtmlChunker({ maxSize: 50, overlap: 5 }).chunk({ ...plain("b.html", longer.text), ...longer }),
    ];
    const under = (title: string) =>
      cut.filter(({ metadata }) => metadata["header2"] === title).map(({ urtext }) => urtext);
    equal([under("Section 1").length, under("Section 2")], [2, ["fit.\n\nSection 2\n\nThe second."]]);
    holds(cut.every(({ text }) => text.length <= 50));
  }),
  prove("B37", "the augmented message goes to the model as it is", () =>
    withTexts({ a: "Refunds take 14 days." }, async (kb) => {
      const hits = await kb.search("refunds");
      equal(uris(hits), ["a"]);
      const model = createScriptedChatModel(["Fourteen."]);
      equal((await model.chat(augmentUserQuery(hits, "When?"))).message.content, "Fourteen.");
      matches(renderPrompt(model.calls[0]!.messages[0]!.content as string), /Refunds take 14 days/u);
    }),
  ),
];
