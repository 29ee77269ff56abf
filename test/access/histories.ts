import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { createGate, operator } from "../../src/access/gate.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { AccessContext, Scope } from "../../src/contracts/scope.ts";
import type { StoreParts } from "../../src/contracts/store.ts";
import { startService } from "../../src/server/index.node.ts";
import { send } from "../server/service.ts";
import { type Known, namesIn, readEverything } from "./public-calls.ts";
import { type Opened, open, type Subject } from "./subjects.ts";
import { outcome, type World } from "./worlds.ts";

/** Few words that every document uses, and words of the hidden ones alone. */
const shared = ["lantern", "harbour", "oven", "comet", "violin", "anchor"] as const;
/** Both vocabularies give texts of one length. */
export const secrets = { one: ["zanzibar", "malachit"], other: ["unicorns", "porphyry"] } as const;
export type Secret = keyof typeof secrets;

/** One thing that happens to one document. The hidden ones have left their readers in the end. */
export interface Event {
  readonly what: "write" | "edit" | "delete" | "purge" | "restore" | "move" | "back" | "settle";
  readonly hidden: boolean;
  readonly document: number;
}

export interface History {
  readonly events: readonly Event[];
  /** How each hidden document leaves. */
  readonly ends: readonly ("delete" | "purge" | "move")[];
  readonly query: readonly [number, number];
}

const anyEvent: fc.Arbitrary<Event> = fc.record({
  what: fc.constantFrom("write", "write", "write", "edit", "delete", "purge", "restore", "move", "back", "settle"),
  hidden: fc.boolean(),
  document: fc.integer({ min: 0, max: 7 }),
});

export const anyHistory: fc.Arbitrary<History> = fc.record({
  events: fc.array(anyEvent, { minLength: 8, maxLength: 22 }),
  ends: fc.array(fc.constantFrom("delete" as const, "purge" as const, "move" as const), {
    minLength: 8,
    maxLength: 8,
  }),
  query: fc.tuple(fc.nat(shared.length - 1), fc.nat(shared.length - 1)),
});

const home: Scope = "deployment";
const away: Scope = "team:board";
/** A reader who is not on the board. */
export const reader: AccessContext = { userId: "ada", teamId: "north" };
const policy = { platform: true, deployment: true, platformFor: "authenticated" } as const;

/** Times in JSON, also in JSON that is quoted in JSON. */
const times = /\\*"(?:ms|ingestedAt)\\*":(?:\d[\d.]*|\\*"[^"\\]*\\*")/gu;

const uriOf = ({ hidden, document }: Pick<Event, "hidden" | "document">): string =>
  `${hidden ? "paper" : "guide"}-${document}.md`;

function textOf({ hidden, document }: Pick<Event, "hidden" | "document">, secret: Secret, edited: boolean): string {
  const word = (step: number): string => shared[(document * step + (edited ? 1 : 0)) % shared.length]!;
  const said = `# ${uriOf({ hidden, document })}\n\nThe ${word(1)} and the ${word(5)} are here.\n\n## More\n\n`;
  const [first, second] = secrets[secret];
  return hidden ? `${said}There is ${first} copper and ${second}.\n` : `${said}There is a ${word(2)} of copper.\n`;
}

/** Makes one event happen. The operator does it. */
async function act(kb: KnowledgeBase, event: Event, secret: Secret): Promise<void> {
  const { what } = event;
  const uri = uriOf(event);
  const put = (scope: Scope, edited = false) =>
    kb.ingest(
      { uri, text: textOf(event, secret, edited), mediaType: "text/markdown", metadata: { kind: "even" } },
      { scope },
    );
  if (what === "write" || what === "edit") await put(home, what === "edit");
  else if (what === "settle") await kb.ingest([], { settle: true });
  else if (what === "restore") await kb.restore(uri, { scope: home });
  else if (what === "back") {
    await kb.delete(uri, { scope: away });
    await put(home);
  } else {
    await kb.delete(uri, { scope: home, purge: what === "purge" });
    if (what === "move") await put(away);
  }
}

/** The store settles when it is told to, never in the background. */
function holdSettling(): { readonly compose: (parts: StoreParts) => StoreParts; isHeld: boolean } {
  const held = {
    isHeld: false,
    compose(parts: StoreParts): StoreParts {
      const { upkeep } = parts;
      if (upkeep === undefined) return parts;
      const settle: typeof upkeep.settle = async (options) => (held.isHeld ? undefined : upkeep.settle(options));
      return { ...parts, upkeep: { ...upkeep, settle } };
    },
  };
  return held;
}

interface Lived {
  readonly opened: Opened;
  readonly known: Known;
}

/** Lives through a history with or without its hidden documents. `isSettled: false` leaves the last departures as they are. */
async function live(
  subject: Pick<Subject, "store">,
  { events, ends }: History,
  { secret = "one", hides = true, isSettled = true }: { secret?: Secret; hides?: boolean; isSettled?: boolean } = {},
): Promise<Lived> {
  const settling = holdSettling();
  const opened = await open(
    { name: "", store: subject.store, sees: "own", ...(subject.store === "memory" && { compose: settling.compose }) },
    policy,
  );
  const { kb, store } = opened;
  // Enough to fit on from the beginning.
  const first = Array.from({ length: 6 }, (_, document): Event => ({ what: "write", hidden: false, document }));
  for (const event of [...first, ...events])
    if (hides || !event.hidden || event.what === "settle") await act(kb, event, secret);
  await kb.ingest([], { settle: true });
  const known = await namesIn(store, createGate(policy).read(operator, [home, away]));
  settling.isHeld = !isSettled;
  const leaving = hides ? ends : [];
  for (const [document, what] of leaving.entries()) await act(kb, { what, hidden: true, document }, secret);
  if (isSettled) await kb.ingest([], { settle: true });
  return { opened, known };
}

const worldOf = ({ query: [one, two] }: History): World => ({
  caller: reader,
  policy,
  steps: [],
  query: `${shared[one]!} ${shared[two]!}`,
  named: away,
  uri: "guide-0.md",
});

/** All that the reader can see in the library, the tools and the store beneath. */
async function seeLibrary({ kb, store }: Opened, history: History, known: Known): Promise<Record<string, unknown>> {
  const asker = { kb: kb.as(reader), store, proof: createGate(policy).read(reader, []) };
  return { ...(await readEverything(asker, worldOf(history), known, true)) };
}

/** All that the reader can see of the service: its routes and its MCP tools. */
async function seeService({ kb }: Opened, history: History, known: Known): Promise<Record<string, unknown>> {
  const key = "ada-ada-ada-ada-ada-ada";
  const service = await startService(kb, { port: 0, keys: [{ name: "ada", key, ...reader }], log: () => {} });
  const { query } = worldOf(history);
  const [word = ""] = query.split(" ");
  const seen: Record<string, unknown> = {};
  const ask = async (path: string, body?: unknown): Promise<void> => {
    const headers = { "x-request-id": "same", accept: "application/json, text/event-stream" };
    const answer = await send(service.url, path, { key, headers, ...(body !== undefined && { body }) });
    const { status, text } = answer;
    seen[`${path} ${JSON.stringify(body) ?? ""}`] = {
      status,
      // Each stream has a name of its own.
      text: text
        .replace(times, "")
        .replaceAll(service.url, "")
        .replaceAll(/^id: [\w-]+\./gmu, "id: "),
    };
  };
  try {
    for (const path of ["/documents", "/status", "/outline?uri=guide-0.md"]) await ask(path);
    for (const mode of ["hybrid", "dense", "lexical", "regex"])
      await ask("/search", { query: mode === "regex" ? word : query, mode, topK: 20, explain: true });
    await ask("/ask", { question: `Where are the ${query.replace(" ", " and the ")}?` });
    for (const uri of known.uris) await ask(`/document?uri=${uri}`);
    for (const [name, given] of [
      ["search", { query }],
      ["documents_vector_search", { query }],
      ["documents_regex_search", { regex: word }],
    ] as const)
      await ask("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } });
    await ask("/mcp", { jsonrpc: "2.0", id: 1, method: "resources/list", params: {} });
  } finally {
    await service.stop();
  }
  return seen;
}

export interface Seen {
  readonly given: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
}

/** The calls that tell something. */
export function differences({ given, expected }: Seen): Readonly<Record<string, readonly [unknown, unknown]>> {
  const calls = [...new Set([...Object.keys(given), ...Object.keys(expected)])];
  return Object.fromEntries(
    calls
      .filter((call) => !isDeepStrictEqual(given[call], expected[call]))
      .map((call) => [call, [given[call], expected[call]] as const]),
  );
}

/** A reader's view of a settled base, beside the view of a base in which the hidden documents never were. */
export async function compareSettled(subject: Pick<Subject, "store">, history: History): Promise<Seen> {
  const whole = await live(subject, history);
  const never = await live(subject, history, { hides: false });
  try {
    return {
      given: {
        ...(await seeLibrary(whole.opened, history, whole.known)),
        ...(await seeService(whole.opened, history, whole.known)),
      },
      expected: {
        ...(await seeLibrary(never.opened, history, whole.known)),
        ...(await seeService(never.opened, history, whole.known)),
      },
    };
  } finally {
    await whole.opened.close();
    await never.opened.close();
  }
}

/**
 * A reader's views of two unsettled bases, whose histories differ in the words of hidden documents alone. A word that only one of them has
 * was never seen in the other.
 */
export async function compareUnsettled(history: History): Promise<Seen> {
  const one = await live({ store: "memory" }, history, { isSettled: false });
  const other = await live({ store: "memory" }, history, { isSettled: false, secret: "other" });
  const known = { ...one.known, chunkIds: [], documentIds: [] };
  try {
    const see = async ({ opened }: Lived) => ({
      ...(await seeLibrary(opened, history, known)),
      ...(await seeService(opened, history, known)),
      ...(await seeWords(opened)),
    });
    return { given: await see(one), expected: await see(other) };
  } finally {
    await one.opened.close();
    await other.opened.close();
  }
}

/** What a reader is told about words that only hidden documents have, in one history or the other. */
async function seeWords({ kb }: Opened): Promise<Record<string, unknown>> {
  const view = kb.as(reader);
  const seen: Record<string, unknown> = {};
  for (const word of Object.values(secrets).flat()) {
    for (const mode of ["hybrid", "dense", "lexical", "regex"] as const) {
      for (const query of mode === "regex" ? [word] : [word, `${word} copper`]) {
        const options = { mode, topK: "all", explain: true } as const;
        seen[`${mode} ${query}`] = await outcome(() => view.search(query, options));
      }
    }
    seen[`ask ${word}`] = await outcome(() => view.ask(`Where is ${word}?`, { explain: true }));
  }
  return seen;
}
