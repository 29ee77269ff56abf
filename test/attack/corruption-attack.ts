import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IbidError } from "../../src/contracts/errors.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { collect } from "../../src/testing/assert.ts";
import { createRandom, type Random } from "../../src/testing/random.ts";
import { scaled, type Tally } from "./tally.ts";

const texts = new Map(
  Array.from({ length: 12 }, (_, i) => [
    `d${i}.md`,
    `# Keys of unit ${i}\n\nUnit ${i} rotates its keys every ${30 + i} days. The fee is ${100 + 7 * i} euros.\n\nA quokka keeps vault ${i}.\n`,
  ]),
);

/** Changes some bytes anywhere, or a digit or a letter of a sentence where it stands as text. */
function damage(file: Buffer, random: Random, isTargeted: boolean): string {
  if (isTargeted) {
    const unit = random.below(texts.size);
    const sentence = Buffer.from(`Unit ${unit} rotates its keys every ${30 + unit} days.`);
    const at = file.indexOf(sentence);
    if (at >= 0) {
      const offset = random.pick([5, 11, sentence.length - 8, sentence.length - 7]);
      file[at + offset] = file[at + offset]! ^ 1;
      return `byte ${offset} of a sentence`;
    }
  }
  const count = 1 + random.below(4);
  const start = random.below(file.length - count);
  for (let i = 0; i < count; i++) file[start + i] = random.below(256);
  return `${count} bytes at ${start}`;
}

/** All that a reader does. **Shape** each wrong quotation. */
async function readAll(kb: KnowledgeBase): Promise<readonly string[]> {
  const wrong: string[] = [];
  const check = (uri: string, quote: string): void => {
    if (texts.get(uri)?.includes(quote) !== true) wrong.push(`${uri} is quoted as saying ${JSON.stringify(quote)}`);
  };
  for (const mode of ["hybrid", "regex"] as const)
    for (const hit of await kb.search("rotates", { mode, topK: "all" })) check(hit.source.uri, hit.text);
  for (const unit of [1, 5, 9]) {
    const { citations } = await kb.ask(`How often does unit ${unit} rotate its keys?`);
    for (const { uri, quote } of citations) check(uri, quote);
  }
  return wrong;
}

/** Changes a file and reads it. An error must be ibid's, and must not quote; a quotation must be what was stored. */
export async function attackByCorruption(seed: number, size: number): Promise<readonly Tally[]> {
  const random = createRandom(seed);
  const folder = await mkdtemp(join(tmpdir(), "ibid-corrupt-"));
  const whole = join(folder, "whole");
  const wrong: string[] = [];
  const foreign: string[] = [];
  const attempts = scaled(1000, size);
  try {
    const made = await openKnowledgeBase(whole, { operations: { events: false } });
    await made.ingest(
      Array.from(texts, ([uri, text]) => ({ uri, text })),
      { settle: true },
    );
    await made.close();
    const bytes = await readFile(join(whole, "ibid.sqlite"));
    for (let attempt = 0; attempt < attempts; attempt++) {
      const place = join(folder, "hurt");
      await cp(whole, place, { recursive: true });
      const hurt = Buffer.from(bytes);
      const done = damage(hurt, random, attempt % 4 === 0);
      await writeFile(join(place, "ibid.sqlite"), hurt);
      const told = (what: string): string => `attempt ${attempt}, ${done}: ${what}`;
      let kb: KnowledgeBase | undefined;
      for (const step of [
        async () => (kb = await openKnowledgeBase(place, { operations: { events: false } })),
        async () => kb && wrong.push(...(await readAll(kb)).map(told)),
        async () => kb && collect(kb.list()),
        async () => {
          for (const uri of texts.keys()) await kb?.document(uri);
        },
        async () => kb?.doctor(),
        async () => kb?.close(),
      ]) {
        await step().catch((error: unknown) => {
          if (!IbidError.isInstance(error)) foreign.push(told(String(error)));
          else if (error.message.includes("quokka")) foreign.push(told(`quotes: ${error.message}`));
        });
      }
      await rm(place, { recursive: true });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return [
    { promise: "A changed text is never quoted", unit: "corruptions", attempts, breaches: wrong },
    {
      promise: "An error of a corrupt file is ibid's and quotes nothing",
      unit: "corruptions",
      attempts,
      breaches: foreign,
    },
  ];
}
