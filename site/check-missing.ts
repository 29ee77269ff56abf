import { chromium } from "playwright-core";
import { chromiumSwitches, findChromium } from "../scripts/browser/find-chromium.ts";

/** Asks for a page that is not there, searches on the page that comes in its place, and follows the first result. **Shape** a line for each failure. */
export async function checkMissing(address: string): Promise<readonly string[]> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error("There is no Chromium. Install it, or say in IBID_CHROMIUM where it is.");
  const browser = await chromium.launch({ executablePath, args: [...chromiumSwitches] });
  try {
    const page = await browser.newPage();
    const status = (await page.goto(`${address}nothing/here`))?.status();
    const search = page.locator("main ibid-search");
    if (status !== 404 || (await search.count()) !== 1)
      return [`missing: /nothing/here answers ${status} with ${await search.count()} searches`];
    await search.getByRole("button").first().click();
    await search.locator("input").fill("How do I install it?");
    await search.locator("input").press("Enter");
    await search.locator(".pages a").first().waitFor();
    const link = await search.locator(".pages a").first().getAttribute("href");
    const next = await page.goto(new URL(link ?? "", page.url()).href);
    const [heading] = await page.locator("h1").allTextContents();
    console.log(`missing /nothing/here answers 404 with a search, whose first page is "${heading}"`);
    return next?.status() === 200 ? [] : [`missing: ${link} answers ${next?.status()}`];
  } finally {
    await browser.close();
  }
}
