import { openFileSource } from "../../ingest/sources/files/file-source.ts";
import { isUrl } from "../../ingest/sources/web/normalize-url.ts";
import { openUrlSource } from "../../ingest/sources/web/url-source.ts";
import type { Source } from "../../contracts/reader.ts";
import type { WalkRules } from "../ingest-items.ts";
import { joinSources } from "../join-sources.ts";
import { ownFiles } from "../../stores/sqlite/knowledge-base-folder.ts";

/** How much is read, and from where. */
export interface InputOptions {
  /** Largest file or page that is read, in bytes. Default: 10 MiB when found in a folder or fetched, more when named outright. */
  readonly maxFileBytes?: number;
  /** Which addresses may be fetched from, by IP. Default: public ones only. */
  readonly allowAddress?: (address: string) => boolean;
}

/** For whom inputs are opened, and how. */
export interface InputPlace {
  /** What paths are relative to. */
  readonly base: string;
  /** Of the knowledge base. */
  readonly folder: string | undefined;
  readonly options: InputOptions;
  readonly rules: WalkRules | undefined;
}

/** What a person names to be ingested, files and addresses alike, as one source. */
export function openInputs(inputs: readonly string[], { base, folder, options, rules }: InputPlace): Source {
  const urls = inputs.filter(isUrl);
  const paths = inputs.filter((input) => !isUrl(input));
  const limit = options.maxFileBytes;
  const sources: Source[] = [];
  if (paths.length > 0) {
    sources.push(
      openFileSource(paths, {
        base,
        ...(limit === undefined ? {} : { maxFileBytes: limit }),
        ...rules,
        ...(folder === undefined ? {} : { ignore: ownFiles(folder) }),
      }),
    );
  }
  if (urls.length > 0) {
    sources.push(
      openUrlSource(urls, {
        ...(limit === undefined ? {} : { maxBytes: limit }),
        ...(options.allowAddress === undefined ? {} : { allowAddress: options.allowAddress }),
      }),
    );
  }
  return joinSources(sources);
}
