import type { Metadata } from "../../contracts/metadata.ts";

import type { OfficePackage } from "./open-package.ts";
import { type XmlElement, findChild, textOf } from "./read-xml.ts";

/** Metadata of a file. */
export interface PackageFacts {
  /** `""` when it has none, or one that its program put there. */
  readonly title: string;
  readonly metadata: Metadata;
}

const maxFactLength = 1000;

/**
 * Title and metadata from the core properties of an office file: `author`, `language`, `createdAt` and `modifiedAt`, each when stated.
 *
 * **Source** ISO/IEC 29500-2, core properties; Dublin Core.
 */
export async function readPackageFacts(office: OfficePackage): Promise<PackageFacts> {
  const part = (await office.findRelated("", "core-properties")) ?? "docProps/core.xml";
  const core = await office.readPart(part);
  const title = readFact(findChild(core, "title"));
  return {
    title: /^(?:powerpoint presentation|presentation|word document|document\d*|untitled)$/i.test(title) ? "" : title,
    metadata: statedFacts({
      author: readFact(findChild(core, "creator")),
      language: findChild(core, "language"),
      createdAt: findChild(core, "created"),
      modifiedAt: findChild(core, "modified"),
    }),
  };
}

/** The facts that say something: languages as BCP 47 has them, dates as ISO 8601. */
export function statedFacts(
  found: Readonly<Record<"author", string> & Record<"language" | "createdAt" | "modifiedAt", XmlElement | undefined>>,
): Metadata {
  const language = readFact(found.language).replace("_", "-");
  const createdAt = readFact(found.createdAt);
  const modifiedAt = readFact(found.modifiedAt);
  return {
    ...(found.author === "" ? {} : { author: found.author }),
    ...(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(language) ? { language } : {}),
    ...(isDate(createdAt) ? { createdAt } : {}),
    ...(isDate(modifiedAt) ? { modifiedAt } : {}),
  };
}

/** The text of an element as one line. */
export function readFact(element: XmlElement | undefined): string {
  return textOf(element).replace(/\s+/g, " ").trim().slice(0, maxFactLength).toWellFormed();
}

function isDate(text: string): boolean {
  return (
    /^\d{4}(?:-\d{2}(?:-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?)?)?$/.test(text) && !Number.isNaN(Date.parse(text))
  );
}
