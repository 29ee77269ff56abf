import { openKnowledgeBase } from "../../src/index.node.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { type AccessKey, startService } from "../../src/server/index.node.ts";
import { createMemoryBlobStore } from "../../src/stores/index.ts";
import { createRandom, type Random } from "../../src/testing/random.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { makeZip } from "../readers/make-zip.ts";
import { type Answered, send, type Sent } from "../server/service.ts";
import { type Compared, scaled, type Tally, tallyCases } from "./tally.ts";

/** The caller who looks, and those beside her: one of another team, one of her own name, and the operator. */
const keys = {
  ada: { name: "ada", key: "ada-ada-ada-ada-ada", userId: "ada", teamId: "north", write: true },
  bob: { name: "bob", key: "bob-bob-bob-bob-bob", userId: "bob", teamId: "south", write: true },
  operator: { name: "operator", key: "operator-operator-op", operator: true, write: true },
} as const satisfies Record<string, AccessKey>;
type Who = keyof typeof keys | "twin";
const others = ["bob", "twin", "operator"] as const satisfies readonly Who[];
/** A scope that the caller who looks may not read, for each of the others. */
const scopeOf: Readonly<Record<Who, Scope>> = {
  ada: "team:north",
  bob: "team:south",
  twin: "user:twin",
  operator: "team:board",
};

const deeds = ["job", "upload", "archive", "failure", "thread", "answer", "note", "file", "store", "gone"] as const;
interface Step {
  readonly who: Who;
  readonly deed: (typeof deeds)[number];
  readonly number: number;
  /** How a document leaves that everybody could read. */
  readonly end: "delete" | "purge";
}

/** Every deed by the others in each case, and some of the caller's own between them. */
function anySteps(random: Random): readonly Step[] {
  const end = (): Step["end"] => random.pick(["delete", "purge"]);
  const all: Step[] = deeds.map((deed, number) => ({
    // An operator's notes are in the scope of all.
    who: deed === "gone" ? "operator" : random.pick(deed === "note" ? others.slice(0, 2) : others),
    deed,
    number,
    end: end(),
  }));
  // Her own are of different kinds: files and stores of one second have no order.
  const own = deeds.filter((deed) => deed !== "file" && deed !== "gone");
  for (let number = deeds.length; number < deeds.length + 5; number++) {
    const deed = own.splice(random.below(own.length), 1)[0]!;
    all.splice(random.below(all.length + 1), 0, { who: "ada", deed, number, end: end() });
  }
  return all;
}

const words = ["lantern", "harbour", "oven", "comet"] as const;
const textOf = ({ who, number }: Step): string =>
  who === "ada"
    ? `# Guide ${number}\n\nThe ${words[number % 4]} and the ${words[(number + 1) % 4]} are here.\n`
    : `# Paper ${number}\n\nThe ${words[number % 4]} is made of zanzibar copper.\n`;
const nameOf = ({ who, number }: Step): string => `${who === "ada" ? "guide" : "paper"}-${number}.md`;

/** Ids that a caller was given, by kind. */
interface Ids {
  readonly jobs: string[];
  readonly streams: string[];
  readonly threads: string[];
  readonly notes: string[];
  readonly files: string[];
  readonly stores: string[];
  readonly uris: string[];
}
const noIds = (): Ids => ({ jobs: [], streams: [], threads: [], notes: [], files: [], stores: [], uris: [] });

interface World {
  readonly kb: KnowledgeBase;
  readonly as: (who: Who, path: string, sent?: Sent) => Promise<Answered>;
  readonly own: Ids;
  readonly foreign: Ids;
  close(): Promise<void>;
}

async function open(): Promise<World> {
  const kb = await openKnowledgeBase({
    history: true,
    reading: { worker: false },
    operations: { events: false },
    models: { chat: createScriptedChatModel(() => "The lantern and the harbour are here [1].") },
  });
  const service = await startService(kb, {
    port: 0,
    keys: Object.values(keys),
    files: createMemoryBlobStore(),
    limits: { requestsPerMinute: 1_000_000 },
    mcp: { memory: {} },
    // A person of the caller's name.
    authenticate: async (request) =>
      request.headers.get("x-twin") === null
        ? undefined
        : { name: "ada", access: { userId: "twin", teams: ["south"] }, write: true },
    log: () => {},
  });
  return {
    kb,
    own: noIds(),
    foreign: noIds(),
    as: (who, path, { headers, ...sent } = {}) =>
      send(service.url, path, {
        ...sent,
        ...(who !== "twin" && { key: keys[who].key }),
        headers: { "x-request-id": "same", ...(who === "twin" && { "x-twin": "1" }), ...headers },
      }),
    async close() {
      await service.stop();
      await kb.close();
    },
  };
}

/** A tool call of MCP. */
const rpc = (name: string, given: object): Sent => ({
  headers: { accept: "application/json, text/event-stream" },
  body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } },
});
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function untilOver({ as }: World, who: Who, id: string): Promise<void> {
  for (;;) {
    const { text } = await as(who, `/job?id=${id}`);
    if (!/"state":"(?:receiving|queued|reading|embedding)"/u.test(text)) return;
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

/** A file in a form, as OpenAI's clients send it. */
function formOf(name: string, text: string): Sent {
  const body = [
    '--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nassistants\r\n',
    `--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: text/markdown\r\n\r\n${text}\r\n--x--\r\n`,
  ].join("");
  return { body: utf8(body), headers: { "content-type": "multipart/form-data; boundary=x" } };
}

async function act(world: World, step: Step): Promise<void> {
  const { as } = world;
  const { who, deed, number, end } = step;
  const ids = who === "ada" ? world.own : world.foreign;
  const [uri, text, scope] = [nameOf(step), textOf(step), scopeOf[who]];
  const job = async (answer: Promise<Answered>): Promise<void> => {
    const { status, json, text: said } = await answer;
    const id: string | undefined = json?.jobs?.[0]?.id;
    if (id === undefined) throw new Error(`${deed} of ${who}: ${status} ${said}`);
    ids.jobs.push(id);
    await untilOver(world, who, id);
  };
  switch (deed) {
    case "job":
      ids.uris.push(uri);
      return job(as(who, "/jobs", { body: { uri, text, scope, batch: "all" } }));
    case "upload": {
      ids.uris.push(uri);
      const bytes = utf8(text);
      const metadata = Object.entries({ filename: uri, filetype: "text/markdown", scope, batch: "all" });
      const { headers } = await as(who, "/uploads", {
        method: "POST",
        body: bytes,
        headers: {
          "tus-resumable": "1.0.0",
          "upload-length": String(bytes.length),
          "upload-metadata": metadata.map(([name, value]) => `${name} ${base64(value)}`).join(","),
          "content-type": "application/offset+octet-stream",
        },
      });
      const id = /id=([\w-]+)/u.exec(headers.location ?? "")![1]!;
      ids.jobs.push(id);
      return untilOver(world, who, id);
    }
    case "archive": {
      const archive = `${uri}.zip`;
      ids.uris.push(archive, `${archive}!/inner.md`, `${archive}!/deep.zip!/deeper.md`);
      const deep = makeZip([{ name: "deeper.md", content: text }]);
      const body = makeZip([
        { name: "inner.md", content: text },
        { name: "deep.zip", content: deep },
      ]);
      const headers = { "content-type": "application/zip" };
      return job(as(who, `/jobs?uri=${archive}&scope=${scope}&batch=all`, { body, headers }));
    }
    case "failure":
      ids.uris.push(`${uri}.pdf`);
      return job(as(who, `/jobs?uri=${uri}.pdf&scope=${scope}&batch=all`, { body: "no pdf" }));
    case "thread": {
      const sentences = [{ text: `A thought about zanzibar, number ${number}.`, places: [] }];
      const turns = [{ question: `Where is number ${number}?`, kind: "written", sentences }];
      ids.threads.push((await as(who, "/threads", { body: { title: `Number ${number}`, turns } })).json.id);
      return;
    }
    case "answer": {
      const { text: events } = await as(who, "/ask", {
        body: { question: "Where are the lantern and the harbour?" },
        headers: { accept: "text/event-stream" },
      });
      ids.streams.push(/^id: ([\w-]+)\.\d+$/mu.exec(events)![1]!);
      return;
    }
    case "note": {
      const said = rpc("remember", { text: `The lantern is in room ${number}.`, key: `lantern-${number % 2}` });
      ids.notes.push(/"id\\?":\s*\\?"(\d{8}T[^"\\]+)/u.exec((await as(who, "/mcp", said)).text)![1]!);
      return;
    }
    case "file":
      ids.files.push((await as(who, "/v1/files", formOf(uri, text))).json.id);
      return;
    case "store": {
      const made = await as(who, "/v1/vector_stores", { body: { name: `Store ${number}`, ibid: { scope } } });
      const { id: file } = (await as(who, "/v1/files", formOf(uri, text))).json as { id: string };
      ids.stores.push(made.json.id);
      ids.files.push(file);
      await as(who, `/v1/vector_stores/${made.json.id}/files`, { body: { file_id: file } });
      for (const { id } of (await as(who, "/jobs")).json.jobs) {
        if (![...world.own.jobs, ...world.foreign.jobs].includes(id)) ids.jobs.push(id);
        await untilOver(world, who, id);
      }
      return;
    }
    case "gone":
      // Everybody could read it, and nobody did before it left.
      ids.uris.push(uri);
      await as(who, `/document?uri=${uri}`, {
        method: "PUT",
        body: text,
        headers: { "content-type": "text/markdown" },
      });
      await as(who, `/document?uri=${uri}${end === "purge" ? "&purge=true" : ""}`, { method: "DELETE" });
  }
}

/** Everything that the caller can ask for, with her own ids and with those of others. */
function questionsOf(own: Ids, foreign: Ids): readonly (readonly [string, Sent?])[] {
  const tus = { "tus-resumable": "1.0.0" };
  const all = (kind: keyof Ids): readonly string[] => [...own[kind], ...foreign[kind]];
  const thread = { title: "x", turns: [] };
  const search = { query: "lantern harbour zanzibar", topK: 20, explain: true };
  return [
    ["/documents?total=true"],
    ["/status"],
    ["/session"],
    ["/trash"],
    ["/jobs"],
    ["/jobs?state=failed"],
    ["/jobs/events?batch=all"],
    ["/threads"],
    ["/v1/files"],
    ["/v1/vector_stores"],
    ["/notes"],
    ["/notes?all=true"],
    ["/notes/export"],
    ["/collections"],
    ["/entities"],
    ...["hybrid", "dense", "lexical"].map((mode) => ["/search", { body: { ...search, mode } }] as const),
    ["/search", { body: { query: "zanzibar", mode: "regex" } }],
    ["/ask", { body: { question: "Where are the lantern and the harbour?" } }],
    ["/v1/chat/completions", { body: { model: "ibid", messages: [{ role: "user", content: "Where is zanzibar?" }] } }],
    ["/mcp", rpc("recall", { query: "Where is the lantern?" })],
    ["/mcp", rpc("recall", {})],
    ["/mcp", rpc("recall", { key: "lantern-0" })],
    ["/mcp", rpc("recall", { key: "lantern-1" })],
    ["/mcp", rpc("list_memories", { all: true })],
    ["/mcp", rpc("search", { query: "zanzibar lantern" })],
    ["/mcp", { ...rpc("", {}), body: { jsonrpc: "2.0", id: 1, method: "resources/list", params: {} } }],
    ...all("jobs").flatMap(
      (id) => [[`/job?id=${id}`], [`/upload?id=${id}`], [`/jobs?after=${id}`], [`/jobs/events?id=${id}`]] as const,
    ),
    ...foreign.jobs.flatMap(
      (id) =>
        [
          ["/jobs/cancel", { body: { ids: [id] } }],
          ["/jobs/retry", { body: { ids: [id] } }],
          [`/job?id=${id}`, { method: "DELETE" }],
          [`/upload?id=${id}`, { method: "DELETE", headers: tus }],
          [
            `/upload?id=${id}`,
            {
              method: "PATCH",
              body: utf8("x"),
              headers: { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream" },
            },
          ],
        ] as const,
    ),
    ...all("streams").flatMap(
      (id) =>
        [
          [`/stream?id=${id}`],
          [`/stream?id=${id}`, { headers: { "last-event-id": `${id}.1` } }],
          ["/ask", { body: { question: "x" }, headers: { accept: "text/event-stream", "last-event-id": `${id}.1` } }],
        ] as const,
    ),
    ...foreign.streams.map((id) => [`/stream?id=${id}`, { method: "DELETE" }] as const),
    ...all("threads").map((id) => [`/thread?id=${id}`] as const),
    ...foreign.threads.flatMap(
      (id) =>
        [
          [`/thread?id=${id}`, { method: "PUT", body: thread }],
          [`/thread?id=${id}`, { method: "DELETE" }],
        ] as const,
    ),
    ...foreign.notes.map((id) => ["/mcp", rpc("forget", { id })] as const),
    ...foreign.notes.map((id) => ["/mcp", rpc("remember", { text: "x is y.", supersedes: id })] as const),
    ...all("files").flatMap((id) => [[`/v1/files/${id}`], [`/v1/files/${id}/content`]] as const),
    ...foreign.files.map((id) => [`/v1/files/${id}`, { method: "DELETE" }] as const),
    ...[...all("stores"), "team:south", "team:board", "user:twin"].flatMap(
      (id) =>
        [
          [`/v1/vector_stores/${id}`],
          [`/v1/vector_stores/${id}/files`],
          [`/v1/vector_stores/${id}/search`, { body: { query: "lantern" } }],
          ...foreign.files.map((file) => [`/v1/vector_stores/${id}/files`, { body: { file_id: file } }] as const),
        ] as const,
    ),
    ...foreign.stores.map((id) => [`/v1/vector_stores/${id}`, { method: "DELETE" }] as const),
    ...all("uris").flatMap((uri) => {
      const at = `uri=${encodeURIComponent(uri)}`;
      return [
        [`/document?${at}`],
        [`/document?${at}&asOf=2100-01-01`],
        [`/outline?${at}`],
        [`/versions?${at}`],
        [`/view?${at}`],
        [`/geometry?${at}`],
        [`/original?${at}`],
      ] as const;
    }),
    ...foreign.uris.flatMap((uri) => {
      const at = `uri=${encodeURIComponent(uri)}`;
      return [
        ["/restore", { body: { uri } }],
        [`/document?${at}`, { method: "DELETE" }],
        [`/document?${at}&purge=true`, { method: "DELETE" }],
        [`/document?${at}&scope=team:south`, { method: "DELETE" }],
      ] as const;
    }),
  ];
}

/** Ids and times differ between two worlds, and tell nothing. Numbers of events are left as they are. */
function plain(text: string, own: Ids, foreign: Ids): string {
  let shown = text;
  for (const [kind, ids] of Object.entries(own) as [keyof Ids, string[]][])
    for (const [index, id] of ids.entries()) if (kind !== "uris") shown = shown.replaceAll(id, `own ${kind} ${index}`);
  for (const [kind, ids] of Object.entries(foreign) as [keyof Ids, string[]][])
    for (const [index, id] of ids.entries()) if (kind !== "uris") shown = shown.replaceAll(id, `${kind} ${index}`);
  return (
    shown
      .replaceAll(
        /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?:file-|vs_|vsfb_|chatcmpl-?|resp_|msg_)[0-9a-f]{32}/gu,
        "ID",
      )
      .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z?|\d{8}T\d{9}Z-[0-9a-f]{8}/gu, "TIME")
      .replaceAll(/\\*"(?:ms|created|created_at|createdAt|last_active_at|expires_at)\\*":\d[\d.]*/gu, "")
      // A note counts less as it gets older, by the millisecond.
      .replaceAll(/(?<=\\*"score\\*":)\d[\d.e-]*/gu, (score) => Number(score).toFixed(4))
      // Ids of notes are random, and so are the ids of their documents.
      .replaceAll(/\b[0-9a-f]{32}\b/gu, "HASH")
      .replaceAll(/127\.0\.0\.1:\d+/gu, "HOST")
      .replaceAll(/^id: [0-9a-f]{8}-(\d+)$/gmu, "id: $1")
  );
}

/** A list of files without its order: documents of one millisecond go by their uris, and those of two by their times. */
function withoutOrder(text: string): string {
  const { data, has_more } = JSON.parse(text) as { readonly data: readonly unknown[]; readonly has_more: boolean };
  const lines = data.map((file) => JSON.stringify(file));
  return [has_more, ...lines.toSorted((a, b) => (nameIn(a) < nameIn(b) ? -1 : 1))].join("\n");
}
const nameIn = (file: string): string => /"filename":"[^"]*"/u.exec(file)?.[0] ?? file;

interface Lived {
  readonly seen: Readonly<Record<string, unknown>>;
  readonly foreign: Ids;
}

/** Lives through the steps, with or without those of the others, and asks as the caller. */
async function live(steps: readonly Step[], foreign?: Ids): Promise<Lived> {
  const world = await open();
  try {
    await world.kb.ingest(
      Array.from({ length: 4 }, (_, number) => ({
        uri: `shared-${number}.md`,
        text: `# Shared ${number}\n\nThe ${words[number]} and the ${words[(number + 1) % 4]} are here.\n`,
        mediaType: "text/markdown",
      })),
    );
    for (const step of steps) if (foreign === undefined || step.who === "ada") await act(world, step);
    await world.kb.ingest([], { settle: true });
    const known = foreign ?? world.foreign;
    const seen: Record<string, unknown> = {};
    for (const [index, [path, sent = {}]] of questionsOf(world.own, known).entries()) {
      const { status, headers, text } = await world.as("ada", path, sent);
      const name = plain(`${index} ${sent.method ?? ""} ${path} ${JSON.stringify(sent.body) ?? ""}`, world.own, known);
      const { location = "", "upload-offset": offset = "" } = headers;
      const shown = path === "/v1/files" ? withoutOrder(text) : text;
      seen[name] = { status, location, offset, text: plain(shown, world.own, known) };
    }
    return { seen, foreign: known };
  } finally {
    await world.close();
  }
}

async function compareServices(steps: readonly Step[]): Promise<Compared> {
  const { seen: given, foreign } = await live(steps);
  const { seen: expected } = await live(steps, foreign);
  return { given, expected };
}

/** Jobs, resumed streams, threads, notes, files, vector stores and archives of others, by every route that names them. */
export async function attackServices(seed: number, size: number): Promise<readonly Tally[]> {
  const random = createRandom(seed);
  const cases = Array.from({ length: scaled(12, size) }, () => anySteps(random));
  return [
    await tallyCases("Jobs, streams, threads, notes and files of others show in nothing", cases, compareServices),
  ];
}
