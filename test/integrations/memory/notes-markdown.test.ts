import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openKnowledgeBase } from "ibid";
import { createMemory, formatNotes, importNotes, type Memory, type Note, parseNotes } from "ibid/memory";
import { fewer } from "../../support/runs.ts";

async function open(): Promise<Memory> {
  const kb = await openKnowledgeBase();
  onTestFinished(() => kb.close());
  return createMemory(kb);
}
async function all(memory: Memory): Promise<Note[]> {
  const notes: Note[] = [];
  for await (const note of memory.list({ all: true })) notes.push(note);
  return notes;
}

describe("notes as Markdown", () => {
  it("are read again as they were, whatever they hold", () => {
    const line = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((text) => text.trim() !== "" && !/[\r\n]/u.test(text));
    const words = fc.array(fc.oneof(line, fc.constantFrom("## a", "- id: x", "> b", "---", "")), { minLength: 1 });
    const note = fc.record({
      id: line,
      key: fc.option(line, { nil: undefined }),
      by: fc.option(line, { nil: undefined }),
      text: words.map((parts) => parts.join("\n")),
    });
    fc.assert(
      fc.property(fc.array(note), (given) => {
        const notes: Note[] = given
          .filter(({ text }) => text.trim() !== "")
          .map((one) => ({
            ...one,
            uri: "u",
            scope: "deployment",
            subject: "s",
            validFrom: "2026-01-01T00:00:00.000Z",
            recordedAt: "2026-01-01T00:00:00.000Z",
            metadata: {},
          }));
        const read = parseNotes(formatNotes(notes));
        expect(read.map(({ id, key, by, text }) => ({ id, key, by, text }))).toEqual(
          notes.map(({ id, key, by, text }) => ({ id, key, by, text })),
        );
      }),
      { numRuns: fewer(200, 5000) },
    );
  });

  it("move to another memory with their times and versions, once", async () => {
    const from = await open();
    await from.remember({ text: "The port is 80.", key: "port", validFrom: "2026-01-01", by: "ada" });
    await from.remember({ text: "The port is 8080.", key: "port", validFrom: "2026-02-01", metadata: { level: 2 } });
    const { note } = await from.remember("The retry limit is 3.");
    await from.remember({ text: "The retry limit is 5.", supersedes: note.id });
    const markdown = formatNotes(await all(from));
    const to = await open();
    expect(await importNotes(to, markdown)).toEqual({ added: 2, replaced: 2, unchanged: 0 });
    expect(await importNotes(to, markdown)).toEqual({ added: 0, replaced: 0, unchanged: 4 });
    expect(await all(to)).toEqual(await all(from));
  });

  it("that were edited become new versions, and the others stay", async () => {
    const memory = await open();
    await memory.remember({ text: "The port is 80.", key: "port", validFrom: "2026-01-01" });
    await memory.remember({ text: "Lunch is at noon.", key: "lunch" });
    const edited = formatNotes(await all(memory)).replace("The port is 80.", "The port is 443.");
    const more = `${edited}\n## tea\n\n- key: tea\n\n> Tea is at four.\n`;
    expect(await importNotes(memory, more)).toEqual({ added: 1, replaced: 1, unchanged: 1 });
    expect((await memory.recall("", { key: "port" })).notes.map(({ text }) => text)).toEqual(["The port is 443."]);
    expect((await memory.recall("port", { asOf: "2026-01-02" })).notes[0]?.text).toBe("The port is 80.");
  });

  const held = async (memory: Memory, key: string, asOf?: string): Promise<string | undefined> =>
    (await memory.recall("", { key, ...(asOf !== undefined && { asOf }) })).notes[0]?.text;

  it("correct the past where a replaced version was edited, and what holds stays", async () => {
    const memory = await open();
    await memory.remember({ text: "The port is 80.", key: "port", validFrom: "2026-01-01" });
    await memory.remember({ text: "The port is 8080.", key: "port", validFrom: "2026-02-01" });
    await memory.remember({ text: "Ada leads.", key: "lead", validFrom: "2026-01-01", validTo: "2026-03-01" });
    const edited = formatNotes(await all(memory))
      .replace("is 80.", "is 81.")
      .replace("Ada leads", "Bea leads");
    expect(await importNotes(memory, edited)).toEqual({ added: 0, replaced: 2, unchanged: 1 });
    expect(await held(memory, "port")).toBe("The port is 8080.");
    expect(await held(memory, "port", "2026-01-15")).toBe("The port is 81.");
    expect(await held(memory, "lead")).toBeUndefined();
    expect(await held(memory, "lead", "2026-01-15")).toBe("Bea leads.");
    expect(await importNotes(memory, edited)).toEqual({ added: 0, replaced: 0, unchanged: 3 });
  });

  it("replace what holds where the export was older than it", async () => {
    const memory = await open();
    await memory.remember({ text: "The port is 80.", key: "port", validFrom: "2026-01-01" });
    const old = formatNotes(await all(memory));
    await memory.remember({ text: "The port is 8080.", key: "port" });
    await importNotes(memory, old.replace("is 80.", "is 443."));
    expect(await held(memory, "port")).toBe("The port is 443.");
  });

  it("take, move and lose an end, and keep it where the words change", async () => {
    const memory = await open();
    await memory.remember({ text: "The sale is on.", key: "sale", validFrom: "2026-01-01" });
    const markdown = formatNotes(await all(memory));
    const ended = markdown.replace("- since", "- until: 2026-02-01\n- since");
    expect(await importNotes(memory, ended)).toEqual({ added: 0, replaced: 1, unchanged: 0 });
    expect(await importNotes(memory, ended)).toEqual({ added: 0, replaced: 0, unchanged: 1 });
    expect(await held(memory, "sale")).toBeUndefined();
    expect(await held(memory, "sale", "2026-01-15")).toBe("The sale is on.");
    const moved = formatNotes(await all(memory)).replace("until: 2026-02-01T00:00:00.000Z", "until: 2999-01-01");
    expect(await importNotes(memory, moved)).toEqual({ added: 0, replaced: 1, unchanged: 1 });
    const reworded = formatNotes(await all(memory)).replaceAll("is on.", "goes on.");
    await importNotes(memory, reworded);
    expect((await memory.recall("", { key: "sale" })).notes[0]?.note).toMatchObject({
      text: "The sale goes on.",
      validTo: "2999-01-01T00:00:00.000Z",
    });
    const endless = formatNotes(await all(memory)).replace(/- until: 2999.*\n(?![\s\S]*- until: 2999)/u, "");
    await importNotes(memory, endless);
    expect((await memory.recall("", { key: "sale" })).notes[0]?.note.validTo).toBeUndefined();
  });

  it.each([
    ["key: port", "key: door", "the heading"],
    ["## port", "## door", "the heading"],
    ["since: 2026-01-01T00:00:00.000Z", "since: 2026-01-02", "since"],
    ["recorded: 2", "recorded: 3", "recorded"],
    ["by: ada", "by: bea", "by"],
    ["file: a.ts", "file: b.ts", "file"],
    ['{"level":2}', '{"level":3}', "metadata"],
  ])("refuse a change of another fact by line, and store nothing (%#)", async (stored, given, name) => {
    const memory = await open();
    const facts = { by: "ada", file: "a.ts", metadata: { level: 2 } };
    await memory.remember({ text: "Lunch is at noon.", key: "lunch" });
    await memory.remember({ text: "The port is 80.", key: "port", validFrom: "2026-01-01", ...facts });
    const before = await all(memory);
    const edited = formatNotes(before).replace("noon", "one").replace(stored, given);
    const refusal = importNotes(memory, edited);
    await expect(refusal).rejects.toThrow(/^Line \d+/u);
    await expect(refusal).rejects.toThrow(name);
    expect(await all(memory)).toEqual(before);
    // A key that is changed in both places would be a second note of the same id.
    const renamed = formatNotes(before).replaceAll("port", "door");
    await expect(importNotes(memory, renamed)).rejects.toThrow('key is "door"');
  });

  it("name the person who edited them as their author, and a heading alone is a key", async () => {
    const memory = await open();
    await memory.remember({ text: "The port is 80.", key: "port", by: "claude", session: "s-1", file: "a.ts" });
    const markdown = `${formatNotes(await all(memory)).replace("is 80.", "is 81.")}\n## tea\n\n> Tea is at four.\n`;
    await importNotes(memory, markdown, { by: "ada" });
    const [port] = (await memory.recall("", { key: "port" })).notes;
    expect(port?.note).toMatchObject({ text: "The port is 81.", by: "ada", file: "a.ts" });
    expect(port?.note.session).toBeUndefined();
    expect((await memory.recall("", { key: "tea" })).notes[0]?.note).toMatchObject({ by: "ada", key: "tea" });
    await expect(importNotes(memory, markdown, { by: 1 as unknown as string })).rejects.toThrow("by");
  });

  it.each([
    ["# My diary", "The first line is not"],
    ["<!-- ibid notes, version 1 -->\n\nwords", "Line 3"],
    ["<!-- ibid notes, version 1 -->\n## a\n- colour: red\n> x", "Line 3"],
    ["<!-- ibid notes, version 1 -->\n## a\n- metadata: [\n> x", "Line 3"],
    ["<!-- ibid notes, version 1 -->\n## a\n## b\n> x", "Line 2"],
  ])("of another form are refused by line (%#)", (markdown, message) => {
    expect(() => parseNotes(markdown)).toThrow(message);
  });
});
