import type { ChatModel } from "../../contracts/chat.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import { compareSubjects } from "./compare-subjects.ts";
import { judgeSubject } from "./judge-subject.ts";
import { holdsFilter } from "./note-time.ts";
import { type Note, readNoteUri, subjectOf, toNote } from "./note.ts";
import { holdsAt, placeNote, readSubject } from "./timeline.ts";

/**
 * Subject of a new note.
 *
 * @experimental
 */
export interface SubjectFinding {
  /** Absent for a subject of its own. */
  readonly subject?: string | undefined;
  /** `key` or `supersedes` as given, the `rule`, or the `model`. */
  readonly by?: "key" | "supersedes" | "rule" | "model" | undefined;
  /** Similar notes that hold. */
  readonly doubts: readonly Note[];
}

interface SubjectParts {
  readonly kb: KnowledgeBase;
  readonly scope: Scope;
  readonly judge: ChatModel | undefined;
  readonly signal: AbortSignal | undefined;
  readonly get: (id: string) => Promise<Note | undefined>;
}

/** Notes that are compared with a new one. */
const mostCompared = 8;

/**
 * Finds the statement that a new note continues.
 *
 * **Errors** `not-found` for an unknown `supersedes`; `invalid-argument` for one of another key. **Cost** without a key, one search; with a judge, a call for each doubt.
 */
export async function findSubject(
  { kb, scope, judge, signal, get }: SubjectParts,
  note: {
    readonly text: string;
    readonly key: string | undefined;
    readonly supersedes: string | undefined;
    readonly at: string;
    /** Whether the rule may compare it: a note of an import knows what it replaces. */
    readonly isNew: boolean;
  },
): Promise<SubjectFinding> {
  const { text, key, supersedes, at, isNew } = note;
  if (supersedes !== undefined) {
    const before = await get(supersedes);
    if (before === undefined) {
      throw new IbidError("not-found", `There is no note "${supersedes}" to replace.`, {
        hint: "See which there are with list_memories.",
      });
    }
    if (key !== undefined && before.subject !== subjectOf(key, "")) {
      throw new IbidError("invalid-argument", `The note "${supersedes}" does not have the key "${key}".`, {
        hint: "Give supersedes or key, one of them.",
      });
    }
    return { subject: before.subject, by: "supersedes", doubts: [] };
  }
  if (key !== undefined) return { subject: subjectOf(key, ""), by: "key", doubts: [] };
  if (!isNew) return { doubts: [] };

  const hits = await kb.search(text.slice(0, 2000), {
    topK: mostCompared,
    filter: holdsFilter(at),
    origins: ["note"],
    scopes: [scope],
    snippetLength: 0,
    marks: false,
    ...(signal && { signal }),
  });
  const doubts: Note[] = [];
  const seen = new Set<string>();
  for (const { source, scope: its, metadata } of hits) {
    const subject = readNoteUri(source.uri)?.subject;
    if (subject === undefined || seen.has(source.uri)) continue;
    seen.add(source.uri);
    const versions = await readSubject(kb, subject, scope);
    if (!versions.some((version) => version.uri === source.uri && holdsAt(version, at))) continue;
    const whole = await kb.document(source.uri, { scope: its });
    const other = whole && toNote({ uri: source.uri, scope: its, text: whole.text, metadata });
    if (other === undefined) continue;
    if (other.text === text) return { subject, by: "rule", doubts: [] };
    const byRule = compareSubjects(other.text, text);
    const verdict =
      byRule === "doubt" && judge !== undefined ? await judgeSubject(judge, other.text, text, signal) : byRule;
    if (verdict === "same") return { subject, by: byRule === "same" ? "rule" : "model", doubts: [] };
    if (verdict === "doubt") doubts.push(placeNote(other, versions));
  }
  return { doubts };
}
