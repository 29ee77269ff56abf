// Reads queries and commands of Kusto with Microsoft's own parser, out of npm's @kusto/language-service-next.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";

const library = join(import.meta.dirname, "..", "compat", "engines", "node_modules", "@kusto", "language-service-next");

const columns = "(key: string, ref: string, at: long, tags: dynamic, numbers: dynamic, vector: dynamic, json: string)";

/** The part of the library that is used here; its constructors have the names that its compiler gave them. */
interface Language {
  readonly KustoCode: { ParseAndAnalyze(text: string, globals: unknown): { GetDiagnostics(): Diagnostics } };
  readonly GlobalState: { readonly Default: { WithDatabase(database: unknown): unknown } };
  readonly Symbols: {
    readonly TableSymbol: { readonly $ctor7: new (name: string, schema: string, description: null) => unknown };
    readonly DatabaseSymbol: {
      readonly $ctor3: new (name: string, other: null, members: readonly unknown[], isOpen: boolean) => unknown;
    };
  };
}

interface Diagnostics {
  readonly Count: number;
  getItem(index: number): { readonly Severity: string; readonly Message: string };
}

/** Texts that are read, and their characters: long ones take the parser seconds. */
const [mostTexts, mostCharacters] = [60, 1_000];

/** Complaints about texts, one for each shape; tables that a text names have the engine's columns. */
export function checkKql(texts: readonly string[]): readonly string[] {
  const language = loadLanguage();
  const { TableSymbol, DatabaseSymbol } = language.Symbols;
  const shapes = new Map(texts.map((text) => [text.replaceAll(/-?\d[\w.+-]*|'[\da-f-]{16,}'/gu, "0"), text]));
  const short = [...shapes.values()].filter(({ length }) => length <= mostCharacters);
  return short.slice(0, mostTexts).flatMap((text) => {
    const names = new Set([...text.matchAll(/\['(t\w+_\w+)'\]/gu)].map(([, name]) => name!));
    const tables = [...names].map((name) => new TableSymbol.$ctor7(name, columns, null));
    const globals = language.GlobalState.Default.WithDatabase(new DatabaseSymbol.$ctor3("db", null, tables, false));
    const found = language.KustoCode.ParseAndAnalyze(text, globals).GetDiagnostics();
    return Array.from({ length: found.Count }, (_, i) => `kql: ${found.getItem(i).Message} In: ${text.slice(0, 300)}`);
  });
}

function loadLanguage(): Language {
  const given = globalThis as { Kusto?: { readonly Language: Language }; self?: unknown; window?: unknown };
  if (given.Kusto !== undefined) return given.Kusto.Language;
  given.self = given.window = globalThis;
  for (const file of ["bridge.min.js", "Kusto.Language.Bridge.min.js"])
    runInThisContext(readFileSync(join(library, file), "utf8"), { filename: file });
  return given.Kusto!.Language;
}
