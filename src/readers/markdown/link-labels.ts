/** The labels that a text defines addresses for, as CommonMark compares them: in lower case, white space collapsed. **Cost** linear. **Source** CommonMark 0.31, 4.7. */
export function findLinkLabels(text: string): ReadonlySet<string> {
  const labels = new Set<string>();
  for (const [, label] of text.matchAll(/^ {0,3}\[([^[\]\n]{1,200})\]:[ \t]*\S/gm)) {
    if (label !== undefined) labels.add(label.toLowerCase().replace(/\s+/g, " ").trim());
  }
  return labels;
}
