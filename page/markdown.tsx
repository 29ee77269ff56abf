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

function draw(nodes: readonly Node[] | undefined, drawText: DrawText, text: string): ComponentChildren[] {
  return (nodes ?? []).map((node): ComponentChildren => {
    const { type, value = "", children, position } = node;
    const inner = (): ComponentChildren[] => draw(children, drawText, text);
    const [from, to] = [position?.start.offset, position?.end.offset];
    const isPlain = from !== undefined && to !== undefined && to - from === value.length;
    switch (type) {
      case "text":
        return drawText(value, isPlain ? from : undefined);
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
        return (
          <div class="wide" tabIndex={0}>
            <table>
              {children?.map((row, index) => (
                <tr>
                  {row.children?.map((cell) =>
                    h(index === 0 ? "th" : "td", { dir: "auto" }, draw(cell.children, drawText, text)),
                  )}
                </tr>
              ))}
            </table>
          </div>
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
