import type { Complete } from "../../src/contracts/complete.ts";
import fc from "fast-check";
import type { AccessContext, AccessPolicy, Scope } from "../../src/contracts/scope.ts";
import type { TextDocument } from "../../src/contracts/document.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { createTextMemory } from "../../src/integrations/compat/create-text-memory.ts";
import { chunkOf } from "../../src/testing/store-fixtures.ts";
import { hashParts } from "../../src/runtime/hash.ts";

export const scopes: readonly Scope[] = [
  "platform",
  "deployment",
  "team:north",
  "team:south",
  "user:ada",
  "user:nils",
  // What a careless template makes of a caller without an id.
  "user:undefined",
  "team:undefined",
];

/** Few words, so that every scope has them, and each is rare in some. */
const words = ["lantern", "harbour", "oven", "comet", "violin", "anchor", "yeast", "orbit", "sonata", "keel"] as const;
/** Names that queries say, and that documents of several scopes have in common. */
const uris = ["a.md", "lantern.md", "harbouroven-2021.md"] as const;

/** Something that somebody does to a scope. */
export type Step =
  | { readonly kind: "text"; readonly scope: Scope; readonly uri: string; readonly words: readonly string[] }
  /** A document with an id of its own, which another scope's may have too. */
  | { readonly kind: "document"; readonly scope: Scope; readonly uri: string; readonly words: readonly string[] }
  /** A chunk without a document that says it is of a document of another scope, whose words it repeats. */
  | { readonly kind: "chunk"; readonly scope: Scope; readonly from: Scope; readonly uri: string; readonly text: string }
  | { readonly kind: "delete"; readonly scope: Scope; readonly uri: string; readonly purge: boolean };

export interface World {
  readonly caller: AccessContext;
  readonly policy: Complete<AccessPolicy>;
  readonly steps: readonly Step[];
  readonly query: string;
  /** A scope that the caller names, readable or not. */
  readonly named: Scope;
  readonly uri: string;
}

const anyWord = fc.constantFrom(...words);
const someWords = fc.array(anyWord, { minLength: 4, maxLength: 9 });
// The deployment holds most, so that the store's own model has something to be fitted on.
export const anyScope = fc.constantFrom<Scope>(
  ...scopes,
  "deployment",
  "deployment",
  "deployment",
  "team:north",
  "user:ada",
);
const anyUri = fc.constantFrom(...uris);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("text" as const), scope: anyScope, uri: anyUri, words: someWords }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("document" as const),
      scope: anyScope,
      uri: fc.constantFrom("given-1.md", "given-2.md"),
      words: someWords,
    }),
  },
  // What is cited wrongly shows only where somebody repeats what another scope says.
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("chunk" as const),
      scope: anyScope,
      from: anyScope,
      uri: anyUri,
      text: fc.tuple(anyWord, anyWord).map(([one, other]) => `The ${one} and the ${other} are here.`),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("delete" as const), scope: anyScope, uri: anyUri, purge: fc.boolean() }),
  },
);

export const anyWorld: fc.Arbitrary<World> = fc.record({
  caller: fc.oneof(
    fc.record({ userId: fc.constant("ada"), teamId: fc.constant("north") }, { requiredKeys: [] }),
    fc.record({ userId: fc.constant("nils"), teamId: fc.constant("north"), teams: fc.constant(["north", "south"]) }),
    fc.record({ teams: fc.constantFrom<readonly string[]>([], ["south"], ["north", "south"]) }),
  ),
  policy: fc
    .record({ platform: fc.boolean(), deployment: fc.boolean(), isForAll: fc.boolean() })
    .map(({ platform, deployment, isForAll }) => ({
      platform,
      deployment,
      platformFor: platform && isForAll ? ("everyone" as const) : ("authenticated" as const),
    })),
  steps: fc.array(anyStep, { minLength: 6, maxLength: 16 }),
  query: fc.oneof(
    { weight: 3, arbitrary: fc.tuple(anyWord, anyWord).map((pair) => pair.join(" ")) },
    { weight: 1, arbitrary: fc.constantFrom("harbour oven", "lantern FY21", "oven FY2021") },
  ),
  named: fc.constantFrom(...scopes),
  uri: fc.constantFrom(...uris, "given-1.md"),
});

/** The oracle: who may read what, said once more and differently. */
export function mayRead({ caller: { userId, teamId, teams = [] }, policy }: World, scope: Scope): boolean {
  if (scope === "deployment") return policy.deployment;
  if (scope === "platform" && policy.platformFor === "everyone") return policy.platform;
  if (scope === "platform") return policy.platform && [userId, teamId, ...teams].some((id) => id !== undefined);
  const [kind, id] = scope.split(":") as [string, string];
  return kind === "user"
    ? userId !== undefined && id === userId
    : id === teamId
      ? teamId !== undefined
      : teams.includes(id);
}

/** What is written about some words: two sections, so that a document has an outline and chunks have neighbours. */
function textOf(uri: string, given: readonly string[]): string {
  const [first = "", second = "", ...rest] = given;
  return `# ${uri}\n\nThe ${first} and the ${second} are here.\n\n## More of ${second}\n\nThere is ${rest.join(" and ")}.\n`;
}

const kindOf = (given: readonly string[]): string => (given.length % 2 === 0 ? "even" : "odd");

export async function take(kb: KnowledgeBase, step: Step): Promise<void> {
  const { kind, scope, uri } = step;
  const options = { scope, settle: true };
  if (kind === "text") {
    const metadata = { kind: kindOf(step.words) };
    await kb.ingest({ uri, text: textOf(uri, step.words), mediaType: "text/markdown", metadata }, options);
  } else if (kind === "document") {
    await kb.ingest(documentOf(uri, step.words), options);
    await remember(kb, step);
  } else if (kind === "chunk") await kb.ingest([chunkOf(`loose-${uri}`, looseParts(step))], options);
  else await kb.delete(uri, { scope, purge: step.purge });
}

/** What somebody hands in as a document they remember as well, under a key of that name. */
async function remember(kb: KnowledgeBase, { scope, uri, words: said }: Extract<Step, { kind: "document" }>) {
  const ingest: KnowledgeBase["ingest"] = (input, options) => kb.ingest(input, { ...options, settle: true });
  await createTextMemory({ ...kb, ingest }, { scope }).save(uri, `The ${said.join(" and the ")} are remembered.`);
}

function looseParts({ from, uri, text }: Extract<Step, { kind: "chunk" }>) {
  // After the heading, where the sentence of the document stands.
  return { documentId: hashParts(from, uri), text, start: `# ${uri}\n\n`.length, metadata: { kind: "even" } };
}

/** A document as somebody hands it in. */
export function documentOf(uri: string, given: readonly string[]): TextDocument {
  const text = textOf(uri, given);
  const root = { id: "0", title: uri, level: 0, start: 0, contentStart: 0, end: text.length, children: [] };
  return {
    type: "text",
    id: `id-of-${uri}`,
    uri,
    title: uri,
    mediaType: "text/markdown",
    text,
    metadata: { kind: kindOf(given) },
    origin: "user-content",
    root,
    sourceMap: { lines: "text" },
  };
}

/** What a call gave, or how it failed; without what the clock wrote. */
export async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return withoutTimes(await call());
  } catch (error) {
    if (!IbidError.isInstance(error)) throw error;
    const { code, message, hint, uri, details } = error;
    return { error: { code, message, hint, uri, details } };
  }
}

// A scope's life is a hash under the secret of its knowledge base.
const times = new Set(["life", "ms", "ingestedAt", "checkedAt"]);

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !times.has(key))
      .map(([key, held]) => [key, withoutTimes(held)]),
  );
}
