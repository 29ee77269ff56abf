import type { Relationship } from "../../contracts/entity.ts";

/**
 * A relationship is two records without text, one for each end, so that it is found from either without looking at others: `ada > WORKS_ON > engine` and
 * `engine < WORKS_ON < ada`. It is there while both are; a process killed between the two leaves nothing that shows.
 */
export type RelationshipEnd = ">" | "<";

/** Ids and names hold no blank once they are encoded. */
const encode = encodeURIComponent;

/** The end that the relationship starts from, then the other. */
export function keysOf({ from, name, to }: Relationship): readonly [string, string] {
  return [`${startOf(from, ">", name)}${encode(to)}`, `${startOf(to, "<", name)}${encode(from)}`];
}

/** The start of the keys of an entity's relationships: all, or those of one direction and name. */
export function startOf(id: string, end?: RelationshipEnd, name = ""): string {
  return end === undefined ? `${encode(id)} ` : `${encode(id)} ${end} ${encode(name)} ${end} `;
}

/** The relationship that a key is an end of, and the id of the other end; `undefined` for any other key. */
export function readKey(key: string): { readonly relationship: Relationship; readonly other: string } | undefined {
  const [one, end, name, again, two, ...more] = key.split(" ");
  if (two === undefined || more.length > 0 || end !== again || (end !== ">" && end !== "<")) return undefined;
  const [id, called, other] = [one!, name!, two].map(decodeURIComponent) as [string, string, string];
  const relationship = end === ">" ? { from: id, name: called, to: other } : { from: other, name: called, to: id };
  return { relationship, other };
}
