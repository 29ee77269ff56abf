import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
import { gfmTable } from "micromark-extension-gfm-table";
import { type ComponentChildren, Fragment, h, type VNode } from "preact";

/** A node of the tree, as far as it is drawn. */
interface Node {
  readonly type: string;
  readonly value?: string;
  readonly depth?: number;
  readonly ordered?: boolean | null;
  readonly start?: number | null;
  readonly children?: readonly Node[];
  readonly position?: { readonly start: { readonly offset?: number }; readonly end: { readonly offset?: number } };
}

/** Draws a text from one offset on; called for each stretch of plain text in order. */
export type DrawText = (value: string, offset: number | undefined) => ComponentChildren;

/** Longer texts are shown as they stand: the parser takes more than linear time. */
const longest = 60_000;

/**
 * Markdown as nodes of the page. No string of HTML ever exists: markup in the text stays text, and only the elements below are made. Links and pictures lead nowhere; their words
 * stay.
 */
export function Markdown({ text, drawText }: { readonly text: string; readonly drawText: DrawText }): VNode {
  if (text.length > longest) return <p class="hard">{drawText(text, 0)}</p>;
  const tree = fromMarkdown(text, {
    extensions: [gfmTable(), gfmStrikethrough()],
    mdastExtensions: [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown()],
  }) as unknown as Node;
  return <Fragment>{draw(tree.children, drawText, text)}</Fragment>;
}

const elements: Readonly<Record<string, string>> = {
  paragraph: "p",
  strong: "strong",
  emphasis: "em",
  delete: "s",
  blockquote: "blockquote",
  listItem: "li",
};

const isPlain = ({ value = "", position }: Node): boolean =>
  position?.start.offset !== undefined && position.end.offset === position.start.offset + value.length;

interface Cell {
  readonly text: string;
  readonly offset: number;
}

/** Rows of a table of another format: a quotation has their cells between bars, and no line below the head. */
function rowsOf({ children = [] }: Node): readonly (readonly Cell[])[] | undefined {
  const [only] = children;
  if (children.length !== 1 || only?.type !== "text" || !isPlain(only)) return undefined;
  const rows: Cell[][] = [];
  let offset = only.position!.start.offset!;
  for (const line of only.value!.split("\n")) {
    const [, inner, rest = ""] = /^\|(.*)\|((?:\s*\[\d+\])*)$/u.exec(line) ?? [];
    if (inner === undefined) return undefined;
    const cells: Cell[] = [];
    let at = offset + 1;
    for (const text of inner.split("|")) {
      cells.push({ text, offset: at });
      at += text.length + 1;
    }
    if (rest !== "") cells.push({ text: rest, offset: at });
    rows.push(cells);
    offset += line.length + 1;
  }
  return rows;
}

function draw(nodes: readonly Node[] | undefined, drawText: DrawText, text: string): ComponentChildren[] {
  return (nodes ?? []).map((node): ComponentChildren => {
    const { type, value = "", children, position } = node;
    const inner = (): ComponentChildren[] => draw(children, drawText, text);
    const [from, to] = [position?.start.offset, position?.end.offset];
    const rows = type === "paragraph" ? rowsOf(node) : undefined;
    if (rows !== undefined)
      return drawTable(
        rows.map((cells) => cells.map(({ text: words, offset }) => drawText(words, offset))),
        "td",
      );
    switch (type) {
      case "text":
        return drawText(value, isPlain(node) ? from : undefined);
      case "heading":
        return h(`h${Math.min(6, (node.depth ?? 1) + 2)}`, {}, inner());
      case "list":
        return node.ordered === true ? <ol start={node.start ?? 1}>{inner()}</ol> : <ul>{inner()}</ul>;
      case "code":
        return (
          <pre tabIndex={0}>
            <code>{value}</code>
          </pre>
        );
      case "inlineCode":
        return <code>{value}</code>;
      case "thematicBreak":
        return <hr />;
      case "break":
        return <br />;
      case "table":
        return drawTable(
          (children ?? []).map((row) => (row.children ?? []).map((cell) => draw(cell.children, drawText, text))),
          "th",
        );
      case "html":
      case "image":
      case "imageReference":
      case "definition":
      case "footnoteDefinition":
        return type === "html" && from !== undefined ? drawText(text.slice(from, to), from) : null;
      default:
        return elements[type] === undefined ? inner() : h(elements[type], { dir: "auto" }, inner());
    }
  });
}

/** A table whose first row has cells of the kind `head`. */
function drawTable(rows: readonly (readonly ComponentChildren[])[], head: "td" | "th"): VNode {
  return (
    <div class="wide" tabIndex={0}>
      <table>
        {rows.map((cells, index) => (
          <tr>{cells.map((cell) => h(index === 0 ? head : "td", { dir: "auto" }, cell))}</tr>
        ))}
      </table>
    </div>
  );
}
