/**
 * The script of the page, in the language of browsers: it sends requests to this service and shows the responses.
 *
 * Text of documents enters the page as text, never as markup. The reader's key stays in this tab (`sessionStorage`). The open place stands in the address after
 * `#`, which browsers send to no server, so a reader can pass it on.
 */
export const pageScript = String.raw`
const byId = (id) => document.getElementById(id);
const [form, words, grounding, unlock, keyField, found, place] =
  ["question", "words", "grounding", "unlock", "key", "found", "place"].map(byId);
const around = 6000;
let current;
let asked = () => {};

function element(name, { text, className, ...rest } = {}, ...children) {
  const made = Object.assign(document.createElement(name), rest);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

async function call(path, options = {}) {
  const key = sessionStorage.getItem("ibid-key");
  const headers = { ...options.headers, ...(key && { authorization: "Bearer " + key }) };
  const response = await fetch(path, { ...options, headers, signal: current?.signal });
  if (response.ok) return response;
  const told = await response.json().catch(() => undefined);
  if (response.status === 401) {
    sessionStorage.removeItem("ibid-key");
    unlock.hidden = false;
    keyField.focus();
  }
  throw new Error(told ? sentenceOf(told.error) : "The service answered " + response.status + ".");
}

const sentenceOf = ({ message, hint }) => [message, hint].filter(Boolean).join(" ");
const send = (path, body, accept) =>
  call(path, { method: "POST", headers: { "content-type": "application/json", accept }, body: JSON.stringify(body) });

async function* readEvents(response) {
  let rest = "";
  const text = response.body.pipeThrough(new TextDecoderStream());
  const reader = text.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const whole = rest.split("\n\n");
    rest = whole.pop();
    for (const event of whole) {
      const [, type, data] = /^event: (.*)\ndata: (.*)$/s.exec(event) ?? [];
      if (type) yield { type, data: JSON.parse(data) };
    }
  }
}

function placeOf(source) {
  const labels = ["page", "slide", "sheet", "cells", "part", "line"].filter((name) => source[name] !== undefined);
  return [source.uri, ...labels.map((name) => name + " " + source[name])].join(", ");
}

function hitButton({ title, headings = [], where, quote, open }) {
  const button = element("button", { className: "hit", type: "button" },
    element("span", { className: "title", text: [title, ...headings].filter((each, i, all) => each && each !== all[i - 1]).join(" › "), dir: "auto" }),
    element("span", { className: "where", text: where, dir: "auto" }),
    element("span", { className: "words", text: quote, dir: "auto" }));
  button.addEventListener("click", () => {
    for (const other of found.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
    button.setAttribute("aria-current", "true");
    open();
  });
  return button;
}

async function openPlace({ uri, scope, start, end }) {
  const from = Math.max(0, start - around);
  const query = new URLSearchParams({ uri, start: from, end: end + around, ...(scope && { scope }) });
  const shown = await (await call("document?" + query)).json();
  const cut = (a, b) => shown.text.slice(Math.max(0, a - shown.start), Math.max(0, b - shown.start));
  const mark = element("mark", { text: cut(start, end) });
  place.replaceChildren(
    element("h2", { text: shown.title, dir: "auto" }),
    element("span", { className: "where", text: shown.uri + " · " + shown.scope + " · " + start + "–" + end }),
    element("pre", { dir: "auto" },
      (shown.start > 0 ? "… " : "") + cut(shown.start, start), mark, cut(end, shown.end) + (shown.end < shown.length ? " …" : "")));
  place.hidden = false;
  document.querySelector("main").className = "open";
  // The panel alone: what was found stays where it is.
  place.scrollTop = mark.offsetTop - place.clientHeight / 2;
  place.scrollIntoView({ block: "nearest" });
  const at = new URLSearchParams({ uri, ...(scope && { scope }), at: start + ":" + end });
  history.replaceState(null, "", "#" + at);
}

const tried = (work) => (...given) => work(...given).catch((error) => {
  if (error.name !== "AbortError") found.prepend(element("p", { className: "note", text: error.message }));
});
const show = tried(openPlace);

async function search(query) {
  const { hits } = await (await send("search", { query, topK: 10, merge: true }, "application/json")).json();
  found.replaceChildren(...hits.map((hit) => hitButton({
    title: hit.source.title, headings: hit.source.headings, where: placeOf(hit.source), quote: hit.snippet,
    open: () => show({ ...hit.source, scope: hit.scope }),
  })));
  if (hits.length === 0) found.replaceChildren(element("p", { className: "note", text: "Nothing found." }));
}

async function ask(question) {
  const text = element("div", { className: "answer", dir: "auto" });
  const list = element("div");
  found.replaceChildren(text, list);
  let hits = [];
  for await (const { type, data } of readEvents(await send("ask", { question, grounding: grounding.value, merge: true }, "text/event-stream"))) {
    if (type === "hits") hits = data.hits;
    if (type === "text") text.append(data.delta);
    if (type === "error") throw new Error(sentenceOf(data));
    if (type === "answer") showAnswer(data.answer, hits, text, list);
  }
}

const verdicts = { partly: "partly supported", unsupported: "not supported", uncited: "no citation" };
const refusals = {
  "no-question": "",
  "no-evidence": "No passage answers the question well enough.",
  "nothing-supported": "The documents support no sentence of the model's answer.",
  "model-declined": "The model found no answer in the passages.",
};

const stops = {
  length: "Incomplete: the model reached its limit of tokens.",
  "content-filter": "Incomplete: the provider's content filter stopped the model.",
  error: "Incomplete: the model failed before its answer was complete.",
};

/** A sentence with its markers as buttons, its unsupported words underlined, and its verdict where it is not supported. */
function showSentence(sentence, whole, opened) {
  const { start, end, verdict, unsupportedWords } = sentence;
  const parts = [];
  const write = (from, to, wrap) => {
    for (const part of whole.slice(from, to).split(/(\[\d+\])/)) {
      const cited = opened.find(({ citation }) => citation.marker === part);
      if (cited) {
        const button = element("button", { className: "marker", type: "button", text: part, title: cited.citation.quote });
        button.addEventListener("click", cited.open);
        parts.push(button);
      } else if (part) parts.push(wrap(part));
    }
  };
  let at = start;
  for (const [from, to] of verdict === "uncited" ? [] : unsupportedWords) {
    write(at, from, (part) => part);
    write(from, to, (part) => element("u", { text: part, title: "No source supports this." }));
    at = to;
  }
  write(at, end, (part) => part);
  const doubt = verdicts[verdict];
  if (doubt) parts.push(" ", element("small", { className: "verdict", text: "(" + doubt + ")" }));
  return element("span", { className: doubt ? "doubtful" : "" }, ...parts);
}

function passage(quotation, hits, label) {
  const hit = hits.find((each) => each.chunkId === quotation.chunkId && each.documentId === quotation.documentId);
  const open = () => show({ ...quotation, scope: hit?.scope });
  const { title, headings } = quotation;
  return { citation: quotation, open, button: () => hitButton({ title: label + title, headings, where: placeOf(quotation), quote: "“" + quotation.quote + "”", open }) };
}

function showAnswer(answer, hits, text, list) {
  const note = (words) => element("p", { className: "note", text: words });
  const { kind, sentences, relevance, nearest, refusal, incomplete } = answer;
  const withheld = answer.withheld.filter(({ verdict }) => verdict);
  const opened = answer.citations.map((citation) => passage(citation, hits, citation.marker + " "));
  let at = 0;
  const parts = [];
  for (const sentence of sentences) {
    parts.push(answer.text.slice(at, sentence.start), showSentence(sentence, answer.text, opened));
    at = sentence.end;
  }
  text.replaceChildren(...parts, answer.text.slice(at));
  if (relevance && relevance.value < relevance.threshold && kind !== "refused") text.before(note("These passages may not answer the question."));
  list.replaceChildren(...opened.map(({ button }) => button()));
  if (incomplete) list.prepend(note(stops[incomplete]));
  if (withheld.length > 0)
    list.append(note("Withheld, because the documents do not support it, or what it leans on:"), element("ul", { className: "withheld" },
      ...withheld.map((sentence) => element("li", { text: sentence.text, dir: "auto" }))));
  if (refusal && refusals[refusal]) list.append(note(refusals[refusal]));
  if (nearest.length > 0)
    list.append(note("The nearest passages, which are not an answer:"), ...nearest.map((quotation) => passage(quotation, hits, "").button()));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const work = event.submitter?.name === "search" ? search : ask;
  const text = words.value;
  asked = tried(async () => {
    current?.abort();
    current = new AbortController();
    found.replaceChildren(element("p", { className: "note", text: "…" }));
    place.hidden = true;
    document.querySelector("main").className = "";
    try {
      await work(text);
    } catch (error) {
      if (error.name !== "AbortError") found.replaceChildren();
      throw error;
    }
  });
  asked();
});

unlock.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("ibid-key", keyField.value);
  keyField.value = "";
  unlock.hidden = true;
  asked();
});

function openFromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const [start, end] = (given.get("at") ?? "0:0").split(":").map(Number);
  if (!given.get("uri")) return;
  asked = () => show({ uri: given.get("uri"), scope: given.get("scope") ?? undefined, start, end });
  asked();
}
addEventListener("hashchange", openFromAddress);
openFromAddress();
`;
