import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

import { type OpenAiScript, startOpenAiServer } from "../support/openai-server.ts";

const script = fileURLToPath(new URL("../../scripts/live.ts", import.meta.url));

function live(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [script, ...args],
      { env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...env } },
      (error, stdout, stderr) =>
        resolve({
          code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1,
          said: stdout + stderr,
        }),
    );
  });
}

async function serve(openAi: OpenAiScript): Promise<string> {
  const server = await startOpenAiServer(openAi);
  onTestFinished(() => server.close());
  return server.url;
}

describe("the live command [W41]", () => {
  it("says what is missing, and skips nothing in silence", async () => {
    const [none, noKey, noToken, unknown] = await Promise.all([
      live([]),
      live(["openai"]),
      live(["hosted"]),
      live(["nobody"]),
    ]);
    expect([none.code, noKey.code, noToken.code, unknown.code]).toEqual([2, 2, 2, 2]);
    for (const name of ["openai", "anthropic", "google", "cohere", "ollama", "hosted", "transformers"])
      expect(none.said).toContain(name);
    expect(noKey.said).toContain("Set OPENAI_API_KEY to your API key.");
    expect(noToken.said).toContain("wants SERVICE_URL and ACCESS_TOKEN");
    expect(unknown.said).toContain("There is no provider nobody.");
  });

  it("tries what is there, and ends with an error where it does not work", async () => {
    const good = await serve({ embeddings: 64, chat: "A key is valid for ninety days [1]." });
    const bad = await serve({ embeddings: { fault: "status", status: 500 }, chat: "I know it: ninety." });
    const [works, fails] = await Promise.all(
      [good, bad].map((url) => live(["hosted"], { SERVICE_URL: url, ACCESS_TOKEN: "t" })),
    );
    expect(works).toMatchObject({
      code: 0,
      said: expect.stringContaining("64 dimensions, nearest text right") as string,
    });
    expect(works?.said).toContain("reranks: no reranking model is known");
    expect(fails).toMatchObject({
      code: 1,
      said: expect.stringContaining("FAILED. IbidError: Error generating embedding for provided chunk") as string,
    });
    expect(fails?.said).toContain("Nothing is cited");
  });
});
