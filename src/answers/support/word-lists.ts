/**
 * Words that change how much a sentence asserts: hedges, quantifiers and denials.
 *
 * **Source** ibid's own choice; hedges and quantifiers are English, denials belong to the languages named beside them.
 */
const list = (words: string): readonly string[] => words.trim().split(/\s+/u);

export const hedges: ReadonlySet<string> = new Set(
  list(`
  may might could possibly perhaps probably likely allegedly reportedly suggested suggests believed claimed claims apparently seems estimated
  approximately roughly around about nearly almost
`),
);

/**
 * Kinds of quantifiers: words of one kind may stand for each other.
 *
 * **Shape** by kind, strong ones first. A strong kind asserts something by itself; `some` and `many` do not.
 */
export const quantifierKinds: Readonly<Record<string, readonly string[]>> = {
  all: list(
    `all every each everyone everybody everything always entire entirely whole wholly complete completely both fully
     alle allen aller alles jede jeder jedes jedem jeden immer stets sämtliche tous toutes toute chaque toujours todos todas toda cada siempre tutti tutte ogni sempre
     altijd iedere elke`,
  ),
  only: list(
    "only sole solely exclusively exclusive nur ausschließlich seulement uniquement solo solamente sólo soltanto alleen slechts",
  ),
  most: list(
    "most mostly majority mainly largely usually generally typically predominantly meiste meisten meist plupart mayoría maggior meeste",
  ),
  minority: list("minority minderheit minorité minoría minoranza minderheid"),
  first: list(
    "first firstly 1st initial erste ersten erster erstes premier première primer primero primera primo prima eerste",
  ),
  last: list(
    "last final lastly latest letzte letzten letzter letztes dernier dernière último última ultimo ultima laatste",
  ),
  largest: list(
    "largest biggest highest greatest tallest longest maximum größte größten höchste höchsten längste maximal maximale maximaal máximo massimo",
  ),
  smallest: list(
    "smallest lowest shortest least minimum fewest kleinste kleinsten niedrigste kürzeste mindestens minimum minimal mínimo minimo",
  ),
  best: list("best finest greatest beste besten bester bestes"),
  worst: list("worst schlechteste schlechtesten"),
  fastest: list("fastest quickest earliest"),
  slowest: list("slowest latest"),
  main: list("main primary principal chief"),
  original: list("original originally"),
  more: list("more above over exceeding exceeds mehr plus más più meer"),
  less: list("less fewer below under weniger moins menos meno minder"),
  some: list(
    "some few several many multiple various numerous certain sometimes occasionally often frequently rarely seldom hardly half einige manche viele wenige mehrere oft manchmal selten certains plusieurs quelques souvent parfois algunos algunas muchos muchas pocos alcuni alcune molti molte pochi spesso sommige vele weinig enkele vaak soms",
  ),
};

/** Kinds that tell by their mere presence: a source without the word does not carry the sentence. */
export const strongKinds: ReadonlySet<string> = new Set([
  "all",
  "only",
  "most",
  "minority",
  "largest",
  "smallest",
  "worst",
]);

/** Words of the kind `some`, which differ from each other: `few` is not `many`. */
export const amounts: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["many", "many numerous often frequently viele oft souvent muchos muchas molti molte spesso vele vaak"],
    ["few", "few rarely seldom hardly wenige selten pocos pochi weinig"],
    [
      "several",
      "some several multiple various certain sometimes occasionally einige manche mehrere manchmal certains plusieurs quelques parfois algunos algunas alcuni alcune sommige enkele soms",
    ],
    ["half", "half"],
  ].flatMap(([kind = "", words = ""]) => list(words).map((word) => [word, kind])),
);

/** Words that deny, by language. */
export const denials: ReadonlySet<string> = new Set(
  list(`
  not no never none nobody nothing neither nor without cannot isnt arent wasnt werent dont doesnt didnt wont cant couldnt wouldnt shouldnt
  nicht nie niemals kein keine keinen keinem keiner keines nichts niemand weder ohne
  ne pas jamais aucun aucune rien personne sans nunca ningún ninguna nada sin tampoco
  mai nessun nessuno nessuna niente senza não nenhum nenhuma sem
  niet geen nooit niemand zonder inte aldrig ingen inga utan ikke aldri uten aldrig
  не нет никогда без ни никто ничего
`),
);

/** Denials of one language that are ordinary words of another: `no` in Spanish denies, `sin` in English does not. */
export const foreignDenials: Readonly<Record<string, ReadonlySet<string>>> = {
  en: new Set(list("ne pas rien personne sans nada sin mai niente sem utan ni die nie mein inga ingen")),
  de: new Set(list("no ne pas sans sin sem utan ni mai personne rien nor none")),
  fr: new Set(list("sin sem mai nie nor none no")),
  es: new Set(list("ne pas sans sem mai nie nor none")),
};

/** Words that deny by their meaning. They answer a denial on the other side, and are none by themselves. */
export const impliedDenials: ReadonlySet<string> = new Set(
  list(`
  fail fails failed failing failure unable refuse refuses refused refusing lack lacks lacked lacking deny denies denied decline declines declined impossible
  except unlike false prevent prevents prevented avoid avoids avoided stop stops stopped cease ceased absent absence missing instead rather hardly rarely seldom
  barely little few free unsuccessful unsuccessfully reject rejects rejected forbid forbidden prohibits prohibited disabled disables disable exclude excludes excluded
  excluding ohne unmöglich cancelled canceled rule ruled loss lost unaware unavailable unsupported unnecessary
`),
);
