import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { AccessContext, Scope } from "../../src/contracts/scope.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { collect } from "../../src/testing/assert.ts";
import { createRandom, type Random } from "../../src/testing/random.ts";
import { outcome } from "../access/worlds.ts";
import { makeZip } from "../readers/make-zip.ts";
import { type Compared, scaled, type Tally, tallyCases } from "./tally.ts";

const reader: AccessContext = { userId: "ada", teamId: "north" };
const names = ["a.md", "docs/b.md", "mail.eml", "deep.zip", "c.txt.gz"] as const;

/** A mail with a part of another type, and an attached text. */
const mailOf = (said: string): string =>
  [
    "From: ada@example.org",
    "Subject: The lantern",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="x"',
    "",
    "--x",
    "Content-Type: text/plain",
    "",
    said,
    "--x",
    'Content-Type: text/plain; name="note.txt"',
    'Content-Disposition: attachment; filename="note.txt"',
    "",
    said,
    "--x--",
    "",
  ].join("\r\n");

function contentOf(name: (typeof names)[number], said: string): string | Uint8Array {
  if (name === "mail.eml") return mailOf(said);
  if (name === "deep.zip") return makeZip([{ name: "deeper.md", content: said }]);
  return name === "c.txt.gz" ? gzipSync(said) : said;
}

const archiveOf = (members: readonly (typeof names)[number][], said: string): Uint8Array =>
  makeZip(members.map((name) => ({ name, content: contentOf(name, said) })));

const ends = ["purge", "replaced, then purge", "delete", "stays"] as const;
interface Case {
  readonly members: readonly (typeof names)[number][];
  readonly scope: Scope;
  readonly end: (typeof ends)[number];
}

const anyCase = (random: Random, end: Case["end"]): Case => ({
  members: [random.pick(names), ...names].filter(
    (name, i, all) => all.indexOf(name) === i && (i === 0 || random.below(3) > 0),
  ),
  scope: end === "stays" ? "team:board" : random.pick<Scope>(["team:board", "deployment"]),
  end,
});

async function see(kb: KnowledgeBase): Promise<Record<string, unknown>> {
  const view = kb.as(reader);
  const seen: Record<string, unknown> = {};
  const ask = async (name: string, call: () => unknown): Promise<void> => {
    seen[name] = await outcome(call);
  };
  await ask("list", () => collect(view.list()));
  await ask("list below", () => collect(view.list({ under: "box.zip" })));
  await ask("status", async () => ({ ...(await view.status()), cacheHitRate: undefined }));
  for (const mode of ["hybrid", "dense", "lexical"] as const)
    for (const query of ["zanzibar copper", "lantern harbour"])
      await ask(`search ${mode} ${query}`, () => view.search(query, { mode, topK: 20, explain: true }));
  await ask("search regex", () => view.search("zanzibar", { mode: "regex" }));
  await ask("ask", () => view.ask("What is made of zanzibar copper?"));
  const inner = ["a.md", "docs/b.md", "mail.eml", "mail.eml!/note.txt", "deep.zip", "deep.zip!/deeper.md", "c.txt.gz"];
  for (const uri of ["box.zip", ...inner.map((name) => `box.zip!/${name}`), "box.zip!/c.txt.gz!/c.txt", "never.zip"]) {
    for (const address of [{}, { scope: "team:board" as const }]) {
      const at = `${uri} ${JSON.stringify(address)}`;
      await ask(`document ${at}`, () => view.document(uri, address));
      await ask(`outline ${at}`, () => view.outline(uri, address));
      await ask(`restore ${at}`, () => view.restore(uri, address));
      await ask(`delete ${at}`, () => view.delete(uri, { ...address, onMissing: "error" }));
      await ask(`purge ${at}`, () => view.delete(uri, { ...address, purge: true }));
    }
  }
  return seen;
}

/** A base with a readable archive, and with one of others or without. `traces` tells whether words of a purged archive are left in a file. */
async function live(
  one: Case,
  hides: boolean,
): Promise<{ readonly seen: Record<string, unknown>; readonly traces: number }> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-attack-archives-"));
  const kb = await openKnowledgeBase(folder, { reading: { worker: false }, operations: { events: false } });
  const box = {
    uri: "box.zip",
    bytes: archiveOf(one.members, "It is made of zanzibar copper by quokkas."),
    maxBytes: 1e6,
  };
  let traces = 0;
  try {
    await kb.ingest({
      uri: "open.zip",
      bytes: archiveOf(names, "The lantern and the harbour are here."),
      maxBytes: 1e6,
    });
    if (hides) {
      await kb.ingest(box, { scope: one.scope });
      if (one.end === "replaced, then purge")
        await kb.ingest({ ...box, bytes: archiveOf(one.members, "It is made of zanzibar tin.") }, { scope: one.scope });
      if (one.end !== "stays") await kb.delete("box.zip", { scope: one.scope, purge: one.end !== "delete" });
    }
    await kb.ingest([], { settle: true });
    if (hides && one.end.endsWith("purge"))
      traces = (await kb.doctor({ absent: ["zanzibar copper by quokkas"] })).findings.filter(
        ({ kind }) => kind === "trace",
      ).length;
    return { seen: await see(kb), traces };
  } finally {
    await kb.close();
    rmSync(folder, { recursive: true });
  }
}

const hostileNames = [
  "../../etc/passwd.md",
  "/etc/passwd.md",
  "C:\\windows\\win.md",
  "..\\..\\up.md",
  "a/../../b.md",
  "./././c.md",
  "a!/b.zip!/c.md",
  "box.zip!/a.md",
  "x\u0000y.md",
  "\u202Edm.exe.md",
  "\u001B[31mred.md",
  "a\nb.md",
  "https://evil.example/a.md",
  "file:///etc/passwd.md",
  `${"long/".repeat(200)}a.md`,
  " .md",
  "con.md",
] as const;

/** Names of members that would lead elsewhere: each document stands below its archive, and leaves with it. */
async function attackNames(random: Random, attempts: number): Promise<Tally> {
  const kb = await openKnowledgeBase({ reading: { worker: false }, operations: { events: false } });
  const breaches: string[] = [];
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const name = hostileNames[attempt % hostileNames.length]!;
      const depth = random.below(2);
      // Half of the names say that they are in UTF-8.
      const inner = makeZip([{ name, content: "The lantern is here.", flags: attempt % 2 === 0 ? 0x800 : 0 }]);
      const bytes = depth === 0 ? inner : makeZip([{ name: "in.zip", content: inner }]);
      await kb.ingest({ uri: "box.zip", bytes, maxBytes: 1e6 });
      for await (const { uri } of kb.list()) {
        const path = uri.split("!/").slice(1).join("!/");
        const leads = /(?:^|[\\/])\.\.(?:[\\/]|$)|^[\\/]|:\/\/|[\p{Cc}\p{Bidi_C}]/iu.test(path);
        if (!uri.startsWith("box.zip!/") || leads)
          breaches.push(`${JSON.stringify(name)} became ${JSON.stringify(uri)}`);
      }
      await kb.delete("box.zip", { purge: true });
      for await (const { uri } of kb.list()) breaches.push(`${JSON.stringify(uri)} stayed when its archive was purged`);
    }
  } finally {
    await kb.close();
  }
  return { promise: "A member stands below its archive, and leaves with it", unit: "archives", attempts, breaches };
}

/** Archives, mail in them and archives in archives: of others, deleted ones and purged ones; and members with hostile names. */
export async function attackByArchives(seed: number, size: number): Promise<readonly Tally[]> {
  const random = createRandom(seed);
  const cases = Array.from({ length: scaled(20, size) }, (_, index) => anyCase(random, ends[index % ends.length]!));
  const left: string[] = [];
  let purged = 0;
  const compare = async (one: Case, index: number): Promise<Compared> => {
    const { seen: given, traces } = await live(one, true);
    purged += one.end.endsWith("purge") ? 1 : 0;
    if (traces > 0) left.push(`case ${index}: ${JSON.stringify(one)}`);
    return { given, expected: (await live(one, false)).seen };
  };
  const shown = await tallyCases("Members of archives of others, or that left, show in nothing", cases, compare);
  return [
    shown,
    { promise: "No file holds words of a purged archive", unit: "purges", attempts: purged, breaches: left },
    await attackNames(random, Math.max(2 * hostileNames.length, scaled(200, size))),
  ];
}
