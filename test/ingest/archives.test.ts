import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type IngestOptions, type KnowledgeBase, openKnowledgeBase } from "ibid";
import { uploadDocument } from "ibid/ingest";
import { packTar } from "modern-tar";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeZip } from "../readers/make-zip.ts";

let base: string;
let kb: KnowledgeBase;
beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "ibid-archives-")));
  mkdirSync(join(base, "docs"));
  kb = await open();
});
afterEach(async () => {
  await kb.close();
  rmSync(base, { recursive: true, force: true });
});

const open = (limits = {}): Promise<KnowledgeBase> =>
  openKnowledgeBase(join(base, ".ibid"), { reading: { worker: false, limits } });

const put = (name: string, bytes: Uint8Array): void => writeFileSync(join(base, "docs", name), bytes);
const zip = (files: Readonly<Record<string, string | Uint8Array>>): Uint8Array =>
  makeZip(Object.entries(files).map(([name, content]) => ({ name, content })));
const tar = (files: readonly (readonly [string, string])[]): Promise<Uint8Array> =>
  packTar(files.map(([name, body]) => ({ header: { name, size: Buffer.byteLength(body) }, body })));

const uris = async (): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const { uri } of kb.list()) found.push(uri);
  return found;
};
/** Outcomes of an ingestion, as `status uri` or `code uri`, without the counts. */
const ingest = async (name: string, options: IngestOptions = {}): Promise<readonly string[]> => {
  const lines: string[] = [];
  for await (const { uri, status, error } of kb.ingest(join(base, name), options)) {
    lines.push(`${error?.code ?? status} ${uri}`);
  }
  return lines;
};

describe("an archive is a folder of documents", () => {
  it("brings its files as documents, with exact places, dates and names", async () => {
    put(
      "a.zip",
      zip({ "notes/one.md": "# One\n\nThe lighthouse keeper sleeps.", "two.txt": "The harbour is closed." }),
    );
    expect(await ingest("docs")).toEqual(["added docs/a.zip!/notes/one.md", "added docs/a.zip!/two.txt"]);
    const [hit] = await kb.search("lighthouse keeper");
    const document = await kb.document("docs/a.zip!/notes/one.md");
    expect(hit?.source.uri).toBe("docs/a.zip!/notes/one.md");
    expect(document?.text.slice(hit!.source.start, hit!.source.end)).toBe(hit?.text);
    expect(document?.metadata).toMatchObject({ fileName: "one.md", fileSize: 36 });
  });

  it("reads TAR, a TAR in a GZIP, and one file in a GZIP, and archives within archives", async () => {
    const files = await tar([
      ["in/a.txt", "An apple."],
      ["in/b.txt", "A pear."],
    ]);
    put("b.tar", files);
    put("c.tgz", gzipSync(files));
    put("d.tar.gz", gzipSync(files));
    put("e.log.gz", gzipSync("A line of a log."));
    put("f.zip", zip({ "inner.zip": zip({ "deep/x.md": "# Deep\n\nA plum." }), "inner.tar": files }));
    expect(await ingest("docs")).toEqual([
      "added docs/b.tar!/in/a.txt",
      "added docs/b.tar!/in/b.txt",
      "added docs/c.tgz!/in/a.txt",
      "added docs/c.tgz!/in/b.txt",
      "added docs/d.tar.gz!/in/a.txt",
      "added docs/d.tar.gz!/in/b.txt",
      "added docs/e.log.gz!/e.log",
      "added docs/f.zip!/inner.zip!/deep/x.md",
      "added docs/f.zip!/inner.tar!/in/a.txt",
      "added docs/f.zip!/inner.tar!/in/b.txt",
    ]);
  });

  it("writes nothing for an unchanged archive, and follows changed, new and removed files without a sweep", async () => {
    put("a.zip", zip({ "one.txt": "The first.", "two.txt": "The second.", "in.zip": zip({ "x.txt": "Inner." }) }));
    await ingest("docs/a.zip");
    expect(await ingest("docs/a.zip")).toEqual([
      "unchanged docs/a.zip!/one.txt",
      "unchanged docs/a.zip!/two.txt",
      "unchanged docs/a.zip!/in.zip!/x.txt",
    ]);
    put("a.zip", zip({ "one.txt": "The first, changed.", "three.txt": "The third." }));
    expect(await ingest("docs/a.zip")).toEqual([
      "updated docs/a.zip!/one.txt",
      "added docs/a.zip!/three.txt",
      "removed docs/a.zip!/in.zip!/x.txt",
      "removed docs/a.zip!/two.txt",
    ]);
    expect(await uris()).toEqual(["docs/a.zip!/one.txt", "docs/a.zip!/three.txt"]);
  });

  it("keeps the documents of an archive that is broken now, and sweeps those of one that is gone", async () => {
    put("a.zip", zip({ "one.txt": "The first." }));
    await ingest("docs", { sweep: true });
    put("a.zip", Buffer.from("PK\u0003\u0004 and nothing more"));
    expect(await ingest("docs", { sweep: true })).toEqual(["unreadable docs/a.zip"]);
    expect(await uris()).toEqual(["docs/a.zip!/one.txt"]);
    rmSync(join(base, "docs/a.zip"));
    put("b.txt", Buffer.from("Another."));
    expect(await ingest("docs", { sweep: true })).toEqual(["added docs/b.txt", "removed docs/a.zip!/one.txt"]);
  });

  it("goes with its own name when it is deleted, and comes back with it", async () => {
    put("a.zip", zip({ "one.txt": "The first.", "two.txt": "The second." }));
    put("a.zip.txt", Buffer.from("A text beside it."));
    await ingest("docs");
    expect((await kb.delete("docs/a.zip")).map(({ uri }) => uri)).toEqual([
      "docs/a.zip!/one.txt",
      "docs/a.zip!/two.txt",
    ]);
    expect(await uris()).toEqual(["docs/a.zip.txt"]);
    await kb.restore("docs/a.zip");
    expect(await uris()).toEqual(["docs/a.zip!/one.txt", "docs/a.zip!/two.txt", "docs/a.zip.txt"]);
    await kb.delete("docs/a.zip", { purge: true });
    expect(await kb.restore("docs/a.zip")).toEqual([]);
  });

  it("has one result as an upload, with the sum of its documents", async () => {
    const bytes = zip({
      "one.txt": "The first.",
      "two.txt": "The second.",
      "bad.pdf": "%PDF-1.4 nothing",
      "p.png": png,
    });
    expect(await uploadDocument(kb, { name: "up", bytes })).toMatchObject({ uri: "up", status: "failed" });
    const result = await uploadDocument(kb, { name: "up.zip", bytes });
    expect(result).toMatchObject({ uri: "up.zip", status: "added", chunks: 2 });
    expect("notes" in result ? result.notes?.slice(0, 2) : []).toEqual([
      "2 documents of the archive came in.",
      "1 of a kind that is not read.",
    ]);
    expect("notes" in result ? result.notes?.[2] : "").toMatch(/^up\.zip!\/bad\.pdf /);
    expect(await uris()).toEqual(["up.zip!/one.txt", "up.zip!/two.txt"]);
  });

  it("belongs whole to a reader of one's own that takes archives", async () => {
    await kb.close();
    kb = await openKnowledgeBase(join(base, ".ibid"), {
      readers: [{ name: "mine/1", accepts: (type) => type === "application/zip", read: () => "Mine alone." }],
    });
    put("a.zip", zip({ "one.txt": "The first." }));
    expect(await ingest("docs")).toEqual(["added docs/a.zip"]);
  });
});

describe("a hostile archive costs itself alone", () => {
  it("cannot lead out of itself: its names are names", async () => {
    put("a.zip", zip({ "../../etc/passwd": "root", "/abs.txt": "absolute", "..\\..\\w.txt": "windows" }));
    put("b.tar", await tar([["../../../up.txt", "up"]]));
    expect(await ingest("docs")).toEqual([
      "added docs/a.zip!/etc/passwd",
      "added docs/a.zip!/abs.txt",
      "added docs/a.zip!/w.txt",
      "added docs/b.tar!/up.txt",
    ]);
  });

  it("has no controls in the names of its files, and no marks that turn a line, whether they say UTF-8 or not", async () => {
    const bytes = makeZip([
      { name: "\u202Edm.exe.md", content: "One." },
      { name: "a\u2066\u200Fb.md", content: "Two.", flags: 0x800 },
      { name: "\u001B[31mred\n.md", content: "Three.", flags: 0x800 },
    ]);
    await kb.ingest({ uri: "box.zip", bytes });
    const uris: string[] = [];
    for await (const { uri } of kb.list()) uris.push(uri);
    expect(uris.toSorted()).toEqual(["box.zip!/_[31mred_.md", "box.zip!/_dm.exe.md", "box.zip!/a__b.md"]);
  });

  it("is refused before anything of it comes in when it unpacks to too much, and the rest goes on", async () => {
    await kb.close();
    kb = await open({ maxExpandedBytes: 100_000, maxParts: 5, maxDepth: 2 });
    const much = "a".repeat(60_000);
    put("a.zip", zip({ "1.txt": much, "2.txt": much }));
    put(
      "b.tgz",
      gzipSync(
        await tar([
          ["1.txt", much],
          ["2.txt", much],
        ]),
      ),
    );
    put("c.log.gz", gzipSync("a".repeat(100_001)));
    put("d.zip", zip(Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`${i}.txt`, "x"]))));
    put("e.zip", zip({ "1.txt": much, "in.zip": zip({ "2.txt": much }) }));
    put("f.zip", zip({ "1.zip": zip({ "2.zip": zip({ "3.txt": "deep" }) }) }));
    put("g.txt", Buffer.from("The rest."));
    expect(await ingest("docs")).toEqual([
      "too-large docs/a.zip",
      "too-large docs/b.tgz",
      "too-large docs/c.log.gz",
      "too-large docs/d.zip",
      "added docs/e.zip!/1.txt",
      "too-large docs/e.zip!/in.zip",
      "too-large docs/f.zip!/1.zip!/2.zip",
      "added docs/g.txt",
    ]);
  });

  it("refuses an encrypted file, a lying one and a second one of the same name by themselves", async () => {
    put(
      "a.zip",
      makeZip([
        { name: "locked.txt", content: "secret", flags: 1 },
        { name: "lies.txt", content: "a".repeat(1000), size: 10 },
        { name: "wrong.txt", content: "checksum", crc: 1 },
        { name: "twice.txt", content: "first" },
        { name: "twice.txt", content: "second" },
        { name: "good.txt", content: "good" },
      ]),
    );
    expect(await ingest("docs")).toEqual([
      "encrypted docs/a.zip!/locked.txt",
      "unreadable docs/a.zip!/lies.txt",
      "unreadable docs/a.zip!/wrong.txt",
      "added docs/a.zip!/twice.txt",
      "invalid-id docs/a.zip!/twice.txt",
      "added docs/a.zip!/good.txt",
    ]);
  });

  // Made with pyzipper 0.4 (AES-256) and with Info-ZIP 3.0 (ZipCrypto), both with the password heron-7.
  const locked = {
    aes: [
      "UEsDBBQAAQBjAEy5fV0AAAAAVAAAAKwDAAARAAsAbm90ZXMvaGFyYm91ci50eHQBmQcAAgBBRQMIACWvg7p9FdMNpZEYJziPwxvs",
      "5atKHgHUh/8Yo81yaX7TUnwNDpdIdRGwmEfU0G+KABYeKB3OO4nK9XzNkGaxaW6PNOtn7rbmECzhTnHFEsAUGo6ih1BLAwQUAAEA",
      "YwBMuX1dAAAAADQAAAAWAAAACAALAGZlZXMuY3N2AZkHAAIAQUUDCADURGpWBBIfEJSR3T3fFqP7vDWfKTz4iaBRKzmmNDuiK7fX",
      "pvO4Yi6TuheeMUs+x1YtsG8WUEsBAhQDFAABAGMATLl9XQAAAABUAAAArAMAABEACwAAAAAAAAAAAIABAAAAAG5vdGVzL2hhcmJv",
      "dXIudHh0AZkHAAIAQUUDCABQSwECFAMUAAEAYwBMuX1dAAAAADQAAAAWAAAACAALAAAAAAAAAAAAgAGOAAAAZmVlcy5jc3YBmQcA",
      "AgBBRQMIAFBLBQYAAAAAAgACAIsAAADzAAAAAAA=",
    ].join(""),
    old: [
      "UEsDBAoACQAAAEy5fV2SbmedKAAAABwAAAALABwAaGFyYm91ci50eHRVVAkAA+CwDGvgsAxrdXgLAAEEAAAAAAQAAAAAGe/y0Rc4",
      "HNek5PEkFNr4pAwQKqV2UTm+/xUqCRtH34YxJeR5eNENsFBLBwiSbmedKAAAABwAAABQSwECHgMKAAkAAABMuX1dkm5nnSgAAAAc",
      "AAAACwAYAAAAAAABAAAApIEAAAAAaGFyYm91ci50eHRVVAUAA+CwDGt1eAsAAQQAAAAABAAAAABQSwUGAAAAAAEAAQBRAAAAfQAA",
      "AAAA",
    ].join(""),
  };

  it("opens files that a password protects, by the old cipher of ZIP and by AES", async () => {
    put("aes.zip", Buffer.from(locked.aes, "base64"));
    put("old.zip", zip({ "inner.zip": Buffer.from(locked.old, "base64") }));
    const all = ["aes.zip!/notes/harbour.txt", "aes.zip!/fees.csv", "old.zip!/inner.zip!/harbour.txt"];
    expect(await ingest("docs")).toEqual(all.map((name) => `encrypted docs/${name}`));
    expect(await ingest("docs", { password: "wrong" })).toEqual(all.map((name) => `encrypted docs/${name}`));
    expect(await ingest("docs", { password: "heron-7" })).toEqual(all.map((name) => `added docs/${name}`));
    expect((await kb.document("docs/aes.zip!/fees.csv"))?.text).toBe("berth,fee\nA1,12\nB2,19\n");
    expect((await kb.document("docs/old.zip!/inner.zip!/harbour.txt"))?.text).toBe("The harbour opens at seven.\n");
  });

  it("names a protected file, and says how its password is given", async () => {
    put("aes.zip", Buffer.from(locked.aes, "base64"));
    const messages: (string | undefined)[] = [];
    for await (const { error } of kb.ingest(join(base, "docs"))) messages.push(error?.message, error?.hint);
    expect(messages[0]).toBe("docs/aes.zip!/notes/harbour.txt is protected by a password.");
    expect(messages[1]).toContain("--password");
  });

  it("refuses a broken protected file by itself", async () => {
    const bytes = Buffer.from(locked.aes, "base64");
    bytes[90]! ^= 0xff;
    put("aes.zip", bytes);
    expect(await ingest("docs", { password: "heron-7" })).toEqual([
      "unreadable docs/aes.zip!/notes/harbour.txt",
      "added docs/aes.zip!/fees.csv",
    ]);
  });

  // Made with Python's codecs.
  it.each([
    [
      "GBK",
      [
        ["年度报告.txt", "c4eab6c8b1a8b8e62e747874"],
        ["合同/附件一.txt", "bacfcdac2fb8bdbcfed2bb2e747874"],
      ],
    ],
    [
      "Big5",
      [
        ["年度報告.txt", "a67eabd7b3f8a7692e747874"],
        ["會議記錄.txt", "b77cc4b3b04fbffd2e747874"],
      ],
    ],
    [
      "Shift_JIS",
      [
        ["報告書.txt", "95f18d908f912e747874"],
        ["議事録/三月.txt", "8b638e96985e2f8e4f8c8e2e747874"],
      ],
    ],
    [
      "EUC-KR",
      [
        ["보고서.txt", "bab8b0edbcad2e747874"],
        ["회의록.txt", "c8b8c0c7b7cf2e747874"],
      ],
    ],
    [
      "CP866",
      [
        ["Отчёт за год.txt", "8ee2e7f1e220a7a020a3aea42e747874"],
        ["Договор аренды.txt", "84aea3aea2aee020a0e0a5ada4eb2e747874"],
      ],
    ],
    [
      "CP437",
      [
        ["Müller Übersicht.txt", "4d816c6c6572209a62657273696368742e747874"],
        ["Größe.txt", "477294e1652e747874"],
      ],
    ],
    ["windows-1252", [["Année écoulée.txt", "416e6ee96520e9636f756ce9652e747874"]]],
    [
      "UTF-8, as macOS",
      [
        ["Müller.txt", "4dc3bc6c6c65722e747874"],
        ["報告.txt", "e5a0b1e5918a2e747874"],
      ],
    ],
  ])("has names in the code page of its machine where it does not say UTF-8: %s", async (_, names) => {
    put("a.zip", makeZip(names.map(([, hex], at) => ({ name: Buffer.from(hex!, "hex"), content: `text ${at}` }))));
    expect(await ingest("docs")).toEqual(names.map(([name]) => `added docs/a.zip!/${name}`));
  });

  it("reads on before bytes that something put behind it", async () => {
    put("a.zip", Buffer.concat([zip({ "one.txt": "The lamp is lit." }), Buffer.from("\r\n--boundary--\r\n")]));
    expect(await ingest("docs")).toEqual(["added docs/a.zip!/one.txt"]);
  });

  it("says how a file in it is packed that it cannot unpack, and what to do", async () => {
    put(
      "a.zip",
      makeZip([
        { name: "far.txt", content: "far", method: 9 },
        { name: "good.txt", content: "good" },
      ]),
    );
    const failures: unknown[] = [];
    for await (const { uri, error } of kb.ingest(join(base, "docs")))
      if (error) failures.push([uri, error.code, error.message, error.hint]);
    expect(failures).toEqual([
      [
        "docs/a.zip!/far.txt",
        "unreadable",
        "docs/a.zip has a part far.txt packed by Deflate64, which is not unpacked here.",
        "Unpack the archive with the program that made it, and give its files, or pack them again by Deflate, the usual method.",
      ],
    ]);
  });

  it("says of a second file of the same name what to do with the archive", async () => {
    const packed = makeZip([
      { name: "twice.txt", content: "first" },
      { name: "twice.txt", content: "second" },
    ]);
    const kb = await openKnowledgeBase({ reading: { worker: false } });
    const { failures } = await kb.ingest({ uri: "a.zip", bytes: packed });
    expect(failures.map(({ error }) => error.hint)).toEqual([
      "The archive holds two files of this name. Unpack it, rename one of them, and pack it again.",
    ]);
    await kb.close();
  });

  it("passes by what a walk passes by: pictures, hidden files, resource forks", async () => {
    put("a.zip", zip({ "p.png": png, ".env": "K=1", "__MACOSX/._x.txt": "fork", "good.txt": "good" }));
    const skipped: string[] = [];
    expect(await ingest("docs/a.zip", { onSkip: (uri, kind) => skipped.push(`${kind} ${uri}`) })).toEqual([
      "added docs/a.zip!/good.txt",
    ]);
    expect(skipped.toSorted()).toEqual([
      "file docs/a.zip!/.env",
      "file docs/a.zip!/__MACOSX/._x.txt",
      "unread docs/a.zip!/p.png",
    ]);
  });

  it("is refused when it is cut off in the middle", async () => {
    const whole = gzipSync(await tar([["1.txt", "one".repeat(10_000)]]));
    put("a.tgz", whole.subarray(0, whole.length - 20));
    put("b.tar", (await tar([["1.txt", "one".repeat(10_000)]])).subarray(0, 8000));
    put("c.zip", zip({}));
    expect(await ingest("docs")).toEqual(["unreadable docs/a.tgz", "unreadable docs/b.tar", "empty docs/c.zip"]);
  });
});

/** The head of a picture. */
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);
