import type { Prompt } from "../contracts/chat.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { Document, MediaDocument } from "../contracts/document.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkPrompt, contentsOf, renderInsertion } from "./render-prompt.ts";

/**
 * A piece of a prompt: text, or a document that travels whole.
 *
 * @experimental
 */
export type PromptPart = { readonly type: "text"; readonly text: string } | MediaDocument;

/**
 * A piece of a message as multimodal models take it.
 *
 * @experimental
 */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  /** An address, or the picture itself as a `data:` URL. */
  | { readonly type: "image"; readonly url: string };

/**
 * Splits a prompt into parts, for models that take more than text: texts, and each document between them.
 *
 * **Shape** parts without text are left out; white space around the whole is trimmed. Documents and chunks of text become their text.
 * **Errors** `invalid-argument` for a prompt whose strings and insertions do not alternate. **Source** Ballerina.
 *
 * @experimental
 */
export function splitPrompt(prompt: Prompt | string): readonly PromptPart[] {
  const parts: PromptPart[] = [];
  let text = "";
  const flush = (): void => {
    if (text !== "") parts.push({ type: "text", text });
    text = "";
  };
  const add = (content: Document | Chunk): void => {
    flush();
    parts.push(
      content.type === "text" || content.type === "text-chunk" ? { type: "text", text: content.text } : content,
    );
  };
  if (typeof prompt === "string") text = prompt;
  else {
    checkPrompt(prompt);
    text = prompt.strings[0] ?? "";
    for (const [index, insertion] of prompt.insertions.entries()) {
      const contents = contentsOf(insertion);
      if (contents === undefined) text += renderInsertion(insertion);
      else contents.forEach(add);
      if (contents !== undefined) flush();
      text += prompt.strings[index + 1] ?? "";
    }
  }
  flush();
  return trim(parts);
}

/**
 * A prompt as the content parts of a multimodal message, for chat models of one's own.
 *
 * **Shape** as {@link splitPrompt}; bytes of a picture become `data:<media type, or image/*>;base64,…`.
 * **Errors** `unsupported-input` ("Only text and image documents are supported.") for any other document, and for a picture that only its provider's file id names.
 * **Source** Ballerina.
 *
 * @experimental
 */
export function renderParts(prompt: Prompt | string): readonly ContentPart[] {
  return splitPrompt(prompt).map((part) => {
    if (part.type === "text") return part;
    if (part.type !== "image" || (!(part.content instanceof Uint8Array) && !(part.content instanceof URL))) {
      throw new IbidError("unsupported-input", "Only text and image documents are supported.", {
        hint: "Leave the document out, or give its text.",
        details: { type: part.type },
      });
    }
    return {
      type: "image",
      url: part.content instanceof URL ? part.content.href : toDataUrl(part.content, part.mediaType),
    };
  });
}

/** **Source** RFC 2397. */
function toDataUrl(bytes: Uint8Array, mediaType = "image/*"): string {
  let binary = "";
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return `data:${mediaType};base64,${btoa(binary)}`;
}

function trim(parts: readonly PromptPart[]): readonly PromptPart[] {
  const trimmed = [...parts];
  const [first] = trimmed;
  if (first?.type === "text") trimmed[0] = { type: "text", text: first.text.trimStart() };
  const last = trimmed.at(-1);
  if (last?.type === "text") trimmed[trimmed.length - 1] = { type: "text", text: last.text.trimEnd() };
  return trimmed.filter((part) => part.type !== "text" || part.text !== "");
}
