const cities = ["Lisbon", "Porto", "Kiel", "Bergen", "Turku", "Ghent", "Lyon", "Nice", "Graz", "Linz"] as const;
const managers = ["Ana Silva", "Bo Holm", "Cem Kaya", "Dee Marsh", "Eli Roth", "Fay Berg", "Gus Lund"] as const;

export interface Office {
  readonly office: string;
  readonly manager: string;
  readonly opened: number;
  readonly desks: number;
}

/** A table of 200 rows. No number of desks is a year, and no two neighbours have the same manager. */
export const offices: readonly Office[] = Array.from({ length: 200 }, (_, i) => ({
  office: `${cities[i % 10]!} ${Math.floor(i / 10) + 1}`,
  manager: managers[i % 7]!,
  opened: 1980 + ((i * 13) % 40),
  desks: 100 + ((i * 37) % 211),
}));

export const officeColumns = ["office", "manager", "opened", "desks"] as const;

export const cellsOf = (one: Office): readonly string[] => officeColumns.map((name) => String(one[name]));

/** Two true claims about an office, two with facts of another one, and one with a number of its row under another name. */
export function claimsAbout({ office, manager, opened, desks }: Office): readonly string[] {
  const other = offices.find((each) => each.manager !== manager && each.desks !== desks)!;
  return [
    `The manager of the office ${office} is ${manager}.`,
    `The office ${office} has ${desks} desks.`,
    `The manager of the office ${office} is ${other.manager}.`,
    `The office ${office} has ${other.desks} desks.`,
    `The office ${office} has ${opened} desks.`,
  ];
}
