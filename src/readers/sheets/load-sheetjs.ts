import { join } from "node:path";
import { findPackage, loadModule } from "../../runtime/packages.ts";

import { IbidError } from "../../contracts/errors.ts";

/** A cell as the library has it: a number, a text, a boolean, an error's code. **Source** the names are those of the package. */
export interface LibraryCell {
  readonly t: string;
  readonly v?: unknown;
  /** Number format. */
  readonly z?: unknown;
  /** Comments. */
  readonly c?: readonly { readonly a?: unknown; readonly t?: unknown }[];
}

interface Corner {
  /** Row and column, from 0. */
  readonly r: number;
  readonly c: number;
}

/** Cells by address, such as `A1`; what begins with `!` is about the sheet. */
export interface LibrarySheet {
  readonly "!merges"?: readonly { readonly s: Corner; readonly e: Corner }[];
  readonly [address: string]: unknown;
}

export interface LibraryWorkbook {
  readonly SheetNames: readonly string[];
  readonly Sheets: Readonly<Record<string, LibrarySheet>>;
  readonly Workbook?: {
    readonly Sheets?: readonly { readonly Hidden?: number; readonly strRelID?: unknown }[];
    readonly WBProps?: { readonly date1904?: boolean };
  };
  readonly Props?: { readonly Title?: unknown; readonly Author?: unknown };
}

/** The part of the package `@e965/xlsx`, the npm edition of SheetJS, that is used here. */
export interface SheetjsLibrary {
  readonly read: (bytes: Uint8Array, options: Readonly<Record<string, unknown>>) => LibraryWorkbook;
}

const packageName = "@e965/xlsx";

/**
 * Loads the optional package `@e965/xlsx`: as Node finds it from where ibid is installed, else from the project in `folder`.
 *
 * **Errors** `dependency-missing`, naming `uri`, when it is nowhere, or there and cannot be loaded.
 */
export async function loadSheetjs(uri: string, folder: string = process.cwd()): Promise<SheetjsLibrary> {
  const path = findPackage(packageName, [import.meta.url, join(folder, "package.json")]);
  if (path === undefined) throw missing(uri, "is not installed");
  try {
    return libraryOf(loadModule(path));
  } catch (error) {
    throw missing(uri, "is installed but cannot be loaded", error);
  }
}

function libraryOf(loaded: unknown): SheetjsLibrary {
  const { read, default: standard } = loaded as Partial<SheetjsLibrary> & { readonly default?: SheetjsLibrary };
  const found = read ?? standard?.read;
  if (typeof found !== "function") throw new TypeError("It exports no function read.");
  return { read: found };
}

function missing(uri: string, what: string, cause?: unknown): IbidError {
  return new IbidError(
    "dependency-missing",
    `${uri} is an Excel workbook of the older kind (XLS); the package ${packageName}, which reads it, ${what}.`,
    {
      hint: `npm install ${packageName}@0.20.3, or save the file as XLSX.`,
      uri,
      details: { package: packageName },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
