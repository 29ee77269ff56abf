/**
 * 70 generated reports of 12 pages, whose names carry company and year, and 100 questions. A third of these use another word than the page.
 */
import type { TextDocument } from "../src/contracts/document.ts";

const companies = "Alder Birch Cedar Damson Elm Fir Gorse Hazel Ivy Juniper Larch Maple Nettle Oak".split(" ");
const years = [2018, 2019, 2020, 2021, 2022];

/** The word of the page, and another one for the same. */
const topics: readonly (readonly [said: string, asked: string])[] = [
  ["net sales", "turnover"],
  ["cost of goods sold", "production costs"],
  ["employees", "headcount"],
  ["capital expenditures", "investments in plant"],
  ["long-term debt", "borrowings"],
  ["inventories", "stock on hand"],
  ["dividends", "payout to owners"],
  ["income taxes", "levies"],
  ["research and development", "innovation spending"],
  ["operating leases", "rentals"],
  ["goodwill", "acquisition premium"],
  ["accounts receivable", "outstanding invoices"],
];

/** Synonyms of the other words, as a list. */
export const list = topics.map(([said, asked]) => `${asked} => ${said}`).join("\n");

/** **Source** Mulberry32: the same reports in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = createRandom(17);
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;

const fillers = [
  "The figures are audited and follow the same accounting standards as in the years before, unless a note says otherwise.",
  "Management reviews this position every quarter and reports on it to the committee that the board has appointed.",
  "Amounts are rounded, so that sums in the tables may differ in their last digit from the sums of what is shown.",
  "Forward-looking statements are subject to risks, and the results of later periods may differ from them materially.",
];

function pageText([said]: readonly [string, string], company: string, year: number): string {
  const amount = (): string => `$${Math.floor(random() * 9000 + 1000)} million`;
  const others = [pick(topics)[0], pick(topics)[0]];
  return [
    `The ${said} of the company were ${amount()} in fiscal ${year}, against ${amount()} in ${year - 1}.`,
    `The change in ${said} follows from prices, volumes and exchange rates in each region.`,
    `${company} expects that the level will ${pick(["rise", "fall", "stay"])} in the coming year.`,
    ...Array.from({ length: 6 }, () => pick(fillers)),
    `See also the notes on ${others.join(" and on ")}, and the statement of risks.`,
  ].join(" ");
}

function createReport(company: string, year: number): TextDocument {
  const uri = `${company.toLowerCase()}-works-${year}.pdf`;
  const parts: string[] = [];
  const pages: { number: number; start: number }[] = [];
  let length = 0;
  for (const [i, topic] of topics.entries()) {
    const text = `${pageText(topic, company, year)}\n\n`;
    pages.push({ number: i + 1, start: length });
    parts.push(text);
    length += text.length;
  }
  const text = parts.join("");
  const children = pages.map(({ number, start }, i) => ({
    id: String(number),
    title: "",
    level: 1,
    start,
    contentStart: start,
    end: pages[i + 1]?.start ?? text.length,
    children: [],
  }));
  const title = `${company} Works ${year}`;
  return {
    type: "text",
    id: uri,
    uri,
    title,
    mediaType: "application/pdf",
    text,
    metadata: {},
    origin: "user-content",
    root: { id: "0", title, level: 0, start: 0, contentStart: 0, end: text.length, children },
    sourceMap: { lines: "none", pages },
  };
}

export const reports = companies.flatMap((company) => years.map((year) => createReport(company, year)));

export interface Question {
  readonly text: string;
  readonly uri: string;
  readonly page: number;
  /** Whether it uses another word than the page. */
  readonly other: boolean;
}

export const questions = Array.from({ length: 100 }, (_, i): Question => {
  const [company, year, at] = [pick(companies), pick(years), Math.floor(random() * topics.length)];
  const [said, asked] = topics[at]!;
  const other = i % 3 === 0;
  const text = `How much were the ${other ? asked : said} of ${company} Works in ${year}?`;
  return { text, uri: `${company.toLowerCase()}-works-${year}.pdf`, page: at + 1, other };
});

/** Whether a stretch of a document lies on the page that a question asks for. */
export function isOnPage(
  { uri, page }: Question,
  source: { readonly uri: string; readonly start: number; readonly end: number },
): boolean {
  const { pages = [] } = reports.find((report) => report.uri === uri)!.sourceMap;
  const [from, to = Infinity] = [pages[page - 1]!.start, pages[page]?.start];
  return source.uri === uri && source.start < to && source.end > from;
}
