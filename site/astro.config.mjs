import { readFileSync } from "node:fs";
import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";

const sidebar = JSON.parse(readFileSync(new URL("src/sidebar.json", import.meta.url), "utf8"));
const base = process.env.IBID_SITE_BASE ?? "/";

export default defineConfig({
  base,
  trailingSlash: "always",
  integrations: [
    starlight({
      title: "ibid",
      description: "Retrieval-augmented generation in TypeScript: every answer leads back to its place.",
      pagefind: false,
      components: { Search: "./src/search.astro" },
      // A line that is too long is wrapped: a block that scrolls would need a place in the order of the keyboard.
      expressiveCode: { defaultProps: { wrap: true } },
      sidebar,
      lastUpdated: false,
      customCss: ["./src/site.css"],
    }),
  ],
});
