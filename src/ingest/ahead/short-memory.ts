/** Remembers something of a text until it is asked for, once; of too many, the oldest are forgotten, and all when nothing new has come for a while. */
export interface ShortMemory<Value> {
  put(text: string, value: Value): void;
  /** What was remembered of it, which is then forgotten. */
  take(text: string): Value | undefined;
}

/** Who has not asked by then does not need it: an unchanged chunk, a document that failed. **Units** milliseconds. */
const longest = 10_000;

/** **Units** `most`: UTF-16 code units of all texts together. */
export function createShortMemory<Value>(most: number, longestMs = longest): ShortMemory<Value> {
  const values = new Map<string, Value>();
  let units = 0;
  let timer: NodeJS.Timeout | undefined;
  const forget = (text: string): void => {
    if (values.delete(text)) units -= text.length;
  };
  const forgetAll = (): void => {
    values.clear();
    units = 0;
  };
  return {
    put(text, value) {
      timer = timer === undefined ? setTimeout(forgetAll, longestMs).unref() : timer.refresh();
      forget(text);
      values.set(text, value);
      units += text.length;
      for (const oldest of values.keys()) {
        if (units <= most) break;
        forget(oldest);
      }
    },
    take(text) {
      if (values.size === 0) return undefined;
      const value = values.get(text);
      if (value !== undefined) forget(text);
      return value;
    },
  };
}
