import { describe } from "vitest";

import { createCodeReader } from "../../src/readers/code/code-reader.ts";
import { createFeedReader } from "../../src/readers/feed/feed-reader.ts";
import { createMailReader } from "../../src/readers/mail/mail-reader.ts";
import { dataReader } from "../../src/readers/data/data-reader.ts";
import { createNotebookReader } from "../../src/readers/notebook/notebook-reader.ts";
import { createReaderPack } from "../../src/testing/reader-pack.ts";
import { runPack } from "./run-pack.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const binary = {
  name: "a binary file",
  bytes: Uint8Array.from({ length: 600 }, (_, i) => (i * 7) % 32),
  code: "binary",
} as const;

const program = `/** Keys. */
export class Keys {
  turn(key: string) {
    return "👍";
  }
}
`;

describe("the code reader", () => {
  runPack(
    createReaderPack({
      create: () => createCodeReader(),
      mediaType: "text/x-typescript",
      wrap: (paragraphs) => encode(paragraphs.join("\n\n")),
      verbatim: true,
      samples: [
        { name: "a class", bytes: encode(program), words: ["/** Keys. */", "class Keys", "turn(key: string)", "👍"] },
      ],
      refuses: [binary],
    }),
  );
});

const message = `From: Ada <ada@example.com>
Subject: =?utf-8?Q?Keys_=F0=9F=91=8D?=
Content-Type: multipart/mixed; boundary=cut

--cut
Content-Type: text/plain; charset=utf-8

Under the mat.
> Where?
--cut
Content-Disposition: attachment; filename=mats.txt

The red one.
--cut--
`;

describe("the mail reader", () => {
  runPack(
    createReaderPack({
      create: () => createMailReader(),
      mediaType: "message/rfc822",
      wrap: (paragraphs) =>
        encode(`Subject: x\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${paragraphs.join("\r\n\r\n")}`),
      samples: [
        {
          name: "a message",
          bytes: encode(message),
          words: ["Keys 👍", "From: Ada <ada@example.com>", "Under the mat.", "> Where?", "mats.txt"],
        },
      ],
      refuses: [
        {
          name: "an encrypted message",
          bytes: encode("Content-Type: multipart/encrypted; boundary=cut\n\n--cut--"),
          code: "encrypted",
        },
      ],
    }),
  );
});

const notebook = {
  nbformat: 4,
  cells: [
    { cell_type: "markdown", source: ["# Keys\n", "\n", "Under the mat."] },
    { cell_type: "code", source: "turn(key)", outputs: [{ output_type: "stream", text: "open 👍\n" }] },
  ],
};

describe("the notebook reader", () => {
  runPack(
    createReaderPack({
      create: () => createNotebookReader(),
      mediaType: "application/x-ipynb+json",
      wrap: (paragraphs) =>
        encode(JSON.stringify({ cells: paragraphs.map((source) => ({ cell_type: "markdown", source })) })),
      samples: [
        {
          name: "a notebook",
          bytes: encode(JSON.stringify(notebook)),
          words: ["# Keys", "Under the mat.", "turn(key)", "open 👍"],
        },
      ],
      refuses: [{ name: "no notebook", bytes: encode("{}"), code: "unreadable" }],
    }),
  );
});

const feed = `<rss version="2.0"><channel><title>Keys &amp; locks</title>
<item><title>Lost</title><description>Under the &lt;b&gt;mat&lt;/b&gt; 👍</description></item></channel></rss>`;

describe("the feed reader", () => {
  runPack(
    createReaderPack({
      create: () => createFeedReader(),
      mediaType: "application/rss+xml",
      wrap: (paragraphs) =>
        encode(
          `<rss><channel>${paragraphs.map((text) => `<item><description>${escape(text)}</description></item>`).join("")}</channel></rss>`,
        ),
      samples: [{ name: "a feed", bytes: encode(feed), words: ["Keys & locks", "Lost", "Under the", "mat", "👍"] }],
      refuses: [{ name: "no feed", bytes: encode("<cow/>"), code: "unreadable" }],
    }),
  );
});

describe("the data reader", () => {
  for (const [mediaType, data] of Object.entries({
    "application/json": '{"keys": [\n{"under": "the mat", "is": "👍"}]}',
    "application/x-ndjson": '{"keys": "under"}\n{"the": "mat 👍"}\n',
    "application/yaml": "keys:\n  under: the mat\n  is: 👍\n",
    "application/toml": '[keys]\nunder = "the mat 👍"\n',
  })) {
    describe(mediaType, () => {
      runPack(
        createReaderPack({
          create: () => dataReader,
          mediaType,
          wrap: (paragraphs) => encode(paragraphs.join("\n\n")),
          verbatim: true,
          samples: [{ name: "a file", bytes: encode(data), words: ["keys", "under", "the", "mat", "👍"] }],
          refuses: [binary],
        }),
      );
    });
  }
});
