import type { PlaceLabels } from "../../contracts/document.ts";
import type { JsonSchema, StandardJsonSchema } from "../../contracts/schema.ts";
import type { Scope } from "../../contracts/scope.ts";
import { asTitle, showAddress } from "./format-results.ts";

/** Makes the schema of a tool's result. **Shape** further keys are allowed; those that are listed are there. */
export function toolOutput(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
): StandardJsonSchema {
  const schema = { type: "object", properties, required };
  const jsonSchema = (): Record<string, unknown> => structuredClone(schema);
  return {
    "~standard": {
      version: 1,
      vendor: "ibid",
      jsonSchema: { input: jsonSchema, output: jsonSchema },
      validate: (value) => ({ value }),
    },
  };
}

export const text: JsonSchema = { type: "string" };
export const count: JsonSchema = { type: "integer", minimum: 0 };
const seconds: JsonSchema = { type: "number", minimum: 0 };
/** See {@link Quotation.header}. */
export const header: JsonSchema = {
  type: "object",
  description: "Header row of the table in whose body the quote begins.",
  properties: { quote: text, start: count, end: count },
  required: ["quote", "start", "end"],
};

/** The names of a place, for every result that has one. */
export const placeProperties: Readonly<Record<string, JsonSchema>> = {
  uri: { type: "string", description: "Address of the document." },
  url: { type: "string", description: "Opens the marked place, where there is a page for it; else the uri." },
  title: text,
  headings: { type: "array", items: text, description: "Titles of the sections around it, outermost first." },
  start: { ...count, description: "In the document's text, in UTF-16 code units." },
  end: count,
  page: { ...count, description: "From 1." },
  lastPage: { ...count, description: "Page of its end, where that is a later one." },
  line: { ...count, description: "From 1." },
  slide: count,
  time: {
    type: "object",
    description: "When it is said, in seconds.",
    properties: { start: seconds, end: seconds },
    required: ["start", "end"],
  },
  sheet: text,
  cells: text,
  part: text,
};

/** A list of objects with places. */
export function placesOf(more: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  const properties = { ...more, ...placeProperties };
  return {
    type: "array",
    items: { type: "object", properties, required: ["uri", "url", "start", "end", ...required] },
  };
}

interface Place extends PlaceLabels {
  readonly uri: string;
  readonly scope?: Scope | undefined;
  readonly title?: string | undefined;
  readonly headings?: readonly string[] | undefined;
  readonly start: number;
  readonly end: number;
}

const labels = ["page", "lastPage", "line", "slide", "time", "sheet", "cells", "part"] as const;

/** A place for programs: see {@link placeProperties}. `page` is the address of a page that opens places. */
export function showPlace(place: Place, page: string | undefined): Readonly<Record<string, unknown>> {
  const { uri, title, headings, start, end } = place;
  return {
    uri: showAddress(uri),
    url: linkTo(place, page),
    ...(title !== undefined && { title: asTitle(title) }),
    ...(headings !== undefined && { headings: headings.map(asTitle) }),
    start,
    end,
    ...Object.fromEntries(labels.flatMap((name) => (place[name] === undefined ? [] : [[name, place[name]]]))),
  };
}

/** A place, or a document as a whole. */
type Linked = Pick<Place, "uri" | "scope"> & Partial<Pick<Place, "start" | "end">>;

/** The address that opens a place in the page of the service, marked, or a document from its beginning. **Shape** the uri without such a page. */
export function linkTo({ uri, scope, start, end }: Linked, page: string | undefined): string {
  if (page === undefined) return showAddress(uri);
  const at = new URLSearchParams({ uri, ...(scope !== undefined && { scope }) });
  if (start !== undefined && end !== undefined) at.set("at", `${start}:${end}`);
  return `${page.replace(/\/+$/u, "")}/#${at.toString()}`;
}
