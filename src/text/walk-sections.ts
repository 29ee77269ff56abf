import { checkGiven } from "../runtime/check-options.ts";
import type { Section } from "../contracts/document.ts";

/**
 * A section and everything below it, in reading order.
 *
 * **Cost** lazy; memory grows with the depth of the tree only.
 */
export function* walkSections(root: Section): Generator<Section> {
  const waiting: Section[] = [root];
  for (let section = waiting.pop(); section !== undefined; section = waiting.pop()) {
    yield section;
    for (let index = section.children.length - 1; index >= 0; index--) {
      const child = section.children[index];
      if (child !== undefined) waiting.push(child);
    }
  }
}

/**
 * Everything below a section, in reading order; the section itself is left out.
 *
 * **Source** Embabel `descendants()`.
 *
 * @experimental
 */
export function listDescendants(section: Section): Section[] {
  checkGiven("listDescendants", "section", section, "object", { children: "list" });
  const all = [...walkSections(section)];
  all.shift();
  return all;
}

/**
 * The sections without children below a section; of each container its own leaves come before those of containers in it.
 *
 * **Shape** for a section without children: none, as it is a leaf itself and not below itself.
 * **Source** Embabel `leaves()`.
 *
 * @experimental
 */
export function listLeaves(section: Section): Section[] {
  checkGiven("listLeaves", "section", section, "object", { children: "list" });
  const leaves: Section[] = [];
  const waiting: Section[] = [section];
  for (let container = waiting.pop(); container !== undefined; container = waiting.pop()) {
    const nested: Section[] = [];
    for (const child of container.children) (child.children.length === 0 ? leaves : nested).push(child);
    for (const child of nested.reverse()) waiting.push(child);
  }
  return leaves;
}

/** The innermost section in which a position stands. **Cost** logarithmic in siblings. */
export function sectionAt(root: Section, position: number): Section {
  for (let section = root; ;) {
    const { children } = section;
    let low = 0;
    let high = children.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (children[middle]!.start <= position) low = middle + 1;
      else high = middle;
    }
    const child = children[low - 1];
    if (child === undefined || position >= child.end) return section;
    section = child;
  }
}

/**
 * The way down from `root` to the section called `id`, both included; `undefined` when there is none of that name.
 *
 * **Cost** one step per level: an id names the way.
 * **Source** Embabel "path from root", `parentId`.
 *
 * @experimental
 */
export function findSectionPath(root: Section, id: string): Section[] | undefined {
  checkGiven("findSectionPath", "root", root, "object");
  checkGiven("findSectionPath", "id", id, "text");
  const path = [root];
  let section = root;
  while (section.id !== id) {
    if (!id.startsWith(`${section.id}.`)) return undefined;
    const step = id.slice(section.id.length + 1).split(".", 1)[0];
    const child = section.children[Number(step)];
    if (child === undefined || child.id !== `${section.id}.${step}`) return undefined;
    path.push(child);
    section = child;
  }
  return path;
}
