/**
 * English verbs and nouns whose forms no rule of stemming joins: the plain form, then the others.
 *
 * **Source** ibid's own choice. Forms that are words of another meaning more often are left out: `saw`, `left`, `wound`, `bore`, `ground`.
 */
const verbs = `
  become became, begin began begun, bend bent, bet bet, bind bound, bite bit bitten, bleed bled, blow blew blown, break broke broken, breed bred, bring brought, build built, burn burnt,
  buy bought, catch caught, choose chose chosen, come came, creep crept, deal dealt, dig dug, draw drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen,
  feed fed, feel felt, fight fought, find found, flee fled, fly flew flown, forbid forbade forbidden, forget forgot forgotten, freeze froze frozen, unfreeze unfroze unfrozen, get got
  gotten, give gave given, go went gone, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept, know knew known, lay laid, lead led, learn learnt, lend lent, lose
  lost, make made, mean meant, meet met, pay paid, repay repaid, ride rode ridden, ring rang rung, rise risen, run ran, say said, see seen, seek sought, sell sold, resell resold, send
  sent, resend resent, shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept, slide slid, speak spoke spoken,
  spend spent, spin spun, stand stood, understand understood, steal stole stolen, stick stuck, strike struck, swear swore sworn, sweep swept, swim swam swum, swing swung, take took taken,
  undertake undertook undertaken, teach taught, tear tore torn, tell told, think thought, throw threw thrown, wake woke woken, wear wore worn, win won, withdraw withdrew withdrawn, unbind
  unbound, write wrote written, rewrite rewrote rewritten, overwrite overwrote overwritten, override overrode overridden`;
const nouns = `child children, man men, woman women, foot feet, tooth teeth, mouse mice, goose geese, person people, ox oxen`;

const plainForms = new Map(
  `${verbs}, ${nouns}`.split(",").flatMap((forms): [string, string][] => {
    const [plain = "", ...others] = forms.trim().split(/\s+/u);
    return others.filter((form) => form !== plain).map((form) => [form, plain]);
  }),
);

/** The plain form of an irregular English word, and any other word as it is. **Shape** folded, as the word given is. */
export function plainFormOf(word: string): string {
  return plainForms.get(word) ?? word;
}
