import type { Reader } from "../../contracts/reader.ts";

import { grammarOf, outlinedLanguage } from "./grammars.ts";

/**
 * Source code by definition: the canonical text is the source itself, its sections are classes, functions, methods and types.
 *
 * For TypeScript, JavaScript, Python, Java, C#, Go, Rust, C, C++, Ruby, PHP, Kotlin, Swift, Scala, Elixir, Dart, Terraform, R and the shell, by their
 * grammars. For SQL, Protocol Buffers, Dockerfiles and components of Vue and Svelte, by their words; scripts of components by TypeScript's grammar.
 *
 * **Shape** a definition begins with the comment, decorators and attributes before it and ends with its last line. A definition with members
 * (`class Parser`) is a container of them (`parse(text)`). Imports, the file's header and statements are the root's own text. A code block for each
 * stretch between two definitions; lines of the text are lines of the source; metadata `programmingLanguage`. A syntax error costs sections, never text.
 * **Errors** `binary`, `unreadable`, `too-large`. Code that its parser refuses (longer than 1 Mi characters, or not of the
 * language at all) is read as plain text, with a note.
 * **Cost** linear; the parser works in steps, and there are so many of them per kibibyte and no more. A grammar is loaded at the first file of its language.
 * **Source** tree-sitter's grammars; Embabel's container and leaf sections.
 *
 * @experimental
 */
export function createCodeReader(): Reader {
  return {
    name: "code/1",
    accepts: (mediaType) => grammarOf(mediaType, "") !== undefined || outlinedLanguage(mediaType) !== undefined,
    read: async (input) => (await import("./read-code.ts")).readCode(input),
  };
}
