import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A `ts` example of the documentation. */
export interface Example {
  /** Where it stands: `docs/library.md:33`. */
  readonly place: string;
  readonly code: string;
  /** The name of its file in a session, by which files beside it import it: `ts file=kb.ts`. */
  readonly file?: string;
  /** Marked `ts no-run`: checked, but not run, because it needs what a test has not. `ts file=a.ts` is run by `npm run docs:samples`. */
  readonly run: boolean;
  /** Lines that it must print: what stands behind a `console.log(…); // 1 0`, where that is numbers or one word. */
  readonly prints: readonly string[];
  /** All that it prints: the ` ```text output ` behind it. Absent where there is none. */
  readonly output?: string;
  /** Whether some of what it prints stands nowhere on the page. */
  readonly hides: boolean;
}

/** Every page of the documentation: the README, and what lies under `docs`. */
export function readPages(root: string): ReadonlyMap<string, string> {
  const inDocs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map(
    (path) => `docs/${path.replaceAll("\\", "/")}`,
  );
  const paths = ["README.md", ...inDocs.filter((path) => path.endsWith(".md")).toSorted()];
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

/**
 * The examples of a page.
 *
 * **Shape** an example without imports goes on from the one before it: it gets that one's imports.
 * **Errors** a mark that is not known, so that none is skipped by a slip of the pen.
 */
export function findExamples(page: string, text: string): readonly Example[] {
  let imports = "";
  return Array.from(
    text.matchAll(/^```(?:ts|typescript)\b([^\n]*)\n(.*?)^```$(?:\n\n```text output\n(.*?)^```$)?/gmsu),
    ({ index, 1: marks = "", 2: code = "", 3: output }) => {
      const line = text.slice(0, index).split("\n").length;
      const unknown = marks.split(/\s+/u).find((mark) => mark !== "" && mark !== "no-run" && !mark.startsWith("file="));
      if (unknown !== undefined) throw new Error(`${page}:${line} has a mark that nobody knows: ${unknown}`);
      const file = /(?:^|\s)file=(\S+)/u.exec(marks)?.[1];
      const own = code.match(/^import [^;]+;\n/gmu)?.join("") ?? "";
      const whole = own === "" ? imports + code : code;
      if (own !== "") imports = own;
      const prints = Array.from(
        code.matchAll(/^\s*console\.log\(.*\);\s*\/\/ (\d[\d. ]*|[a-z]+(?:-[a-z]+)*)$/gmu),
        (match) => match[1] ?? "",
      );
      const logs = code.match(/\bconsole\.log\(/gu)?.length ?? 0;
      return {
        place: `${page}:${line}`,
        code: whole,
        ...(file !== undefined && { file }),
        run: !/\bno-run\b|\bfile=/u.test(marks),
        prints,
        hides: output === undefined && logs > prints.length,
        ...(output !== undefined && { output }),
      };
    },
  );
}
