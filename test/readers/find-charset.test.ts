import { describe, expect, it, vi } from "vitest";

import { createHtmlReader } from "../../src/readers/html/html-reader.ts";
import { createMarkdownReader } from "../../src/readers/markdown/markdown-reader.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { Reader } from "../../src/contracts/reader.ts";
import { buildSections } from "../../src/readers/build-sections.ts";
import { decodeSource } from "../../src/readers/text/decode-source.ts";
import { declaredCharset, findCharset } from "../../src/readers/text/find-charset.ts";
import { plainTextReader } from "../../src/readers/text/plain-text-reader.ts";
import { readDocument } from "../../src/readers/read-document.ts";
import { encodeAs } from "../support/encode-as.ts";
import { countTurns, slowClock } from "../support/turns.ts";

const readers = [createMarkdownReader(), createHtmlReader(), plainTextReader];
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const bytesOf = (text: string, encoding: string): Uint8Array => encodeAs(text, encoding) ?? new Uint8Array();
const people = "名前,年齢\n佐藤太郎,30\n髙橋淳,35\n";

describe("the encoding of a text [E14]", () => {
  it("is detected where nobody says it, and then stands in the metadata", async () => {
    const bytes = bytesOf(people, "shift_jis");
    const { text, metadata } = await readDocument(readers, { uri: "people.csv", bytes });
    expect(text).toBe(people);
    expect(metadata).toEqual({ encoding: "shift_jis" });
    const markdown = "---\ntitle: Über\n---\n# Größe\n\nSchöne Grüße.\n";
    const page = await readDocument(readers, { uri: "a.md", bytes: bytesOf(markdown, "windows-1252") });
    expect(page).toMatchObject({
      text: markdown,
      title: "Über",
      metadata: { title: "Über", encoding: "windows-1252" },
    });
  });

  it("is the one given or declared, and then needs no mention", async () => {
    const bytes = bytesOf(people, "shift_jis");
    const given = await readDocument(readers, { uri: "people.csv", bytes, charset: "cp932" });
    expect(given).toMatchObject({ text: people, metadata: {} });
    expect(given.metadata).not.toHaveProperty("encoding");
    const page = bytesOf("<html><meta charset=koi8-r><p>Привет", "koi8-r");
    expect(await readDocument(readers, { uri: "a.html", bytes: page })).toMatchObject({ text: "Привет", metadata: {} });
    // The server's word comes before the page's own.
    const said = bytesOf("<html><meta charset=koi8-r><p>Привет", "windows-1251");
    expect((await readDocument(readers, { uri: "a.html", bytes: said, charset: "windows-1251" })).text).toBe("Привет");
  });

  it("is UTF-8 where the bytes are, whatever is declared", async () => {
    const page = utf8('<html><meta charset="windows-1252"><p>naïve – 日本');
    for (const charset of [undefined, "iso-8859-1"])
      expect((await readDocument(readers, { uri: "a.html", bytes: page, charset })).text).toBe("naïve – 日本");
  });

  it("is UTF-16 without a mark where the zeros show it, for pages too", async () => {
    const units = "<!doctype html><html><p>naïve – 5 €";
    const bytes = Uint8Array.from(units, (sign) => sign.charCodeAt(0));
    const wide = new Uint8Array(bytes.length * 2);
    for (let at = 0; at < units.length; at++)
      wide.set([units.charCodeAt(at) & 0xff, units.charCodeAt(at) >> 8], at * 2);
    expect(await readDocument(readers, { uri: "page", bytes: wide })).toMatchObject({
      mediaType: "text/html",
      text: "naïve – 5 €",
    });
  });

  it("is detected in what a file carries inside", async () => {
    const outer: Reader = {
      name: "box/1",
      accepts: (mediaType) => mediaType === "application/x-box",
      read: async ({ readPart }) => {
        const part = await readPart?.({ name: "people.csv", bytes: bytesOf(people, "shift_jis") });
        const text = `${part?.text} in ${part?.metadata["encoding"] as string}`;
        return { text, title: "", root: buildSections(text, "", []), sourceMap: { lines: "none" }, metadata: {} };
      },
    };
    const { text } = await readDocument([outer, ...readers], {
      uri: "box",
      bytes: utf8("x"),
      mediaType: "application/x-box",
    });
    expect(text).toBe(`${people} in shift_jis`);
  });

  it("stays unknown where nothing shows it: the error names the byte", async () => {
    const damaged = Uint8Array.from([...utf8("schöne Grüße "), 0xff]);
    const error: unknown = await readDocument(readers, { uri: "a.txt", bytes: damaged }).catch(
      (caught: unknown) => caught,
    );
    expect(IbidError.isInstance(error, "unreadable")).toBe(true);
    expect(error).toMatchObject({ uri: "a.txt", details: { offset: 16, encoding: "utf-8" } });
    // A reader by itself guesses nothing.
    expect(() => decodeSource(bytesOf(people, "shift_jis"), "a.csv")).toThrow(IbidError);
  });
});

describe("a declared encoding", () => {
  it.each([
    ['<html><head><meta charset="Shift_JIS">', "shift_jis"],
    ["<meta http-equiv='Content-Type' content='text/html; charset=euc-kr'>", "euc-kr"],
    ['<?xml version="1.0" encoding="ISO-8859-2"?><a/>', "iso-8859-2"],
    ['@charset "windows-1251";\na {}', "windows-1251"],
    ["#!/usr/bin/python\n# -*- coding: cp932 -*-\n", "shift_jis"],
    ["# encoding: euc-jp\nputs 1", "euc-jp"],
  ])("is found in %j", (head, name) => {
    expect(declaredCharset(utf8(head))).toBe(name);
  });

  it.each([
    ["<meta charset=utf-8>"],
    ["<meta charset=utf-16>"],
    ["<meta charset=nonsense>"],
    ["a text that says charset=koi8-r"],
    ["x\ny\n# coding: koi8-r"],
    [`${" ".repeat(1024)}<meta charset=koi8-r>`],
  ])("is not believed or not seen in %j", (head) => {
    expect(declaredCharset(utf8(head))).toBeUndefined();
  });

  it("is not looked for in what is UTF-8 or UTF-16 by its bytes", async () => {
    expect(await findCharset(utf8("<meta charset=koi8-r>é"))).toBeUndefined();
    expect(await findCharset(Uint8Array.from([0xff, 0xfe, 0xe9, 0]))).toBeUndefined();
    expect(await findCharset(bytesOf("<meta charset=koi8-r>Я", "koi8-r"))).toEqual({
      charset: "koi8-r",
      detected: false,
    });
  });

  it("leaves the event loop to others while it looks through a long text [L12]", async () => {
    await new Promise(setImmediate);
    slowClock(2);
    const long = utf8("a word ".repeat(200_000));
    expect(await countTurns(() => findCharset(long))).toBeGreaterThanOrEqual(8);
    vi.restoreAllMocks();
  });

  it("is looked for where a character is cut off at the end, or an escape stands far behind", async () => {
    const long = "a word ".repeat(20_000);
    expect(await findCharset(Uint8Array.from([...utf8(long), 0xc3]))).toBeDefined();
    expect(await findCharset(utf8(`${long}é`))).toBeUndefined();
    const japanese = Uint8Array.from([...utf8(long), 0x1b, 0x24, 0x42, 0x24, 0x22, 0x1b, 0x28, 0x42]);
    expect(await findCharset(japanese)).toEqual({ charset: "iso-2022-jp", detected: true });
  });
});
