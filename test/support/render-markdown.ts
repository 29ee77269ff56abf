import rehypeRaw from "rehype-raw";
import MarkdownIt from "markdown-it";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";

/** A page as a renderer shows it. */
export interface Rendered {
  /** Words outside code, block by block. */
  readonly prose: readonly string[];
  /** Wherever the page leads, and whatever it loads. */
  readonly addresses: readonly string[];
  /** Elements that load, send or restyle something. */
  readonly elements: readonly string[];
  /** Words of blocks that are quoted. */
  readonly quoted: readonly string[];
}

interface Node {
  readonly type: string;
  readonly tagName?: string;
  readonly value?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly children?: readonly Node[];
}

const parser = unified().use(rehypeRaw);
const remark = unified().use(remarkParse).use(remarkGfm).use(remarkRehype, { allowDangerousHtml: true }).use(rehypeRaw);
const flavours = [
  new MarkdownIt(),
  new MarkdownIt({ linkify: true }),
  new MarkdownIt({ html: true, linkify: true }),
  new MarkdownIt("commonmark"),
];
const pointing = new Set([
  "href",
  "src",
  "srcSet",
  "action",
  "formAction",
  "poster",
  "data",
  "ping",
  "background",
  "cite",
  "xLinkHref",
  "content",
]);
const blocks = new Set("p li h1 h2 h3 h4 h5 h6 td th blockquote pre dd dt div section".split(" "));
const harmless = new Set(
  "s p br hr em strong del code pre ul ol li blockquote h1 h2 h3 h4 h5 h6 table thead tbody tr td th a input html head body".split(
    " ",
  ),
);

/** Every reading of a text: markdown-it plain, with linkify, with HTML, and in CommonMark alone; remark with GFM and HTML. */
export function renderAll(text: string): readonly Rendered[] {
  const trees = flavours.map(
    (one) => parser.runSync({ type: "root", children: [{ type: "raw", value: one.render(text) }] } as never) as Node,
  );
  trees.push(remark.runSync(remark.parse(text)));
  return trees.map(read);
}

function read(tree: Node): Rendered {
  const prose: string[] = [""];
  const addresses: string[] = [];
  const elements: string[] = [];
  const quoted: string[] = [];
  const walk = (node: Node): void => {
    if (node.type === "text") prose[prose.length - 1] += node.value ?? "";
    const { tagName = "", properties = {} } = node;
    if (tagName === "blockquote") quoted.push(textOf(node));
    if (node.type === "element" && !harmless.has(tagName)) elements.push(tagName);
    for (const [name, value] of Object.entries(properties)) {
      if (pointing.has(name)) addresses.push(String(value));
      else if (/^(?:on|style)/u.test(name) && !/^text-align:\s*\w+;?$/u.test(String(value)))
        elements.push(`${tagName}[${name}]`);
    }
    if (tagName === "code" || tagName === "pre") {
      prose[prose.length - 1] += "\u0000";
      return;
    }
    if (tagName === "br") prose[prose.length - 1] += "\n";
    if (blocks.has(tagName)) prose.push("");
    for (const child of node.children ?? []) walk(child);
    if (blocks.has(tagName)) prose.push("");
  };
  walk(tree);
  return { prose: prose.filter((part) => part.trim() !== ""), addresses, elements, quoted };
}

const textOf = ({ value = "", children = [] }: Node): string => value + children.map(textOf).join("");
