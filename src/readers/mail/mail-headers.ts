import type { Address, Email } from "postal-mime";

import type { Metadata } from "../../contracts/metadata.ts";

/** Longest list of addresses that is kept; a circular has more readers than facts. */
const maxAddresses = 100;
const maxHeaderLength = 1000;

/** A header in one line, as a person reads it. */
export function headerText(value: string | undefined): string {
  const line = (value ?? "").slice(0, maxHeaderLength * 4).replace(/[\s\p{Cc}]+/gu, " ");
  return line.trim().slice(0, maxHeaderLength).toWellFormed();
}

/** Lines above a message: author, recipients, date. */
export function headerLines({ from, to, cc, headers }: Email): string[] {
  // As it was written: with the writer's own time zone.
  const date = headers.find(({ key }) => key === "date")?.value;
  const lines: readonly (readonly [string, string])[] = [
    ["From", from === undefined ? "" : addressText(from)],
    ["To", listText(to)],
    ["Cc", listText(cc)],
    ["Date", headerText(date)],
  ];
  return lines.filter(([, value]) => value !== "").map(([name, value]) => `${name}: ${value}`);
}

/** Metadata from a message's headers. */
export function factsOf({ from, to, cc, date, messageId, inReplyTo }: Email): Metadata {
  const isTime = date !== undefined && /^\d{4,}-\d\d-\d\dT/.test(date);
  return {
    ...(from === undefined ? {} : { from: addressText(from) }),
    ...(to === undefined ? {} : { to: addressTexts(to) }),
    ...(cc === undefined ? {} : { cc: addressTexts(cc) }),
    ...(messageId === undefined ? {} : { messageId: headerText(messageId) }),
    ...(inReplyTo === undefined ? {} : { inReplyTo: headerText(inReplyTo) }),
    ...(isTime ? { createdAt: date } : {}),
  };
}

function listText(addresses: readonly Address[] | undefined): string {
  const texts = addressTexts(addresses ?? []);
  const more = (addresses?.length ?? 0) - texts.length;
  return texts.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function addressTexts(addresses: readonly Address[]): string[] {
  return addresses
    .slice(0, maxAddresses)
    .map(addressText)
    .filter((text) => text !== "");
}

/** `Ada Lovelace <ada@example.com>`; a group by its name and members. */
function addressText({ name, address, group }: Address): string {
  if (group !== undefined) return headerText(`${name}: ${group.slice(0, maxAddresses).map(addressText).join(", ")}`);
  return headerText(name === "" || name === address ? address : address === "" ? name : `${name} <${address}>`);
}
