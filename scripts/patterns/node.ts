// A process of a deployment: opens the knowledge base that its parent names, and does what the parent asks.
import * as z from "zod";
import { type Hit, type KnowledgeBase, openKnowledgeBase, type OpenOptions } from "../../src/index.node.ts";
import { openEntities } from "../../src/knowledge-base/entities/open-entities.ts";

/** Works that a parent can ask for, by name. */
export interface Works {
  readonly open: { readonly location: string; readonly options?: OpenOptions };
  readonly ingest: { readonly paths: readonly string[] };
  readonly records: { readonly half: 0 | 1 };
  readonly settle: object;
  readonly ask: { readonly questions: readonly string[] };
  readonly close: object;
}

/** A request of the parent, and the answer to it. */
export type Request = {
  readonly [Name in keyof Works]: { readonly id: number; readonly do: Name; readonly given: Works[Name] };
}[keyof Works];
export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

let kb: KnowledgeBase | undefined;

const machines = (base: KnowledgeBase) =>
  base.collection("machines", {
    schema: z.object({ code: z.string(), name: z.string(), use: z.string() }),
    key: "code",
    text: ["name", "use"],
  });

const people = (base: KnowledgeBase) => openEntities(base, "people", {});

const shortened = (hits: readonly Hit[]): unknown =>
  hits.map(({ source, score, text }) => [source.uri, score, text.length]);

async function work(request: Request): Promise<unknown> {
  if (request.do === "open") {
    kb = await openKnowledgeBase(request.given.location, request.given.options);
    return undefined;
  }
  if (kb === undefined) throw new Error("The knowledge base is not open.");
  switch (request.do) {
    case "ingest":
      return (await kb.ingest([...request.given.paths])).receipt;
    case "records": {
      const { half } = request.given;
      await machines(kb).upsert(
        [0, 1, 2].map((i) => ({ code: `m${half}${i}`, name: `Loom ${half}${i}`, use: "It weaves patterns of cloth." })),
      );
      const [name, other] = half === 0 ? ["Ada", "Charles"] : ["Grace", "Howard"];
      await people(kb).upsert([
        { id: name.toLowerCase(), name, description: "She writes programs for engines.", labels: ["Person"] },
        { id: other.toLowerCase(), name: other, description: "He builds engines.", labels: ["Person"] },
      ]);
      await people(kb).relate({ from: name.toLowerCase(), name: "WORKS_WITH", to: other.toLowerCase() });
      return undefined;
    }
    case "settle":
      return (await kb.ingest([], { settle: true })).receipt;
    case "ask": {
      const [words, meanings]: [unknown[], unknown[]] = [[], []];
      for (const question of request.given.questions) {
        words.push(shortened(await kb.search(question, { mode: "lexical", topK: 5 })));
        meanings.push(shortened(await kb.search(question, { mode: "hybrid", topK: 5 })));
      }
      meanings.push((await machines(kb).hybridSearch("cloth")).map(({ record, score }) => [record.code, score]));
      meanings.push(
        (await people(kb).search("engines", { mode: "hybrid" })).map(({ entity, score }) => [entity.id, score]),
      );
      for (const id of ["ada", "grace"])
        for await (const one of people(kb).findRelated(id, "WORKS_WITH", "outgoing")) words.push(one.id);
      return { words, meanings };
    }
    case "close":
      await kb.close();
      return undefined;
  }
}

process.on("message", (request: Request) => {
  work(request).then(
    (result) => process.send!({ id: request.id, result } satisfies Answer),
    (error: unknown) => process.send!({ id: request.id, error: String((error as Error).stack) } satisfies Answer),
  );
});
