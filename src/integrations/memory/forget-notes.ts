import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { sha256 } from "../../runtime/hash.ts";
import { checkNamed } from "./keep-note.ts";
import { type Note, subjectOf } from "./note.ts";
import type { Statement } from "./timeline.ts";

/**
 * The notes to purge: all versions of a key or of a note's statement, or with `only` one version alone. Then the version before it holds again.
 *
 * @experimental
 */
export type ForgetTarget =
  | { readonly key: string }
  /** Id or uri of a note. */
  | { readonly id: string; readonly only?: boolean | undefined };

/**
 * Proof of a purge.
 *
 * @experimental
 */
export interface Forgotten {
  readonly notes: readonly {
    readonly id: string;
    readonly uri: string;
    readonly scope: Scope;
    /** SHA-256 of the text that is gone, hexadecimal. A person with the text can check that it was this one. */
    readonly textHash: string;
  }[];
  /**
   * Result of a search of all files for the words: `"absent"`, or `"present"` where a file or a former version holds them.
   * For a view it only says whether the purge is finished in every file: the words may be those of others.
   * `"unchecked"` without the right of the operator, for texts below eight characters, and for a store without files.
   */
  readonly files: "absent" | "present" | "unchecked";
  /** Another process still reads an old state of the files; see `DeletedDocument.pending`. */
  readonly pending?: true | undefined;
}

interface ForgetParts {
  readonly kb: KnowledgeBase;
  readonly whole: KnowledgeBase;
  readonly scope: Scope;
  readonly get: (id: string) => Promise<Note | undefined>;
  readonly read: (uri: string) => Promise<Note | undefined>;
  readonly readSubject: (subject: string) => Promise<Statement>;
}

/** A call with two names, or with `only` beside a key, would erase more than it means. **Errors** `invalid-argument`. */
function checkTarget({
  key,
  id,
  only,
}: {
  readonly key?: string;
  readonly id?: string;
  readonly only?: boolean | undefined;
}): void {
  if ((key === undefined) === (id === undefined)) {
    throw new IbidError("invalid-argument", "A note to forget is named by its id or its key, by one of them.", {
      hint: "Give id or key.",
    });
  }
  if (key !== undefined && only === true) {
    throw new IbidError("invalid-argument", "forget: only goes with an id; a key names all versions.", {
      hint: "Give the id of the version, or leave only out.",
    });
  }
  if (only !== undefined) checkGiven("forget", "only", only, "flag");
  for (const [name, value] of Object.entries({ key, id })) if (value !== undefined) checkNamed("forget", name, value);
}

/** Shortest text that an examination looks for. **Units** UTF-16. */
const shortestProbe = 8;

/** Purges notes and proves it. **Errors** `not-found`; `access-denied`. */
export async function forgetNotes(
  { kb, whole, scope, get, read, readSubject }: ForgetParts,
  target: ForgetTarget,
): Promise<Forgotten> {
  checkGiven("forget", "the target", target, "object");
  checkOptions("forget", target, { key: true, id: true, only: true });
  checkTarget(target);
  const { key, id, only: alone } = target as { readonly key?: string; readonly id?: string; readonly only?: boolean };
  const note = id === undefined ? undefined : await get(id);
  const subject = key === undefined ? note?.subject : subjectOf(key, "");
  const only = alone === true ? note?.id : undefined;
  const { versions } = subject === undefined ? { versions: [] } : await readSubject(subject);
  const going = versions.filter(({ id }) => only === undefined || id === only);
  if (going.length === 0) {
    const named = key === undefined ? `"${id}"` : `with the key "${key}"`;
    throw new IbidError("not-found", `There is no note ${named}. Nothing was forgotten.`, {
      hint: "See which there are with list_memories, or with ibid memory list --all.",
    });
  }
  const notes = [];
  const texts: string[] = [];
  let isPending = false;
  for (const { id, uri } of going) {
    const { text } = (await read(uri)) ?? { text: "" };
    const gone = await kb.delete(uri, { scope, purge: true });
    isPending ||= gone.some(({ pending }) => pending === true);
    texts.push(text);
    notes.push({ id, uri, scope, textHash: sha256(text) });
  }
  const files = await examine(whole, texts, whole === kb);
  return { notes, files, ...(isPending && { pending: true as const }) };
}

/** `looks`: whether traces of the words count, which may be words of documents that the caller may not read. */
async function examine(whole: KnowledgeBase, texts: readonly string[], looks: boolean): Promise<Forgotten["files"]> {
  const absent = texts.map((text) => text.trim()).filter(({ length }) => length >= shortestProbe);
  if (absent.length < texts.length) return "unchecked";
  try {
    const { findings } = await whole.doctor(looks ? { absent } : {});
    return findings.some(({ kind }) => (looks && kind === "trace") || kind === "unfinished-purge")
      ? "present"
      : "absent";
  } catch (error) {
    if (IbidError.isInstance(error) && ["access-denied", "unsupported"].includes(error.code)) return "unchecked";
    throw error;
  }
}
