/** One way to build an application and to run what was built. */
export interface Build {
  readonly name: string;
  /** Builds of one project share an installation. */
  readonly project: string;
  readonly manifest?: object;
  readonly packages: readonly string[];
  /** Where the code that uses ibid lies in the project. */
  readonly probe: string;
  readonly files: Readonly<Record<string, string>>;
  readonly build: readonly (readonly string[])[];
  /** Taken to an empty folder, from where it runs: nothing else of the project is there. */
  readonly moved?: Readonly<Record<string, string>>;
  readonly start: readonly string[];
  readonly isServer?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** `"none"`: the tool leaves the worker's program behind, and nothing else of the package is there. Files are read in the process, with a warning. */
  readonly worker?: "none";
}

/** The folder of sources in an application. */
const source = "src";

const printing = 'import { probe } from "./probe.js";\nconsole.log(JSON.stringify(await probe()));\n';

const next = {
  project: "next",
  packages: ["next@16", "react@19", "react-dom@19"],
  probe: "probe.js",
  isServer: true,
} as const;
const nextFiles = (config: string) => ({
  "app/layout.jsx": "export default function Layout({ children }) { return <html><body>{children}</body></html>; }\n",
  "app/page.jsx": "export default function Page() { return <p>ibid</p>; }\n",
  "app/probe/route.js":
    'import { probe } from "../../probe.js";\nexport const dynamic = "force-dynamic";\nexport const GET = async () => Response.json(await probe());\n',
  "next.config.mjs": `export default ${config};\n`,
});

const bundles = { project: "bundlers", packages: ["esbuild@0.28", "rolldown@1", "tsx@4"], probe: "probe.js" } as const;
const main = { "main.js": printing, "main.ts": printing };

/** Every build of the matrix. */
export const builds: readonly Build[] = [
  {
    name: "esbuild, one file",
    ...bundles,
    files: main,
    build: [["npx", "esbuild", "main.js", "--bundle", "--platform=node", "--format=esm", "--outfile=out/one.mjs"]],
    moved: { "out/one.mjs": "one.mjs" },
    start: ["node", "one.mjs"],
    worker: "none",
  },
  {
    name: "esbuild, split",
    ...bundles,
    files: main,
    build: [
      [
        "npx",
        "esbuild",
        "main.js",
        "--bundle",
        "--platform=node",
        "--format=esm",
        "--splitting",
        "--outdir=out/split",
        "--out-extension:.js=.mjs",
      ],
    ],
    moved: { "out/split": "split" },
    start: ["node", "split/main.mjs"],
    worker: "none",
  },
  {
    name: "rolldown",
    ...bundles,
    files: main,
    build: [["npx", "rolldown", "main.js", "--platform=node", "--format=esm", "--dir=out/rolldown"]],
    moved: { "out/rolldown": "." },
    start: ["node", "main.js"],
    worker: "none",
  },
  { name: "tsx", ...bundles, files: main, build: [], start: ["npx", "tsx", "main.ts"] },
  {
    name: "next, turbopack",
    ...next,
    files: nextFiles("{}"),
    build: [["npx", "next", "build"]],
    start: ["npx", "next", "start", "-p", "PORT"],
  },
  {
    name: "next, standalone",
    ...next,
    files: nextFiles('{ output: "standalone" }'),
    build: [["npx", "next", "build"]],
    moved: { ".next/standalone": "." },
    start: ["node", "server.js"],
  },
  {
    name: "next, webpack",
    ...next,
    files: nextFiles("{}"),
    build: [["npx", "next", "build", "--webpack"]],
    start: ["npx", "next", "start", "-p", "PORT"],
  },
  {
    name: "nitro",
    project: "nitro",
    packages: ["nitropack@2"],
    probe: "probe.js",
    files: {
      "routes/probe.get.js":
        'import { probe } from "../probe.js";\nexport default defineEventHandler(() => probe());\n',
      "nitro.config.js": 'export default defineNitroConfig({ compatibilityDate: "2026-01-01" });\n',
    },
    build: [["npx", "nitropack", "build"]],
    moved: { ".output": "." },
    start: ["node", "server/index.mjs"],
    isServer: true,
    worker: "none",
  },
  {
    name: "nuxt",
    project: "nuxt",
    packages: ["nuxt@4"],
    probe: "server/probe.js",
    files: {
      "app/app.vue": "<template><p>ibid</p></template>\n",
      "server/routes/probe.get.js":
        'import { probe } from "../probe.js";\nexport default defineEventHandler(() => probe());\n',
      "nuxt.config.js": 'export default defineNuxtConfig({ compatibilityDate: "2026-01-01" });\n',
    },
    build: [["npx", "nuxt", "build"]],
    moved: { ".output": "." },
    start: ["node", "server/index.mjs"],
    isServer: true,
    worker: "none",
  },
  {
    name: "sveltekit, node adapter",
    project: "sveltekit",
    packages: ["@sveltejs/kit@3", "@sveltejs/adapter-node@6", "@sveltejs/vite-plugin-svelte", "svelte@5", "vite@8"],
    probe: `${source}/probe.js`,
    files: {
      [`${source}/app.html`]:
        "<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n",
      [`${source}/routes/+page.svelte`]: "<p>ibid</p>\n",
      [`${source}/routes/probe/+server.js`]:
        'import { json } from "@sveltejs/kit";\nimport { probe } from "../../probe.js";\nexport const GET = async () => json(await probe());\n',
      "vite.config.js":
        'import { sveltekit } from "@sveltejs/kit/vite";\nimport adapter from "@sveltejs/adapter-node";\nexport default { plugins: [sveltekit({ adapter: adapter() })] };\n',
    },
    build: [["npx", "vite", "build"]],
    start: ["node", "build"],
    isServer: true,
  },
  {
    name: "astro",
    project: "astro",
    packages: ["astro@7", "@astrojs/node@11"],
    probe: `${source}/probe.js`,
    files: {
      [`${source}/pages/index.astro`]: "<p>ibid</p>\n",
      [`${source}/pages/probe.js`]:
        'import { probe } from "../probe.js";\nexport const prerender = false;\nexport const GET = async () => Response.json(await probe());\n',
      "astro.config.mjs":
        'import node from "@astrojs/node";\nexport default { output: "server", adapter: node({ mode: "standalone" }) };\n',
    },
    build: [["npx", "astro", "build"]],
    start: ["node", "dist/server/entry.mjs"],
    isServer: true,
  },
  {
    name: "vite, ssr",
    project: "vite",
    packages: ["vite@8"],
    probe: "probe.js",
    files: { "main.js": printing },
    build: [["npx", "vite", "build", "--ssr", "main.js"]],
    start: ["node", "dist/main.js"],
  },
  {
    name: "vite, ssr with everything in it",
    project: "vite",
    packages: ["vite@8"],
    probe: "probe.js",
    files: { "main.js": printing, "vite.config.js": "export default { ssr: { noExternal: true } };\n" },
    build: [["npx", "vite", "build", "--ssr", "main.js"]],
    moved: { dist: "." },
    start: ["node", "main.js"],
    worker: "none",
  },
  {
    name: "react router",
    project: "react-router",
    packages: [
      "react-router@8.4.0",
      "@react-router/dev@8.4.0",
      "@react-router/node@8.4.0",
      "@react-router/serve@8.4.0",
      "isbot@5",
      "react@19",
      "react-dom@19",
      "vite@8",
    ],
    probe: "app/probe.js",
    files: {
      "app/root.jsx":
        'import { Outlet, Scripts } from "react-router";\nexport default function Root() { return <html><body><Outlet /><Scripts /></body></html>; }\n',
      "app/routes.js":
        'import { route } from "@react-router/dev/routes";\nexport default [route("probe", "routes/probe.js")];\n',
      "app/routes/probe.js":
        'import { probe } from "../probe.js";\nexport const loader = async () => Response.json(await probe());\n',
      "vite.config.js":
        'import { reactRouter } from "@react-router/dev/vite";\nexport default { plugins: [reactRouter()] };\n',
    },
    build: [["npx", "react-router", "build"]],
    start: ["npx", "react-router-serve", "build/server/index.js"],
    isServer: true,
  },
  {
    name: "bun",
    project: "bun",
    packages: ["bun@1"],
    probe: "probe.js",
    files: { "main.js": printing },
    build: [["node", "node_modules/bun/install.js"]],
    start: ["npx", "bun", "main.js"],
  },
  {
    name: "deno",
    project: "deno",
    packages: ["deno@2"],
    probe: "probe.js",
    files: { "main.js": printing },
    build: [],
    start: ["npx", "deno", "run", "--allow-all", "--node-modules-dir=manual", "main.js"],
  },
];
