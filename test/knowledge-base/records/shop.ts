import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase, type OpenOptions, type KnowledgeBase } from "ibid";
import { createFixedEmbeddingModel } from "ibid/testing";
import * as z from "zod";

/** What the shop sells. */
export const product = z.object({
  sku: z.string(),
  name: z.string(),
  description: z.string().optional(),
  brand: z.string(),
  price: z.number(),
  tags: z.array(z.string()).default([]),
  soldOut: z.boolean().nullish(),
});

export const definition = {
  schema: product,
  key: "sku",
  text: ["name", "description"],
  filterable: ["brand", "price", "tags", "soldOut"],
} as const;

export const kettle = {
  sku: "K-1",
  name: "Copper kettle",
  description: "It whistles when the water boils.",
  brand: "Hearth",
  price: 49.5,
  tags: ["kitchen", "copper"],
};
export const lamp = {
  sku: "L/2 ä",
  name: "Reading lamp",
  description: "A warm light for late chapters.",
  brand: "Lumen",
  price: 80,
  tags: ["light"],
  soldOut: true,
};
export const pan = { sku: "P-3", name: "Copper pan", brand: "Hearth", price: 65, tags: ["kitchen", "copper"] };

/** Opens knowledge bases of both kinds, and takes them away again. */
export interface Home {
  readonly name: string;
  open(options?: OpenOptions): Promise<KnowledgeBase>;
  close(): Promise<void>;
}

export function createHomes(): readonly Home[] {
  return (["memory", "SQLite"] as const).map((name) => {
    const closing: (() => Promise<void>)[] = [];
    return {
      name,
      async open(options = {}) {
        const folder = name === "memory" ? undefined : mkdtempSync(join(tmpdir(), "ibid-collections-"));
        const kb = await openKnowledgeBase(folder, options);
        closing.push(async () => {
          await kb.close();
          if (folder !== undefined) rmSync(folder, { recursive: true });
        });
        return kb;
      },
      async close() {
        for (const close of closing.splice(0)) await close();
      },
    };
  });
}

/** A model that counts some letters, and notes what it is asked for. */
export function letterModel(name: string, letters: string) {
  const fixed = createFixedEmbeddingModel(
    {},
    { dimensions: letters.length, otherwise: (text) => letters.split("").map((letter) => text.split(letter).length) },
  );
  const asked: string[] = [];
  return Object.assign(
    {
      ...fixed,
      model: name,
      async embed(...given: Parameters<typeof fixed.embed>) {
        for (const input of given[0]) asked.push(typeof input === "string" ? input : "text" in input ? input.text : "");
        return fixed.embed(...given);
      },
    },
    { asked },
  );
}
