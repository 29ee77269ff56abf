import { IbidError } from "../../contracts/errors.ts";
import type { DeletedDocument, KnowledgeBase } from "../../contracts/knowledge-base.ts";
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
   * Result of a search of all files after the purge. `"present"` where one of them, or a former version, holds what was searched for, or where the purge is not finished.
   * `"unchecked"` for a store without files.
   */
  readonly files: "absent" | "present" | "unchecked";
  /**
   * Bytes that the files were searched for: the words of the notes, or the ids of their documents.
   * Words need the right of the operator, since they may be those of others, and eight characters.
   */
  readonly searched: "words" | "ids";
  /** Another process still reads an old state of the files; see `DeletedDocument.pending`. */
  readonly pending?: true | undefined;
}

interface ForgetParts {
  readonly kb: KnowledgeBase;
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
  { kb, scope, get, read, readSubject }: ForgetParts,
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
  const gone: DeletedDocument[] = [];
  for (const { id, uri } of going) {
    const { text } = (await read(uri)) ?? { text: "" };
    gone.push(...(await kb.delete(uri, { scope, purge: true, prove: true })));
    texts.push(text);
    notes.push({ id, uri, scope, textHash: sha256(text) });
  }
  const proof = proveByIds(gone);
  const isPending = gone.some(({ pending }) => pending === true);
  return {
    notes,
    ...((await proveByWords(kb, texts, proof.files)) ?? proof),
    ...(isPending && { pending: true as const }),
  };
}

type Proof = Pick<Forgotten, "files" | "searched">;

/** The purge's own search for the ids. Another process may have purged a note meanwhile: then nothing is said of it. */
function proveByIds(gone: readonly DeletedDocument[]): Proof {
  const found = gone.map(({ files }) => files);
  const files = found.includes("present") ? "present" : found.every((one) => one === "absent") ? "absent" : "unchecked";
  return { files, searched: "ids" };
}

/** **Shape** `undefined` where the caller may not know, since the words may be those of others, and where a text stands anywhere by chance. */
async function proveByWords(
  kb: KnowledgeBase,
  texts: readonly string[],
  byIds: Forgotten["files"],
): Promise<Proof | undefined> {
  const absent = texts.map((text) => text.trim()).filter(({ length }) => length >= shortestProbe);
  if (absent.length < texts.length || byIds === "unchecked") return undefined;
  try {
    const { findings } = await kb.doctor({ absent });
    const isLeft = byIds === "present" || findings.some(({ kind }) => kind === "trace" || kind === "unfinished-purge");
    return { files: isLeft ? "present" : "absent", searched: "words" };
  } catch (error) {
    if (IbidError.isInstance(error, "access-denied")) return undefined;
    throw error;
  }
}
