/**
 * The text that positions count in: byte order marks at the front off, every newline `\n`.
 *
 * **Shape** idempotent; nothing else changes, so a source that has neither mark nor `\r` is returned as it is. **Cost** linear.
 */
export function canonicalize(text: string): string {
  let start = 0;
  while (text.charCodeAt(start) === 0xfeff) start++;
  const withoutMark = start === 0 ? text : text.slice(start);
  return withoutMark.includes("\r") ? withoutMark.replaceAll(/\r\n?/g, "\n") : withoutMark;
}
