import { displayWidth } from "./text-layout.ts";

/** Breaks a text into lines as it comes, between words. */
export interface StreamWrapper {
  /** What can be written now. The last word is kept back: more of it may come. */
  push(text: string): string;
  /** What was kept back. */
  end(): string;
}

/** **Shape** what comes out is what went in, with white space turned into line ends where a line would be wider than `width` columns. */
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
