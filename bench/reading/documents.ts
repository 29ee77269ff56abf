/** Documents of headings, paragraphs, lists, tables and code, in no format: what a file of any format should be read as. */
export type Part =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[]; readonly ordered?: boolean }
  | { readonly kind: "code"; readonly lines: readonly string[] }
  | {
      readonly kind: "table";
      readonly header?: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

/** One document. Its first part is its title, a heading of level 1. */
export interface Sample {
  readonly name: string;
  readonly title: string;
  readonly parts: readonly Part[];
}

const sentences = [
  "The harbour office keeps a record of every vessel that enters between dusk and dawn.",
  "Each entry names the vessel, its draught, the pilot on board and the berth that was given.",
  "A berth that stands empty for more than two tides is offered to the next vessel on the list.",
  "Pilots who board in heavy weather report the height of the swell before they leave the bridge.",
  "The tariff changes twice a year, in April and in October, after a hearing of the users.",
  "Fees are due within thirty days; a reminder is sent after ten more.",
  "Crane drivers work in pairs, and a third person stands where both can see the hook.",
  "Nothing is lifted over the walkway while people are on it.",
  "The old lighthouse still burns, although its lens was replaced in 1974.",
  "A diver examines the gates of the lock once a year, in the week after Easter.",
  "Dredging keeps the channel at nine metres, measured from the lowest tide of the year.",
  "Small craft wait outside the breakwater until the signal on the mole turns green.",
  "The weather station measures wind, pressure and the temperature of the water every ten minutes.",
  "Complaints about noise are answered within a week, and the answer is published.",
  "Cargo that may burn is kept in shed seven, apart from everything else.",
  "Two tugs are on call at night; a third one needs an hour of notice.",
  "The customs officer may open any container, and signs the new seal in front of a witness.",
  "Waste water is pumped to the works behind the station and never into the basin.",
];

/** Sentences from a number on, so that no two paragraphs are the same. */
const prose = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => sentences[(from * 7 + i * 5) % sentences.length]).join(" ");

const heading = (level: number, text: string): Part => ({ kind: "heading", level, text });
const paragraph = (from: number, count = 4): Part => ({ kind: "paragraph", text: prose(from, count) });

export const samples: readonly Sample[] = [
  {
    name: "report",
    title: "Annual Report of the Harbour",
    parts: [
      heading(1, "Annual Report of the Harbour"),
      paragraph(1),
      heading(2, "Traffic"),
      paragraph(2, 5),
      heading(3, "Vessels by quarter"),
      paragraph(3, 2),
      {
        kind: "table",
        header: ["Quarter", "Arrivals", "Departures", "Tonnage"],
        rows: [
          ["First", "412", "409", "1,204,550"],
          ["Second", "498", "501", "1,377,012"],
          ["Third", "533", "530", "1,498,733"],
          ["Fourth", "377", "380", "1,102,418"],
        ],
      },
      paragraph(4, 3),
      heading(3, "Delays"),
      paragraph(5, 6),
      heading(2, "Finance"),
      paragraph(6, 3),
      {
        kind: "table",
        header: ["Item", "Budget", "Actual", "Difference", "Remark"],
        rows: [
          ["Harbour dues", "2,400", "2,512", "112", "More long vessels"],
          ["Pilotage", "980", "944", "-36", "Two pilots ill"],
          ["Leases", "1,150", "1,150", "0", "Unchanged"],
          ["Dredging", "-700", "-815", "-115", "Storm in January"],
        ],
      },
      heading(2, "Outlook"),
      paragraph(7, 5),
    ],
  },
  {
    name: "manual",
    title: "Crane Operator Manual",
    parts: [
      heading(1, "Crane Operator Manual"),
      paragraph(11, 3),
      heading(2, "Before the shift"),
      {
        kind: "list",
        ordered: true,
        items: [
          "Walk around the crane and look at the rails.",
          "Test the brakes without load.",
          "Report to the tower.",
        ],
      },
      paragraph(12, 3),
      heading(2, "Lifting"),
      heading(3, "Loads"),
      paragraph(13, 4),
      {
        kind: "table",
        rows: [
          ["Greatest load", "40 t"],
          ["Greatest reach", "52 m"],
          ["Greatest wind", "20 m/s"],
          ["Power supply", "6.6 kV"],
        ],
      },
      heading(3, "Signals"),
      { kind: "list", items: ["One arm up: hoist.", "One arm down: lower.", "Both arms out: stop at once."] },
      heading(2, "Control program"),
      paragraph(14, 2),
      { kind: "code", lines: ["state = read_load_cell()", "if state.tonnes > 40:", "    stop(reason='overload')"] },
      paragraph(15, 3),
    ],
  },
  {
    name: "minutes",
    title: "Minutes of the Users' Meeting",
    parts: [
      heading(1, "Minutes of the Users' Meeting"),
      {
        kind: "table",
        rows: [
          ["Date", "14 March 2025"],
          ["Place", "Pilots' house, second floor"],
          ["Chair", "Ingrid Solheim"],
          ["Minutes", "Tomas Wirth"],
        ],
      },
      heading(2, "Item 1: Tariff"),
      paragraph(21, 4),
      heading(2, "Item 2: Night work"),
      paragraph(22, 3),
      { kind: "list", items: ["Lamps are lowered after ten.", "Trucks wait at the north gate."] },
      heading(2, "Item 3: Decisions"),
      {
        kind: "table",
        header: ["No.", "Decision", "Who", "Until"],
        rows: [
          ["1", "Publish the new tariff on the notice board", "Wirth", "1 April"],
          ["2", "Ask the town for a second crossing", "Solheim", "30 June"],
          ["3", "Measure the noise at the school", "Baker", "15 May"],
        ],
      },
      paragraph(23, 2),
    ],
  },
  {
    name: "article",
    title: "Silting of Tidal Basins",
    parts: [
      heading(1, "Silting of Tidal Basins"),
      heading(2, "Abstract"),
      paragraph(31, 5),
      heading(2, "1 Introduction"),
      paragraph(32, 7),
      paragraph(33, 5),
      heading(2, "2 Method"),
      heading(3, "2.1 Samples"),
      paragraph(34, 5),
      {
        kind: "table",
        header: ["Station", "Depth (m)", "Sand (%)", "Silt (%)", "Clay (%)"],
        rows: [
          ["A1", "4.2", "61.0", "28.5", "10.5"],
          ["A2", "5.8", "44.1", "39.7", "16.2"],
          ["B1", "7.7", "22.9", "51.3", "25.8"],
          ["B2", "9.0", "18.4", "", "28.8"],
          ["C1", "3.1", "70.2", "21.6", "8.2"],
        ],
      },
      heading(3, "2.2 Model"),
      paragraph(35, 6),
      heading(2, "3 Results"),
      paragraph(36, 6),
      heading(2, "4 Discussion"),
      paragraph(37, 7),
      heading(2, "References"),
      {
        kind: "list",
        ordered: true,
        items: ["Hjort, A. (1998). Mud and money.", "Ruiz, P. (2011). The tidal prism revisited."],
      },
    ],
  },
  {
    name: "agreement",
    title: "Lease of a Berth",
    parts: [
      heading(1, "Lease of a Berth"),
      paragraph(41, 2),
      heading(2, "Definitions"),
      {
        kind: "table",
        header: ["Term", "Meaning"],
        rows: [
          ["Berth", "The place at quay 4 between bollards 11 and 19"],
          ["Lessee", "Nordic Timber Ltd"],
          ["Rent", "4,800 a month, due on the first working day"],
        ],
      },
      heading(2, "Obligations"),
      heading(3, "Of the harbour"),
      paragraph(42, 4),
      { kind: "list", items: ["Water and power at the quay.", "A gate that opens at any hour."] },
      heading(3, "Of the lessee"),
      paragraph(43, 5),
      heading(2, "Term and end"),
      paragraph(44, 4),
      heading(2, "Signatures"),
      paragraph(45, 1),
    ],
  },
];

/** Workbooks: a name and rows for each sheet; the first row holds the names of the columns. */
export const workbooks: readonly {
  readonly name: string;
  readonly sheets: readonly { readonly name: string; readonly rows: readonly (readonly (string | number)[])[] }[];
}[] = samples.map(({ name, parts }, index) => ({
  name: `${name}-tables`,
  sheets: [
    ...parts.flatMap((part, at) =>
      part.kind === "table" && part.header !== undefined
        ? [{ name: `Table ${at}`, rows: [part.header, ...part.rows].map((row) => row.map(numberOf)) }]
        : [],
    ),
    {
      name: "Stock",
      rows: [
        ["Article", "Shelf", "Count", "Price"],
        ...["Rope", "Buoy", "Lamp", "Paint", "Chain", "Hook"].map((article, row) => [
          article,
          `S${index + 1}${row}`,
          (row + 3) * (index + 7),
          (row + 1) * 2.5 + index,
        ]),
      ],
    },
  ],
}));

function numberOf(cell: string): string | number {
  return /^-?\d+(?:\.\d+)?$/u.test(cell) && String(Number(cell)) === cell ? Number(cell) : cell;
}

/** Presentations: a title and lines for each slide, and a table on some. */
export const presentations: readonly {
  readonly name: string;
  readonly slides: readonly {
    readonly title: string;
    readonly lines: readonly string[];
    readonly table?: readonly (readonly string[])[];
  }[];
}[] = samples.map(({ name, title, parts }) => ({
  name: `${name}-slides`,
  slides: [
    { title, lines: ["Harbour office", "Spring 2025"] },
    ...parts.flatMap((part, at) => {
      if (part.kind !== "heading" || at === 0) return [];
      const rest = parts.slice(at + 1);
      const own = rest.slice(0, [...rest.map(({ kind }) => kind), "heading"].indexOf("heading"));
      const table = own.find((each) => each.kind === "table");
      const lines = own.flatMap((each) =>
        each.kind === "paragraph" ? [each.text.split(". ", 1)[0] ?? ""] : each.kind === "list" ? each.items : [],
      );
      return [
        { title: part.text, lines, ...(table && { table: [...(table.header ? [table.header] : []), ...table.rows] }) },
      ];
    }),
  ],
}));

/** Forms: labels with their values. */
export const forms: readonly { readonly name: string; readonly fields: readonly (readonly [string, string])[] }[] = [
  ["visit", "Aurora Lindqvist", "Kestrel of Wick", "12 passengers"],
  ["claim", "Mateusz Zielinski", "Broken fender", "1,250.40 EUR"],
  ["permit", "Olamide Adeyemi", "Welding on deck", "From 8 to 11 o'clock"],
  ["survey", "Hanne Brekke", "Satisfied", "More lamps at gate three"],
  ["order", "Chandlery Voss", "Forty metres of hawser", "Deliver before Friday"],
].map(([name = "", ...values]) => ({
  name: `${name}-form`,
  fields: ["Name", "Subject", "Details"].map((label, index) => [label, values[index] ?? ""] as const),
}));
