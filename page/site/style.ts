/** The look of the element. Colours and sizes are custom properties, so that a page sets them from outside. */
export const style = `
:host { display: inline-block; font: inherit; color: inherit; }
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
button, input { font: inherit; color: inherit; }
.open {
  display: flex; align-items: center; gap: 0.5em; min-block-size: 2.5rem; padding-inline: 0.75em;
  border: 1px solid var(--ibid-border, #767676); border-radius: 0.5rem;
  background: var(--ibid-background, Canvas); color: var(--ibid-text, CanvasText); cursor: pointer;
}
.open kbd { font-size: 0.8em; border: 1px solid; border-radius: 0.25em; padding-inline: 0.35em; }
dialog {
  inline-size: min(44rem, 100vw); max-inline-size: 100vw; max-block-size: min(90vh, 60rem); margin-block: 4vh auto; padding: 0;
  border: 1px solid var(--ibid-border, #767676); border-radius: 0.75rem; overflow: hidden;
  background: var(--ibid-background, Canvas); color: var(--ibid-text, CanvasText);
}
dialog[open] { display: flex; flex-direction: column; }
dialog::backdrop { background: rgb(0 0 0 / 50%); }
form { display: flex; gap: 0.5rem; padding: 0.75rem; border-block-end: 1px solid var(--ibid-border, #767676); }
input {
  flex: 1; min-inline-size: 0; min-block-size: 2.5rem; padding-inline: 0.75em;
  border: 1px solid var(--ibid-border, #767676); border-radius: 0.5rem; background: transparent;
}
form button {
  min-block-size: 2.5rem; min-inline-size: 2.5rem; border: 1px solid var(--ibid-border, #767676); border-radius: 0.5rem;
  background: transparent; cursor: pointer;
}
.found { overflow-y: auto; padding: 0.75rem; overscroll-behavior: contain; }
:focus-visible { outline: 2px solid var(--ibid-accent, Highlight); outline-offset: 2px; }
h2 { font-size: 1rem; margin: 0 0 0.5rem; }
p { margin: 0 0 0.5rem; }
blockquote {
  margin: 0 0 0.75rem; padding: 0.5rem 0.75rem; border-inline-start: 3px solid var(--ibid-accent, Highlight);
  white-space: pre-wrap; overflow-wrap: anywhere;
}
blockquote p { max-block-size: 16rem; overflow-y: auto; }
ul { list-style: none; margin: 0; padding: 0; }
li { margin-block-end: 0.75rem; }
a { color: var(--ibid-link, LinkText); overflow-wrap: anywhere; }
.where { font-size: 0.875em; }
.snippet {
  font-size: 0.9em; overflow: hidden; overflow-wrap: anywhere;
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3;
}
.apart { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 40rem) {
  dialog { inline-size: 100vw; max-block-size: 100vh; min-block-size: 100vh; margin: 0; border: 0; border-radius: 0; }
  .open kbd { display: none; }
}
`;
