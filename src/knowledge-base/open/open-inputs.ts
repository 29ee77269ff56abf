import { openFileSource } from "../../ingest/sources/files/file-source.ts";
import { isUrl } from "../../ingest/sources/web/normalize-url.ts";
import { openUrlSource } from "../../ingest/sources/web/url-source.ts";
import type { Source } from "../../contracts/reader.ts";
import type { WalkRules } from "../../ingest/to-arrivals.ts";
import { aFunction, inCode, type RulesOf } from "../../runtime/plan-options.ts";
import { joinSources } from "../../ingest/sources/join-sources.ts";
import { ownFiles } from "../../stores/sqlite/knowledge-base-folder.ts";

/** Files and pages that may be read. */
export interface OpenSources {
  /** Largest file or page, in bytes. Default: 10 MiB for one that is found in a folder or fetched, more for a path that is given itself. */
  readonly maxFileBytes?: number | undefined;
  /** Whether an IP address may be fetched from. Default: public addresses only. */
  readonly allowAddress?: ((address: string) => boolean) | undefined;
}

/** Options of the files and pages that may be read. */
export const sourceOptions = {
  maxFileBytes: {
    doc: "Largest file or page, in bytes.",
    kind: { type: "integer", min: 1 },
    otherwise: "10 MiB where it is found in a folder or fetched, else 64 MiB",
    for: inCode,
  },
  allowAddress: {
    doc: "Whether an IP address may be fetched from.",
    kind: aFunction,
    otherwise: "public addresses only",
    for: inCode,
  },
} as const satisfies RulesOf<OpenSources>;

/** Place of a knowledge base, and its limits. */
export interface InputPlace {
  /** Folder that paths are relative to. */
  readonly base: string;
  /** Folder of the knowledge base. */
  readonly folder: string | undefined;
  readonly options: OpenSources;
  readonly rules: WalkRules | undefined;
}

/** Opens paths and URLs as one source. */
export function openInputs(inputs: readonly string[], { base, folder, options, rules }: InputPlace): Source {
  const urls = inputs.filter(isUrl);
  const paths = inputs.filter((input) => !isUrl(input));
  const limit = options.maxFileBytes;
  const sources: Source[] = [];
  if (paths.length > 0) {
    sources.push(
      openFileSource(paths, {
        base,
        ...rules,
        maxFileBytes: rules?.maxFileBytes ?? limit,
        ignore: folder === undefined ? undefined : ownFiles(folder),
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
