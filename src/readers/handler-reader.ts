import { IbidError } from "../contracts/errors.ts";
import type { HandledData, MediaTypeHandler } from "../contracts/media-type-handler.ts";
import type { Reader } from "../contracts/reader.ts";
import { matchesMediaType } from "../runtime/matches-media-type.ts";
import { composeDocument } from "./compose-document.ts";
import { fileNameOf } from "./file-name.ts";

/**
 * The half of a handler that reads: its chunks become a document's text, with a block for each.
 *
 * **Errors** `invalid-argument` at once for a handler without a name or media types; `empty` when there are no chunks, `unreadable` for what the handler throws and for what is no list of texts.
 */
export function createHandlerReader(handler: MediaTypeHandler): Reader {
  checkHandler(handler);
  return {
    name: `handler/${handler.name}`,
    accepts: (mediaType) => matchesMediaType(handler.mediaTypes, mediaType),
    async read(input) {
      const { uri } = input;
      const { chunks, title = fileNameOf(uri), metadata = {}, notes } = await handle(handler, input);
      const composition = composeDocument();
      for (const text of chunks) composition.write(text);
      if (composition.position === 0) {
        throw new IbidError("empty", `${handler.name} finds no text in ${uri}.`, {
          uri,
          hint: "Give data with text in it.",
        });
      }
      return { ...composition.finish(title), title, metadata, ...(notes && { notes }) };
    },
  };
}

async function handle(handler: MediaTypeHandler, input: Parameters<Reader["read"]>[0]): Promise<HandledData> {
  const { uri } = input;
  try {
    const handled: HandledData = await handler.handle(input);
    const chunks: unknown = (handled as Partial<HandledData> | undefined)?.chunks;
    if (Array.isArray(chunks) && chunks.every((text) => typeof text === "string")) return handled;
    throw new IbidError("unreadable", `${handler.name} gave no list of texts as the chunks of ${uri}.`, {
      uri,
      hint: 'Return { chunks: ["…"] } from `handle`.',
    });
  } catch (cause) {
    if (IbidError.isInstance(cause)) throw cause;
    throw new IbidError("unreadable", `${handler.name} cannot handle ${uri}.`, {
      uri,
      hint: "Check the data, or correct the handler; `cause` has its error.",
      cause,
    });
  }
}

function checkHandler({ name, mediaTypes }: MediaTypeHandler): void {
  const isType = (type: unknown): boolean =>
    typeof type === "string" && /^[a-z0-9!#$&^.+-]+\/(?:\*|[a-z0-9!#$&^.+-]+)$/u.test(type);
  if (typeof name === "string" && name.trim() !== "" && mediaTypes.length > 0 && mediaTypes.every(isType)) return;
  throw new IbidError("invalid-argument", `handlers: ${JSON.stringify(name)} takes ${JSON.stringify(mediaTypes)}.`, {
    hint: 'A handler has a name, and media types in lower case, such as "application/x-invoice" or "text/*".',
  });
}
