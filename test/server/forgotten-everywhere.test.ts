import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { expect, it, onTestFinished, vi } from "vitest";
import type { BlobStore } from "../../src/contracts/blob-store.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { openFiles } from "../../src/knowledge-base/open/open-files.ts";
import { hashParts } from "../../src/runtime/hash.ts";
import { createPostgresBlobStore } from "../../src/stores/postgres/postgres-blobs.ts";
import { overClient } from "../../src/stores/postgres/postgres-client.ts";
import { createPostgresEventStore } from "../../src/stores/postgres/postgres-events.ts";
import { openTestDatabase } from "../stores/postgres/database.ts";
import { expandAll } from "../support/on-disk.ts";
import { keys, send, startWorld } from "./service.ts";

/** A base with all that a service keeps beside it, and every byte of both. */
interface Place {
  readonly kb: KnowledgeBase;
  readonly files: BlobStore;
  /** Bytes by the file or the table that has them. */
  readonly sweep: () => Promise<readonly (readonly [string, Buffer])[]>;
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  async "a folder"() {
    const folder = mkdtempSync(join(tmpdir(), "ibid-everywhere-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const location = join(folder, "kb");
    const kb = await openKnowledgeBase(location, { history: true, operations: { events: true } });
    onTestFinished(() => kb.close());
    return {
      kb,
      files: openFiles(location),
      sweep: async () =>
        readdirSync(location, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name))] as const),
    };
  },
  async "tables of Postgres"() {
    const database = await openTestDatabase();
    onTestFinished(() => database.close());
    const schema = database.schemaOf("everywhere");
    const store = await database.open("everywhere");
    const connect = async () => overClient(database.client);
    const events = createPostgresEventStore(connect, schema);
    const kb = await openKnowledgeBase({ store, operations: { events } });
    onTestFinished(() => kb.close());
    const query = async (text: string): Promise<readonly Record<string, unknown>[]> =>
      (await database.client.query(text, [])).rows as readonly Record<string, unknown>[];
    return {
      kb,
      files: createPostgresBlobStore(connect, schema, "files"),
      async sweep() {
        const names = await query(
          `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = '${schema}'::regnamespace AND c.relkind IN ('r', 'S', 'm')`,
        );
        expect(names.length).toBeGreaterThan(10);
        const found: [string, Buffer][] = [];
        for (const { name } of names) {
          for (const row of await query(`SELECT * FROM ${schema}.${String(name)}`))
            for (const value of Object.values(row))
              found.push([
                String(name),
                value instanceof Uint8Array
                  ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
                  : Buffer.from(typeof value === "string" ? value : (JSON.stringify(value) ?? "")),
              ]);
        }
        const replicas = database.replicasOf("a");
        for (const entry of readdirSync(replicas, { recursive: true, withFileTypes: true }))
          if (entry.isFile()) found.push([`copy ${entry.name}`, readFileSync(join(entry.parentPath, entry.name))]);
        return found;
      },
    };
  },
};

const scope = "user:ada";
const texts: Readonly<Record<string, string>> = {
  "Quaggapaper.txt": "The board sells Okapiholdings in May. It costs Numbatmillions.",
  "Axolotlqueue.txt": "The queue says Pangolinword and more.",
  Tapirnote: "The note says Kinkajouword.",
};
const inZip = { name: "Fossafile.txt", text: "A member says Binturongword." };
const words = [
  ...Object.keys(texts).map((uri) => uri.split(".")[0]!),
  ..."Okapiholdings Numbatmillions Pangolinword Kinkajouword Fossafile Binturongword Dugongfailure".split(" "),
];

/** Each hash that somebody with a guess of a name or a text could make. */
function hashesOf(): readonly (readonly [string, Buffer])[] {
  const names = [...Object.keys(texts), "Wombats.zip", `Wombats.zip!/${inZip.name}`, "Dugongfailure.bin"];
  const guesses: [string, string][] = names.map((name) => [`id of ${name}`, hashParts(scope, name)]);
  const said = [...names, ...names.map((name) => `${scope}${name}`), ...Object.values(texts), inZip.text];
  for (const algorithm of ["sha256", "sha1", "md5"])
    for (const text of said)
      guesses.push([`${algorithm} of ${text}`, createHash(algorithm).update(text).digest("hex")]);
  return guesses.flatMap(([name, hex]) => {
    const bytes = Buffer.from(hex, "hex");
    const forms = [hex, hex.toUpperCase(), bytes.toString("base64").replace(/=+$/u, ""), bytes.toString("base64url")];
    return [...forms.map((form) => Buffer.from(form)), bytes, Buffer.from(hex.slice(0, 32), "hex")].map(
      (form) => [name, form] as const,
    );
  });
}

async function tracesIn({ sweep }: Place): Promise<readonly string[]> {
  const hashes = hashesOf();
  const found = new Set<string>();
  for (const [name, bytes] of await sweep()) {
    for (const part of [bytes, ...expandAll(bytes)]) {
      const said = part.toString("latin1").toLowerCase();
      for (const word of words) if (said.includes(word.toLowerCase())) found.add(`${name}: ${word}`);
      for (const [guess, form] of hashes) if (part.includes(form)) found.add(`${name}: ${guess}`);
    }
  }
  return [...found];
}

it.each(Object.keys(places))(
  "the service keeps neither a word nor a hash of what was purged, in %s: webhooks, jobs, uploads, threads, events [L8 L10]",
  async (name) => {
    const place = await places[name]!();
    const { kb, files } = place;
    const world = await startWorld({ files, mcp: { memory: {} }, webhookNetworks: ["127.0.0.1"] }, kb);
    const http = async (path: string, sent: object = {}) => {
      const answered = await send(world.service.url, path, { key: keys.ada.key, ...sent });
      expect([path, answered.status, answered.status < 300 ? "" : answered.text]).toEqual([
        path,
        answered.status < 300 ? answered.status : 200,
        "",
      ]);
      return answered.json as Record<string, unknown>;
    };
    // A webhook that nobody answers: its record waits for another attempt.
    const webhook = { url: "http://127.0.0.1:9/none", secret: "a secret of the receiver" };
    const waits = async (id: string, state: string) =>
      vi.waitFor(async () => expect(await http(`/job?id=${id}`)).toMatchObject({ state, webhook: { attempts: 1 } }), {
        timeout: 20_000,
        interval: 20,
      });
    const jobs: string[] = [];
    for (const [uri, state, given] of [
      ["Axolotlqueue.txt", "indexed", { text: texts["Axolotlqueue.txt"] }],
      ["Dugongfailure.bin", "failed", { text: "\0\u0001", mediaType: "application/x-dugongfailure" }],
    ] as const) {
      const made = (await http("/jobs", { body: { jobs: [{ uri, ...given }], scope, batch: "mine", webhook } })) as {
        jobs: readonly { id: string }[];
      };
      jobs.push(made.jobs[0]!.id);
      await waits(made.jobs[0]!.id, state);
    }
    const put = async (uri: string, bytes: Uint8Array, type: string) =>
      http(`/document?uri=${encodeURIComponent(uri)}&scope=${scope}`, {
        method: "PUT",
        body: bytes,
        headers: { "content-type": type },
      });
    const encoder = new TextEncoder();
    await put("Quaggapaper.txt", encoder.encode("An older edition says Okapiholdings too."), "text/plain");
    await put("Quaggapaper.txt", encoder.encode(texts["Quaggapaper.txt"]), "text/plain");
    await put("Wombats.zip", zipSync({ [inZip.name]: encoder.encode(inZip.text) }), "application/zip");
    await put("kept.txt", encoder.encode("The wolves stay by the river."), "text/plain");
    const { note } = (await http("/notes", { body: { text: texts["Tapirnote"], key: "Tapirnote" } })) as {
      note: { uri: string };
    };
    const sources = [note.uri, "Quaggapaper.txt", `Wombats.zip!/${inZip.name}`].map((uri) => ({
      uri,
      scope,
      documentId: hashParts(scope, uri),
    }));
    const sentences = sources.map((source) => ({
      text: "It is Okapiholdings.",
      places: [{ marker: "[1]", ...source, start: 0, end: 8 }],
    }));
    const turn = { question: "Which?", kind: "written", limits: { documents: sources }, sources, sentences };
    await http("/threads", { body: { title: "Names", turns: [turn] } });
    for (const question of ["Where do the wolves stay?", "What does it cost?"])
      await http("/ask", { body: { question } });
    await kb.ingest([], { settle: true });
    expect((await tracesIn(place)).length).toBeGreaterThan(8);

    for (const uri of ["Quaggapaper.txt", "Axolotlqueue.txt", "Wombats.zip"])
      await http(`/document?uri=${uri}&scope=${scope}&purge=true`, { method: "DELETE" });
    await http("/note?key=Tapirnote", { method: "DELETE" });
    // There is no document of a job that failed: the job itself goes.
    await http(`/job?id=${jobs[1]}`, { method: "DELETE" });
    expect(await tracesIn(place)).toEqual([]);
    expect(await kb.document("kept.txt", { scope })).toBeDefined();
    await world.service.stop();
    expect(await tracesIn(place)).toEqual([]);
  },
);
