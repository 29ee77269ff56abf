/** Whether a media type is one of those that are wanted. **Shape** `text/*` has every text. */
export function matchesMediaType(wanted: readonly string[], mediaType: string): boolean {
  return wanted.some((one) => (one.endsWith("/*") ? mediaType.startsWith(one.slice(0, -1)) : one === mediaType));
}
