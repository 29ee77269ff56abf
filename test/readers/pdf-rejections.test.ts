import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { writeFile } from "./make-pdf.ts";

const reader = new URL("../../src/readers/pdf/pdf-reader.ts", import.meta.url).href;

/** Runs a script in a process of its own: here the test runner would hear of every rejection before us. */
function run(script: string, input: Uint8Array): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      stdio: ["pipe", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (text) => (output += String(text)));
    child.stderr.on("data", (text) => (output += String(text)));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
    child.stdin.end(input);
  });
}

const readInput = `
  import { buffer } from "node:stream/consumers";
  import { createPdfReader } from ${JSON.stringify(reader)};
  const reading = createPdfReader().read({ uri: "a.pdf", bytes: await buffer(process.stdin), mediaType: "application/pdf" });`;

/** The page tree turns in a circle, and beside it leads to an object that is not there: fetched ahead, and never waited for. */
const broken = (() => {
  const bytes = writeFile(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 3 /Kids [2 0 R 3 0 R] >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
    ],
    "/Root 1 0 R",
  );
  const text = Buffer.from(bytes).toString("latin1").replace("\n3 0 obj", "\n7 0 obj");
  return Buffer.from(text, "latin1");
})();

describe("a broken PDF in a process of one's own", () => {
  it("is refused and ends nothing, though PDF.js leaves promises behind [E15]", async () => {
    const { code, output } = await run(
      `${readInput}
      await reading.catch((error) => console.log(error.code));
      await new Promise((resolve) => setTimeout(resolve, 50));
      console.log(process.listenerCount("unhandledRejection"));`,
      broken,
    );
    expect([code, output]).toEqual([0, "unreadable\n0\n"]);
  });

  it("leaves the rejections of others what they are [E15]", async () => {
    const { code, output } = await run(
      `${readInput}
      Promise.reject(new Error("of somebody else"));
      await reading.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 50));
      console.log("went on");`,
      broken,
    );
    expect(code).toBe(1);
    expect(output).toContain("of somebody else");
    expect(output).not.toContain("went on");
  });
});
