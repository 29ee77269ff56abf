/**
 * Lower case one character at a time, whatever the locale and the neighbours: what `ignoreCase` compares.
 *
 * **Shape** as many code points as went in, so a `Σ` at a word's end is `σ`, and `İ` is `i`. **Cost** linear.
 * **Source** Unicode's simple lower-case mapping (UnicodeData.txt), which databases have as well.
 */
export function simpleLowerCase(text: string): string {
  // Without capital sigma and dotted capital I, the whole string's mapping is the simple one.
  if (!/[\u03a3\u0130]/.test(text)) return text.toLowerCase();
  return text.replaceAll("\u0130", "i").replaceAll("\u03a3", "\u03c3").toLowerCase();
}
