import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createOutput, toIbidError } from "../../src/cli/output.ts";
import { createProgressLine, describeFit, describeProgress } from "../../src/cli/progress.ts";
import { IbidError } from "../../src/contracts/errors.ts";

function capture(terminal?: { columns: number }): PassThrough & { isTTY?: boolean; columns?: number; shown(): string } {
  const stream = new PassThrough();
  return Object.assign(stream, terminal === undefined ? {} : { isTTY: true, ...terminal }, {
    shown: () => (stream.read() as Buffer | null)?.toString() ?? "",
  });
}

const open = (options: { json?: boolean; env?: NodeJS.ProcessEnv; terminal?: { columns: number } } = {}) => {
  const stdout = capture(options.terminal);
  const stderr = capture(options.terminal);
  return {
    stdout,
    stderr,
    output: createOutput({ stdout, stderr, json: options.json ?? false, env: options.env ?? {} }),
  };
};

const failure = new IbidError("unreadable", "docs/\u001B[2Ja.md cannot be read: permission denied.", {
  uri: "docs/a.md",
  hint: "Give the right to read it.",
});

describe("errors", () => {
  it("say what and the hint, without colours where nobody looks", async () => {
    const { stderr, output } = open();
    await output.error(failure);
    expect(stderr.shown()).toBe(
      "error: docs/␛[2Ja.md cannot be read: permission denied.\n  Give the right to read it.\n",
    );
  });

  it("wrap to the terminal and stand out there, but for NO_COLOR", async () => {
    const coloured = open({ terminal: { columns: 40 } });
    await coloured.output.error(failure);
    expect(coloured.stderr.shown()).toBe(
      "\u001B[1;31merror:\u001B[22;39m docs/␛[2Ja.md cannot be read:\n       permission denied.\n  Give the right to read it.\n\u001B[2m  More: ibid docs unreadable\u001B[22m\n",
    );
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const plain = open({ terminal: { columns: 80 }, env });
      await plain.output.error(failure);
      expect(plain.stderr.shown()).not.toContain("\u001B");
    }
  });

  it("are an object of code, message, hint and uri in JSON", async () => {
    const { stdout, stderr, output } = open({ json: true });
    await output.error(failure);
    await output.error(new IbidError("internal", "odd"));
    const [first, second] = stderr.shown().trimEnd().split("\n");
    expect(first).toBe(
      '{"error":{"code":"unreadable","message":"docs/\\u001b[2Ja.md cannot be read: permission denied.","hint":"Give the right to read it.","uri":"docs/a.md"}}',
    );
    expect(JSON.parse(second ?? "")).toEqual({ error: { code: "internal", message: "odd", hint: "" } });
    expect(stdout.shown()).toBe("");
  });

  it("show a stack only when asked for", async () => {
    const { stderr, output } = open({ env: { IBID_DEBUG: "1" } });
    await output.error(toIbidError(new TypeError("x is undefined")));
    const shown = stderr.shown();
    expect(shown).toMatch(/^error: x is undefined\n {2}This is a fault in ibid\./);
    expect(shown).toContain("caused by TypeError: x is undefined\n    at ");
  });

  it("show where a file's failure comes from only when asked for", async () => {
    const failure = toIbidError(new TypeError("x is undefined"));
    const [asked, usual] = [open({ env: { IBID_DEBUG: "1" } }), open()];
    for (const { output } of [asked, usual]) await output.trace(failure);
    expect(asked.stderr.shown()).toContain("caused by TypeError: x is undefined\n    at ");
    expect(usual.stderr.shown()).toBe("");
  });
});

describe("results", () => {
  it("are JSON and nothing else with json", async () => {
    const { stdout, output } = open({ json: true });
    await output.line("for people");
    await output.text("for people");
    await output.object({ a: 1 });
    expect(stdout.shown()).toBe('{"a":1}\n');
  });

  it("are harmless when piped and on a terminal, and exact when piped raw", async () => {
    const piped = open();
    await piped.output.text("a\u001B[2Jb\n");
    expect(piped.stdout.shown()).toBe("a␛[2Jb\n");
    const raw = open();
    await raw.output.text("a\u001B[2Jb", true);
    expect(raw.stdout.shown()).toBe("a\u001B[2Jb");
    expect([piped.output.columns, piped.output.style.bold("x")]).toEqual([Infinity, "x"]);
    const seen = open({ terminal: { columns: 60 } });
    await seen.output.text("a\u001B[2Jb\n");
    await seen.output.text("a\u001B[2Jb\n", true);
    expect(seen.stdout.shown()).toBe("a␛[2Jb\na␛[2Jb\n");
    expect([seen.output.columns, seen.output.style.bold("x")]).toEqual([60, "\u001B[1mx\u001B[22m"]);
  });

  it("steer no terminal by a line either, which may have the sequences of its style alone", async () => {
    const hostile = "\u001B]8;;https://evil.example\u001B\\m\u001B[2J \u009B31m";
    const safe = "␛]8;;https://evil.example␛\\m␛[2J \uFFFD31m";
    const piped = open();
    await piped.output.line(`Copied ${piped.output.style.bold("so")} \u001B[1m${hostile}`);
    expect(piped.stdout.shown()).toBe(`Copied so ␛[1m${safe}\n`);
    const seen = open({ terminal: { columns: 60 } });
    const { bold, dim, mark, bad } = seen.output.style;
    for (const paint of [bold, dim, mark, bad]) {
      await seen.output.line(`${paint("so")}\t${hostile}`);
      expect(seen.stdout.shown()).toBe(`${paint("so")}\t${safe}\n`);
    }
  });

  it("stop when nobody reads them any more", async () => {
    let told = 0;
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error("broken pipe"), { code: "EPIPE" })),
    });
    const output = createOutput({ stdout, stderr: capture(), json: false, env: {}, onFailure: () => told++ });
    expect(output.failure).toBeUndefined();
    await output.line("one");
    await new Promise((resolve) => setImmediate(resolve));
    await output.line("two");
    expect([output.failure?.code, told]).toEqual(["EPIPE", 1]);
  });
});

describe("progress", () => {
  const progress = { documents: 120, chunks: 1204, found: 447, complete: true };

  it("says how far a fit is, in place of the documents, and nothing where nobody sees it", () => {
    expect([0, 0.404, 0.999, 1].map(describeFit)).toEqual([
      "Fitting … 0 %",
      "Fitting … 40 %",
      "Fitting … 99 %",
      "Fitting … 100 %",
    ]);
    for (const [isTTY, enabled] of [
      [true, true],
      [false, true],
      [true, false],
    ] as const) {
      const written: string[] = [];
      let time = 0;
      const stream = { isTTY, columns: 80, write: (text: string) => written.push(text) > 0 };
      const line = createProgressLine(stream as never, { enabled, now: () => (time += 100) });
      line.update({ ...progress, fit: 0.4 });
      expect(written.join("").includes("Fitting … 40 %")).toBe(isTTY && enabled);
      expect(written.join("")).not.toContain("documents");
    }
  });

  it("says documents, chunks, rate and time left", () => {
    expect(describeProgress(progress, 60)).toBe("120/447 documents · 1,204 chunks · 60/s · 6 s left");
    expect(describeProgress({ ...progress, complete: false }, 60)).toBe("120 documents · 1,204 chunks · 60/s");
    expect(describeProgress({ ...progress, documents: 3, chunks: 1 }, 1.5)).toBe(
      "3/447 documents · 1 chunk · 1.5/s · 4 min 56 s left",
    );
    expect(describeProgress({ documents: 447, chunks: 5000, found: 447, complete: true }, 223.5)).toBe(
      "447/447 documents · 5,000 chunks · 224/s",
    );
    expect(describeProgress({ documents: 0, chunks: 0, found: 0, complete: false }, 0)).toBe("0 documents · 0 chunks");
  });

  it("draws on a terminal, not too often, within its width, and cleans up", () => {
    const stream = capture({ columns: 31 });
    let time = 0;
    const line = createProgressLine(stream, { enabled: true, now: () => time });
    line.update(progress);
    time = 50;
    line.update(progress);
    expect(stream.shown()).toBe("\r120/447 documents\u001B[K");
    time = 1050;
    line.update({ ...progress, documents: 220 });
    expect(stream.shown()).toBe("\r220/447 documents · 3 s left\u001B[K");
    line.clear();
    line.clear();
    expect(stream.shown()).toBe("\r\u001B[K");
    line.restore();
    expect(stream.shown()).toBe("\r220/447 documents · 3 s left\u001B[K");
  });

  it("tells the total before everything is found, when somebody has counted", () => {
    const stream = capture({ columns: 80 });
    let time = 0;
    const line = createProgressLine(stream, { enabled: true, now: () => time });
    line.update({ documents: 0, chunks: 0, found: 4, complete: false });
    line.expect(447);
    time = 1000;
    line.update({ documents: 100, chunks: 700, found: 104, complete: false });
    expect(stream.shown()).toBe(
      "\r0 documents · 0 chunks\u001B[K\r100/447 documents · 700 chunks · 100/s · 4 s left\u001B[K",
    );
  });

  it("is nowhere else", () => {
    for (const [stream, enabled] of [
      [capture(), true],
      [capture({ columns: 80 }), false],
    ] as const) {
      const line = createProgressLine(stream, { enabled });
      line.update(progress);
      line.say("Asking …");
      line.clear();
      line.restore();
      expect(stream.shown()).toBe("");
    }
  });
});
