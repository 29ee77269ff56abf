import { checkGiven } from "../../runtime/check-options.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import type { CollectionHit } from "../../contracts/collection.ts";
import type { EntityHit, NamedEntityData } from "../../contracts/entity.ts";
import type { Fact } from "../../contracts/fact.ts";
import type { Excerpt, Outline } from "../../contracts/expansion.ts";
import type { DocumentView } from "../../contracts/knowledge-base.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { asData, asTitle, formatItem, hitItems, type ResultItem, showAddress } from "./format-results.ts";

/**
 * An object that can be found or opened: a chunk, an excerpt, a document or its outline, an entity, a record.
 *
 * **Source** Embabel's `Retrievable`.
 * @experimental
 */
export type Retrievable =
  | Hit
  | Chunk
  | ResultItem
  | Excerpt
  | DocumentView
  | Outline
  | NamedEntityData
  | Fact
  | EntityHit
  | CollectionHit<unknown, unknown>;

/**
 * Describes an object as text for a model: first its kind and place, then its content.
 *
 * **Shape** lines. Texts of documents, records and entities are quoted data, which the model cannot mistake for lines of ibid: see {@link asData}.
 * **Source** Embabel's `infoString`; of an entity, all properties but `embedding` and `id`.
 * @experimental
 */
export function describeForModel(item: Retrievable): string {
  checkGiven("describeForModel", "item", item, "object");
  if ("assertion" in item)
    return `fact: ${asTitle(item.id)}\n${asData(item.assertion)}\nauthority: ${asTitle(item.authority)}`;
  if ("entity" in item) return describeEntity(item.entity, item.score);
  if ("record" in item) return `record: ${showAddress(String(item.key))}\n${formatItem(hitItems([item.hit])[0]!)}`;
  if ("properties" in item) return describeEntity(item);
  if ("sections" in item) return describeOutline(item);
  if ("root" in item) return [addressLine(item), `title: ${asTitle(item.title)}`, asData(item.text)].join("\n");
  if ("whole" in item) return describeExcerpt(item);
  if ("type" in item) return formatItem({ chunkId: item.id, uri: item.uri, text: item.text });
  if ("source" in item) return formatItem(hitItems([item])[0]!);
  checkGiven("describeForModel", "item", item, "object", { uri: "text", text: "text" });
  return formatItem(item);
}

function describeEntity({ id, name, description, labels, properties }: NamedEntityData, score?: number): string {
  const kinds = labels.filter((label) => !label.startsWith("__")).map(asTitle);
  const shown = score === undefined ? "" : `${score.toFixed(2)} - `;
  const lines = Object.entries(properties)
    .filter(([property]) => property !== "embedding" && property !== "id")
    .map(([property, value]) => asTitle(`${property}: ${typeof value === "string" ? value : JSON.stringify(value)}`));
  return [
    `entity: ${showAddress(id)}${kinds.length === 0 ? "" : ` (${kinds.join(", ")})`}`,
    `${shown}${asData(description === "" ? name : `${name}: ${description}`)}`,
    ...lines,
  ].join("\n");
}

function describeExcerpt(excerpt: Excerpt): string {
  const { headings, text, start, end, whole, truncated } = excerpt;
  const length = whole.end - whole.start;
  const lines = [addressLine(excerpt), `section: ${asTitle(headings.join(" > "))}`, asData(text)];
  if (truncated)
    lines.push(
      `[TRUNCATED: ${length - (end - start)} of ${length} characters are not shown. Read its parts: list_sections names them.]`,
    );
  return lines.join("\n");
}

function describeOutline(outline: Outline): string {
  const lines = outline.sections.map(({ id, title, level }) => `${"  ".repeat(level)}${id} ${asTitle(title)}`);
  return [addressLine(outline), ...lines].join("\n");
}

const addressLine = ({ uri }: { readonly uri: string }): string => `url: ${showAddress(uri)}`;
