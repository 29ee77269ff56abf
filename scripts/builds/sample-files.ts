import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDocx, makeEpub, paragraph, run } from "../../test/readers/make-office.ts";
import { makePdf } from "../../test/readers/make-pdf.ts";
import { makeXlsx } from "../../test/readers/make-xlsx.ts";

/** An animal for each format: a search for it finds the file, when the format was read. */
export const animals: Readonly<Record<string, string>> = {
  "a.md": "quokka",
  "b.pdf": "axolotl",
  "c.docx": "capybara",
  "d.xlsx": "pangolin",
  "e.html": "okapi",
  "f.epub": "narwhal",
  "g.ts": "tapir",
  "h.py": "wombat",
};

/** Writes eight files of eight formats. */
export function writeSampleFiles(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const sentence = (file: string): string => `The ${animals[file]} sleeps nine hours a day.`;
  const contents: Readonly<Record<string, string | Uint8Array>> = {
    "a.md": `---\ntitle: Sleep\n---\n\n# Sleep\n\n${sentence("a.md")}\n`,
    "b.pdf": makePdf([[{ text: sentence("b.pdf"), y: 700 }]]),
    "c.docx": makeDocx({ body: paragraph(run(sentence("c.docx"))) }),
    "d.xlsx": makeXlsx([
      {
        name: "Sleep",
        rows: [
          ["animal", "hours"],
          [animals["d.xlsx"] ?? "", 9],
        ],
      },
    ]),
    "e.html": `<!doctype html><title>Sleep</title><p>${sentence("e.html")}</p>`,
    "f.epub": makeEpub([{ path: "one.xhtml", body: `<p>${sentence("f.epub")}</p>` }]),
    "g.ts": `/** ${sentence("g.ts")} */\nexport class Sleep {\n  hours(): number {\n    return 9;\n  }\n}\n`,
    "h.py": `class Sleep:\n    """${sentence("h.py")}"""\n\n    def hours(self):\n        return 9\n`,
  };
  for (const [file, content] of Object.entries(contents)) writeFileSync(join(folder, file), content);
}
