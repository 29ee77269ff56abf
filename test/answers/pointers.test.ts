import { describe, expect, it } from "vitest";

import { choosePassages } from "../../src/answers/passages/choose-passages.ts";
import { isPointer } from "../../src/answers/passages/pointers.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { rankIn } from "./support.ts";

const pointers = [
  "For how to renew certificates, see the page on [certificates](certificates.md).",
  "Renewing certificates is described in [certificates](certificates.md).",
  "How to renew certificates is described in [certificates](certificates.md).",
  "For renewing certificates, refer to [certificates](certificates.md).",
  "More in [certificates](certificates.md).",
  "More on renewing certificates in [certificates](certificates.md).",
  "Renewing certificates is documented under [certificates](certificates.md).",
  "Documented under [certificates](certificates.md).",
  "Have a look at [certificates](certificates.md) to renew certificates.",
  "To renew certificates, have a look at the certificates page.",
  "If you want to renew a certificate, please see the certificates guide.",
  "When certificates expire, consult the handbook.",
  "Certificates are covered in the operations manual.",
  "The steps to renew a certificate can be found in the handbook.",
  "Instructions for renewing certificates are in [the handbook](h.md).",
  "You can find how to renew certificates in the handbook.",
  "You'll find more about certificates in the [guide](x.md).",
  "The [certificates](certificates.md) page explains how to renew certificates.",
  "The certificates guide explains how to renew certificates.",
  "The page on certificates describes how to renew them.",
  "[Certificates](certificates.md) has more on how to renew certificates.",
  "There is a page on how to renew certificates.",
  "There's a separate guide for renewing certificates.",
  "Certificates have a page of their own.",
  "Renewing certificates has its own [page](certificates.md).",
  "Read the guide on certificates to renew certificates.",
  "Take a look at the certificates chapter.",
  "See certificates.",
  "See also: [Renew certificates](certificates.md)",
  "- [Renew certificates](certificates.md)",
  "[How to renew certificates](certificates.md)",
  "Related: [Renew certificates](certificates.md), [Keys](keys.md)",
  "Next: [Renew certificates](certificates.md)",
  "Details: [certificates](certificates.md)",
  "Details on renewing certificates are given below.",
  "Renewing certificates is explained elsewhere.",
  "Renewing certificates is explained in chapter 4.",
  "We describe how to renew certificates in the next chapter.",
  "Check the documentation on certificates.",
  "Check out [certificates](certificates.md).",
  "Follow the [instructions](certificates.md) to renew certificates.",
  "Head over to [certificates](certificates.md).",
  "Go to [certificates](certificates.md) to renew certificates.",
  "Further information about renewing certificates is available in the handbook.",
  "(See [certificates](certificates.md).)",
  "> **Note:** For renewing certificates see certificates.md.",
  "How to renew certificates: see [certificates](certificates.md).",
  "Consult certificates.md to renew certificates.",
  "This page explains how to renew certificates.",
  "Learn how to renew certificates.",
  "Wie man Zertifikate erneuert, steht im Handbuch.",
  "Wie man Zertifikate erneuert, steht in [Zertifikate](z.md).",
  "Zum Erneuern von Zertifikaten siehe [Zertifikate](z.md).",
  "Siehe Kapitel 4.",
  "Das Erneuern von Zertifikaten ist in [Zertifikate](z.md) beschrieben.",
  "Das Erneuern von Zertifikaten wird unter Zertifikate beschrieben.",
  "Mehr dazu in [Zertifikate](z.md).",
  "Mehr zum Erneuern von Zertifikaten finden Sie unter [Zertifikate](z.md).",
  "Näheres im Handbuch.",
  "Weitere Informationen finden Sie im Handbuch.",
  "Informationen zum Erneuern von Zertifikaten finden Sie auf der Seite [Zertifikate](z.md).",
  "Eine Anleitung zum Erneuern von Zertifikaten finden Sie im Handbuch.",
  "Die Seite Zertifikate erklärt, wie man Zertifikate erneuert.",
  "Werfen Sie einen Blick in das Handbuch.",
  "Lesen Sie dazu das Handbuch.",
  "Schauen Sie sich die Seite [Zertifikate](z.md) an.",
  "Beschrieben unter [Zertifikate](z.md).",
  "Es gibt eine Seite zum Erneuern von Zertifikaten.",
  "Wenn Sie ein Zertifikat erneuern möchten, lesen Sie bitte das Kapitel über Zertifikate.",
];

const statements = [
  "To renew certificates, run the renew command.",
  "Renew certificates in the settings page.",
  "Open the Certificates page and press Renew.",
  "Go to the settings page and press Renew.",
  "Go to the Certificates page.",
  "The Certificates page has a Renew button.",
  "The option is in the Advanced section of the settings.",
  "Certificates are stored in the vault.",
  "More than five certificates are stored in the vault.",
  "Other users are blocked by the gate.",
  "Steps run in order.",
  "The format is described by a schema.",
  "Accidents are covered under the policy.",
  "The feature was introduced in version 2.",
  "Read the value from the file.",
  "Look in the log file for errors.",
  "Check [the logs](logs.md) for errors.",
  "Use [the tool](tool.md) to renew certificates.",
  "Run the tool in [the console](https://console.example.org).",
  "Go to [the console](https://console.example.org) and press Renew.",
  "See that the key is valid before you renew it.",
  "Certificates expire after 90 days, see [certificates](certificates.md).",
  "To renew certificates, run `renew`; see [certificates](certificates.md) for more.",
  "A page of results holds ten rows.",
  "The manual override has a switch.",
  "The section header has a size of 4 bytes.",
  "The list shows all certificates.",
  "Every certificate has a name.",
  "You can find your keys in the vault.",
  "You find the key under your profile.",
  "Keys are listed in the file keys.txt.",
  "Help desk hours are 9 to 5.",
  "Certificates are shown in red.",
  "Information is kept for 30 days in the archive.",
  "Visit the help desk at ext. 42.",
  "If the certificate has expired, call the help desk.",
  "The guide dog must stay outside.",
  "Visitors sign in at the desk and get a badge.",
  "We have 27 days of leave.",
  "There are three sections in the form.",
  "There is a limit of ten pages.",
  "The reference number has eight digits.",
  "Examples include keys and certificates.",
  "Zertifikate werden im Tresor gespeichert.",
  "Die Seite hat einen Knopf.",
  "Mehr als fünf Zertifikate liegen im Tresor.",
  "Erneuern Sie Zertifikate mit dem Befehl renew.",
  "Das Zertifikat steht in der Datei z.pem.",
  "Es gibt drei Schlüssel.",
  "Die Schlüssel finden Sie im Tresor.",
  "Zertifikate sind im Tresor zu finden.",
  "Alles wird nachts gesichert.",
  "Follow the arrows to the exit.",
  "[Renew](renew.md): replaces a certificate before it expires.",
  "- [`--force`](flags.md) replaces a certificate that is still valid.",
  "The documentation is written in Markdown.",
  "Each document has its own page number.",
  "Documents are found by their uri.",
];

describe("a pointer", () => {
  it.each(pointers)("sends its reader elsewhere: %s [T48]", async (sentence) => {
    expect(isPointer(sentence)).toBe(true);
    expect(await rankIn("How do I renew certificates?", sentence)).toEqual([]);
  });

  it.each(statements)("is no sentence that says something: %s [T48]", (sentence) => {
    expect(isPointer(sentence)).toBe(false);
  });

  it("is never the only quotation, alone or in a longer paragraph, with and without the answer [T48]", async () => {
    const answer = "The command `renew` makes new certificates out of the old ones and keeps their names.";
    const others = ["Keys are kept.", "Doors are locked at night.", "Coffee is free.", "Backups run daily."];
    await using kb = await openKnowledgeBase();
    await kb.ingest(others.map((text, index) => ({ uri: `other-${index}`, text })));
    for (const sentence of pointers) {
      // A list item or label without a full stop is a block of its own.
      const gap = /^[^->].*\.\)?$/u.test(sentence) ? " " : "\n\n";
      for (const text of [sentence, ["The desk is open daily.", sentence, "Coffee stands in the kitchen."].join(gap)]) {
        await kb.ingest({ uri: "desk.md", text, mediaType: "text/markdown" });
        expect(await kb.ask("How do I renew certificates?")).toMatchObject({ kind: "refused", citations: [] });
        await kb.ingest({ uri: "renew.md", text: answer, mediaType: "text/markdown" });
        const { citations } = await kb.ask("How do I renew certificates?");
        expect(citations.map(({ quote }) => quote)).toEqual([answer]);
        await kb.delete("renew.md");
      }
    }
  });

  it("may answer a question for the page itself", async () => {
    for (const question of [
      "Where is renewing certificates described?",
      "Which page explains how to renew certificates?",
    ]) {
      const [first] = choosePassages(await rankIn(question, pointers[0]!));
      expect(first?.text).toBe(pointers[0]);
    }
  });

  it("is told in time linear in what it may hold", () => {
    for (const part of ["see the page on ", "is described ", "more, ", "⟦⟧ ", "for ", "[a](b) "])
      isPointer(part.repeat(10_000));
    const started = performance.now();
    for (const part of ["see the page on ", "is described ", "more ", "the guide ", "for ", "a, "])
      isPointer(part.repeat(400 / part.length));
    expect(performance.now() - started).toBeLessThan(500);
  });
});
