import { extensionOf, fileNameOf } from "../file-name.ts";

/** A grammar that comes with the parser, and what the language is called that it reads. */
export interface Grammar {
  readonly name: GrammarName;
  /** As the media type names it: `typescript`, `c++`. */
  readonly language: string;
}

export type GrammarName =
  | "typescript"
  | "tsx"
  | "javascript"
  | "python"
  | "java"
  | "c-sharp"
  | "go"
  | "rust"
  | "cpp"
  | "ruby"
  | "php"
  | "bash";

/** C is read by the grammar of C++, which takes all but a few of its programs. */
const byMediaType: ReadonlyMap<string, Grammar> = new Map<string, Grammar>([
  ["text/x-typescript", { name: "typescript", language: "typescript" }],
  ["text/typescript", { name: "typescript", language: "typescript" }],
  ["application/typescript", { name: "typescript", language: "typescript" }],
  ["text/javascript", { name: "javascript", language: "javascript" }],
  ["application/javascript", { name: "javascript", language: "javascript" }],
  ["application/x-javascript", { name: "javascript", language: "javascript" }],
  ["application/ecmascript", { name: "javascript", language: "javascript" }],
  ["text/x-python", { name: "python", language: "python" }],
  ["text/x-java", { name: "java", language: "java" }],
  ["text/x-csharp", { name: "c-sharp", language: "csharp" }],
  ["text/x-go", { name: "go", language: "go" }],
  ["text/x-rust", { name: "rust", language: "rust" }],
  ["text/x-c", { name: "cpp", language: "c" }],
  ["text/x-c++", { name: "cpp", language: "c++" }],
  ["text/x-ruby", { name: "ruby", language: "ruby" }],
  ["text/x-shellscript", { name: "bash", language: "shellscript" }],
  ["text/x-php", { name: "php", language: "php" }],
]);

/** The grammar for what `mediaType` names. JSX has one of its own in TypeScript, where `<` may also begin a type: the file's name tells. */
export function grammarOf(mediaType: string, uri: string): Grammar | undefined {
  const grammar = byMediaType.get(mediaType);
  return grammar?.name === "typescript" && extensionOf(fileNameOf(uri)) === "tsx"
    ? { ...grammar, name: "tsx" }
    : grammar;
}
