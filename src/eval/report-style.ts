/** The style of a report, light or dark by the setting of the reader. Expected and found stand beside each other on a wide screen, below one another on a phone. */
export const reportStyle = `
:root { color-scheme: light dark; --line: #d8d8d4; --dim: #5f6368; --bad: #b3261e; --good: #1b6e3c; --mark: #fff1a8; --soft: #f6f6f3; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3a3d42; --dim: #a0a6ad; --bad: #ff9d94; --good: #7fd6a1; --mark: #5c5210; --soft: #1d1f22; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; }
h3 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere; }
h4 { font-size: 0.85rem; margin: 0.75rem 0 0; color: var(--dim); }
p { margin: 0.25rem 0; }
.dim { color: var(--dim); }
.bad { color: var(--bad); }
.good { color: var(--good); }
.conditions { border-left: 4px solid currentColor; padding: 0.25rem 1rem; margin: 1rem 0; background: var(--soft); }
.conditions li, .conditions ul { color: CanvasText; margin: 0.1rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 1rem 0.25rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--dim); white-space: nowrap; }
small { white-space: nowrap; }
article { border-top: 1px solid var(--line); padding: 1rem 0; }
.pair { display: grid; gap: 0 2rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 48rem) { .pair { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
.place { margin: 0.5rem 0 0.75rem; }
.where { font-size: 0.9rem; overflow-wrap: anywhere; }
blockquote { margin: 0.25rem 0; padding: 0.5rem 0.75rem; background: var(--soft); white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.95rem; }
mark { background: var(--mark); color: inherit; }
summary { cursor: pointer; }
`;
