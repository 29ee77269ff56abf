import { displayWidth } from "./text-layout.ts";

/** Breaks a text into lines between words, while it arrives. */
export interface StreamWrapper {
  /** Text that can be written now. The last word is held back, because it may be incomplete. */
  push(text: string): string;
  /** The text that was held back. */
  end(): string;
}

/** **Shape** the same text, with white space replaced by line ends where a line would be wider than `width` columns. */
export function createStreamWrapper(width: number): StreamWrapper {
  let column = 0;
  let space = "";
  let word = "";

  const flush = (): string => {
    const size = displayWidth(word);
    const breaks = column > 0 && space !== "" && column + space.length + size > width;
    const written = (breaks ? "\n" : space) + word;
    column = (breaks ? 0 : column + space.length) + size;
    space = "";
    word = "";
    return written;
  };

  return {
    push(text) {
      let written = "";
      for (const part of text.split(/(\n|[^\S\n]+)/u)) {
        if (part === "") continue;
        if (part === "\n") {
          written += `${word === "" ? "" : flush()}\n`;
          space = "";
          column = 0;
        } else if (/^\s/u.test(part)) {
          if (word !== "") written += flush();
          space += part;
        } else {
          word += part;
        }
      }
      return written;
    },
    end: () => (word === "" ? "" : flush()),
  };
}
