// The one name of other runtimes that the search looks for before it uses it.
declare const setImmediate: ((callback: () => void) => unknown) | undefined;
