import { readdirSync, readFileSync } from "node:fs";

import { expect, it } from "vitest";

const folder = new URL("../../docs/decisions/", import.meta.url);

it("the list of decisions has each page once, in the order of their numbers", () => {
  const pages = readdirSync(folder).filter((name) => /^\d{4}-/u.test(name));
  const list = readFileSync(new URL("README.md", folder), "utf8");
  const links = Array.from(list.matchAll(/^- \[(\d{4}): [^\]]+\]\((\1-[\w-]+\.md)\)$/gmu), ([, , page]) => page);
  expect(links).toEqual(pages.toSorted());
});
