/**
 * Actions and their opposites, in English. Each side holds forms of verbs, the plain one first; a form of two words may have words between them.
 *
 * **Source** our own choice, of actions that documentation gives instructions for.
 */
const pairs: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    ["set up", "enable", "activate", "turn on", "switch on", "opt in"],
    ["disable", "deactivate", "turn off", "switch off", "opt out", "tear down"],
  ],
  [["install", "reinstall"], ["uninstall"]],
  [
    ["add", "create", "insert", "append", "introduce"],
    ["remove", "delete", "drop", "erase"],
  ],
  [
    ["start", "launch", "begin", "resume", "boot"],
    ["stop", "halt", "terminate", "quit", "shut down", "pause"],
  ],
  [
    ["connect", "attach", "mount", "link", "join"],
    ["disconnect", "detach", "unmount", "unlink", "leave"],
  ],
  [
    ["allow", "permit", "grant", "unblock"],
    ["deny", "forbid", "revoke", "block", "prevent"],
  ],
  [["include"], ["exclude", "omit"]],
  [
    ["show", "display", "reveal", "unhide"],
    ["hide", "conceal"],
  ],
  [["open"], ["close"]],
  [["lock"], ["unlock"]],
  [["subscribe"], ["unsubscribe"]],
  [
    ["log in", "sign in"],
    ["log out", "sign out"],
  ],
  [["encrypt"], ["decrypt"]],
  [["encode"], ["decode"]],
  [
    ["compress", "zip", "pack"],
    ["decompress", "unzip", "unpack"],
  ],
  [["import"], ["export"]],
  [["upload"], ["download"]],
  [
    ["increase", "raise", "extend"],
    ["decrease", "reduce", "lower", "shorten"],
  ],
  [["upgrade"], ["downgrade"]],
  [["register"], ["unregister", "deregister"]],
  [["publish"], ["unpublish"]],
  [["archive"], ["unarchive", "restore"]],
  [["mute"], ["unmute"]],
  [["freeze"], ["unfreeze"]],
  [["load"], ["unload", "save"]],
  [["deploy"], ["undeploy"]],
  [["assign"], ["unassign"]],
  [["pin"], ["unpin"]],
  [["expand"], ["collapse"]],
  [
    ["accept", "approve", "confirm"],
    ["reject", "refuse", "decline"],
  ],
  [["push"], ["pull"]],
  [["buy"], ["sell"]],
  [["lend"], ["borrow"]],
  [["check in"], ["check out"]],
];

/** Side of each pair that a text takes: bit 1 for the first, bit 2 for the second. */
export type Actions = ReadonlyMap<number, number>;

/**
 * Finds the actions of a text. A participle is an action behind "be" only: "is disabled by default" describes a state.
 *
 * **Cost** linear.
 */
export function findActions(text: string): Actions {
  const found = new Map<number, number>();
  for (const [match, plain = "", past = ""] of text.toLowerCase().matchAll(actionPattern)) {
    const first = plain === "" ? past : plain;
    const sides = sidesOf.get(first.replaceAll(/\s+(?:\S+\s+){0,4}?(?=\S+$)/gu, " ")) ?? sidesOf.get(match) ?? [];
    for (const [pair, side] of sides) found.set(pair, (found.get(pair) ?? 0) | side);
  }
  return found;
}

/**
 * Whether the actions of a text are the opposite of those of a question, and none is the same.
 *
 * A question that names both sides of a pair, or neither, has no opposite there.
 */
export function opposes(asked: Actions, said: Actions): boolean {
  let isOpposite = false;
  for (const [pair, side] of asked) {
    if (side === 3) continue;
    const other = said.get(pair) ?? 0;
    if ((other & side) !== 0) return false;
    if (other !== 0) isOpposite = true;
  }
  return isOpposite;
}

/** Whether a text does what a question asks. */
export function agrees(asked: Actions, said: Actions): boolean {
  return [...asked].some(([pair, side]) => ((said.get(pair) ?? 0) & side) !== 0);
}

const vowels = "aeiou";
/** Verbs whose last consonant is doubled before an ending. */
const doubled = new Set(["set", "drop", "quit", "zip", "permit", "omit", "pin", "unpin", "unzip", "shut", "begin"]);
const irregular: Readonly<Record<string, readonly [past: string, participle: string]>> = {
  set: ["set", "set"],
  shut: ["shut", "shut"],
  quit: ["quit", "quit"],
  begin: ["began", "begun"],
  leave: ["left", "left"],
  show: ["showed", "shown"],
  hide: ["hid", "hidden"],
  freeze: ["froze", "frozen"],
  unfreeze: ["unfroze", "unfrozen"],
  forbid: ["forbade", "forbidden"],
  buy: ["bought", "bought"],
  sell: ["sold", "sold"],
  lend: ["lent", "lent"],
  tear: ["tore", "torn"],
};

/** Plain, third person, participle in -ing; and the past participle. */
function inflect(verb: string): readonly [present: readonly string[], past: string] {
  const stem = verb.endsWith("e") ? verb.slice(0, -1) : doubled.has(verb) ? verb + verb.at(-1)! : verb;
  const endsInY = verb.endsWith("y") && !vowels.includes(verb.at(-2)!);
  const third = endsInY ? `${verb.slice(0, -1)}ies` : /(?:s|x|z|sh|ch)$/u.test(verb) ? `${verb}es` : `${verb}s`;
  const past = irregular[verb]?.[1] ?? (endsInY ? `${verb.slice(0, -1)}ied` : `${stem}ed`);
  return [[verb, third, `${stem}ing`], past];
}

const sidesOf = new Map<string, [pair: number, side: number][]>();
const present = new Set<string>();
const past = new Set<string>();
for (const [pair, sides] of pairs.entries()) {
  for (const [index, verbs] of sides.entries()) {
    for (const phrase of verbs) {
      const [verb = "", particle] = phrase.split(" ");
      const [forms, participle] = inflect(verb);
      const withParticle = (form: string): string => (particle === undefined ? form : `${form} ${particle}`);
      for (const form of forms) present.add(withParticle(form));
      past.add(withParticle(participle));
      for (const form of [...forms, participle]) {
        const known = sidesOf.get(withParticle(form)) ?? [];
        sidesOf.set(withParticle(form), [...known, [pair, index + 1]]);
      }
    }
  }
}

/** Up to four words may stand between a verb and its particle. */
const toPattern = (forms: ReadonlySet<string>): string =>
  [...forms]
    .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map((form) => form.replace(" ", "\\s+(?:[\\p{L}\\p{N}'’`_-]+\\s+){0,4}?"))
    .join("|");

const actionPattern = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?:(${toPattern(present)})|(?:be|being|get|gets|been)\\s+(?:\\p{L}+ly\\s+)?(${toPattern(past)}))(?![\\p{L}\\p{N}_-])`,
  "gu",
);
