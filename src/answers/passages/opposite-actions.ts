/**
 * Actions and their opposites in English, a pair a line. A phrase of two words may have words between them.
 *
 * **Source** our own choice, here and below, of actions that documentation gives instructions for.
 */
const english = `
  set up, enable, activate, turn on, switch on, opt in | disable, deactivate, turn off, switch off, opt out, tear down
  install, reinstall | uninstall, deinstall
  add, create, insert, append, introduce | remove, delete, drop, erase
  start, launch, begin, resume, boot, continue | stop, halt, terminate, quit, shut down, pause, suspend, interrupt
  connect, attach, mount, link, join, plug in | disconnect, detach, unmount, unlink, leave, unplug
  allow, permit, grant, unblock, authorise, authorize | deny, forbid, revoke, block, prevent, prohibit
  include | exclude, omit
  show, display, reveal, unhide | hide, conceal
  open | close
  lock | unlock
  follow | unfollow
  subscribe | unsubscribe
  log in, sign in, log on, sign on | log out, sign out, log off, sign off
  check in | check out
  encrypt | decrypt
  encode | decode
  serialise, serialize | deserialise, deserialize
  compress, zip, pack | decompress, uncompress, unzip, unpack, extract
  import | export
  upload | download
  push | pull
  send | receive
  increase, raise, extend, grow, enlarge, scale up | decrease, reduce, lower, shorten, shrink, scale down
  zoom in | zoom out
  maximise, maximize | minimise, minimize
  upgrade | downgrade
  promote | demote
  register, enrol, enroll | unregister, deregister, unenrol, unenroll
  publish | unpublish, retract
  archive | unarchive, restore
  back up | restore
  silence, mute, snooze | unsilence, unmute, unsnooze
  freeze | unfreeze, thaw
  load | unload, save
  deploy | undeploy
  stage | unstage
  assign, allocate | unassign, deallocate
  pin | unpin
  expand, unfold | collapse, fold
  merge, combine | split, unmerge
  bind | unbind
  arm | disarm
  accept, approve, confirm | reject, refuse, decline
  buy | sell
  lend | borrow
`;

/** The same in German. A bar parts a particle that may stand behind its verb: "schalten Sie … ein". */
const german = `
  aktivieren, ein/schalten, an/schalten, ein/richten | deaktivieren, aus/schalten, ab/schalten
  installieren | deinstallieren
  hinzu/fügen, ein/fügen, an/legen, erstellen | entfernen, löschen
  starten, fort/setzen | stoppen, beenden, an/halten, pausieren
  verbinden, an/hängen, ein/hängen | trennen, ab/hängen, aus/hängen
  erlauben, zu/lassen, gewähren | verbieten, sperren, blockieren, entziehen
  sperren, verriegeln | entsperren, entriegeln
  ein/blenden, an/zeigen | aus/blenden, verbergen
  auf/klappen | zu/klappen, ein/klappen
  öffnen | schließen
  an/melden, ein/loggen | ab/melden, aus/loggen
  folgen | entfolgen
  abonnieren | ab/bestellen
  verschlüsseln | entschlüsseln
  komprimieren, packen | dekomprimieren, entpacken
  importieren | exportieren
  hoch/laden | herunter/laden
  erhöhen, vergrößern, verlängern | verringern, verkleinern, reduzieren, verkürzen, senken
  befördern | zurück/stufen
  an/heften | ab/heften, lösen
  archivieren, sichern | wiederher/stellen
  veröffentlichen | zurück/ziehen
`;

/** Nouns of actions, with their verbs. They name one before "of", and in a heading. */
const nouns = `
  removal remove, deletion delete, erasure erase, addition add, insertion insert, creation create, introduction introduce, setup set up,
  installation install, uninstallation uninstall, deinstallation uninstall, activation activate, deactivation deactivate, enablement enable,
  termination terminate, suspension suspend, resumption resume, interruption interrupt, shutdown shut down, launch launch,
  connection connect, disconnection disconnect, attachment attach, detachment detach, permission permit, revocation revoke, inclusion include,
  exclusion exclude, omission omit, closure close, opening open, subscription subscribe, unsubscription unsubscribe, encryption encrypt, decryption decrypt,
  compression compress, decompression decompress, extraction extract, reduction reduce, growth grow, shrinkage shrink, enlargement enlarge,
  promotion promote, demotion demote, registration register, deregistration deregister, enrolment enrol, enrollment enroll, publication publish,
  archival archive, restoration restore, backup back up, deployment deploy, undeployment undeploy, assignment assign, allocation allocate,
  deallocation deallocate, expansion expand, acceptance accept, approval approve, confirmation confirm, rejection reject, refusal refuse,
  serialization serialize, deserialization deserialize, login log in, logout log out, signin sign in, signout sign out, checkin check in, checkout check out, optin opt in, optout opt out,
  aktivierung aktivieren, deaktivierung deaktivieren, einrichtung ein/richten, abschaltung ab/schalten, einschaltung ein/schalten,
  deinstallation deinstallieren, löschung löschen, entfernung entfernen, erstellung erstellen, anlage an/legen, beendigung beenden,
  verbindung verbinden, trennung trennen, sperrung sperren, entsperrung entsperren, öffnung öffnen, schließung schließen, anmeldung an/melden,
  abmeldung ab/melden, verschlüsselung verschlüsseln, entschlüsselung entschlüsseln, erhöhung erhöhen, verringerung verringern, senkung senken,
  archivierung archivieren, wiederherstellung wiederher/stellen, veröffentlichung veröffentlichen
`;

/** Side of each pair that a text takes: bit 1 for the first, bit 2 for the second. */
type Actions = ReadonlyMap<number, number>;
/** Pairs with the side that a form takes: 1 for the first, 2 for the second. */
type Sides = readonly (readonly [pair: number, side: number])[];

/** The actions of a text beside those of a question: the same; the opposite, and none that is the same; or neither. */
export type Stance = "same" | "opposite" | "neither";

/**
 * Tells how texts stand to the actions of a question: "disable it" is the opposite of "enable it".
 *
 * Where the table has none of the question's verbs, `un` before one makes its opposite. A participle is an action behind "be" only: "is disabled by default"
 * describes a state. A question that names both sides of a pair, or that undoes, has no opposite.
 *
 * **Cost** linear in each text.
 */
export function createStances(question: string): (text: string) => Stance {
  if (undoing.test(question)) return () => "neither";
  const asked = findActions(question);
  if (asked.size === 0) return createUnStances(question);
  return (text) => {
    const said = findActions(text);
    const sides = [...asked].map(([pair, side]) => [side, said.get(pair) ?? 0] as const);
    if (sides.some(([side, other]) => (side & other) !== 0)) return "same";
    return sides.some(([, other]) => other !== 0) ? "opposite" : "neither";
  };
}

/** The question asks how to take back what it names. */
const undoing = /(?<!\p{L})(?:cancel|undo|revert|reverse|roll(?:ing)? back|avoid|rückgängig)/iu;

/** The verb of a question for instructions, with `un` before it or not. */
const verbAsked =
  /(?<!\p{L})(?:how (?:do|can|could|should|would)\s+\p{L}+|how to|can (?:i|we|you)|(?:want|need|like) to)\s+(un-?)?(\p{L}{3,})/iu;

/** The stance by `un` before the verb of a question. */
function createUnStances(question: string): (text: string) => Stance {
  const [, un, verb = ""] = verbAsked.exec(question) ?? [];
  if (verb === "") return () => "neither";
  const [present] = inflect(verb.toLowerCase());
  const forms = new Set(present);
  return (text) => {
    let plain = false;
    let undone = false;
    for (const [word] of text.toLowerCase().matchAll(wordPattern)) {
      if (forms.has(word)) plain = true;
      else if (word.startsWith("un") && forms.has(word.replace(/^un-?/u, ""))) undone = true;
    }
    const [same, opposite] = un === undefined ? [plain, undone] : [undone, plain];
    return same ? "same" : opposite ? "opposite" : "neither";
  };
}

const wordPattern = /[\p{L}\p{M}\p{N}_-]+/gu;
/** Words between a verb and its particle, at most; in German the particle ends its clause. */
const mostBetween = { english: 4, german: 10 } as const;
const clauseEnd = /^[`*_"”“)]*\s*(?:[.,;:!?)]|$|(?:und|oder)(?!\p{L}))/u;
/** A text that is no longer may be a heading. */
const headingWords = 5;
const beforeParticiple = /^(?:be|being|been|gets?)$/u;
/** Words between a noun of an action and its object. */
const beforeObject = /^(?:of|von|vom|des|der|einer|eines)$/u;

function findActions(text: string): Actions {
  const found = new Map<number, number>();
  const take = (sides: Sides = []): void => {
    for (const [pair, side] of sides) found.set(pair, (found.get(pair) ?? 0) | side);
  };
  const lower = text.toLowerCase();
  const words = [...lower.matchAll(wordPattern)];
  const wordAt = (index: number): string => words[index]?.[0] ?? "";
  const behind = (index: number): number => words[index]!.index + wordAt(index).length;
  const findParticle = (verb: number, particles: Particles | undefined, between: number, then = /(?:)/u): Sides => {
    if (particles === undefined) return [];
    for (let at = verb + 1; at < words.length && at <= verb + 1 + between; at++) {
      if (!/^[\s`'’]+$/u.test(lower.slice(behind(at - 1), words[at]!.index))) break;
      const sides = particles.get(wordAt(at));
      if (sides !== undefined && then.test(lower.slice(behind(at), behind(at) + 8))) return sides;
    }
    return [];
  };
  for (const [index, { 0: word }] of words.entries()) {
    const plain = word.replaceAll("-", "");
    const before = wordAt(index - 1);
    const isBehindBe = beforeParticiple.test(before.endsWith("ly") ? wordAt(index - 2) : before);
    for (const forms of isBehindBe ? [actions.present, actions.past] : [actions.present]) {
      take(forms.words.get(word) ?? forms.words.get(plain));
      take(findParticle(index, forms.phrases.get(word), mostBetween.english));
    }
    take(findParticle(index, actions.separable.get(word), mostBetween.german, clauseEnd));
    if (words.length <= headingWords || beforeObject.test(wordAt(index + 1))) take(actions.nouns.get(plain));
  }
  return found;
}

const vowels = "aeiou";
/** Verbs whose last consonant is doubled before an ending. */
const doubled = new Set(
  "set drop quit zip unzip permit omit pin unpin plug unplug shut begin log opt submit enrol unenrol split".split(" "),
);
/** Past participles. */
const irregular: Readonly<Record<string, string>> = {
  set: "set",
  shut: "shut",
  quit: "quit",
  split: "split",
  begin: "begun",
  leave: "left",
  show: "shown",
  hide: "hidden",
  freeze: "frozen",
  unfreeze: "unfrozen",
  forbid: "forbidden",
  grow: "grown",
  shrink: "shrunk",
  send: "sent",
  bind: "bound",
  unbind: "unbound",
  buy: "bought",
  sell: "sold",
  lend: "lent",
  tear: "torn",
};

/** Plain, third person, participle in -ing; and the past participle. */
function inflect(verb: string): readonly [present: readonly string[], past: string] {
  const stem = verb.endsWith("e") ? verb.slice(0, -1) : doubled.has(verb) ? verb + verb.at(-1)! : verb;
  const endsInY = verb.endsWith("y") && !vowels.includes(verb.at(-2)!);
  const third = endsInY ? `${verb.slice(0, -1)}ies` : /(?:s|x|z|sh|ch)$/u.test(verb) ? `${verb}es` : `${verb}s`;
  const past = irregular[verb] ?? (endsInY ? `${verb.slice(0, -1)}ied` : `${stem}ed`);
  return [[verb, third, `${stem}ing`], past];
}

type Particles = Map<string, Sides>;

/** Forms of one word, and verbs with the particles behind them. */
interface Forms {
  readonly words: Map<string, Sides>;
  readonly phrases: Map<string, Particles>;
}

interface Tables {
  readonly present: Forms;
  readonly past: Forms;
  /** German verbs with the particles that end their clauses. */
  readonly separable: Map<string, Particles>;
  readonly nouns: ReadonlyMap<string, Sides>;
}

const actions = readTables();

function readTables(): Tables {
  const present: Forms = { words: new Map(), phrases: new Map() };
  const past: Forms = { words: new Map(), phrases: new Map() };
  const separable = new Map<string, Particles>();
  const plain = new Map<string, Sides>();
  const add = (map: Map<string, Sides>, key: string, sides: Sides): void => {
    map.set(key, [...(map.get(key) ?? []), ...sides]);
  };
  const addParticle = (phrases: Map<string, Particles>, verb: string, particle: string, sides: Sides): void => {
    const particles: Particles = phrases.get(verb) ?? new Map<string, Sides>();
    phrases.set(verb, particles);
    add(particles, particle, sides);
  };
  const addForm = ({ words, phrases }: Forms, verb: string, particle: string | undefined, sides: Sides): void => {
    if (particle === undefined) add(words, verb, sides);
    else addParticle(phrases, verb, particle, sides);
  };
  const linesOf = (table: string): readonly string[] => table.trim().split(/\s*\n\s*/u);
  let pair = 0;
  for (const table of [english, german]) {
    for (const line of linesOf(table)) {
      for (const [index, side] of line.split(" | ").entries()) {
        for (const phrase of side.split(", ")) {
          const sides: Sides = [[pair, index + 1]];
          add(plain, phrase, sides);
          if (table === english) {
            const [verb = "", particle] = phrase.split(" ");
            const [forms, participle] = inflect(verb);
            for (const form of forms) addForm(present, form, particle, sides);
            addForm(past, participle, particle, sides);
          } else {
            const [verb = "", particle] = phrase.split("/").reverse();
            const forms = [verb, verb.replace(/n$/u, "")];
            if (particle === undefined) for (const form of forms) add(present.words, form, sides);
            else {
              for (const form of forms) addParticle(separable, form, particle, sides);
              for (const form of [particle + verb, `${particle}zu${verb}`]) add(present.words, form, sides);
            }
          }
        }
      }
      pair += 1;
    }
  }
  const named = new Map<string, Sides>();
  for (const entry of linesOf(nouns).join(" ").split(",")) {
    const [noun = "", ...verb] = entry.trim().split(" ");
    if (noun !== "") add(named, noun, plain.get(verb.join(" ")) ?? []);
  }
  return { present, past, separable, nouns: named };
}
