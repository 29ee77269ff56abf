/** Whether a field of this name may hold a secret. */
export function soundsSecret(name: string): boolean {
  return /key|secret|token|password|authorization/iu.test(name);
}

/** A text whose addresses have neither user nor password. A password of a database may hold any sign but a space, as people write them; a web address may say `@` in its path. */
export function hideUsers(text: string): string {
  return text
    .replaceAll(/([a-z][a-z+.-]*:\/\/)[^/?#\s]*@/giu, "$1(hidden)@")
    .replaceAll(/\b(?!https?:)([a-z][a-z+.-]*:\/\/)\S*@/giu, "$1(hidden)@");
}
