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
  | "bash"
  | "kotlin"
  | "swift"
  | "scala"
  | "elixir"
  | "dart"
  | "hcl"
  | "r";

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
  ["text/x-kotlin", { name: "kotlin", language: "kotlin" }],
  ["text/x-swift", { name: "swift", language: "swift" }],
  ["text/x-scala", { name: "scala", language: "scala" }],
  ["text/x-elixir", { name: "elixir", language: "elixir" }],
  ["text/x-dart", { name: "dart", language: "dart" }],
  ["text/x-terraform", { name: "hcl", language: "terraform" }],
  ["text/x-r", { name: "r", language: "r" }],
]);

/** Languages whose definitions are found by their words, because no maintained grammar of them comes as WebAssembly. */
export type OutlinedLanguage = "sql" | "protobuf" | "dockerfile" | "vue" | "svelte";

const outlined: ReadonlyMap<string, OutlinedLanguage> = new Map<string, OutlinedLanguage>([
  ["text/x-sql", "sql"],
  ["text/x-protobuf", "protobuf"],
  ["text/x-dockerfile", "dockerfile"],
  ["text/x-vue", "vue"],
  ["text/x-svelte", "svelte"],
]);

/** The language of `mediaType`, whose definitions are found without a grammar. */
export function outlinedLanguage(mediaType: string): OutlinedLanguage | undefined {
  return outlined.get(mediaType);
}

/** The file of a grammar in its package: VS Code's, or for other languages Cursorless's. Both are built from the grammars that the languages' own projects keep. */
export function grammarFile(name: GrammarName): string {
  return byCursorless.has(name)
    ? `@cursorless/tree-sitter-wasms/out/tree-sitter-${name}.wasm`
    : `@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`;
}

const byCursorless: ReadonlySet<string> = new Set(["kotlin", "swift", "scala", "elixir", "dart", "hcl", "r"]);

/** The grammar for what `mediaType` names. JSX has one of its own in TypeScript, where `<` may also begin a type: the file's name tells. */
export function grammarOf(mediaType: string, uri: string): Grammar | undefined {
  const grammar = byMediaType.get(mediaType);
  return grammar?.name === "typescript" && extensionOf(fileNameOf(uri)) === "tsx"
    ? { ...grammar, name: "tsx" }
    : grammar;
}
