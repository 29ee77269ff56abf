import type { Metadata } from "../contracts/metadata.ts";
import type { Source, SourceItem, SourceRefusal } from "../contracts/reader.ts";
import { throwIfAborted } from "./fixed-embedding-model.ts";
import { checkKind } from "./check-subject.ts";

/**
 * One thing that a {@link createListSource} gives.
 *
 * @experimental
 */
export interface ListedItem {
  readonly uri: string;
  /** A text stands for its UTF-8 bytes; an error, for something that the source found and cannot give. */
  readonly content: string | Uint8Array | Error;
  readonly mediaType?: string;
  readonly metadata?: Metadata | undefined;
}

/**
 * A source of things that are in memory, for tests and for documents that were never files.
 *
 * **Shape** items in the order of the list. With `folder`, all of them count as that folder's, which is walked whole, so that what is missing from the next list is swept.
 *
 * @experimental
 */
export function createListSource(
  list: readonly ListedItem[],
  options: { readonly folder?: string | undefined } = {},
): Source {
  checkKind("createListSource", "the list", list, "list");
  checkKind("createListSource", "the options", options, "object");
  const { folder } = options;
  return {
    folders: folder === undefined ? [] : [folder],
    async *items(signal): AsyncGenerator<SourceItem | SourceRefusal> {
      for (const { uri, content, mediaType, metadata } of list) {
        throwIfAborted(signal);
        if (content instanceof Error) {
          yield { uri, error: content };
          continue;
        }
        const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
        yield {
          uri,
          size: bytes.byteLength,
          ...(mediaType === undefined ? {} : { mediaType }),
          ...(metadata === undefined ? {} : { metadata }),
          ...(folder === undefined ? {} : { folder }),
          async bytes(inner) {
            throwIfAborted(inner);
            return bytes.slice();
          },
        };
      }
    },
  };
}
