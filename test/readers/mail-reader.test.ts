import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createMailReader } from "../../src/readers/mail/mail-reader.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { takeUuencoded } from "../../src/readers/mail/take-uuencoded.ts";
import { locate } from "../../src/text/locate.ts";

import { makeZip } from "./make-zip.ts";
import { readAny } from "./read-any.ts";
import { refusalOf, showBlocks, showOutline } from "./read-with.ts";

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
/** Each character as one byte. */
const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const mail = (headers: string, body: string): string => `${headers.trim()}\r\n\r\n${body.replaceAll("\n", "\r\n")}`;
const part = (headers: string, body: string): string => `--cut\n${headers}\n\n${body}\n`;
const mixed = (...parts: string[]): string =>
  mail(
    'From: Ada <ada@example.com>\nSubject: Keys\nContent-Type: multipart/mixed; boundary="cut"',
    `${parts.join("")}--cut--\n`,
  );
const plain = part("Content-Type: text/plain; charset=utf-8", "Hello.");
const attached = (name: string, type: string, body: string): string =>
  part(
    `Content-Type: ${type}; name="${name}"\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="${name}"`,
    base64(body),
  );

describe("the mail reader [E15]", () => {
  it("shows what a person sees: subject, people, date, body with its quotes, attachments by their readers", async () => {
    const { text, title, root, blocks, sourceMap, metadata, notes, mediaType } = await readAny(
      "box/keys.eml",
      mail(
        `From: Ada Lovelace <ada@example.com>
To: Bob <bob@example.com>, team@example.com
Cc: Team: carol@example.com, Dan <dan@example.com>;
Date: Wed, 01 May 2024 10:00:00 +0200
Message-ID: <1@example.com>
In-Reply-To: <0@example.com>
Subject: Where the
 keys are
Content-Type: multipart/mixed; boundary=cut`,
        [
          part(
            "Content-Type: text/plain; charset=utf-8",
            "Under the mat.\n\nOn Tuesday Bob wrote:\n> Where are\n> the keys?\n\nAda",
          ),
          attached("notes.md", "application/octet-stream", "# Mats\n\nRed one.\n"),
          "--cut--\n",
        ].join(""),
      ),
    );
    expect([title, mediaType, notes]).toEqual(["Where the keys are", "message/rfc822", undefined]);
    expect(text).toBe(
      `Where the keys are

From: Ada Lovelace <ada@example.com>
To: Bob <bob@example.com>, team@example.com
Cc: Team: carol@example.com, Dan <dan@example.com>
Date: Wed, 01 May 2024 10:00:00 +0200

Under the mat.

On Tuesday Bob wrote:

> Where are
> the keys?

Ada

notes.md

# Mats

Red one.
`,
    );
    expect(showOutline(root)).toEqual(["# Where the keys are", "## notes.md", "### Mats"]);
    expect(showBlocks({ text, ...(blocks && { blocks }) })).toContain("quote: > Where are\n> the keys?");
    expect(metadata).toEqual({
      from: "Ada Lovelace <ada@example.com>",
      to: ["Bob <bob@example.com>", "team@example.com"],
      cc: ["Team: carol@example.com, Dan <dan@example.com>"],
      messageId: "<1@example.com>",
      inReplyTo: "<0@example.com>",
      createdAt: "2024-05-01T08:00:00.000Z",
    });
    expect(locate({ text, root, sourceMap }, text.indexOf("Red"))).toMatchObject({ part: "notes.md", line: 3 });
    expect(locate({ text, root, sourceMap }, text.indexOf("mat."))).toMatchObject({
      headings: ["Where the keys are"],
      sectionId: "0.0",
    });
  });

  it("prefers the HTML body, and falls back to the plain one when it shows nothing", async () => {
    const alternative = (html: string): string =>
      mail(
        "Subject: S\nContent-Type: multipart/alternative; boundary=cut",
        `${part("Content-Type: text/plain", "See the page.")}${part("Content-Type: text/html; charset=utf-8", html)}--cut--\n`,
      );
    const { text, root, metadata } = await readAny(
      "a.eml",
      alternative('<html lang="fr"><h1>Liste</h1><table><tr><th>Clé</th></tr><tr><td>rouge</td></tr></table></html>'),
    );
    expect(text).toContain("Clé");
    expect(text).not.toContain("See the page");
    expect(showOutline(root)).toEqual(["# S", "## Liste"]);
    expect(metadata["language"]).toBe("fr");
    expect((await readAny("a.eml", alternative("<img src=x>"))).text).toBe("S\n\nSee the page.");
    const direct = { uri: "a.eml", bytes: bytesOf(alternative("<p>x</p>")), mediaType: "message/rfc822" };
    expect((await createMailReader().read(direct)).text).toBe("S\n\nSee the page.");
  });

  it.each([
    ["windows-1252", "Content-Type: text/plain; charset=windows-1252", "caf\xe9 \x80 5", "café € 5"],
    ["ISO-2022-JP", "Content-Type: text/plain; charset=iso-2022-jp", "\x1b$B80\x1b(B", "鍵"],
    [
      "quoted-printable",
      "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable",
      "caf=C3=A9 =\nau lait",
      "café au lait",
    ],
    [
      "base64",
      "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64",
      base64("clé 👍"),
      "clé 👍",
    ],
    ["flowed lines", "Content-Type: text/plain; charset=utf-8; format=flowed", "one \ntwo", "one two"],
  ])("decodes a body in %s", async (_, headers, body, shown) => {
    expect((await readAny("a.eml", bytesOf(mail(headers, body)))).text).toBe(shown);
  });

  it("reads in the encoding that the words show when none is declared, or a wrong one", async () => {
    const words = "Les clés sont cachées sous le paillasson, à côté de l'entrée de la maison, près du café.";
    for (const headers of ["Subject: clés", "Subject: clés\nContent-Type: text/plain; charset=utf-8"]) {
      const { text, metadata } = await readAny("a.eml", bytesOf(mail(headers, words)));
      expect(text).toBe(`clés\n\n${words}`);
      expect(metadata).toEqual({ encoding: "windows-1252" });
    }
  });

  it("reads a wrapped body without a declared encoding, or with a wrong one, by what its page says or its words show", async () => {
    const quoted = (type: string, body: string): string =>
      mail(`Subject: Menu\nContent-Type: ${type}\nContent-Transfer-Encoding: quoted-printable`, body);
    const page = '<html><head><meta charset=3D"iso-8859-2"></head><body><p>=A3=F3d=BC</p></body></html>';
    expect((await readAny("a.eml", quoted("text/html", page))).text).toBe("Menu\n\nŁódź");
    const words =
      "Die M=FChle am Bach ist zu sch=F6n f=FCr gew=F6hnliche =C4pfel, sagte die M=FCllerin =FCber die Gr=F6=DFe.";
    const read = "Die Mühle am Bach ist zu schön für gewöhnliche Äpfel, sagte die Müllerin über die Größe.";
    for (const type of ["text/plain", "text/plain; charset=us-ascii", 'text/plain;\n charset="utf-8"; format=fixed'])
      expect((await readAny("a.eml", quoted(type, words))).text).toBe(`Menu\n\n${read}`);
    const saved = `MIME-Version: 1.0\nContent-Type: multipart/related; boundary="cut"\n\n${part("Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable", page)}--cut--\n`;
    expect((await readAny("a.mhtml", saved)).text).toBe("Łódź");
  });

  // The words are those of the specification.
  it("reads UTF-7", async () => {
    const text = "Hi Mom -+Jjo--! Item 3 is +AKM-1. 1 +- 1. +ZeVnLIqe-";
    const { text: read } = await readAny(
      "a.eml",
      mail("Subject: S\nContent-Type: text/plain; charset=unicode-1-1-utf-7", text),
    );
    expect(read).toBe("S\n\nHi Mom -☺-! Item 3 is £1. 1 + 1. 日本語");
  });

  it("reads files that stand in the body, as old programs wrote them", async () => {
    const file = "begin 644 notes.txt\n#0V%T\n`\nend\n";
    const { text, root } = await readAny("a.eml", mail("Subject: S", `See below.\n\n${file}\nBye.\n`));
    expect(text).toBe("S\n\nSee below.\n\nBye.\n\nnotes.txt\n\nCat");
    expect(showOutline(root)).toEqual(["# S", "## notes.txt"]);
    const base64Body = mail("Subject: S", "begin-base64 644 a.md\nIyBNYXRz\n====\n");
    expect((await readAny("a.eml", base64Body)).text).toBe("S\n\na.md\n\n# Mats");
    const prose = "begin 100 years ago\nand so on until the\nend";
    expect((await readAny("a.eml", mail("Subject: S", prose))).text).toBe(`S\n\n${prose}`);
  });

  it("finds the bytes of any uuencoded file, also with blanks cut off", () => {
    const line = (bytes: readonly number[]): string => {
      const bits = bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");
      const groups = bits.padEnd(Math.ceil(bits.length / 24) * 24, "0").match(/.{6}/gu) ?? [];
      return (
        String.fromCharCode(32 + bytes.length) +
        groups.map((six) => String.fromCharCode(32 + Number.parseInt(six, 2))).join("")
      );
    };
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.boolean(), (bytes, isCut) => {
        const lines = Array.from({ length: Math.ceil(bytes.length / 45) }, (_, at) =>
          line([...bytes.subarray(at * 45, at * 45 + 45)]),
        );
        const body = lines.map((each) => (isCut ? each.trimEnd() : each)).join("\n");
        const { text, files } = takeUuencoded(`Before.\nbegin 644 a b.bin\n${body}\n\`\nend\nAfter.`);
        expect(text).toBe("Before.\nAfter.");
        expect(files).toEqual([
          { filename: "a b.bin", mimeType: "application/octet-stream", disposition: "attachment", content: bytes },
        ]);
      }),
    );
  });

  it("decodes names and headers", async () => {
    const { text, title } = await readAny(
      "a.eml",
      mail(
        "From: =?iso-8859-1?Q?Andr=E9?= <a@example.com>\nSubject: =?utf-8?B?w4lww6k=?= =?utf-8?Q?e_=F0=9F=91=8D?=\nContent-Type: multipart/mixed; boundary=cut",
        `${part("Content-Type: text/plain\nContent-Disposition: attachment; filename*=utf-8''cl%C3%A9%20.txt", "in it")}--cut--\n`,
      ),
    );
    expect(title).toBe("Épée 👍");
    expect(text.trim()).toBe("Épée 👍\n\nFrom: André <a@example.com>\n\nclé .txt\n\nin it");
  });

  it("lists what nobody reads, with the reason in the notes, and goes on", async () => {
    const { text, notes, root } = await readAny(
      "a.eml",
      mixed(
        plain,
        attached("photo.png", "image/png", "\x89PNG"),
        attached("broken.pdf", "application/pdf", "%PDF-1.7 and nothing"),
        attached("empty.txt", "text/plain", ""),
        attached("../up/notes.txt", "text/plain", "one"),
        attached("notes.txt", "text/plain", "two"),
        part(
          'Content-Type: text/plain; name="garbage.txt"\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64',
          "%%%% no base64 ###=",
        ),
        part("Content-Type: application/pgp-signature", "-----BEGIN PGP SIGNATURE-----"),
      ),
    );
    expect(text).toMatch(/Hello\.\n\nAttached, not read: photo\.png, broken\.pdf/);
    expect(text).toContain("notes.txt\n\none\n\nnotes.txt (2)\n\ntwo");
    expect(showOutline(root).slice(0, 3)).toEqual(["# Keys", "## notes.txt", "## notes.txt (2)"]);
    expect(notes?.[0]).toMatch(/^photo\.png was not read: .*image/);
    expect(notes?.[1]).toMatch(/^broken\.pdf was not read: /);
    expect(text).not.toContain("SIGNATURE");
  });

  it("reads the files of an attached archive one by one, within the limits", async () => {
    const bytesOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
    const packed = (name: string, bytes: Uint8Array): string =>
      part(
        `Content-Type: application/zip; name="${name}"\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="${name}"`,
        btoa(bytesOf(bytes)),
      );
    const inner = makeZip([{ name: "deep.txt", content: "deeper" }]);
    const zip = makeZip([
      { name: "2026/notes.md", content: "# Tides\n\nThey turn." },
      { name: "__MACOSX/._notes.md", content: "fork" },
      { name: "inner.zip", content: inner },
      { name: "photo.png", content: "\u0089PNG" },
    ]);
    const message = mixed(plain, packed("pack.zip", zip), packed("broken.zip", zip.slice(0, 60)));
    const { text, notes, root, sourceMap } = await readAny("a.eml", message);
    expect(showOutline(root)).toEqual([
      "# Keys",
      "## pack.zip/2026/notes.md",
      "### Tides",
      "## pack.zip/inner.zip/deep.txt",
    ]);
    expect(locate({ text, root, sourceMap }, text.indexOf("turn"))).toMatchObject({
      part: "pack.zip/2026/notes.md",
      line: 3,
    });
    expect(text).toContain("Attached, not read: pack.zip/photo.png, broken.zip");
    expect(text).not.toContain("fork");
    expect(notes).toEqual([
      expect.stringMatching(/^pack\.zip\/photo\.png was not read: /u),
      expect.stringMatching(/^broken\.zip was not read: .*cut off/u),
    ]);
    // Bytes that no reader takes stand by themselves, in an archive and beside it.
    const odd = makeZip([{ name: "odd.txt", content: "\u0001\u0002\0\u0003".repeat(50) }]);
    const beside = await readAny("a.eml", mixed(plain, packed("odd.zip", odd), packed("odd.md", odd.slice(4, 40))));
    expect(beside.text).toContain("Attached, not read: odd.zip/odd.txt, odd.md");
    const refused = await readAny("a.eml", mixed(plain, packed("pack.zip", zip)), { limits: { maxParts: 2 } });
    expect(refused.text).toContain("Attached, not read: pack.zip");
    expect(refused.notes?.[0]).toMatch(/maxParts|parts/u);
  });

  it("shows invitations and reports of mail servers as they are written", async () => {
    const { text, notes } = await readAny(
      "a.eml",
      mixed(
        plain,
        part(
          "Content-Type: text/calendar; method=REQUEST; name=invite.ics",
          "BEGIN:VCALENDAR\nSUMMARY:Keys\nEND:VCALENDAR",
        ),
        part("Content-Type: message/delivery-status", "Status: 5.1.1"),
      ),
    );
    expect(text).toMatch(
      /invite\.ics\n\nBEGIN:VCALENDAR\nSUMMARY:Keys\nEND:VCALENDAR\s+attachment 2\n\nStatus: 5\.1\.1/,
    );
    expect(notes).toBeUndefined();
  });

  it("leaves out images that stand in the text", async () => {
    const { text, notes } = await readAny(
      "a.eml",
      mixed(
        part("Content-Type: text/html", '<p>Look: <img src="cid:1"></p>'),
        part("Content-Type: image/png; name=x.png\nContent-ID: <1>\nContent-Disposition: inline", "x"),
      ),
    );
    expect(text).not.toContain("x.png");
    expect(notes).toBeUndefined();
  });

  it("reads messages within messages, as deep as the limit allows", async () => {
    let inner = "Subject: level 0\r\n\r\nThe core.\r\n";
    for (let level = 1; level <= 100; level++) {
      inner = `Subject: level ${level}\r\nContent-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\nContent-Type: message/rfc822\r\n\r\n${inner}\r\n--b${level}--\r\n`;
    }
    const { text, notes, root, sourceMap } = await readAny("a.eml", inner, { limits: { maxDepth: 3 } });
    expect(text).toContain("level 97");
    expect(text).not.toContain("level 96");
    expect(text).toContain("Attached, not read: message 1.eml");
    expect(notes).toHaveLength(1);
    expect(locate({ text, root, sourceMap }, text.indexOf("level 97"))).toMatchObject({
      part: "message 1.eml/message 1.eml/message 1.eml",
    });
  });

  it("stays within its limits for a message of ten thousand parts", async () => {
    const many = Array.from({ length: 10_000 }, (_, i) =>
      part(`Content-Type: text/plain; name=${i}.txt\nContent-Disposition: attachment`, `w${i}`),
    );
    const { text, notes } = await readAny("a.eml", mixed(plain, ...many), { limits: { maxParts: 20 } });
    expect(text).toContain("w19");
    expect(text).not.toContain("w20");
    expect(text).toContain("and 9880 more");
    expect(notes).toHaveLength(101);
    const short = await readAny("a.eml", mixed(plain, ...many.slice(0, 50)), { limits: { maxTextLength: 100 } });
    expect(short.notes?.at(-1)).toContain("the text would be too long");
  });

  it.each([
    [
      "S/MIME",
      "Content-Type: application/pkcs7-mime; smime-type=enveloped-data\nContent-Transfer-Encoding: base64",
      "AAAA",
    ],
    ["PGP/MIME", 'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary=cut', "--cut--"],
    ["PGP in the text", "Content-Type: text/plain", "-----BEGIN PGP MESSAGE-----\n\nhQ\n-----END PGP MESSAGE-----"],
  ])("says of %s that it is encrypted", async (_, headers, body) => {
    const refusal = await refusalOf(readAny("a.eml", mail(`Subject: x\n${headers}`, body)));
    expect([refusal.code, refusal.uri]).toEqual(["encrypted", "a.eml"]);
  });

  it("refuses endless headers and nesting, and what Outlook saves, by name", async () => {
    const headers = await refusalOf(readAny("a.eml", `${"X: y\r\n".repeat(600_000)}\r\nx`));
    expect([headers.code, headers.uri]).toEqual(["unreadable", "a.eml"]);
    let nested = "Content-Type: text/plain\n\nx";
    for (let i = 0; i < 300; i++)
      nested = `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n${nested}\n--b${i}--\n`;
    expect((await refusalOf(readAny("a.eml", nested))).code).toBe("unreadable");
    const outlook = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0, 0, 0);
    const refusal = await refusalOf(readAny("a.msg", outlook));
    expect(refusal).toMatchObject({ code: "unreadable" });
    expect(refusal instanceof IbidError).toBe(true);
  });

  it("reads what has no headers as a body", async () => {
    expect((await readAny("a.eml", "\n\nJust words.\n")).text).toBe("Just words.");
  });
});

describe("the mailbox reader [E15]", () => {
  const box = `From ada@example.com Wed May  1 10:00:00 2024
Subject: One

First.
From here on, still first.
>From a quoted line.
>>From twice.

From bob@example.com Wed May  1 11:00:00 2024\r
Subject: Two\r
\r
caf\xe9\r
\r
From carol@example.com Wed May  1 12:00:00 2024
Content-Type: multipart/encrypted; boundary=cut

--cut--
`;

  it("reads message by message, and says which it could not read", async () => {
    const { text, root, title, notes, sourceMap } = await readAny("box/all.mbox", bytesOf(box));
    expect(text).toMatch(
      /^One\n\nFirst\.\nFrom here on, still first\.\nFrom a quoted line\.\n\n>From twice\.\n\nTwo\n\ncaf/,
    );
    expect([title, showOutline(root)]).toEqual(["all.mbox", ["# One", "# Two"]]);
    expect(notes).toEqual([expect.stringContaining("message 3 was not read")]);
    expect(locate({ text, root, sourceMap }, text.indexOf("caf"))).toMatchObject({
      part: "message 2",
      headings: ["Two"],
    });
  });

  it("refuses what is no mailbox, and more messages than it may have", async () => {
    expect((await refusalOf(readAny("dir/a.mbox", "Dear all,\n"))).code).toBe("unreadable");
    const many = "From a b\n\nx\n\n".repeat(30);
    expect((await refusalOf(readAny("a.mbox", many, { limits: { maxParts: 20 } }))).code).toBe("too-large");
    expect((await readAny("a.mbox", "From \n\nFrom a\n\nwords")).text).toBe("words");
  });
});

describe("mailboxes and saved pages", () => {
  it("messages that answer one another stand together under the subject of their thread", async () => {
    const message = (id: string, subject: string, more: string, body: string): string =>
      `From a@example.com Mon Jan  1 00:00:00 2024\nFrom: a@example.com\nSubject: ${subject}\nMessage-ID: <${id}>\n${more}\n${body}\n\n`;
    const { root, text, sourceMap } = await readAny(
      "a.mbox",
      message("1", "Ferry", "", "When does it sail?") +
        message("2", "Harbour", "", "It is closed.") +
        message("3", "Re: Ferry", "In-Reply-To: <1>\n", "At dawn.") +
        message("4", "AW: Re: Ferry", "References: <0>\n <1> <3>\n", "Thank you.") +
        message("5", "Tide", "", "High.") +
        message("6", "Re: both", "References: <5> <2>\n", "Both.") +
        message("7", "Re: Tide", "In-Reply-To: <5>\n", "Low."),
    );
    expect(showOutline(root)).toEqual([
      "# Ferry",
      "## Ferry",
      "## Re: Ferry",
      "## AW: Re: Ferry",
      "# Harbour",
      "## Harbour",
      "## Tide",
      "## Re: both",
      "## Re: Tide",
    ]);
    expect(sourceMap.parts?.map(({ name, start, end }) => [name, text.slice(start, end).split("\n").at(-1)])).toEqual([
      ["message 1", "When does it sail?"],
      ["message 3", "At dawn."],
      ["message 4", "Thank you."],
      ["message 2", "It is closed."],
      ["message 5", "High."],
      ["message 6", "Both."],
      ["message 7", "Low."],
    ]);
  });

  it("a page that a browser saved in one file is that page", async () => {
    const saved = [
      "From: <Saved by Blink>",
      "Snapshot-Content-Location: https://example.com/keys",
      "Subject: Keys",
      "MIME-Version: 1.0",
      'Content-Type: multipart/related; type="text/html"; boundary="b"',
      "",
      "--b",
      "Content-Type: text/html",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "<html><head><title>Keys</title></head><body><h1>Keys of the t=C3=BCr</h1><p>Turn it.</p></body></html>",
      "--b",
      "Content-Type: image/png",
      "Content-Location: https://example.com/a.png",
      "",
      "x",
      "--b--",
      "",
    ].join("\r\n");
    const { text, metadata, root } = await readAny("a.mhtml", saved);
    expect(text).toBe("Keys of the tür\n\nTurn it.");
    expect(metadata["source"]).toBe("https://example.com/keys");
    expect(showOutline(root)).toEqual(["# Keys of the tür"]);
  });

  it.each(["utf-16", "us-ascii"])("a message saved as UTF-16 that declares %s is read", async (charset) => {
    const source = `\uFEFF${mail(`From: a@example.com\nSubject: Grüße\nContent-Type: text/plain; charset=${charset}`, "Für den Hafen.")}`;
    const bytes = new Uint8Array(Uint16Array.from(source, (sign) => sign.charCodeAt(0)).buffer);
    expect((await readAny("a.eml", bytes)).text).toMatch(/Grüße[^]*Für den Hafen\./u);
  });
});
