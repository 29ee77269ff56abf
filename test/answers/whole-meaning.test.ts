import { describe, expect, it } from "vitest";

import { languageAnalyzer } from "../../src/text/index.node.ts";
import { collect, createScriptedModel, hitOf, slicesOf } from "./support.ts";

const handbook =
  "# Key handbook\n\n## Rotation\n\nKeys are rotated every ninety days. The rotation is started by the operator on duty. Old keys stay valid for 24 hours after a rotation.\n\n## Help desk\n\nThe help desk answers at extension 42. It is open from 9 am to 5 pm on weekdays. Maria Keller leads the help desk. Tom Brandt leads the print shop.\n\n## Backups\n\nBackups run every night at two. Backups are kept for 30 days. A restore must be approved by the security officer. Staff may read the backup log.\n\n## Visitors\n\nVisitors must wear a badge in the building. Visitors may park in the yard. Visitors do not enter the server room. The badge is returned at the gate before departure.\n";
const houseRules =
  "# Hausordnung\n\nSchlüssel werden alle neunzig Tage gewechselt. Die Pforte ist von 8 bis 18 Uhr besetzt. Besucher dürfen im Hof parken. Besucher müssen einen Ausweis tragen. Hunde sind im Gebäude nicht erlaubt.\n\nFrau Keller leitet die Auskunft. Herr Brandt leitet die Druckerei. Der Aufzug wird vor dem Winter gewartet. Das Fenster bleibt bei Regen geschlossen. Ohne Anmeldung wird niemand eingelassen. Die Kantine öffnet um 11 Uhr.\n";
const devices =
  "# Devices\n\n| Device | Price | Warranty | Room |\n|---|---|---|---|\n| Laser printer | 400 euros | 3 years | B12 |\n| Scanner | 150 euros | 2 years | C7 |\n| Projector | 900 euros | 5 years | A3 |\n\nThe projector may be borrowed for a week. The scanner is repaired in the workshop. Devices are ordered through the portal.\n";

/** Sentences that no document says: contradictions, facts joined from two clauses, other names, duties, places, times, denials and cells. */
const wrong: readonly (readonly [source: string, sentence: string])[] = [
  [handbook, "Keys are rotated every month."],
  [handbook, "Old keys stop working as soon as a rotation begins."],
  [handbook, "The help desk is closed on weekdays."],
  [handbook, "Backups run every morning at two."],
  [handbook, "A restore must be approved by the operator on duty."],
  [handbook, "Visitors enter the server room."],
  [handbook, "Old keys become invalid 24 hours before a rotation."],
  [handbook, "Keys are rotated every ninety days at extension 42."],
  [handbook, "The help desk rotates keys every ninety days at extension 42."],
  [handbook, "Backups run every night at two and are approved by the security officer."],
  [handbook, "Visitors must wear a badge at extension 42."],
  [handbook, "Keys are rotated every ninety days and are kept for 30 days."],
  [handbook, "Maria Keller leads the help desk and starts the rotation."],
  [handbook, "Visitors may park in the server room."],
  [handbook, "The operator on duty leads the help desk."],
  [handbook, "Old keys stay valid for 24 hours after a restore."],
  [handbook, "The help desk is open every night at two."],
  [handbook, "Backups are kept for 30 days by the security officer."],
  [handbook, "The badge is returned at the gate every ninety days."],
  [handbook, "Visitors must wear a badge and may read the backup log."],
  [handbook, "Maria Keller leads the print shop."],
  [handbook, "Tom Brandt leads the help desk."],
  [handbook, "Tom Keller leads the help desk."],
  [handbook, "The help desk is led by Tom Brandt."],
  [handbook, "Maria Brandt leads the print shop."],
  [handbook, "Visitors must park in the yard."],
  [handbook, "Visitors can wear a badge in the building."],
  [handbook, "A restore should be approved by the security officer."],
  [handbook, "Staff have to read the backup log."],
  [handbook, "Visitors are required to park in the yard."],
  [handbook, "Wearing a badge in the building is optional for visitors."],
  [handbook, "Visitors need not wear a badge in the building."],
  [handbook, "Visitors are allowed to wear a badge in the building."],
  [handbook, "Staff will read the backup log."],
  [handbook, "Visitors are supposed to park in the yard."],
  [handbook, "Old keys stay valid for 24 hours before a rotation."],
  [handbook, "The badge is returned at the gate after departure."],
  [handbook, "Visitors may park outside the yard."],
  [handbook, "Visitors must wear a badge outside the building."],
  [handbook, "The help desk is open until 9 am on weekdays."],
  [handbook, "The help desk is open except on weekdays."],
  [handbook, "Backups are kept over 30 days."],
  [handbook, "Backups are kept after 30 days."],
  [handbook, "The badge is returned at the gate during departure."],
  [handbook, "Visitors may park behind the yard."],
  [handbook, "A restore must be approved without the security officer."],
  [handbook, "Backups are not kept for 30 days."],
  [handbook, "No visitor wears a badge in the building."],
  [handbook, "Maria Keller no longer leads the help desk."],
  [handbook, "The operator on duty refuses to start the rotation."],
  [handbook, "Visitors rarely wear a badge in the building."],
  [handbook, "Nobody may read the backup log."],
  [houseRules, "Besucher dürfen nicht im Hof parken."],
  [houseRules, "Hunde sind im Gebäude erlaubt."],
  [houseRules, "Ohne Anmeldung wird jeder eingelassen."],
  [houseRules, "Mit Anmeldung wird niemand eingelassen."],
  [houseRules, "Besucher müssen im Hof parken."],
  [houseRules, "Besucher sollen im Hof parken."],
  [houseRules, "Der Aufzug wird nach dem Winter gewartet."],
  [houseRules, "Frau Keller leitet die Druckerei."],
  [houseRules, "Das Fenster bleibt bei Regen offen."],
  [houseRules, "Schlüssel werden alle neunzig Wochen gewechselt."],
  [houseRules, "Schlüssel werden alle neunzig Tage im Hof gewechselt."],
  [houseRules, "Die Kantine schließt um 11 Uhr."],
  [houseRules, "Besucher brauchen keinen Ausweis zu tragen."],
  [houseRules, "Besucher dürfen vor dem Hof parken."],
  [houseRules, "Besucher dürfen einen Ausweis tragen."],
  [houseRules, "Hunde sind im Gebäude kaum erlaubt."],
  [houseRules, "Herr Keller leitet die Auskunft."],
  [houseRules, "Besucher müssen einen Ausweis außerhalb tragen."],
  [devices, "The scanner costs 400 euros."],
  [devices, "The laser printer has a warranty of 5 years."],
  [devices, "The projector stands in room C7."],
  [devices, "The price of the projector is 150 euros."],
  [devices, "The laser printer stands in room B12 and costs 900 euros."],
  [devices, "The scanner has a warranty of 3 years."],
  [devices, "Devices are repaired through the portal."],
  [devices, "The scanner may be borrowed for a week."],
  [devices, "The projector is repaired in the workshop."],
  [devices, "The laser printer may be borrowed for 3 years."],
];
const right: typeof wrong = [
  [handbook, "Every ninety days keys are rotated."],
  [handbook, "The operator on duty starts the rotation."],
  [handbook, "After a rotation old keys stay valid for 24 hours."],
  [handbook, "The help desk is led by Maria Keller."],
  [handbook, "On weekdays the help desk is open from 9 am to 5 pm."],
  [handbook, "Backups are kept for 30 days and run every night at two."],
  [handbook, "The security officer must approve a restore."],
  [handbook, "Visitors may park in the yard and must wear a badge."],
  [handbook, "Maria Keller leads the help desk, which answers at extension 42."],
  [handbook, "Keys are rotated every 90 days."],
  [handbook, "Before departure the badge is returned at the gate."],
  [handbook, "Visitors do not enter the server room and may park in the yard."],
  [handbook, "Visitors are required to wear a badge in the building."],
  [handbook, "Visitors are allowed to park in the yard."],
  [handbook, "Staff can read the backup log."],
  [houseRules, "Im Hof dürfen Besucher parken."],
  [houseRules, "Besucher müssen einen Ausweis tragen und dürfen im Hof parken."],
  [houseRules, "Alle neunzig Tage werden Schlüssel gewechselt."],
  [houseRules, "Vor dem Winter wird der Aufzug gewartet."],
  [houseRules, "Bei Regen bleibt das Fenster geschlossen."],
  [devices, "The scanner costs 150 euros."],
  [devices, "The projector has a warranty of 5 years."],
  [devices, "The laser printer stands in room B12 and costs 400 euros."],
  [devices, "The price of the scanner is 150 euros."],
  [devices, "The projector is in room A3."],
];
/** Headings and bold lines that state something. */
const stating: typeof wrong = [
  [handbook, "## Keys rotate daily"],
  [handbook, "## Visitors park free"],
  [handbook, "**Backups never expire**"],
  [handbook, "### Help desk closed on weekdays"],
  [handbook, "## Restore without approval"],
  [handbook, "## Keys rotated every week"],
  [handbook, "**Key rotation: weekly**"],
  [handbook, "## Maria Keller leads print shop"],
  [handbook, "## Badges required for parking"],
  [handbook, "## Old keys die at once"],
  [houseRules, "## Schlüssel wechseln täglich"],
  [houseRules, "**Hunde erlaubt**"],
  [houseRules, "## Ausweis freiwillig"],
];
const naming: typeof wrong = [
  [handbook, "## Key rotation"],
  [handbook, "## Keys"],
  [handbook, "## Backups and restores"],
  [handbook, "## Visitor badges"],
  [handbook, "## Keys are rotated every ninety days"],
  [handbook, "**How often keys are rotated**"],
  [handbook, "## Help desk hours"],
  [handbook, "## Badges for visitors"],
  [handbook, "## Rotating keys"],
  [handbook, "## Parking"],
  [handbook, "## Overview"],
  [handbook, "## Summary"],
  [handbook, "## Your answer"],
  [handbook, "## Steps to rotate keys"],
  [handbook, "## Next steps"],
  [handbook, "## Keys and badges"],
];

async function ask(source: string, said: string, grounding: "preferred" | "strict" = "preferred") {
  const language = source === houseRules ? "de" : "en";
  const { answer } = await collect({
    hits: [
      hitOf(source, [], { source: { uri: "x", title: "", headings: [], start: 0, end: source.length, language } }),
    ],
    documents: slicesOf(() => source),
    model: createScriptedModel([said]).model,
    analyzer: languageAnalyzer,
    grounding,
  });
  return answer;
}

const cited = (sentence: string): string => sentence.replace(/\.$/u, " [1].");
const below = (source: string): string =>
  source === houseRules ? "Die Kantine öffnet um 11 Uhr [1]." : "Keys are rotated every ninety days [1].";

describe("an answer by a model, judged by words", () => {
  it.each(wrong)(
    "is not grounded where its source says otherwise, and strict withholds it [T48]: %#",
    async (source, sentence) => {
      const { grounded, sentences } = await ask(source, cited(sentence));
      expect([sentence, grounded]).toEqual([sentence, false]);
      expect(sentences[0]?.verdict).not.toBe("supported");
      const strict = await ask(source, cited(sentence), "strict");
      expect([sentence, strict.refusal]).toEqual([sentence, "nothing-supported"]);
    },
  );

  it.each(right)("is grounded where its source says the same in other words [T48]: %#", async (source, sentence) => {
    expect([sentence, (await ask(source, cited(sentence))).grounded]).toEqual([sentence, true]);
  });

  it.each(stating)("is not grounded below a heading that states what no source says: %#", async (source, heading) => {
    const answer = await ask(source, `${heading}\n\n${below(source)}`);
    expect([heading, answer.grounded]).toEqual([heading, false]);
    expect(answer.sentences.map(({ verdict }) => verdict)).toEqual(["uncited", "supported"]);
  });

  it.each(naming)("is grounded below a heading that names its subject: %#", async (source, heading) => {
    expect([heading, (await ask(source, `${heading}\n\n${below(source)}`)).grounded]).toEqual([heading, true]);
  });
});
