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
