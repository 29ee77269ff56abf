import * as crypto from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { IbidError, openKnowledgeBase } from "ibid";
import { createReaders } from "../../src/readers/create-readers.ts";
import { readDocument } from "../../src/readers/read-document.ts";
import { createRandom } from "../../src/testing/random.ts";
import { mutateBytes } from "../fuzz/mutate-bytes.ts";
import { lockedParts } from "../../src/readers/office/decrypt-part.ts";
import { readXml } from "../../src/readers/office/read-xml.ts";
import { readAny } from "./read-any.ts";
import { refusalOf } from "./read-with.ts";

// Another program locked them: officecrypto-tool 0.0.19, from `bench/reading/files/minutes.docx`.
const locked = (kind: string): Uint8Array =>
  Uint8Array.from(readFileSync(new URL(`../fixtures/locked/${kind}.docx`, import.meta.url)));
const open = Uint8Array.from(readFileSync(new URL("../../bench/reading/files/minutes.docx", import.meta.url)));
const password = "Schlüssel 1";

describe("Office files with a password", () => {
  it.each(["agile", "standard"])("of the %s kind open with it, and only with it", async (kind) => {
    const kb = await openKnowledgeBase({ reading: { worker: false } });
    const read = async (given?: string) => {
      const summary = await kb.ingest(
        { uri: "minutes.docx", bytes: locked(kind) },
        given === undefined ? {} : { password: given },
      );
      return summary.failures[0]?.error;
    };
    expect(await read()).toMatchObject({ code: "encrypted", message: "minutes.docx is protected by a password." });
    expect(await read("wrong")).toMatchObject({ code: "encrypted" });
    expect((await read("wrong"))?.message).toContain("the given one is wrong");
    expect(await read(password)).toBeUndefined();
    const { text } = (await kb.document("minutes.docx"))!;
    expect(text).toBe((await readAny("minutes.docx", open)).text);
    await kb.close();
  });

  // officecrypto-tool 0.0.19 and LibreOffice 7.4 encrypted them with the password of Excel's write protection.
  it.each(["xlsx", "xls"])(
    "that is Excel's own for write protection open without one, as in Excel: %s",
    async (format) => {
      const bytes = Uint8Array.from(
        readFileSync(new URL(`../fixtures/locked/write-protected.${format}`, import.meta.url)),
      );
      const unlocked = readFileSync(new URL(`../../bench/reading/files/minutes-tables.${format}`, import.meta.url));
      const uri = `minutes.${format}`;
      const { text } = await readAny(uri, Uint8Array.from(unlocked));
      for (const given of [undefined, "another file's"])
        expect((await readDocument(createReaders(), { uri, bytes, password: given })).text).toBe(text);
    },
  );

  it("that are called binary workbooks (XLSB) ask for it too, and open", async () => {
    const refusal = await refusalOf(readAny("fees.xlsb", locked("agile")));
    expect(refusal).toMatchObject({ code: "encrypted", message: "fees.xlsb is protected by a password." });
    const bytes = Uint8Array.from(readFileSync(new URL("../fixtures/locked/write-protected.xlsx", import.meta.url)));
    expect((await readDocument(createReaders(), { uri: "minutes.xlsb", bytes })).text).toContain("Table");
  });

  // LibreOffice 25.2 locked them, from files of `bench/reading/files`.
  const wholes = [
    ["argon2id.odt", "minutes.odt"],
    ["argon2id.ods", "minutes-tables.ods"],
  ] as const;
  const hasArgon2 = "argon2Sync" in crypto;
  const readWhole = (name: string, given?: string, change?: (bytes: Uint8Array) => void, limits = {}) => {
    const bytes = Uint8Array.from(readFileSync(new URL(`../fixtures/locked/${name}`, import.meta.url)));
    change?.(bytes);
    return readDocument(createReaders(), { uri: name, bytes, password: given, limits });
  };

  it.each(wholes)("of OpenDocument ask for it where they are locked as a whole: %s", async (name) => {
    expect(await refusalOf(readWhole(name))).toMatchObject({
      code: "encrypted",
      message: `${name} is protected by a password.`,
    });
  });

  it.runIf(hasArgon2).each(wholes)("of OpenDocument, locked as a whole, open with it: %s", async (name, original) => {
    const unlocked = readFileSync(new URL(`../../bench/reading/files/${original}`, import.meta.url));
    expect((await readWhole(name, password)).text).toBe((await readAny(original, Uint8Array.from(unlocked))).text);
    expect((await refusalOf(readWhole(name, "wrong"))).message).toBe(
      `${name} is protected by a password, and the given one is wrong.`,
    );
    const limits = { maxExpandedBytes: 4000 };
    expect(await refusalOf(readWhole(name, password, undefined, limits))).toMatchObject({ code: "too-large" });
    const damage = (bytes: Uint8Array): unknown => bytes.fill(0, bytes.length / 2, bytes.length / 2 + 400);
    expect(["encrypted", "unreadable"]).toContain((await refusalOf(readWhole(name, password, damage))).code);
  });

  it.runIf(!hasArgon2).each(wholes)(
    "of OpenDocument, locked as a whole, name the Node that opens them: %s",
    async (name) => {
      expect(await refusalOf(readWhole(name, password))).toMatchObject({
        code: "encrypted",
        message: `${name} is protected with Argon2id, which this version of Node does not have.`,
        hint: expect.stringContaining("Node 24.7") as string,
      });
    },
  );

  // LibreOffice 7.4 locked them.
  it.each([
    ["minutes.odt", "lighthouse"],
    ["sheet.ods", "Müller xr1"],
    ["deck.odp", "pnote"],
  ])("of OpenDocument open with it, and only with it: %s", async (name, word) => {
    const bytes = Uint8Array.from(readFileSync(new URL(`../fixtures/locked/${name}`, import.meta.url)));
    const kb = await openKnowledgeBase({ reading: { worker: false } });
    const read = async (given?: string): Promise<unknown> =>
      (await kb.ingest({ uri: name, bytes }, given === undefined ? {} : { password: given })).failures[0]?.error;
    expect(await read()).toMatchObject({ code: "encrypted", message: `${name} is protected by a password.` });
    expect(await read("wrong")).toMatchObject({
      code: "encrypted",
      message: `${name} is protected by a password, and the given one is wrong.`,
    });
    expect(await read(password)).toBeUndefined();
    expect((await kb.document(name))!.text).toContain(word);
    const limited = await openKnowledgeBase({ reading: { worker: false, limits: { maxExpandedBytes: 4000 } } });
    expect((await limited.ingest({ uri: name, bytes }, { password })).failures[0]?.error).toMatchObject({
      code: "too-large",
    });
    await Promise.all([kb.close(), limited.close()]);
    const broken = bytes.slice();
    broken.fill(0, broken.length / 2, broken.length / 2 + 400);
    expect(["encrypted", "unreadable"]).toContain((await refusalOf(readAny(name, broken))).code);
  });

  // LibreOffice 7.4 locked the first two (RC4, 40 bits). The third has the CryptoAPI's RC4 with 128 bits, by the ARC4 of Python's cryptography.
  it.each([
    ["rules.doc", "The pilot boards at the outer buoy"],
    ["fees.xls", "Item: Crane | Fee: 75"],
    ["report.ppt", "Dredging keeps the channel at nine metres"],
  ])("of before 2007 open with it, and only with it: %s", async (name, words) => {
    const stored = readFileSync(
      new URL(`../fixtures/locked/${name}${name.endsWith("ppt") ? ".gz" : ""}`, import.meta.url),
    );
    const bytes = Uint8Array.from(name.endsWith("ppt") ? gunzipSync(stored) : stored);
    const read = async (given?: string, content: Uint8Array = bytes): Promise<{ readonly text: string } | IbidError> =>
      readDocument(createReaders(), { uri: name, bytes: content, password: given }).catch((error: unknown) => {
        if (IbidError.isInstance(error)) return error;
        throw error;
      });
    const asks = `${name} is protected by a password`;
    expect(await read()).toMatchObject({ code: "encrypted", message: `${asks}.` });
    expect(await read("wrong")).toMatchObject({ code: "encrypted", message: `${asks}, and the given one is wrong.` });
    expect((await read(password)) as { readonly text: string }).toMatchObject({
      text: expect.stringContaining(words) as unknown,
    });
    const random = createRandom(7);
    for (let round = 0; round < 10; round++) await read(password, mutateBytes(bytes, random));
  });

  it("of before 2007 with a protection that is not known say what to do", async () => {
    const bytes = Uint8Array.from(readFileSync(new URL("../fixtures/locked/rules.doc", import.meta.url)));
    // The version of the header, which the table stream begins with; then the flag of obfuscation.
    const header = Buffer.from(bytes).indexOf(Buffer.from([1, 0, 1, 0, 1, 0x19]));
    const refused = {
      code: "encrypted",
      hint: "Open it with its password in a program of its kind, and save it without one.",
    };
    expect(header).toBeGreaterThan(0);
    const other = bytes.slice();
    other[header] = 9;
    expect(await refusalOf(readAny("rules.doc", other))).toMatchObject(refused);
    const obfuscated = bytes.slice();
    obfuscated[Buffer.from(bytes).indexOf(Buffer.from([0xec, 0xa5, 1, 1])) + 0x0b]! |= 0x80;
    expect(await refusalOf(readAny("rules.doc", obfuscated))).toMatchObject(refused);
  });

  it.each(["-1000000000000", "many", "1.5"])("of OpenDocument are refused where a part states a size of %s", (size) => {
    const text = `<m xmlns:manifest="m"><manifest:file-entry manifest:full-path="styles.xml" manifest:size="${size}"><manifest:encryption-data manifest:checksum-type="urn#sha256-1k"><manifest:algorithm manifest:algorithm-name="x#aes256-cbc"/><manifest:key-derivation manifest:key-derivation-name="PBKDF2" manifest:iteration-count="9"/></manifest:encryption-data></manifest:file-entry></m>`;
    const manifest = readXml(new TextEncoder().encode(text), "a.odt", "manifest.xml");
    expect(() => lockedParts(manifest, "a.odt")).toThrow(expect.objectContaining({ code: "unreadable" }));
    const right = readXml(new TextEncoder().encode(text.replace(size, "7")), "a.odt", "manifest.xml");
    expect(lockedParts(right, "a.odt").get("styles.xml")?.size).toBe(7);
  });

  it("are refused by name when they are damaged", async () => {
    const bytes = locked("agile");
    bytes.fill(0, 4000, 6000);
    expect(["encrypted", "unreadable"]).toContain((await refusalOf(readAny("minutes.docx", bytes))).code);
  });
});
