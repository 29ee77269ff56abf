// Builds the page of `ibid serve` from page/ into one module of compressed files for each part, which the service
// imports. A bundler carries them along, and a service on any runtime can send them. Then builds the element
// `<ibid-search>` from page/site, which `ibid site build` writes beside its index.
//
//   npm run build:page               into src/server/page/built and src/knowledge-base/site/built, for the sources and the tests
//   npm run build:page -- dist       into the same folders of dist, for the package
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { pageFileNames } from "../src/server/page/page-files.ts";

const root = join(import.meta.dirname, "..");

/** Compressed bytes of each file of the page, by its name. */
export type PageSizes = Readonly<Record<string, number>>;

/** Files beside the first load, each in a module of its own: they are loaded by few. */
const apart: Readonly<Record<string, string>> = { "page-pdf.js": "pdf", "page-pdf-worker.js": "pdf-worker" };

export async function buildPage(folder: string): Promise<PageSizes> {
  const bundle = await rolldown({
    input: { page: join(root, "page", "main.tsx"), "page-sign-in": join(root, "page", "sign-in.ts") },
    platform: "browser",
    transform: {
      jsx: { runtime: "automatic" },
      define: { "process.env.NODE_ENV": '"production"' },
    },
    external: [/^node:/u, "@napi-rs/canvas"],
    resolve: {
      alias: {
        "pdfjs-dist": join(root, "node_modules", "pdfjs-dist", "build", "pdf.min.mjs"),
        "tus-js-client": join(root, "node_modules", "tus-js-client", "lib.esm", "browser", "index.js"),
        "url-parse": join(root, "page", "native-url.ts"),
      },
      conditionNames: ["browser", "import", "default"],
    },
  });
  const { output } = await bundle.generate({
    format: "esm",
    minify: true,
    entryFileNames: "[name].js",
    chunkFileNames: ({ name }) =>
      `page-${name.replace("pdf-pages", "pdf").replace("picture-page", "picture").replace("send-file", "upload").replace("jsxRuntime", "view")}.js`,
  });
  await bundle.close();
  const made = output.map(({ fileName }) => fileName).toSorted();
  const expected = pageFileNames.filter((name) => name.endsWith(".js") && name !== "page-pdf-worker.js").toSorted();
  if (made.join() !== expected.join())
    throw new Error(`The page has the files ${made.join(", ")}; the service knows ${expected.join(", ")}.`);
  const files = new Map<string, string | Uint8Array>(
    output.flatMap((each) => (each.type === "chunk" ? [[each.fileName, each.code] as const] : [])),
  );
  files.set("index.html", readFileSync(join(root, "page", "index.html"), "utf8").replaceAll(/\n\s*/gu, "\n"));
  files.set("page.css", readFileSync(join(root, "page", "style.css"), "utf8").replaceAll(/\s*\n\s*/gu, "\n"));
  files.set(
    "page-pdf-worker.js",
    readFileSync(join(root, "node_modules", "pdfjs-dist", "build", "pdf.worker.min.mjs")),
  );
  mkdirSync(folder, { recursive: true });
  const modules = output.flatMap((each) => (each.type === "chunk" ? each.moduleIds : []));
  const packages = modules.flatMap((id) => /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/u.exec(id)?.[1] ?? []);
  writeFileSync(join(folder, "LICENSES.txt"), licencesOf([...new Set(packages)].toSorted()));
  const parts = Map.groupBy([...files], ([name]) => apart[name] ?? "app");
  const sizes: Record<string, number> = {};
  for (const [part, own] of parts) {
    const entries = own.map(([name, content]) => {
      const zipped = gzipSync(content, { level: 9 });
      sizes[name] = zipped.length;
      return `  ${JSON.stringify(name)}: "${zipped.toString("base64")}",\n`;
    });
    const note = "// Made by scripts/build-page.ts: files of the page, compressed with gzip, in base64.\n";
    writeFileSync(join(folder, `${part}.mjs`), `${note}export const files = {\n${entries.join("")}};\n`);
  }
  return sizes;
}

/** The element in one file, and its engine in another, which it loads when a reader wants it. */
export async function buildElement(folder: string): Promise<PageSizes> {
  const sizes: Record<string, number> = {};
  const entries: string[] = [];
  for (const [name, source] of [
    ["ibid-search.js", "ibid-search.ts"],
    ["ibid-engine.js", "engine.ts"],
  ] as const) {
    const bundle = await rolldown({
      input: join(root, "page", "site", source),
      platform: "browser",
      // Secrets are found on Node, where documents are read.
      external: [/^@secretlint\//u],
      checks: { ineffectiveDynamicImport: false },
      plugins: [
        {
          name: "engine apart",
          resolveId: (id) => (id === "./engine.ts" ? { id: "./ibid-engine.js", external: true } : undefined),
        },
      ],
    });
    const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
    await bundle.close();
    const zipped = gzipSync(output[0].code, { level: 9 });
    sizes[name] = zipped.length;
    entries.push(`  ${JSON.stringify(name)}: "${zipped.toString("base64")}",\n`);
  }
  mkdirSync(folder, { recursive: true });
  const note = "// Made by scripts/build-page.ts: the element <ibid-search>, compressed with gzip, in base64.\n";
  writeFileSync(join(folder, "element.mjs"), `${note}export const files = {\n${entries.join("")}};\n`);
  return sizes;
}

/** The licences of packages whose code is in the page, as they ask. **Errors** for a package without one. */
function licencesOf(packages: readonly string[]): string {
  const texts = packages.map((name) => {
    const own = join(root, "node_modules", name);
    const file = readdirSync(own).find((each) => /^licen[cs]e/iu.test(each));
    const { version, license } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as Record<string, string>;
    if (file === undefined) throw new Error(`${name} has no file of its licence; find it in its repository.`);
    return `${name} ${version}, ${license}\n\n${readFileSync(join(own, file), "utf8").trim()}\n`;
  });
  return `The page of ibid has code of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

if (import.meta.main) {
  const target = process.argv[2] === "dist" ? "dist" : "src";
  const sizes = {
    ...(await buildPage(join(root, target, "server", "page", "built"))),
    ...(await buildElement(join(root, target, "knowledge-base", "site", "built"))),
  };
  for (const [name, size] of Object.entries(sizes))
    console.log(`${name.padEnd(24)} ${String(size).padStart(8)} bytes, gzip`);
}
