/** Options of calls that may begin before they know that their state is the newest. */
const beginning = new WeakSet<object>();

/**
 * Lets the call with these very options begin on a state that may be old. The results of the call are of the newest state all the same. A copy of the options
 * says nothing.
 */
export function mayBeginAhead<Options extends object>(options: Options): Options {
  beginning.add(options);
  return options;
}

export function beginsAhead(options: object): boolean {
  return beginning.has(options);
}
