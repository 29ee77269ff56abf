import { rm } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import * as z from "zod";
import type { Scope } from "../../src/contracts/scope.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { openEntities } from "../../src/knowledge-base/entities/open-entities.ts";
import { type AccessKey, startService } from "../../src/server/index.node.ts";
import { openFileBlobStore } from "../../src/stores/index.node.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { makeFolder } from "../cli/run-ibid.ts";
import { type Answered, send, type Sent } from "../server/service.ts";

/** Olga has things in her own scope and in that of the board. Otto is on the board too; the others are strangers to both. */
export const people = {
  olga: { name: "olga", key: "olga-olga-olga-olga-", userId: "olga", teamId: "board", write: true },
  otto: { name: "otto", key: "otto-otto-otto-otto-", userId: "otto", teamId: "board", write: true },
  ada: { name: "ada", key: "ada-ada-ada-ada-ada", userId: "ada", teamId: "north", write: true },
  bob: { name: "bob", key: "bob-bob-bob-bob-bob", userId: "bob", teamId: "south" },
  anyone: { name: "anyone", key: "anyone-anyone-anyone" },
  boss: { name: "boss", key: "boss-boss-boss-boss-", operator: true, write: true },
} as const satisfies Record<string, AccessKey>;
export type Person = keyof typeof people;

/** Kinds of things that a request names. */
export type Kind =
  | "uri"
  | "pastUri"
  | "documentId"
  | "chunkId"
  | "folder"
  | "scope"
  | "collection"
  | "recordKey"
  | "entity"
  | "job"
  | "upload"
  | "batch"
  | "file"
  | "store"
  | "fileBatch"
  | "stream"
  | "chat"
  | "response"
  | "thread"
  | "note"
  | "noteKey";

/** Things of one kind that a caller must not tell from one that never was: by their state, and `never`. */
export type Things = Readonly<Record<Kind, readonly (readonly [state: string, name: string])[]>>;

/** A word of the hidden texts that no attacker sends. */
export const secret = "quagga";
export const board: Scope = "team:board";

const hex = "0".repeat(31);
const uuid = "00000000-0000-4000-8000-000000000000";

/** A service over a folder, with Olga's things in every state. */
export async function openOthers() {
  const folder = await makeFolder({});
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // The model says the word when it is shown it, and never otherwise.
  const model = createScriptedChatModel((messages) =>
    JSON.stringify(messages).includes(secret) ? `The ${secret} stands in the file [1].` : "The house has a door [1].",
  );
  const kb = await openKnowledgeBase(join(folder, "kb"), {
    history: true,
    reading: { worker: false },
    models: { chat: model },
  });
  onTestFinished(() => kb.close());
  const service = await startService(kb, {
    port: 0,
    keys: Object.values(people),
    files: openFileBlobStore(join(folder, "files")),
    mcp: { memory: {}, changes: true },
    limits: { requestsPerMinute: 1_000_000, strangersPerMinute: 1_000_000, resumeMs: 3_600_000 },
    log: () => {},
  });
  onTestFinished(() => service.stop());
  const as = (who: Person | null, path: string, sent: Omit<Sent, "key"> = {}): Promise<Answered> =>
    send(service.url, path, { ...sent, ...(who !== null && { key: people[who].key }) });
  const made = async (who: Person, path: string, sent: Omit<Sent, "key"> = {}) => {
    const answer = await as(who, path, sent);
    if (answer.status < 300) return answer;
    throw new Error(`${path}: ${answer.status} ${answer.text}`);
  };
  const rest = async (who: Person): Promise<void> =>
    vi.waitFor(
      async () => {
        const { json } = await as(who, "/jobs?state=queued,reading,embedding&limit=1");
        if (json?.total > 0) throw new Error(`${json.total} jobs are under way`);
      },
      { timeout: 60_000, interval: 10 },
    );

  // Documents in the scope of the board, and some of which a reader of `deployment` may know nothing any more.
  const text = (name: string): string => `# ${secret} of ${name}\n\nThe ${secret} stands in the file ${name}.\n`;
  const uriOf = (state: string): string => `board-${state}/plan.md`;
  const pastOf = (state: string): string => `house-${state}/plan.md`;
  for (const state of ["alive", "trash", "erase", "newer"]) {
    await made("boss", "/documents", { body: { uri: uriOf(state), text: text(state), scope: board } });
  }
  await made("boss", "/documents", { body: { uri: uriOf("newer"), text: text("newest"), scope: board } });
  for (const state of ["erase", "empty"])
    await made("boss", "/documents", { body: { uri: pastOf(state), text: text(state), scope: "deployment" } });
  await made("boss", "/documents", { body: { uri: "house/plan.md", text: "# Plan\n\nThe house has a door." } });
  const ids = new Map<string, { readonly document: string; readonly chunk: string }>();
  for (const uri of [...["alive", "trash", "erase", "newer"].map(uriOf), ...["erase", "empty"].map(pastOf)]) {
    const scopes: readonly Scope[] = uri.startsWith("house") ? ["deployment"] : [board];
    const hits = await kb.search(secret, { scopes, under: uri, mode: "lexical" });
    ids.set(uri, { document: hits[0]!.documentId, chunk: hits[0]!.chunkId });
  }
  const moment = new Date().toISOString();
  const gone = (uri: string, scope: Scope, purge: boolean) =>
    made("boss", `/document?uri=${uri}&scope=${scope}&purge=${purge}`, { method: "DELETE" });
  await gone(pastOf("empty"), "deployment", false);
  await kb.vacuum({ olderThanMs: 0, scope: "deployment" });
  await gone(uriOf("trash"), board, false);
  await gone(uriOf("erase"), board, true);
  await gone(pastOf("erase"), "deployment", true);

  // Records of the same collection for everybody and for the board, and a collection of the board alone.
  const schema = z.object({ key: z.string(), text: z.string() });
  const rows = (collection: string, scope: Scope, key: string) =>
    kb.collection(collection, { schema, key: "key", text: ["text"] }).upsert([{ key, text: text(key) }], { scope });
  await rows("plans-public", "deployment", "open");
  await rows("plans-public", board, "record-alive");
  await rows("plans-secret", board, "record-alive");
  for (const scope of ["deployment", board] as const)
    await openEntities(kb, "people").upsert(
      { id: scope === board ? "entity-alive" : "known", name: scope === board ? secret : "Known" },
      { scope },
    );

  // Jobs, uploads, files and stores of Olga's.
  const jobOf = async (body: object): Promise<string> => {
    const { json } = await made("olga", "/jobs", { body });
    return json.jobs[0].id;
  };
  const done = await jobOf({ uri: "job.md", text: text("job"), batch: "batch-alive" });
  const removed = await jobOf({ uri: "job-2.md", text: text("job"), batch: "batch-trash" });
  const broken = (await made("olga", "/jobs?uri=broken.pdf", { body: "no pdf" })).json.jobs[0].id as string;
  await rest("olga");
  await made("olga", `/job?id=${removed}`, { method: "DELETE" });
  const tus = { "tus-resumable": "1.0.0" };
  const begin = async (): Promise<string> => {
    const metadata = `filename ${btoa("upload.md")}`;
    const headers = { ...tus, "upload-length": "10", "upload-metadata": metadata };
    const { headers: given } = await made("olga", "/uploads", { method: "POST", headers });
    const id = String(given["location"]).replace("upload?id=", "");
    const piece = { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream" };
    await made("olga", `/upload?id=${id}`, { method: "PATCH", headers: piece, body: "12345" });
    return id;
  };
  const [upload, ended] = [await begin(), await begin()];
  await made("olga", `/upload?id=${ended}`, { method: "DELETE", headers: tus });
  const sendFile = async (): Promise<string> => {
    const form = new FormData();
    form.set("purpose", "user_data");
    form.set("file", new File([text("file")], "file.md"));
    const response = new Response(form);
    const body = new Uint8Array(await response.arrayBuffer());
    const headers = { "content-type": response.headers.get("content-type")! };
    return (await made("olga", "/v1/files", { body, headers })).json.id;
  };
  const [file, lost] = [await sendFile(), await sendFile()];
  await made("olga", `/v1/files/${lost}`, { method: "DELETE" });
  const makeStore = async (): Promise<string> =>
    (await made("olga", "/v1/vector_stores", { body: { name: secret, ibid: { scope: board } } })).json.id;
  const [store, dropped] = [await makeStore(), await makeStore()];
  await made("olga", `/v1/vector_stores/${dropped}`, { method: "DELETE" });
  const batch = await made("olga", `/v1/vector_stores/${store}/file_batches`, { body: { file_ids: [file] } });
  await rest("olga");

  // Answers, threads and notes.
  const asked = await made("olga", "/ask", {
    body: { question: `Where does the ${secret} stand?` },
    headers: { accept: "text/event-stream" },
  });
  const stream = /^id: ([\w-]+)\.\d+$/mu.exec(asked.text)![1]!;
  await made("olga", "/chat", {
    body: {
      id: "chat-alive",
      messages: [{ role: "user", parts: [{ type: "text", text: `Where is the ${secret}?` }] }],
    },
  });
  const responded = await made("olga", "/v1/responses", {
    body: { model: "ibid", input: `Where is the ${secret}?`, stream: true },
  });
  const response = /"id":"(resp_[\w.-]+)"/u.exec(responded.text)![1]!;
  const alive = ids.get(uriOf("alive"))!;
  await made("olga", "/documents", { body: { uri: "own.md", text: text("own"), scope: "user:olga" } });
  const [own] = await kb.search(secret, { scopes: ["user:olga"], mode: "lexical" });
  const place = { marker: "[1]", uri: "own.md", scope: "user:olga", documentId: own!.documentId, start: 2, end: 8 };
  const turns = [{ question: secret, kind: "written", sentences: [{ text: text("thread"), places: [place] }] }];
  const keep = async (): Promise<string> =>
    (await made("olga", "/threads", { body: { title: secret, turns } })).json.id;
  const [thread, cut] = [await keep(), await keep()];
  await made("olga", `/thread?id=${cut}`, { method: "DELETE" });
  const remember = async (key: string) =>
    (await made("olga", "/notes", { body: { key, text: `The ${secret} of ${key}.`, scope: "user:olga" } })).json.note;
  const [note, forgotten] = [await remember("note-alive"), await remember("note-erase")];
  await made("olga", "/note?key=note-erase&scope=user:olga", { method: "DELETE" });
  await rest("olga");

  const never = (name: string): readonly [string, string] => ["never", name];
  const things: Things = {
    uri: ["alive", "trash", "erase", "newer", "never"].map((state) => [state, uriOf(state)] as const),
    pastUri: ["erase", "empty", "never"].map((state) => [state, pastOf(state)] as const),
    documentId: [
      ...Array.from(ids, ([uri, { document }]) => [uri, document] as const),
      never(`${alive.document.slice(0, -31)}${hex}`),
    ],
    chunkId: [
      ...Array.from(ids, ([uri, { chunk }]) => [uri, chunk] as const),
      never(`${alive.chunk.slice(0, -31)}${hex}`),
    ],
    folder: ["alive", "trash", "erase", "never"].map((state) => [state, `board-${state}/`] as const),
    scope: [
      ["alive", board],
      ["alone", "user:olga"],
      ["never", "team:bored"],
      ["nobody", "user:olaf"],
    ],
    collection: [["alive", "plans-secret"], never("plans-nobody")],
    recordKey: [["alive", "record-alive"], never("record-never")],
    entity: [["alive", "entity-alive"], never("entity-never")],
    job: [
      ["done", done],
      ["removed", removed],
      ["failed", broken],
      ["receiving", upload],
      ["ended", ended],
      never(uuid),
    ],
    upload: [["receiving", upload], ["ended", ended], ["done", done], never(uuid)],
    batch: [["alive", "batch-alive"], ["removed", "batch-trash"], never("batch-never")],
    file: [["alive", file], ["lost", lost], never(`file-0${hex}`)],
    store: [["alive", store], ["dropped", dropped], never(`vs_0${hex}`)],
    fileBatch: [["alive", batch.json.id as string], never(`vsfb_0${hex}`)],
    stream: [["alive", stream], never(uuid)],
    chat: [["alive", "chat-alive"], never("chat-never")],
    response: [["alive", response], never(`resp_${uuid}`)],
    thread: [["alive", thread], ["cut", cut], never(`${thread.slice(0, 17)}${uuid}`)],
    note: [["alive", note.id], ["forgotten", forgotten.id], never(String(note.id).replace(/[0-9a-f]{8}/u, "00000000"))],
    noteKey: [["alive", "note-alive"], ["forgotten", "note-erase"], never("note-never")],
  };
  /** Olga's things as she sees them. */
  const seenByOlga = async (): Promise<unknown> => {
    const seen: unknown[] = [];
    for (const path of [
      "/documents",
      "/jobs",
      `/upload?id=${upload}`,
      `/v1/files/${file}/content`,
      `/v1/vector_stores/${store}/files`,
      `/stream?id=${stream}`,
      "/stream?chat=chat-alive",
      `/thread?id=${thread}`,
      "/notes?scope=user:olga",
      "/records?collection=plans-secret",
      "/entities?collection=people",
      `/versions?uri=${uriOf("newer")}`,
    ]) {
      const { status, headers, text: given } = await as("olga", path);
      seen.push([path, status, headers["upload-offset"], given.replaceAll(/"requestId":"[^"]*"/gu, "")]);
    }
    return seen;
  };
  return { as, kb, service, things, rest, folder, moment, seenByOlga };
}
