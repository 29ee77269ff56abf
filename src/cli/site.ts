import { basename, relative } from "node:path";
import { type Command, Option } from "commander";
import { IbidError } from "../contracts/errors.ts";
import { examples, note } from "./help-text.ts";
import type { Context } from "./open.ts";
import { count, formatBytes, neutralise } from "./text-layout.ts";

interface SiteOptions {
  readonly out?: string;
  readonly weight?: Readonly<Record<string, number>>;
  readonly suffix?: string;
}

/** `ibid site build`: makes a folder of pages searchable by itself. */
async function build({ output }: Context, folder: string, options: SiteOptions): Promise<number> {
  const { buildSite } = await import("../knowledge-base/site/build-site.ts");
  const { out, weight, suffix } = options;
  const built = await buildSite(folder, {
    ...(out !== undefined && { out }),
    ...(weight !== undefined && { weights: weight }),
    ...(suffix !== undefined && { suffix }),
  });
  if (output.json) {
    await output.object(built);
    return 0;
  }
  const shown = neutralise(relative(".", built.out) || ".");
  await output.line(
    `Indexed ${count(built.pages, "page")}: ${count(built.files, "file")}, ${formatBytes(built.bytes)} in ${shown}.`,
  );
  await output.line(
    `In each page:\n  <script type="module" src="/${encodeURIComponent(basename(built.out))}/ibid-search.js"></script>\n  <ibid-search></ibid-search>`,
  );
  return 0;
}

/** Adds a pair such as `api/=0.6` to those that came before. */
function readWeight(text: string, before: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const at = text.lastIndexOf("=");
  const weight = at < 1 ? Number.NaN : Number(text.slice(at + 1));
  if (weight > 0 && weight <= 1) return { ...before, [text.slice(0, at)]: weight };
  throw new IbidError("invalid-argument", `--weight is "${text}".`, {
    hint: "Give the beginning of an address and a number above 0 and up to 1, such as --weight api/=0.6.",
  });
}

/** `ibid site` with its options and its help. */
export function addSiteCommand(program: Command, context: Context, done: (exitCode: number) => void): void {
  const site = program
    .command("site")
    .summary("make a website search itself")
    .description("Make a website search itself, without a server.");
  site
    .command("build")
    .summary("write the index of a folder of HTML or Markdown, and the element that searches it")
    .description(
      "Index a folder of HTML or Markdown, and write the element <ibid-search>. The pages then answer questions with their own words, from static files alone.",
    )
    .argument("<folder>", "folder of the built site, or of its Markdown")
    .option("--out <folder>", "folder for the index; its name is part of the address (default: ibid in the folder)")
    .addOption(
      new Option(
        "--weight <start=number>",
        "factor of the scores of pages whose address begins so; may be repeated",
      ).argParser(readWeight),
    )
    .option("--suffix <text>", "ending of the addresses of Markdown pages, in place of .md, such as / or .html")
    .addHelpText(
      "after",
      examples([
        "ibid site build dist",
        "ibid site build docs --suffix .html --out public/ibid",
        "ibid site build dist --weight api/=0.6",
      ]) + note("The texts of all pages are in the index. A reader who can load it can read them."),
    )
    .action(async (folder: string, options: SiteOptions) => done(await build(context, folder, options)));
}
