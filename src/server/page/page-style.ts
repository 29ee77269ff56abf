/** The style of the page: one column, and a second one for an open document. */
export const pageStyle = `
:root {
  --text: light-dark(#1d2129, #e4e6eb);
  --faint: light-dark(#5b6472, #a0a8b5);
  --ground: light-dark(#fbfbf9, #16181d);
  --card: light-dark(#ffffff, #1e2128);
  --line: light-dark(#dfe1e5, #343842);
  --accent: light-dark(#1a56b0, #8ab4f8);
  --mark: light-dark(#ffe58a, #7a5d00);
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
header, main { max-width: 80rem; margin: 0 auto; padding: 1rem 1.25rem; }
header { display: flex; flex-wrap: wrap; gap: 0.75rem 1.25rem; align-items: center; }
h1 { margin: 0; font: italic 600 1.6rem/1 Georgia, serif; }
form { display: flex; flex: 1 1 22rem; flex-wrap: wrap; min-width: 0; gap: 0.5rem; align-items: center; }
input { flex: 1 1 12rem; min-width: 0; padding: 0.55rem 0.75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; }
select { padding: 0.55rem 0.4rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; }
button { padding: 0.55rem 1rem; font: inherit; color: var(--ground); background: var(--accent); border: 1px solid var(--accent); border-radius: 0.5rem; cursor: pointer; }
button.plain { color: var(--accent); background: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; }
main.open { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.answer, .hit, #place { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; padding: 0.9rem 1.1rem; }
.answer { white-space: pre-wrap; font-size: 1.08rem; margin-bottom: 1rem; overflow-wrap: anywhere; }
.hit { display: block; width: 100%; margin-bottom: 0.7rem; color: inherit; text-align: start; border-color: var(--line); }
.hit:hover, .hit[aria-current] { border-color: var(--accent); }
.title { display: block; font-weight: 600; color: var(--accent); overflow-wrap: anywhere; }
.where { display: block; font-size: 0.85rem; color: var(--faint); overflow-wrap: anywhere; }
.words { display: block; white-space: pre-wrap; overflow-wrap: anywhere; }
.note, .verdict { color: var(--faint); }
.doubtful u { text-decoration: underline wavy; text-decoration-thickness: from-font; }
.withheld { margin: 0 0 1rem; padding-inline-start: 1.2rem; color: var(--faint); overflow-wrap: anywhere; }
.marker { padding: 0 0.15em; color: var(--accent); background: none; border: 0; font-size: 0.85em; vertical-align: 0.15em; }
#place { position: sticky; top: 1rem; max-height: calc(100vh - 7rem); overflow: auto; }
#place h2 { margin: 0 0 0.2rem; font-size: 1.05rem; overflow-wrap: anywhere; }
#place pre { margin: 0.8rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 0.95rem/1.6 Georgia, serif; }
mark { background: var(--mark); color: inherit; border-radius: 0.2em; }
@media (max-width: 60rem) {
  main.open { grid-template-columns: minmax(0, 1fr); }
  #place { order: -1; position: static; max-height: 60vh; }
}
`;
