import { computed, signal } from "@preact/signals";
import type { PlaceLabels } from "../src/contracts/document.ts";
import type { Replaced } from "../src/contracts/retriever.ts";
import { type Catalogue, en } from "./catalogue/en.ts";

/** The caller, as `GET /session` says. */
export interface Session {
  readonly name: string;
  readonly operator: boolean;
  readonly write: boolean;
  readonly needsKey: boolean;
  readonly login: boolean;
  readonly threads: boolean;
  readonly originals: boolean;
  readonly maxUploadBytes: number;
  readonly manual: boolean;
}

/** A place of a document. */
export interface Place extends PlaceLabels {
  readonly uri: string;
  readonly scope?: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly title?: string | undefined;
  readonly documentId?: string | undefined;
  /** Hash of the bytes that were cited. */
  readonly contentHash?: string | undefined;
  readonly marker?: string | undefined;
  /** Whether the document has changed since, and whether the cited words are no longer at their place. */
  readonly changed?: boolean | undefined;
  readonly gone?: boolean | undefined;
  /** Time of the version that is shown; the present one without it. */
  readonly asOf?: string | undefined;
  readonly replaced?: Replaced | undefined;
  readonly headings?: readonly string[] | undefined;
}

/* ---- addresses: every screen is one level deep, so that relative addresses hold below any base path ---- */

export interface Route {
  readonly screen: string;
  readonly query: URLSearchParams;
  readonly hash: URLSearchParams;
}

function readRoute(): Route {
  const screen = location.pathname.split("/").at(-1) ?? "";
  return { screen, query: new URLSearchParams(location.search), hash: new URLSearchParams(location.hash.slice(1)) };
}

export const route = signal<Route>(readRoute());
addEventListener("popstate", () => {
  route.value = readRoute();
  // Back, on a phone, closes the place that has the whole window.
  if (openPlace.value?.isEntry === true && !isPlaceEntry()) openPlace.value = undefined;
});
addEventListener("hashchange", () => (route.value = readRoute()));

/** Goes to a screen of the page; `replace` keeps the history as long as it is. */
export function go(address: string, { replace = false } = {}): void {
  const target = new URL(address, location.href);
  if (replace) history.replaceState(history.state, "", target);
  else history.pushState(null, "", target);
  route.value = readRoute();
  if (!replace) scrollTo(0, 0);
}

/** Props of a link within the page: its address works in another tab, and is followed here without loading the page anew. */
export function link(address: string): { readonly href: string; readonly onClick: (event: MouseEvent) => void } {
  return {
    href: address,
    onClick(event) {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      go(address);
    },
  };
}

export function documentAddress({
  uri,
  scope,
  start,
  end,
  version,
  asOf,
}: {
  uri: string;
  scope?: string | undefined;
  start?: number;
  end?: number;
  /** Hash of the bytes that the place is one of: a later reader learns that they have changed. */
  version?: string | undefined;
  asOf?: string | undefined;
}): string {
  const query = new URLSearchParams({ uri });
  if (scope !== undefined) query.set("scope", scope);
  if (start !== undefined && end !== undefined) query.set("at", `${start}:${end}`);
  if (version !== undefined) query.set("v", version.slice(0, 16));
  if (asOf !== undefined) query.set("asOf", asOf);
  return `d?${query}`;
}

/* ---- settings that stay in this browser ---- */

export function readKept(name: string): string | undefined {
  try {
    return localStorage.getItem(`ibid-${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}
export function keep(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`ibid-${name}`);
    else localStorage.setItem(`ibid-${name}`, value);
  } catch {
    // A browser that keeps nothing forgets the setting.
  }
}

export const session = signal<Session | undefined>(undefined);
/** Why the service asks for a key; `undefined` when it asks for none. */
export const locked = signal<"missing" | "unknown" | undefined>(undefined);
/** Whether people sign in at a provider, also after their session has ended. */
export const hasLogin = signal(false);
export const theme = signal(readKept("theme") ?? "system");
/** The rule of an answer: always one, one whose sentences carry verdicts, or supported sentences alone. */
export const groundings = {
  permissive: "groundingPermissive",
  preferred: "groundingPreferred",
  strict: "groundingStrict",
} as const;
const isGrounding = (name: string): name is keyof typeof groundings => Object.hasOwn(groundings, name);
const keptGrounding = readKept("grounding") ?? "";
export const grounding = signal<keyof typeof groundings>(isGrounding(keptGrounding) ? keptGrounding : "preferred");
export const singleKeys = signal(readKept("keys") !== "off");
/** Shares of the window that the panel of a place may have. **Units** percent. */
export const panelWidths = { least: 25, usual: 46, most: 70 } as const;
const inBounds = (percent: number): number => Math.min(panelWidths.most, Math.max(panelWidths.least, percent));
export const panelWidth = signal(inBounds(Number(readKept("panel")) || panelWidths.usual));
export function resizePanel(percent: number): void {
  panelWidth.value = Math.round(inBounds(percent));
  keep("panel", panelWidth.value === panelWidths.usual ? undefined : String(panelWidth.value));
}
export const openPlace = signal<
  | {
      readonly places: readonly Place[];
      readonly index: number;
      /** Turn and number of the source, for the address. */ readonly source?: string;
      /** Whether it is an entry of the history. */
      readonly isEntry?: true;
    }
  | undefined
>(undefined);
/** Whether the entry of the history that is shown is that of an open place. */
export const isPlaceEntry = (): boolean => (history.state as { readonly isPlace?: true } | null)?.isPlace === true;
/** Windows in which a place covers the screen below it. The rule of the style sheet has the same width. */
const isNarrow = (): boolean => matchMedia("(max-width: 44rem)").matches;

/** Opens a place; `address` names it. In a narrow window it is an entry of the history, so that Back closes it. */
export function showPlace(open: NonNullable<typeof openPlace.value>, address?: string): void {
  const before = openPlace.peek();
  // A question that is on its way gets an address of its own first.
  const isKept = address !== undefined || route.peek().screen !== "" || session.peek()?.threads !== true;
  const isEntry = before === undefined ? isNarrow() && isKept : before.isEntry === true;
  openPlace.value = { ...open, ...(isEntry && { isEntry }) };
  if (before === undefined && isEntry) {
    history.pushState({ isPlace: true }, "", new URL(address ?? location.href, location.href));
    route.value = readRoute();
  } else if (address !== undefined) go(address, { replace: true });
}

export function closePlace(): void {
  if (openPlace.peek()?.isEntry === true && isPlaceEntry()) return history.back();
  openPlace.value = undefined;
  if (route.value.hash.has("source")) go(location.pathname.split("/").at(-1) + location.search, { replace: true });
}

/** One sentence for screen readers. */
export const announced = signal("");
/** Grows when documents have come or gone. */
export const libraryVersion = signal(0);

/* ---- words ---- */

export const languages = { en: "English", de: "Deutsch", ar: "العربية" } as const;
export type Language = keyof typeof languages;
const isLanguage = (name: string): name is Language => Object.hasOwn(languages, name);

function preferred(): Language {
  const asked = new URLSearchParams(location.search).get("lang") ?? readKept("language");
  for (const name of [asked ?? "", ...navigator.languages]) {
    const [own = ""] = name.split("-");
    if (isLanguage(own)) return own;
  }
  return "en";
}

export const language = signal<Language>("en");
const catalogue = signal<Catalogue>(en);
export const isRightToLeft = computed(() => language.value === "ar");

export async function useLanguage(name: Language): Promise<void> {
  if (name === "de") catalogue.value = (await import("./catalogue/de.ts")).de;
  else if (name === "ar") catalogue.value = (await import("./catalogue/ar.ts")).ar;
  else catalogue.value = en;
  language.value = name;
  document.documentElement.lang = name;
  document.documentElement.dir = name === "ar" ? "rtl" : "ltr";
}
export const startLanguage = (): Promise<void> => useLanguage(preferred());

const formatters = new Map<string, unknown>();
/** A formatter that is made once: making one takes longer than a row of the library. */
function formatter<Made>(name: string, make: () => Made): Made {
  if (!formatters.has(name)) formatters.set(name, make());
  return formatters.get(name) as Made;
}

/** A message in the reader's language; `n` chooses its plural. */
export function t(key: keyof Catalogue, values: Readonly<Record<string, string | number>> = {}): string {
  const message = catalogue.value[key];
  const own = language.value;
  const ruleOf = (n: number) => formatter(`${own} plural`, () => new Intl.PluralRules(own)).select(n);
  const form = typeof message === "string" ? message : (message[ruleOf(Number(values["n"] ?? 0))] ?? message.other);
  return form.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
    const value = values[name];
    return typeof value === "number"
      ? formatter(`${own} number`, () => new Intl.NumberFormat(own)).format(value)
      : (value ?? "");
  });
}

export const bytesText = (bytes: number): string => {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const power = Math.min(3, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const unit = units[power]!;
  const own = language.value;
  return formatter(
    `${own} ${unit}`,
    () =>
      new Intl.NumberFormat(own, {
        style: "unit",
        unit,
        unitDisplay: power === 0 ? "long" : "short",
        maximumFractionDigits: power > 1 ? 1 : 0,
      }),
  ).format(bytes / 1000 ** power);
};
/** The reader's own form of the language of the page, such as `en-GB`, where the browser names one. */
const locale = (): string =>
  navigator.languages.find((name) => name.split("-")[0] === language.value) ?? language.value;
const timeText = (iso: string, timeStyle?: "short"): string => {
  const own = locale();
  return formatter(
    `${own} time ${timeStyle ?? ""}`,
    () => new Intl.DateTimeFormat(own, { dateStyle: "medium", timeStyle }),
  ).format(new Date(iso));
};
export const momentText = (iso: string): string => timeText(iso, "short");
export const dateText = (iso: string): string => timeText(iso);
