/** Syntax of a media type. `ld+json` and the like are JSON. */
export type DataFormat = "json" | "jsonl" | "yaml" | "toml";

const byMediaType: ReadonlyMap<string, DataFormat> = new Map<string, DataFormat>([
  ["application/json", "json"],
  ["application/x-ndjson", "jsonl"],
  ["application/jsonl", "jsonl"],
  ["application/yaml", "yaml"],
  ["application/x-yaml", "yaml"],
  ["text/yaml", "yaml"],
  ["application/toml", "toml"],
]);

export function dataFormatOf(mediaType: string): DataFormat | undefined {
  const suffix = /^application\/[\w.-]+\+(json|yaml)$/.exec(mediaType)?.[1];
  return byMediaType.get(mediaType) ?? (mediaType === "application/x-ipynb+json" ? undefined : (suffix as DataFormat));
}
