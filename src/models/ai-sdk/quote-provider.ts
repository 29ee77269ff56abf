/** A stretch this long that also stands in what was sent is an echo; shorter ones are everyday words. */
const echoLength = 12;
const maxQuoteLength = 300;
/** Beyond this much text a comparison costs more than the provider's words are worth. */
const maxSentLength = 1_000_000;

/**
 * A provider's own words about a failure, unless they repeat the input.
 *
 * Providers quote inputs in their errors, and errors end in logs. A message is dropped if it shares a stretch of 12 characters, a quoted
 * word, or the whole of a short text with the input.
 *
 * **Shape** one line of at most 300 characters, none of which steers a terminal or is unseen; or `undefined`. **Cost** 300 scans of the texts sent, on errors only.
 */
export function quoteProvider(message: string, sent: readonly string[]): string | undefined {
  const line = message
    .slice(0, 4 * maxQuoteLength)
    .replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, " ")
    .trim()
    .slice(0, maxQuoteLength);
  if (line === "") return undefined;
  if (sent.reduce((sum, text) => sum + text.length, 0) > maxSentLength) return undefined;
  const folded = line.toLowerCase();
  const quoted = [...folded.matchAll(/["'`“‘«]([^"'`”’»]{2,})["'`”’»]/gu)].map((match) => match[1] ?? "");
  for (const text of sent) {
    const whole = text.replace(/\s+/gu, " ").trim().toLowerCase();
    if (whole === "") continue;
    if (whole.length <= echoLength && folded.includes(whole)) return undefined;
    if (quoted.some((piece) => whole.includes(piece))) return undefined;
    for (let start = 0; start + echoLength <= folded.length; start++) {
      if (whole.includes(folded.slice(start, start + echoLength))) return undefined;
    }
  }
  return line;
}
