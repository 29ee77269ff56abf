import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A stand-in for a model server, so that the examples run without a key and without a model. It speaks the part of
 * OpenAI's API that they need. A text's vector counts its words. The answer to a question is its first source, with a
 * citation, unless `says` gives another.
 */
export async function startStandIn(
  token?: string,
  says: (prompt: string) => string = firstOfDays,
): Promise<{ readonly url: string; stop(): void }> {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += String(piece);
    const body = JSON.parse(text) as { input?: string[]; messages?: { content: string }[]; stream?: boolean };
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end("{}");
      return;
    }
    response.writeHead(200, { "content-type": body.stream ? "text/event-stream" : "application/json" });
    if (body.input !== undefined) {
      const data = body.input.map((one, index) => ({ index, embedding: countWords(one) }));
      response.end(JSON.stringify({ data, usage: { prompt_tokens: body.input.join(" ").split(/\s+/u).length } }));
      return;
    }
    const prompt = (body.messages ?? []).map(({ content }) => content).join("\n");
    const content = says(prompt);
    const usage = { prompt_tokens: prompt.split(/\s+/u).length, completion_tokens: content.split(/\s+/u).length };
    for (const event of [
      { choices: [{ delta: { content } }] },
      { choices: [{ delta: {}, finish_reason: "stop" }], usage },
    ])
      if (body.stream) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end(
      body.stream
        ? "data: [DONE]\n\n"
        : JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }], usage }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The first line with the word "days" in it, cited. */
function firstOfDays(prompt: string): string {
  return `${/^.*\bdays\b.*$/mu.exec(prompt)?.[0] ?? "I do not know."} [1]`;
}

function countWords(text: string): number[] {
  const vector = Array.from<number>({ length: 64 }).fill(0);
  for (const word of text.toLowerCase().match(/[a-z]+/gu) ?? []) {
    let hash = 0;
    for (const letter of word.replace(/s$/u, "")) hash = (hash * 31 + letter.charCodeAt(0)) % 64;
    vector[hash] = (vector[hash] ?? 0) + 1;
  }
  return vector;
}
