import { describe, expect, it } from "vitest";

import { openKnowledgeBase } from "../../src/index.node.ts";
import type { ChatMessage, ChatModel } from "../../src/contracts/chat.ts";
import { createScriptedModel } from "./support.ts";

const recipe = `# Rye sourdough

This loaf keeps well and slices cleanly from the second day.

## Ingredients

- 500 g rye flour
- 350 ml lukewarm water
- 100 g sourdough starter
- 12 g salt
- 1 tablespoon caraway seeds (optional)

## Method

Mix the starter with half of the flour and all of the water. Cover the bowl with a damp cloth and leave it at room temperature for twelve hours. Add the salt and the remaining flour the next morning. Knead the dough for five minutes with wet hands. Do not add more flour, even if the dough feels sticky.

Grease the tin with butter before you fill it. Let the dough rise in the tin until it has doubled. Preheat the oven to 240 °C. Bake the loaf at 240 °C for fifteen minutes, then lower the heat to 190 °C and bake for another forty minutes. The loaf is done when it sounds hollow.

## Storage

Wrap the loaf in a linen cloth and keep it in a bread box. It stays fresh for a week. Sliced bread can be frozen for up to three months. Never store the loaf in the fridge, because cold makes it stale faster.

## Notes

Anna Lindqvist developed the recipe in 2014. Her brother Erik sells the loaf at the Saturday market. Spelt flour may replace a third of the rye flour. Children usually prefer the bread without caraway.
`;

const policy = `# Leave and expenses policy

## Annual leave

Full-time employees receive 28 days of annual leave a year. Leave is requested in the portal at least two weeks in advance. The line manager approves or declines a request within three working days. Up to five unused days are carried over to the next year. Carried days expire on 31 March.

## Sick leave

An employee who is ill informs the line manager before 9:30 on the first day. A doctor's certificate is required from the fourth day. The company pays full salary for six weeks. After six weeks the health insurance pays.

## Parental leave

| Situation | Weeks | Pay |
|---|---|---|
| Birth mother | 26 | full salary |
| Partner | 6 | full salary |
| Adoption | 20 | 80 % of salary |
| Foster care | 4 | unpaid |

Parental leave is announced to Human Resources three months ahead. Part-time work during parental leave is possible up to 20 hours a week.

## Expenses

Employees submit receipts to the finance team by the fifth of each month. Train tickets in second class are reimbursed in full. First class is reimbursed only for journeys over four hours. Alcohol is never reimbursed. The finance team transfers the money with the next salary. Laptops are lent to new employees by the IT desk. Claims above 500 euros need the signature of Olga Petrova, the head of finance.
`;

const changelog = `# Changelog of the Parcel API

## 3.2.0 (14 May 2024)

- The endpoint \`GET /shipments\` returns results in pages of 50.
- The parameter \`carrier\` accepts a list of names.
- Webhooks are signed with SHA-256.
- Fixed: deleted labels were still shown in the list of labels.

## 3.1.0 (2 February 2024)

- Tokens expire after 60 minutes. Before, they expired after 24 hours.
- The server rejects requests without a \`User-Agent\` header.
- Clients may send up to 100 requests a minute. The server answers further requests with status 429.
- A cancelled shipment can be restored within 14 days.

## 3.0.0 (9 October 2023)

- The field \`weight\` is given in grams. In version 2 it was given in pounds.
- XML is no longer supported. All responses are JSON.
- The endpoint \`POST /labels\` was renamed to \`POST /documents\`.
- Node 16 is the oldest supported version of the client. The client for Ruby is maintained by the community.
- Dates are returned in UTC.

## 2.9.0 (1 June 2023)

- Deprecated: the parameter \`zone\`. It is ignored from version 3.0.0.
- Address checks run before a label is created.
- Sandbox accounts are emptied every Sunday night.
`;

const museum = `# City museum: guide for guides

The museum opens at ten and closes at six. On Thursdays it closes at nine. Entry is free on the first Sunday of the month.

## Groups

Groups of more than twelve people book two days ahead. A guide leads at most twenty visitors. Schools pay half of the normal price. Guides carry a radio during the tour. The radio is charged overnight in the cloakroom.

## Rooms

| Room | Floor | Theme | Curator |
|---|---|---|---|
| Amber hall | 1 | Trade | Ida Brandt |
| Glass gallery | 2 | Crafts | Paul Moreau |
| Map room | 3 | Seafaring | Lena Okafor |

Photography is allowed in the amber hall. Flash is forbidden everywhere. The map room is heated only in winter. Large bags are left in the cloakroom. Umbrellas are not allowed in the galleries.

## Emergencies

If the alarm sounds, guides lead visitors to the courtyard. Lifts are not used during an alarm. The porter calls the fire brigade. Lost children are taken to the ticket desk.
`;

const router = `# Router R7: setting up

Connect the router to the modem with the grey cable. The black cable carries power. Wait until the green lamp stops blinking. The first start takes about three minutes.

The default password is printed on the bottom of the router. Change it after the first login. The router keeps up to eight passwords. It blocks an address for ten minutes after five failed logins.

Updates are installed at night between two and four. An update never deletes settings. The router restarts after each update. To reset the router, hold the button for ten seconds. A reset deletes all settings but keeps the firmware.

Guests use the guest network, which has no access to local devices. The guest network is switched off by default. Its speed is limited to 20 Mbit/s. In older models the limit was 10 Mbit/s.

Support is offered by Nordlink on weekdays. Resellers exchange broken devices within two years.
`;

/** Sentences that no document says: another verb or state, parties and numbers that change places, former states, facts joined from two sentences, and other cells. */
const travel = `# Travel policy

## Booking

Flights under six hours are booked in economy class. Business class needs written approval by a vice president at least ten days before departure.

## Receipts

Claims that arrive later than 60 days are not reimbursed. Taxi receipts above EUR 50 need the name of the manager who approved them.
`;

const wrong: readonly (readonly [source: string, sentence: string])[] = [
  [travel, "Business class needs approval by the manager."],
  [travel, "Taxi receipts above EUR 50 need the name of a vice president."],
  [travel, "Business class needs approval at least 60 days before departure."],
  [recipe, "The loaf should be stored in the fridge."],
  [recipe, "Wrap the loaf in a linen cloth and keep it in the fridge."],
  [recipe, "Freeze the loaf in a bread box."],
  [recipe, "Knead the dough for twelve hours."],
  [recipe, "Add more flour if the dough feels sticky."],
  [recipe, "The dough is discarded the next morning with the remaining flour."],
  [recipe, "Erik developed the recipe in 2014."],
  [recipe, "Anna Lindqvist sells the loaf at the Saturday market."],
  [recipe, "Anna Lindqvist buys the loaf at the Saturday market."],
  [recipe, "Her brother Erik bakes the loaf at the Saturday market."],
  [recipe, "Grease the tin with butter after you fill it."],
  [recipe, "Bake the loaf at 190 °C for fifteen minutes."],
  [recipe, "Bake the loaf at 240 °C for forty minutes."],
  [recipe, "The loaf is burnt when it sounds hollow."],
  [recipe, "It stays fresh for three months."],
  [recipe, "Cold keeps the loaf fresh longer."],
  [recipe, "Children usually prefer the bread with caraway."],
  [recipe, "Children usually dislike the bread without caraway."],
  [recipe, "Spelt flour must replace a third of the rye flour."],
  [recipe, "Spelt flour may replace half of the rye flour."],
  [recipe, "Cover the bowl with the remaining flour."],
  [recipe, "Rinse the tin with butter before you fill it."],
  [policy, "Carried days are paid out on 31 March."],
  [policy, "Unused days are lost at the end of the year."],
  [policy, "The line manager ignores a request within three working days."],
  [policy, "Human Resources approves or declines a request within three working days."],
  [policy, "The health insurance pays full salary for six weeks."],
  [policy, "A doctor's certificate is required from the first day."],
  [policy, "An employee who is ill informs Human Resources before 9:30 on the first day."],
  [policy, "The partner receives 26 weeks at full salary."],
  [policy, "Foster care is paid at 80 % of salary."],
  [policy, "Adoption gives 20 weeks at full salary."],
  [policy, "The birth mother has 20 weeks."],
  [policy, "Part-time work is forbidden during parental leave."],
  [policy, "Parental leave is requested in the portal three months ahead."],
  [policy, "Train tickets in first class are reimbursed in full."],
  [policy, "Alcohol is reimbursed in full."],
  [policy, "The finance team rejects the money with the next salary."],
  [policy, "Laptops are sold to new employees by the IT desk."],
  [policy, "Laptops are lent to the IT desk by new employees."],
  [policy, "The finance team submits receipts to employees by the fifth of each month."],
  [policy, "Claims above 500 euros need the signature of the line manager."],
  [policy, "Claims under 500 euros need the signature of Olga Petrova."],
  [policy, "Olga Petrova lends laptops to new employees."],
  [changelog, "The endpoint `GET /shipments` returns results in pages of 100."],
  [changelog, "Webhooks are encrypted with SHA-256."],
  [changelog, "Requests are signed with SHA-256."],
  [changelog, "Tokens expire after 24 hours."],
  [changelog, "Tokens are renewed after 60 minutes."],
  [changelog, "The server accepts requests without a `User-Agent` header."],
  [changelog, "A cancelled shipment is deleted within 14 days."],
  [changelog, "The field `weight` is given in pounds."],
  [changelog, "XML is supported."],
  [changelog, "All responses are XML."],
  [changelog, "The endpoint `POST /documents` was renamed to `POST /labels`."],
  [changelog, "The client for Ruby is supported by the server."],
  [changelog, "Dates are returned in grams."],
  [changelog, "Address checks run after a label is created."],
  [changelog, "Sandbox accounts are created every Sunday night."],
  [changelog, "Sandbox accounts are filled every Sunday night."],
  [museum, "The museum opens at nine on Thursdays."],
  [museum, "Entry is doubled on the first Sunday of the month."],
  [museum, "Groups of more than twelve people cancel two days ahead."],
  [museum, "A guide teaches at most twenty visitors."],
  [museum, "Schools pay the normal price."],
  [museum, "Guides lose a radio during the tour."],
  [museum, "The radio is sold overnight in the cloakroom."],
  [museum, "The radio is charged overnight in the courtyard."],
  [museum, "Large bags are charged overnight in the cloakroom."],
  [museum, "Ida Brandt curates the glass gallery."],
  [museum, "The map room is on floor 2."],
  [museum, "The theme of the amber hall is crafts."],
  [museum, "Photography is allowed in the map room."],
  [museum, "Flash is allowed in the amber hall."],
  [museum, "Umbrellas are allowed in the galleries."],
  [museum, "The map room is painted only in winter."],
  [museum, "The map room is heated only in summer."],
  [museum, "Large bags are forbidden everywhere."],
  [museum, "If the alarm sounds, visitors lead guides to the courtyard."],
  [museum, "Lifts are used during an alarm."],
  [museum, "The porter ignores the fire brigade."],
  [museum, "The fire brigade calls the porter."],
  [museum, "Lost children are taken to the courtyard."],
  [museum, "Guides call the fire brigade."],
  [museum, "Lost children are left in the cloakroom."],
  [museum, "Lost children are punished at the ticket desk."],
  [museum, "Schools book two days ahead."],
  [router, "The grey cable carries power."],
  [router, "Wait until the green lamp starts blinking."],
  [router, "The first start fails about three minutes."],
  [router, "The default password is hidden on the bottom of the router."],
  [router, "Change it before the first login."],
  [router, "The router forgets up to eight passwords."],
  [router, "The router blocks an address for five minutes after ten failed logins."],
  [router, "It blocks an address for ten minutes after the first login."],
  [router, "Updates are installed at noon between two and four."],
  [router, "An update deletes settings."],
  [router, "An update deletes all settings but keeps the firmware."],
  [router, "The router explodes after each update."],
  [router, "A reset deletes all settings and the firmware."],
  [router, "A reset never deletes settings."],
  [router, "To reset the router, hold the button for ten minutes."],
  [router, "Guests use the guest network, which has access to local devices."],
  [router, "The guest network is switched on by default."],
  [router, "The speed of the guest network is limited to 10 Mbit/s."],
  [router, "Support is offered by resellers on weekdays."],
  [router, "Nordlink exchanges broken devices within two years."],
  [router, "Resellers buy broken devices within two years."],
  [router, "Updates are refused at night between two and four."],
];

const right: typeof wrong = [
  [travel, "Business class needs approval by a vice president."],
  [travel, "Claims later than 60 days are not reimbursed."],
  [recipe, "The loaf keeps well."],
  [recipe, "The starter is mixed with all of the water and half of the flour."],
  [recipe, "Leave the bowl at room temperature for 12 hours, covered with a damp cloth."],
  [recipe, "The next morning, add the remaining flour and the salt."],
  [recipe, "With wet hands, knead the dough for 5 minutes."],
  [recipe, "Before filling the tin, grease it with butter."],
  [recipe, "The dough rises in the tin until it has doubled."],
  [recipe, "The loaf is baked at 240 °C for fifteen minutes and then at 190 °C for another forty minutes."],
  [recipe, "When the loaf sounds hollow, it is done."],
  [recipe, "Keep the loaf in a bread box, wrapped in a linen cloth."],
  [recipe, "The loaf must not be stored in the fridge."],
  [recipe, "Up to a third of the rye flour may be replaced by spelt flour."],
  [recipe, "Sliced bread may be frozen for up to three months."],
  [recipe, "The recipe was developed by Anna Lindqvist in 2014."],
  [recipe, "Erik sells the loaf at the Saturday market."],
  [policy, "At least two weeks in advance, leave is requested in the portal."],
  [policy, "Within three working days the line manager approves or declines a request."],
  [policy, "Five unused days at most are carried over to the next year."],
  [policy, "On 31 March carried days expire."],
  [policy, "An ill employee informs the line manager before 9:30 on the first day."],
  [policy, "From the fourth day a doctor's certificate is required."],
  [policy, "For six weeks the company pays full salary."],
  [policy, "Adoption gives 20 weeks at 80 % of salary."],
  [policy, "The birth mother has 26 weeks at full salary."],
  [policy, "Human Resources is told three months ahead about parental leave."],
  [policy, "Second-class train tickets are reimbursed in full."],
  [policy, "Alcohol is not reimbursed."],
  [policy, "The IT desk lends laptops to new employees."],
  [policy, "Receipts are submitted to the finance team by the fifth of each month."],
  [changelog, "`GET /shipments` returns pages of 50 results."],
  [changelog, "SHA-256 is used to sign webhooks."],
  [changelog, "Requests without a `User-Agent` header are rejected by the server."],
  [changelog, "Clients can send at most 100 requests a minute."],
  [changelog, "Within 14 days a cancelled shipment can be restored."],
  [changelog, "The `weight` field is given in grams."],
  [changelog, "`POST /labels` was renamed to `POST /documents`."],
  [changelog, "The community maintains the client for Ruby."],
  [changelog, "Every Sunday night sandbox accounts are emptied."],
  [museum, "At ten the museum opens."],
  [museum, "On the first Sunday of the month entry is free."],
  [museum, "At most twenty visitors are led by a guide."],
  [museum, "Groups of over twelve people book two days ahead."],
  [museum, "During the tour guides carry a radio."],
  [museum, "In the cloakroom the radio is charged overnight."],
  [museum, "The curator of the amber hall is Ida Brandt."],
  [museum, "The map room is on floor 3."],
  [museum, "The theme of the glass gallery is crafts."],
  [museum, "In the amber hall photography is allowed."],
  [museum, "Guides lead visitors to the courtyard when the alarm sounds."],
  [museum, "The fire brigade is called by the porter."],
  [router, "The grey cable connects the router to the modem."],
  [router, "Power is carried by the black cable."],
  [router, "After five failed logins the router blocks an address for ten minutes."],
  [router, "Between two and four at night, updates are installed."],
  [router, "After each update the router restarts."],
  [router, "Hold the button for ten seconds to reset the router."],
  [router, "A reset keeps the firmware."],
  [router, "By default the guest network is switched off."],
  [router, "The guest network has no access to local devices."],
  [router, "Nordlink offers support on weekdays."],
  [router, "Broken devices are exchanged by resellers within two years."],
  [router, "The router keeps at most eight passwords."],
];

const bases = new Map<string, ReturnType<typeof openKnowledgeBase>>();

async function verify(source: string, sentence: string, judge?: ChatModel) {
  const opened =
    bases.get(source) ??
    openKnowledgeBase().then(async (kb) => {
      await kb.ingest({ uri: "document.md", text: source, mediaType: "text/markdown" });
      return kb;
    });
  bases.set(source, opened);
  const { sentences } = await (await opened).verify(sentence, judge && { judge });
  return sentences[0];
}

describe("a sentence about a document, judged by words", () => {
  it.each(wrong)("is not supported where the document does not say it [T48]: %#", async (source, sentence) => {
    const judged = await verify(source, sentence);
    expect([sentence, judged?.claims, judged?.verdict === "supported"]).toEqual([sentence, true, false]);
  });

  it.each(right)("is supported where the document says the same in other words [T48]: %#", async (source, sentence) => {
    expect([sentence, (await verify(source, sentence))?.verdict]).toEqual([sentence, "supported"]);
  });
});

/** It calls every claim supported by the sentences that begin as given. */
function createLiar(...beginnings: readonly string[]): ChatModel {
  return {
    ...createScriptedModel([]).model,
    async chat(messages: readonly ChatMessage[]) {
      const said = messages.map(({ content }) => (typeof content === "string" ? content : "")).join("\n");
      const numbers = beginnings.map((begins) => new RegExp(`^\\[(\\d+)\\] ${begins}`, "mu").exec(said)?.[1]);
      return { message: { role: "assistant", content: `1: supported ${numbers.join(", ")}` }, usage: {} };
    },
  };
}

describe("a quotation of a part of a sentence", () => {
  const handbook = "# Handbook\n\nEmployees have 27 days of leave. Leave is asked for in the portal.\n";

  it.each([
    ['The handbook says "27 days of leave".', "supported"],
    ["The handbook nennt „27 days of leave“.", "supported"],
    ['The handbook forbids "27 days of leave".', "partly"],
    ["The handbook says 27 days of leave.", "partly"],
  ])("is supported behind a verb that only names its source: %s", async (sentence, verdict) => {
    expect(await verify(handbook, sentence)).toMatchObject({ verdict });
  });
});

describe("a judge that lies", () => {
  it.each([
    [changelog, "Tokens expire after 24 hours.", "Tokens expire", "Before"],
    [changelog, "The field `weight` is given in pounds.", "The field", "In version 2"],
    [policy, "Alcohol is reimbursed in full.", "Train tickets", "Alcohol"],
    [policy, "Laptops are lent to the IT desk by new employees.", "Laptops"],
    [recipe, "Bake the loaf at 240 °C for forty minutes.", "Preheat"],
    [museum, "Guides call the fire brigade.", "A guide leads", "The porter"],
    [router, "A reset deletes all settings and the firmware.", "A reset deletes"],
    [router, "Support is offered by resellers on weekdays.", "Support is offered", "Resellers exchange"],
  ])(
    "is overruled where words of another sentence take the place of those in its own: %#",
    async (source, sentence, ...beginnings) => {
      const judged = await verify(source, sentence, createLiar(...beginnings));
      expect(judged).toMatchObject({ by: "judge", verdict: "partly" });
    },
  );

  it("decides alone whether a word means the same as another", async () => {
    const judged = await verify(changelog, "Webhooks are encrypted with SHA-256.", createLiar("Webhooks"));
    expect(judged).toMatchObject({ by: "judge", verdict: "supported" });
  });
});
