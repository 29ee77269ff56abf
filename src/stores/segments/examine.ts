import type { Analyzer } from "../../contracts/analyzer.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Diagnosis, ExamineOptions, Finding, Sought } from "../../contracts/diagnosis.ts";
import { versionKey } from "../../contracts/embedding.ts";
import type { Scope } from "../../contracts/scope.ts";
import { examineScope, mendedByRebuilding, type OwnVectors } from "./examine-scope.ts";
import { isPurgeUnfinished } from "./purge.ts";
import { createIndexView } from "./index-view.ts";
import { fittedOn, type LatentLeg } from "./latent-leg.ts";
import { rebuildScope } from "./rebuild-scope.ts";
import { createUncachedReader } from "./replace-document.ts";
import type { DirectoryReader, DirectoryWriter, SegmentDirectory } from "./segment-directory.ts";

/** The parts of a store that an examination uses. */
export interface ExaminationParts {
  readonly directory: Pick<SegmentDirectory, "inspect">;
  readonly analyzer: Analyzer;
  readonly latent: LatentLeg | undefined;
  readonly look: <Result>(work: (rows: DirectoryReader) => Result) => Promise<Result>;
  readonly write: <Result>(work: (rows: DirectoryWriter) => Result) => Promise<Result>;
  /** Finishes purges. **Shape** false while a reader holds on to an old state. */
  readonly scrub: () => Promise<boolean>;
  /** Places what has no vector of the store's own. */
  readonly settle: () => Promise<void>;
}

/** Runs of so many characters are looked for in files: shorter ones stand anywhere by chance. */
const runLength = 8;

interface Look extends Omit<Diagnosis, "healthy"> {
  /** Scopes whose index is not as its rows say. */
  readonly broken: readonly Scope[];
  /** Whether a file is damaged: its rows cannot be relied on then, and nothing is repaired. */
  readonly isDamaged: boolean;
}

/** Texts to look for, and the runs of them that can be said not to belong. */
interface Probes {
  readonly texts: readonly string[];
  /** The texts that some document has. */
  readonly held: ReadonlySet<string>;
  readonly runs: ReadonlySet<string>;
}

/**
 * Checks all that a store keeps for contradictions, from orphaned rows to purged words in the bytes of its files. With `fix` it repairs findings and
 * examines again, so that a finding is reported as fixed only when it is gone.
 *
 * **Cost** reads every scope, each in a transaction of its own.
 */
export async function examineStore(parts: ExaminationParts, options: ExamineOptions = {}): Promise<Diagnosis> {
  let chosen: Promise<Probes> | undefined;
  const probes = (): Promise<Probes> => (chosen ??= chooseProbes(parts, options.absent ?? []));
  const first = await lookThrough(parts, probes);
  const { broken, isDamaged, ...diagnosis } = first;
  if (options.fix !== true || isDamaged) return { ...diagnosis, healthy: first.findings.length === 0 };

  await repair(parts, broken, first);
  const { broken: _, isDamaged: __, ...second } = await lookThrough(parts, probes);
  const left = new Set(second.findings.map(nameOf));
  const findings = [
    ...first.findings.filter((finding) => !left.has(nameOf(finding))).map((finding) => ({ ...finding, fixed: true })),
    ...second.findings.map(adviseOn),
  ];
  return { ...second, findings, healthy: second.findings.length === 0 };
}

function nameOf({ kind, scope, message }: Finding): string {
  return JSON.stringify([kind, scope, message]);
}

/** Adds a hint to a finding that the repair did not fix. */
function adviseOn(finding: Finding): Finding {
  switch (finding.kind) {
    case "missing-vectors":
      return { ...finding, hint: "Ingest the documents again: only what has no vector is embedded." };
    case "unfinished-purge":
      return { ...finding, hint: "Another process reads an old state: end it, and ask again." };
    default:
      return finding;
  }
}

/** Damage that ends the examination is a finding of it. */
async function lookThrough(parts: ExaminationParts, probes: () => Promise<Probes>): Promise<Look> {
  const findings: Finding[] = [];
  try {
    return await lookAtAll(parts, await probes(), findings);
  } catch (error) {
    if (!IbidError.isInstance(error, "store-corrupt")) throw error;
    findings.push(damaged(error.message, error.hint ?? fromBackup));
    const checked = { documents: 0, chunks: 0, vectors: 0, terms: 0 };
    return { findings, checked, residue: 0, broken: [], isDamaged: true };
  }
}

const fromBackup = "Restore the file from a backup, or move it away and ingest the documents again.";

const damaged = (message: string, hint: string): Finding => ({
  kind: "damaged",
  message,
  count: 1,
  fixed: false,
  hint,
});

async function lookAtAll(
  { directory, analyzer, latent, look }: ExaminationParts,
  probes: Probes,
  findings: Finding[],
): Promise<Look> {
  const files = await directory.inspect?.([...probes.runs]);
  for (const message of files?.damage ?? []) findings.push(damaged(message, fromBackup));
  const checked = { documents: 0, chunks: 0, vectors: 0, terms: 0 };
  if (findings.length > 0) return { findings, checked, residue: 0, broken: [], isDamaged: true };
  for (const message of files?.besides ?? [])
    findings.push(damaged(message, "Move it away: it holds nothing but events, and is made anew."));
  for (const { file, found } of files?.traces ?? []) {
    const message = `What was asked for stands in ${file}.`;
    findings.push({ kind: "trace", message, count: found.length, fixed: false });
  }
  const left = new Set(files?.traces.flatMap(({ found }) => found));
  const { orphans, owed, scopes } = await look((rows) => ({
    orphans: rows.orphans(),
    owed: isPurgeUnfinished(rows),
    scopes: rows.scopes().map(({ scope }) => scope),
  }));
  for (const { what, count } of orphans)
    findings.push({ kind: "orphan", message: `There are ${what}.`, count, fixed: false });
  if (owed) {
    const message = "A purge or a vacuum was not finished: what it removed may still be in the files.";
    findings.push({ kind: "unfinished-purge", message, count: 1, fixed: false });
  }

  const terms = new Set<string>();
  const residue = new Set<string>();
  const broken: Scope[] = [];
  for (const scope of scopes) {
    const examined = await look((rows) => {
      // A new view reads the stored index rather than this process's copy in memory.
      const view = createIndexView().scope(rows, scope);
      if (view === undefined) return undefined;
      checked.documents += rows.totals(view.row.key).documents;
      return examineScope(rows, view, analyzer, ownVectors(rows, latent));
    });
    if (examined === undefined) continue;
    findings.push(...examined.findings);
    if (examined.findings.some(({ kind, hint: other }) => other === undefined && mendedByRebuilding.has(kind)))
      broken.push(scope);
    checked.chunks += examined.chunks;
    checked.vectors += examined.vectors;
    examined.terms.forEach((term) => terms.add(term));
    examined.residue.forEach((term) => residue.add(term));
    if (scope === fittedOn && latent !== undefined) {
      const leg = latent;
      const fitted = await look((rows) => rows.fits().flatMap((fit) => [...leg.spaceOf(rows, fit).terms()]));
      for (const { term } of fitted) if (!examined.terms.has(term)) residue.add(term);
    }
  }
  checked.terms = terms.size;
  const sought = probes.texts.length > 0 && { sought: probes.texts.map((text) => judgeText(text, probes, left)) };
  return { findings, checked, residue: residue.size, ...sought, broken, isDamaged: false };
}

/** Every run of a text, in order. */
function runsOf(text: string): readonly string[] {
  return Array.from({ length: Math.max(0, text.length - runLength + 1) }, (_, at) => text.slice(at, at + runLength));
}

function judgeText(text: string, { held, runs }: Probes, left: ReadonlySet<string>): Sought {
  if (held.has(text)) return "held";
  const own = runsOf(text).filter((run) => runs.has(run));
  if (own.some((run) => left.has(run))) return "left";
  return own.length > 0 ? "absent" : "unproved";
}

/**
 * The model's vectors in the space that is searched, and in one that chunks are on their way to. `undefined` without the model: every version counts as
 * known then.
 */
function ownVectors(rows: DirectoryReader, latent: LatentLeg | undefined): OwnVectors | undefined {
  if (latent === undefined) return undefined;
  const spaces = [latent.space(rows), ...rows.fits().map((fit) => latent.spaceOf(rows, fit))];
  return new Map(
    spaces.map((space) => [versionKey(latent.versionOf(space)), (terms) => latent.vectorOf(space, terms)]),
  );
}

async function repair(
  { write, scrub, settle, analyzer }: ExaminationParts,
  broken: readonly Scope[],
  found: Look,
): Promise<void> {
  const isIn = (kind: Finding["kind"]): boolean => found.findings.some((finding) => finding.kind === kind);
  if (isIn("orphan")) await write((rows) => rows.deleteOrphans());
  for (const scope of broken) {
    await write((rows) => {
      const view = createIndexView().scope(rows, scope);
      if (view !== undefined) rebuildScope(rows, view, analyzer);
    });
  }
  await settle();
  await scrub();
}

/** Every run of the texts to look for that nothing held has: only those can be said not to belong. */
async function chooseProbes({ look }: ExaminationParts, texts: readonly string[]): Promise<Probes> {
  const held = new Set<string>();
  const runs = new Set(texts.flatMap(runsOf));
  if (runs.size === 0) return { texts, held, runs };
  const forgive = (text: string): void => {
    for (const wanted of texts) if (!held.has(wanted) && text.includes(wanted)) held.add(wanted);
    for (let at = 0; at + runLength <= text.length; at++) runs.delete(text.slice(at, at + runLength));
  };
  const scopes = await look((rows) => rows.scopes());
  for (const { key } of scopes) {
    await look((rows) => {
      const reader = createUncachedReader(rows);
      const documents = new Set<number>();
      for (const row of [...rows.scanChunks(key), ...rows.deletedChunks(key, Number.MAX_SAFE_INTEGER)]) {
        for (const text of [reader.text(row), row.urtext ?? "", row.details, row.metadata, row.id]) forgive(text);
        documents.add(row.document);
      }
      for (let last = { uri: "", id: "" }; ;) {
        const page = rows.documentsAfter(key, last.uri, last.id, 1000);
        for (const document of page) documents.add(document.key);
        const end = page.at(-1);
        if (end === undefined) break;
        last = end;
      }
      for (const document of rows.deletedDocuments(key, Number.MAX_SAFE_INTEGER)) documents.add(document.key);
      for (const document of documents) {
        const { title, uri } = rows.document(document);
        const { text, structure } = rows.documentBody(document);
        for (const held of [title, uri, text, structure]) forgive(held);
      }
    });
  }
  return { texts, held, runs };
}
