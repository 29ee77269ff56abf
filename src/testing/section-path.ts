import type { Section } from "../contracts/document.ts";

/** From the root to the innermost section that holds the whole stretch. */
export function pathTo(root: Section, start: number, end: number): readonly Section[] {
  const path = [root];
  for (;;) {
    const inner = path.at(-1)?.children.find((child) => child.start <= start && end <= child.end);
    if (inner === undefined) return path;
    path.push(inner);
  }
}
