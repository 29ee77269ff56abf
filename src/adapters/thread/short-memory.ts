/** Remembers something of a text until it is asked for, once; of too many, the oldest are forgotten. */
export interface ShortMemory<Value> {
  put(text: string, value: Value): void;
  /** What was remembered of it, which is then forgotten. */
  take(text: string): Value | undefined;
}

/** **Units** `most`: UTF-16 code units of all texts together. */
export function createShortMemory<Value>(most: number): ShortMemory<Value> {
  const values = new Map<string, Value>();
  let units = 0;
  const forget = (text: string): void => {
    if (values.delete(text)) units -= text.length;
  };
  return {
    put(text, value) {
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
