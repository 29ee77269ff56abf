import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IbidError } from "../../src/contracts/errors.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createRandom, type Random } from "../../src/testing/random.ts";
import { scaled, type Tally } from "./tally.ts";

const texts = new Map(
  Array.from({ length: 12 }, (_, i) => [
    `d${i}.md`,
    `# Keys of unit ${i}\n\nUnit ${i} rotates its keys every ${30 + i} days. The fee is ${100 + 7 * i} euros.\n\nA quokka keeps vault ${i}.\n`,
  ]),
);

const titleOf = (uri: string): string => `Keys of unit ${uri.slice(1, -3)}`;
const metadataOf = (uri: string): { readonly unit: number } => ({ unit: Number(uri.slice(1, -3)) });

/** Changes some bytes anywhere; or a digit or a letter of a sentence or a name, wherever it stands as text. */
function damage(file: Buffer, random: Random, isTargeted: boolean): string {
  if (isTargeted) {
    const unit = random.below(texts.size);
    const uri = `d${unit}.md`;
    const target = random.pick([
      `Unit ${unit} rotates its keys every ${30 + unit} days.`,
      uri,
      titleOf(uri),
      JSON.stringify(metadataOf(uri)),
    ]);
    const places: number[] = [];
    for (let at = file.indexOf(target); at >= 0; at = file.indexOf(target, at + 1)) places.push(at);
    if (places.length > 0) {
      const offset = random.below(target.length);
      file[random.pick(places) + offset]! ^= 1;
      return `byte ${offset} of ${target}`;
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
  const check = (uri: string, title: string | undefined, quote: string): void => {
    if (texts.get(uri)?.includes(quote) !== true) wrong.push(`${uri} is quoted as saying ${JSON.stringify(quote)}`);
    else if (title !== titleOf(uri)) wrong.push(`${uri} is called ${JSON.stringify(title)}`);
  };
  for (const mode of ["hybrid", "regex"] as const)
    for (const { source, text, metadata, scope } of await kb.search("rotates", { mode, topK: "all" })) {
      check(source.uri, source.title, text);
      if (metadata["unit"] !== metadataOf(source.uri).unit) wrong.push(`${source.uri} has other metadata`);
      if (scope !== "deployment") wrong.push(`${source.uri} is in ${scope}`);
    }
  for (const unit of [1, 5, 9]) {
    const { citations } = await kb.ask(`How often does unit ${unit} rotate its keys?`);
    for (const { uri, title, quote } of citations) check(uri, title, quote);
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
      Array.from(texts, ([uri, text]) => ({ uri, text, title: titleOf(uri), metadata: metadataOf(uri) })),
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
        async () => {
          for await (const { uri, title } of kb?.list() ?? [])
            if (!texts.has(uri) || title !== titleOf(uri)) wrong.push(told(`the list has ${uri}, ${title}`));
        },
        async () => {
          for (const uri of texts.keys()) {
            const found = await kb?.document(uri);
            if (found !== undefined && found.title !== titleOf(uri))
              wrong.push(told(`${uri} is called ${found.title}`));
          }
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
