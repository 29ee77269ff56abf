/** Attributes that decide what is read; all others are forgotten while parsing. */
export type Attributes = ReadonlyMap<string, string>;

/** An element begins. `close` is the index of its {@link CloseEvent}. */
export interface OpenEvent {
  readonly type: "open";
  readonly tag: string;
  readonly attributes: Attributes;
  /** UTF-16 offset in the source. */
  readonly at: number;
  close: number;
  /** Not part of what a reader sees; its events are skipped. Set by `markVisible`. */
  dropped: boolean;
  /** Holds paragraphs, headings, tables or preformatted text. Set by `markVisible`. */
  holdsBlocks: boolean;
}

export interface CloseEvent {
  readonly type: "close";
  readonly tag: string;
}

export interface TextEvent {
  readonly type: "text";
  readonly text: string;
  readonly at: number;
}

/**
 * A page as a flat list: every open event has its close event, and nesting is bounded.
 *
 * A list instead of a tree: every pass over it is a loop, so no nesting of a page can exhaust the stack.
 */
export type HtmlEvent = OpenEvent | CloseEvent | TextEvent;
