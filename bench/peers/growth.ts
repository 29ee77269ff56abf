// How time and memory grow with the number of passages, out of the figures that the other works made.
import { count, milliseconds, type Section, type Table } from "./bench.ts";

/** As `toFigures` writes it. */
interface Figure {
  readonly name: string;
  readonly count: number;
  readonly indexMs: number;
  readonly memory: number;
  readonly disk: number;
  readonly query: { readonly p50: number; readonly p95: number };
}

/** **Shape** `undefined` when there is only one size to look at. */
export function describeGrowth(sections: ReadonlyMap<string, Section>): Section | undefined {
  const tables = ["exact", "bm25"].flatMap((work) => {
    const section = sections.get(work);
    if (section === undefined) return [];
    const figures = (section.figures as Figure[][]).flat().filter(({ name }) => name !== "bandwidth");
    const sizes = [...new Set(figures.map((figure) => figure.count))].sort((a, b) => a - b);
    if (sizes.length < 2) return [];
    return [
      growthTable(`${section.title}: p50 / p95, ms`, figures, sizes, ({ query }) =>
        [query.p50, query.p95].map(milliseconds).join(" / "),
      ),
      growthTable(`${section.title}: indexing, µs per passage`, figures, sizes, ({ indexMs, count: size }) =>
        ((indexMs * 1000) / size).toFixed(1),
      ),
      growthTable(
        `${section.title}: memory and disk, bytes per passage`,
        figures,
        sizes,
        ({ memory, disk, count: size }) =>
          [memory, disk].map((bytes) => (bytes < 8192 ? "–" : count(Math.round(bytes / size)))).join(" / "),
      ),
    ];
  });
  if (tables.length === 0) return undefined;
  return { title: "Growth", about: "The same figures, by number of passages.", tables, bars: [], figures: null };
}

function growthTable(
  title: string,
  figures: readonly Figure[],
  sizes: readonly number[],
  show: (figure: Figure) => string,
): Table {
  const names = [...new Set(figures.map(({ name }) => name))];
  return {
    title,
    columns: ["", ...sizes.map(count)],
    rows: names.map((name) => [
      name,
      ...sizes.map((size) => {
        const figure = figures.find((each) => each.name === name && each.count === size);
        return figure === undefined ? "" : show(figure);
      }),
    ]),
  };
}
