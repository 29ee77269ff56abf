/** Whether a UTF-16 code unit is white space, exactly as `String.prototype.trim` and `\s` see it. */
export function isWhiteSpace(code: number): boolean {
  if (code < 0xa0) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0x1680) return code === 0xa0;
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** The first position from `start` on that is not white space; `end` when there is none before it. */
export function skipWhiteSpace(text: string, start: number, end: number): number {
  let position = start;
  while (position < end && isWhiteSpace(text.charCodeAt(position))) position += 1;
  return position;
}

/** Just after the last character before `end` that is not white space; `start` when there is none. */
export function trimEndAt(text: string, start: number, end: number): number {
  let position = end;
  while (position > start && isWhiteSpace(text.charCodeAt(position - 1))) position -= 1;
  return position;
}
