import type { Answer } from "../../src/contracts/answer.ts";
import type { Hit } from "../../src/contracts/retriever.ts";
import type { Site } from "./engine.ts";
import { linkTo } from "./links.ts";
import { style } from "./style.ts";

/** Words of the element. `labels` of the element replaces them, for other languages. */
const english = {
  open: "Search",
  title: "Search this site",
  question: "Question or words",
  close: "Close",
  answer: "Quoted from these pages",
  pages: "Pages",
  searching: "Searching",
  ready: "{count} pages found",
  nothing: "Nothing was found.",
  failed: "The search could not be loaded. Try again.",
};

export type SearchLabels = typeof english;

/** Time without a key until a search begins. **Units** milliseconds. */
const pauseMs = 200;
/** Pages of a list. */
const mostPages = 8;

/** Results of a search, as the event `ibid-results` tells them. */
export interface SearchResults {
  readonly query: string;
  readonly answer: Answer;
  readonly hits: readonly Hit[];
  /** From the beginning of the search, loading included. */
  readonly ms: number;
}

/**
 * `<ibid-search>`: a button that opens a dialog, in which a site is searched and asked without a server.
 *
 * **Shape** attributes `index` (folder of the index; default: the folder of this script), `base` (address that the pages are relative to; default: the folder
 * above the index), `hotkey` (default `/`; empty for none). Properties `labels`. Methods `show`, `close`, `search`. Events `ibid-results` and `ibid-error`.
 * Parts `button`, `dialog`, `input`, `answer`, `pages`.
 */
export class IbidSearch extends HTMLElement {
  #labels: SearchLabels = english;
  readonly #root = this.attachShadow({ mode: "open" });
  #site: Promise<Site> | undefined;
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop: AbortController | undefined;

  get labels(): SearchLabels {
    return this.#labels;
  }
  set labels(labels: Partial<SearchLabels>) {
    this.#labels = { ...english, ...labels };
    if (this.isConnected) this.#draw();
  }

  get #index(): URL {
    return new URL(this.getAttribute("index") ?? "./", this.hasAttribute("index") ? document.baseURI : import.meta.url);
  }
  get #base(): URL {
    const base = this.getAttribute("base");
    return base === null ? new URL("../", this.#index) : new URL(base, document.baseURI);
  }
  get #dialog(): HTMLDialogElement {
    return this.#root.querySelector("dialog")!;
  }
  get #input(): HTMLInputElement {
    return this.#root.querySelector("input")!;
  }

  connectedCallback(): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    this.#root.adoptedStyleSheets = [sheet];
    this.#draw();
    document.addEventListener("keydown", this.#onHotkey);
  }

  disconnectedCallback(): void {
    document.removeEventListener("keydown", this.#onHotkey);
    clearTimeout(this.#timer);
    this.#stop?.abort();
  }

  /** Opens the dialog, and loads the search. */
  show(): void {
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#input.select();
    // A failure is told when a search wants it.
    this.#load().catch(() => {});
  }

  close(): void {
    this.#dialog.close();
  }

  /** Searches and asks, and shows the result. **Errors** those of the engine, after they are shown. */
  async search(query: string): Promise<SearchResults> {
    const turn = ++this.#asked;
    this.#stop?.abort();
    const { signal } = (this.#stop = new AbortController());
    const started = performance.now();
    const isLast = (): boolean => turn === this.#asked;
    if (this.#input.value !== query) this.#input.value = query;
    this.#tell(this.#labels.searching);
    try {
      const site = await this.#load();
      const answer = await site.ask(query, { signal });
      if (isLast()) this.#showAnswer(answer);
      const hits = await site.search(query, { topK: mostPages, signal });
      const results = { query, answer, hits, ms: performance.now() - started };
      if (isLast()) {
        this.#showPages(hits);
        this.dispatchEvent(new CustomEvent("ibid-results", { detail: results, bubbles: true, composed: true }));
      }
      return results;
    } catch (error) {
      if (isLast()) {
        this.#clear();
        this.#tell(this.#labels.failed, true);
        this.dispatchEvent(new CustomEvent("ibid-error", { detail: error, bubbles: true, composed: true }));
      }
      throw error;
    }
  }

  #load(): Promise<Site> {
    if (this.#site === undefined) {
      const index = this.#index;
      const opened = import("./engine.ts").then(({ openSite }) => openSite({ read: (name) => fetchFile(index, name) }));
      opened.catch(() => (this.#site = undefined));
      this.#site = opened;
    }
    return this.#site;
  }

  readonly #onHotkey = (event: KeyboardEvent): void => {
    const key = this.getAttribute("hotkey") ?? "/";
    if (key === "" || event.key !== key || event.ctrlKey || event.metaKey || event.altKey) return;
    const [target] = event.composedPath();
    const isTyping =
      target instanceof HTMLElement &&
      (target.isContentEditable || /^(?:input|select|textarea)$/iu.test(target.tagName));
    if (isTyping) return;
    event.preventDefault();
    this.show();
  };

  #draw(): void {
    const { open, title, question, close } = this.#labels;
    const hotkey = this.getAttribute("hotkey") ?? "/";
    const button = make("button", { class: "open", part: "button", type: "button", "aria-haspopup": "dialog" }, [
      make("span", {}, [open]),
      ...(hotkey === "" ? [] : [make("kbd", { "aria-hidden": "true" }, [hotkey])]),
    ]);
    button.addEventListener("click", () => this.show());
    const input = make("input", {
      part: "input",
      type: "search",
      "aria-label": question,
      placeholder: question,
      autocomplete: "off",
      spellcheck: "false",
      maxlength: "300",
    });
    input.addEventListener("input", () => this.#later());
    const shut = make("button", { type: "button", "aria-label": close }, ["✕"]);
    shut.addEventListener("click", () => this.close());
    const form = make("form", { role: "search" }, [input, shut]);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#later(0);
    });
    const found = make("div", { class: "found", tabindex: "-1" }, [
      make("p", { class: "state" }, []),
      make("section", { class: "answer", part: "answer" }, []),
      make("section", { class: "pages", part: "pages" }, []),
    ]);
    const dialog = make("dialog", { part: "dialog", "aria-label": title }, [
      form,
      found,
      make("p", { class: "apart", role: "status" }, []),
    ]);
    dialog.addEventListener("keydown", (event) => this.#onArrow(event));
    // A click beside the dialog is a click on its backdrop.
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) this.close();
    });
    this.#root.replaceChildren(button, dialog);
  }

  #later(ms = pauseMs): void {
    clearTimeout(this.#timer);
    const query = this.#input.value.trim();
    if (query === "") {
      this.#asked++;
      this.#clear();
      this.#tell("");
      return;
    }
    // The error is shown and told by an event.
    this.#timer = setTimeout(() => void this.search(query).catch(() => {}), ms);
  }

  /** Arrows go from the field to the links, and between them. */
  #onArrow(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    const stops = [this.#input, ...this.#root.querySelectorAll<HTMLElement>(".found a")];
    const at = stops.indexOf(this.#root.activeElement as HTMLElement);
    const next = stops[at + step];
    if (at === -1 || next === undefined) return;
    event.preventDefault();
    next.focus();
  }

  #clear(): void {
    for (const part of [".answer", ".pages"]) this.#root.querySelector(part)!.replaceChildren();
  }

  /** Says how it stands, to readers of the screen too. */
  #tell(words: string, isShown = false): void {
    this.#root.querySelector("[role=status]")!.textContent = words;
    this.#root.querySelector(".state")!.textContent = isShown ? words : "";
  }

  #showAnswer({ citations, hits }: Answer): void {
    const quotes = citations.map((citation) => {
      const { quote, uri } = citation;
      const metadata = hits.find(({ source }) => source.uri === uri)?.metadata ?? {};
      const link = make("a", { href: linkTo({ source: citation, metadata }, this.#base, quote) }, [nameOf(citation)]);
      return make("blockquote", {}, [make("p", { tabindex: "0" }, [quote]), make("cite", { class: "where" }, [link])]);
    });
    this.#root
      .querySelector(".answer")!
      .replaceChildren(...(quotes.length === 0 ? [] : [make("h2", {}, [this.#labels.answer]), ...quotes]));
  }

  #showPages(hits: readonly Hit[]): void {
    const items = hits.map((hit) =>
      make("li", {}, [
        make("a", { href: linkTo(hit, this.#base) }, [nameOf(hit.source)]),
        make("div", { class: "snippet" }, [hit.snippet]),
      ]),
    );
    this.#root
      .querySelector(".pages")!
      .replaceChildren(...(items.length === 0 ? [] : [make("h2", {}, [this.#labels.pages]), make("ul", {}, items)]));
    const { ready, nothing } = this.#labels;
    if (items.length === 0) this.#tell(nothing, true);
    else this.#tell(ready.replace("{count}", String(items.length)));
  }
}

/** Title and innermost heading. */
function nameOf({ title, headings }: Pick<Hit["source"], "title" | "headings">): string {
  const heading = headings.at(-1);
  return heading === undefined || heading === title ? title : `${title} › ${heading}`;
}

async function fetchFile(index: URL, name: string): Promise<Uint8Array | undefined> {
  const response = await fetch(new URL(name, index));
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}

/** An element with attributes and children. No text is ever read as HTML. */
function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

if (!customElements.get("ibid-search")) customElements.define("ibid-search", IbidSearch);
