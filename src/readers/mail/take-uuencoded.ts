import type { Attachment } from "postal-mime";

/** A plain body, and the files that stood in it. */
export interface UnwrappedBody {
  readonly text: string;
  readonly files: readonly Attachment[];
}

/** A message of old programs holds few files; more are text. */
const maxFiles = 100;

/**
 * Takes the files out of a plain body that old programs wrote into it, uuencoded.
 *
 * **Shape** a file without its last line, or with a line that is none of it, stays in the text. **Cost** linear.
 * **Source** POSIX.1-2017, `uuencode`.
 */
export function takeUuencoded(text: string): UnwrappedBody {
  const files: Attachment[] = [];
  const file = /^begin(-base64)? [0-7]{3,4} (\S[^\r\n]*)\r?\n([\s\S]*?)^(?:end|====)[ \t]*(?:\r?\n|$(?![\s\S]))/gmu;
  const rest = text.replace(file, (written, isBase64: string | undefined, filename: string, body: string) => {
    if (files.length >= maxFiles) return written;
    const lines = body.split(/\r?\n/u).filter((line) => line !== "");
    const content = isBase64 === undefined ? decodeLines(lines) : decodeBase64(lines.join(""));
    if (content === undefined) return written;
    files.push({ filename: filename.trim(), mimeType: "application/octet-stream", disposition: "attachment", content });
    return "";
  });
  return { text: rest, files };
}

/** The bytes of uuencoded lines; `undefined` where one is none. A line begins with the number of its bytes. */
function decodeLines(lines: readonly string[]): Uint8Array | undefined {
  const bytes: number[] = [];
  for (const line of lines) {
    const length = valueOf(line, 0);
    // Mail programs take blanks off the end of a line.
    const groups = Math.ceil(length / 3);
    if (length > 45 || line.length > 1 + groups * 4 + 1 || /[^ -`]/u.test(line)) return undefined;
    for (let at = 0; at < length; at++) {
      const group = 1 + Math.floor(at / 3) * 4;
      const [a, b] = [valueOf(line, group + (at % 3)), valueOf(line, group + (at % 3) + 1)];
      const shift = 2 * (at % 3) + 2;
      bytes.push(((a << shift) | (b >> (6 - shift))) & 0xff);
    }
  }
  return bytes.length === 0 ? undefined : Uint8Array.from(bytes);
}

function valueOf(line: string, at: number): number {
  return ((at < line.length ? line.charCodeAt(at) : 0x20) - 0x20) & 0x3f;
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  } catch {
    return undefined;
  }
}
