/** The order of the site's pages, by what a reader wants: to learn, to do, to look up, to understand. */

/** A folded group of the sidebar. Pages are paths in the repository. */
export interface Section {
  readonly label: string;
  readonly pages: readonly string[];
  /** Begins folded. */
  readonly collapsed?: boolean;
}

const guide = (name: string): string => `docs/guides/${name}.md`;

/** Pages that the sidebar lists. Other pages that these link to are part of the site too. */
export const sections: readonly Section[] = [
  { label: "Start", pages: ["README.md", "docs/limits.md", "docs/trade-offs.md", "docs/not-there-yet.md"] },
  { label: "Tutorials", pages: ["docs/tutorials/*.md"] },
  {
    label: "Build an application",
    pages: [
      ...["install", "choose-models", "nextjs", "ai-sdk", "frameworks", "serverless"].map(guide),
      ...["agents", "site-search", "types", "write-your-own-parts"].map(guide),
    ],
  },
  {
    label: "Run it",
    pages: [
      ...["deploy", "proxy", "keys-and-login", "migrate-to-postgres", "change-the-engine"].map(guide),
      ...["keep-up-to-date", "forget", "back-up", "upgrade", "monitor", "re-embed"].map(guide),
    ],
  },
  { label: "Make it better", pages: ["evaluate-quality", "refusals", "languages", "tables"].map(guide) },
  { label: "Coming from elsewhere", pages: ["docs/migrate/*.md"], collapsed: true },
  {
    label: "Reference",
    pages: [
      "docs/library.md",
      "docs/library/*.md",
      "docs/command-line.md",
      "docs/configuration.md",
      "docs/server.md",
      "docs/formats.md",
      "docs/chunking.md",
      "docs/stores.md",
      "docs/operations.md",
      "docs/history.md",
      "docs/stability.md",
      "CHANGELOG.md",
    ],
  },
  { label: "Reference from the code", pages: [], collapsed: true },
  { label: "Names by subpath", pages: [], collapsed: true },
  { label: "Errors", pages: ["docs/errors/*.md"], collapsed: true },
  {
    label: "Explanation",
    pages: [
      "docs/explanation/*.md",
      "docs/guarantees.md",
      "docs/principles.md",
      "docs/security.md",
      "docs/threat-model.md",
      "docs/benchmarks.md",
      "bench/RESULTS.md",
      "docs/seeds.md",
      "ARCHITECTURE.md",
      "CONTRIBUTING.md",
      "GLOSSARY.md",
      "docs/decisions/README.md",
    ],
  },
];

/**
 * Factors of scores by the beginning of an address. Generated reference and decisions repeat the words of the guides, and would stand above them.
 *
 * **Source** `npm run docs:search-quality`: docs/decisions/0220.
 */
export const searchWeights: Readonly<Record<string, number>> = {
  "api/": 0.6,
  "decisions/0": 0.6,
  "seeds/": 0.6,
  "reference/": 0.8,
  "bench/": 0.8,
  "changelog/": 0.8,
};

/** Address of a page below the site's base: `docs/errors/empty.md` is `errors/empty/`, and the README is the first page. */
export function addressOf(path: string): string {
  if (path === "README.md") return "";
  const plain = path
    .replace(/^docs\//u, "")
    .replace(/\.md$/u, "")
    .replace(/(?:^|\/)README$/u, "");
  return `${plain.toLowerCase()}/`;
}
