import { checkGiven, checkNotRevoked } from "../runtime/check-options.ts";
import type { Insertion, Prompt } from "../contracts/chat.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { Document, MediaDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import { readAddress } from "../runtime/read-address.ts";

/**
 * A prompt as one string, for models that read text only: strings and insertions in turn, trimmed.
 *
 * **Shape** documents and chunks give their text, lists of them their texts with a blank line between; strings give themselves, other values their JSON.
 * **Errors** `unsupported-input` for a document that is not text; `invalid-argument` for a prompt whose strings and insertions do not alternate.
 * **Source** Ballerina.
 *
 * @experimental
 */
export function renderPrompt(prompt: Prompt | string): string {
  if (typeof prompt === "string") return prompt.trim();
  checkPrompt(prompt);
  const { strings, insertions } = prompt;
  let text = strings[0] ?? "";
  for (const [index, insertion] of insertions.entries())
    text += renderInsertion(insertion) + (strings[index + 1] ?? "");
  return text.trim();
}

/** **Errors** `invalid-argument` for a prompt whose strings and insertions do not alternate. */
export function checkPrompt(prompt: Prompt): void {
  checkNotRevoked("a prompt", "it", prompt);
  const { strings, insertions } = (prompt ?? {}) as Partial<Prompt>;
  checkGiven("a prompt", "strings", strings, "list");
  checkGiven("a prompt", "insertions", insertions, "list");
  if (strings!.length !== insertions!.length + 1) {
    throw new IbidError(
      "invalid-argument",
      `A prompt of ${insertions!.length} insertions has ${strings!.length} strings.`,
      {
        hint: "Make prompts with the prompt tag: there is one string more than there are insertions.",
      },
    );
  }
}

/** The documents and chunks that an insertion is, if it is any. **Errors** `invalid-argument`, "Must be a valid URL", for a string as a picture's content that is none. */
export function contentsOf(insertion: Insertion): readonly (Document | Chunk)[] | undefined {
  if (isContent(insertion)) return [withAddress(insertion)];
  return isContentList(insertion) ? insertion.map(withAddress) : undefined;
}

/** An insertion as text. **Errors** `unsupported-input` for a document that is not text. */
export function renderInsertion(insertion: Insertion): string {
  if (typeof insertion === "string") return insertion;
  return contentsOf(insertion)?.map(renderContent).join("\n\n") ?? JSON.stringify(insertion);
}

function renderContent(content: Document | Chunk): string {
  if (content.type === "text" || content.type === "text-chunk") return content.text;
  throw new IbidError("unsupported-input", `Only text documents are supported; this one is of type ${content.type}.`, {
    hint: "Use a model that understands it, or leave it out.",
    details: { type: content.type },
  });
}

const textTypes: ReadonlySet<unknown> = new Set(["text", "text-chunk"]);
const mediaTypes: ReadonlySet<unknown> = new Set(["image", "audio", "file", "binary"]);

/** A JSON value may happen to have a `type`; content also has what its type promises. */
function isContent(value: unknown): value is Document | Chunk {
  if (typeof value !== "object" || value === null || !("type" in value) || !("metadata" in value)) return false;
  if (textTypes.has(value.type)) return "text" in value && typeof value.text === "string";
  if (!mediaTypes.has(value.type) || !("content" in value)) return false;
  return typeof value.content === "object" || isAddressed(value);
}

/** A picture or a recording whose content is a string: an address that has not been checked yet. */
function isAddressed(value: object): value is MediaDocument & { readonly content: string } {
  return (
    "type" in value &&
    (value.type === "image" || value.type === "audio") &&
    "content" in value &&
    typeof value.content === "string"
  );
}

function withAddress(content: Document | Chunk): Document | Chunk {
  return isAddressed(content) ? { ...content, content: readAddress(content.content, "content") } : content;
}

function isContentList(value: unknown): value is readonly (Document | Chunk)[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContent);
}
