import { askOptions } from "../../knowledge-base/asking/ask-options.ts";

const { doc, kind, default: usual } = askOptions.grounding;
const groundings = Object.keys(kind.values).map(
  (name) => `<option${name === usual ? " selected" : ""}>${name}</option>`,
);

/** The page at `/`: a field, the hits, and the place of a hit in its document. Script and style stand in files of their own, so that none can be injected. */
export const pageHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>ibid</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css">
<script type="module" src="page.js"></script>
</head>
<body>
<header>
<h1>ibid</h1>
<form id="question" role="search">
<input id="words" type="search" aria-label="A question, or words to search for" placeholder="A question, or words to search for" autocomplete="off" autofocus required dir="auto">
<select id="grounding" aria-label="Grounding" title="${doc}">${groundings.join("")}</select>
<button name="ask">Ask</button>
<button name="search" class="plain">Search</button>
</form>
<form id="unlock" hidden>
<label for="key">This service wants a key.</label>
<input id="key" type="password" autocomplete="off" required>
<button>Use it</button>
</form>
</header>
<main>
<section id="found" aria-live="polite" aria-label="What was found"></section>
<section id="place" aria-label="The place in its document" hidden></section>
</main>
<noscript><p>This page needs JavaScript. The same is to be had over HTTP: see <a href="openapi.json">openapi.json</a>.</p></noscript>
</body>
</html>
`;
