import type { Analyzer } from "../../contracts/analyzer.ts";
import { digitsOf } from "../citations/digits-of.ts";
import type { SentenceJudgement } from "../citations/judge-sentence.ts";
import { denies, namesIn } from "../citations/telling-details.ts";
import { foldWord } from "../../text/languages/fold-word.ts";
import { functionWords } from "../../text/languages/function-words.ts";
import { segmentWords } from "../../text/words.ts";
import type { CutSentence } from "./cut-sentences.ts";

/**
 * Part that a sentence plays in an answer.
 *
 * **Shape** `"claim"`: a source could support it. `"frame"`: a heading, a question or a lead-in, which sentences after it may refer to. `"courtesy"`: nothing refers to it.
 */
export type SentenceRole = "claim" | "frame" | "courtesy";

/**
 * Words of greetings, of announcements and of offers to help.
 *
 * **Source** our own choice: phrases with which chat models begin and end. A sentence of these and of function words alone claims nothing.
 */
const courtesies = new Set(
  [
    "answer answers ask based below context document documents feel find following found free glad happy hello help helped helpful helps",
    "here's hi hope i'd i'll i'm information know let let's let’s like more need passage passages please provided question questions source sources steps summary sure thanks thank welcome",
    "absolutely certainly course great overview according looked looking search searched results result further details detail anything else",
    "hallo danke gerne bitte folgende folgenden frage fragen antwort hier gefunden hilfe helfen weitere wissen lassen dokument dokumente quelle quellen",
    "bonjour merci voici réponse question plaît informations documents trouvé aide aider",
    "hola gracias respuesta pregunta información documentos encontré ayuda ayudar aquí",
  ]
    .join(" ")
    .split(" ")
    .map(foldWord),
);

/** An announcement of what follows, and an offer to help: whatever their words, they claim nothing. **Source** our own choice. */
const announcement = /^\W*here(?:['’]s| is| are)(?![\p{L}\p{Nd}]).*[:：]\W*$/isu;
const offer =
  /^\W*(?:please )?(?:let me know (?:if|whether)|feel free to|i(?:['’]m| am) happy to help|i hope (?:this|that) helps|happy to help)(?![\p{L}\p{Nd}])/iu;
/** A lead-in names a purpose, and leaves what is said of it to the list behind it. */
const leadIn = /^\W*(?:to|for|how to|steps|um|zum|pour|para)(?![\p{L}\p{Nd}])[^.!?]*[:：]\W*$/iu;
const mostLeadInWords = 15;

/** Tells the part that a sentence plays. */
export type RoleReader = (sentence: CutSentence) => SentenceRole;

/** How far all sources together carry a statement. */
export type StatementJudge = (
  statement: string,
) => Pick<SentenceJudgement, "verdict" | "isVetoed" | "unsupportedWords">;

/**
 * Makes a reader of sentences that tells whether one claims anything that a source could support.
 *
 * A heading, a line in bold, a question and a courtesy claim nothing, with exceptions that `judge` decides over all sources. One states something, by a finite verb or a
 * predicate behind its subject, that they do not support. Or it has a number, a name, a date, a denial, a duty or a frequency that they do not have. A marker makes a claim of
 * all other words.
 */
export function createRoleReader(analyzer: Analyzer, language: string, judge: StatementJudge): RoleReader {
  let filler: ReadonlySet<string> | undefined;
  const claimsAnything = (words: string): boolean => {
    const statement = statementIn(words);
    const isNamed = !offering.test(words) && namesIn(statement, language).length > 0;
    const isDetailed = isNamed || digitsOf(statement).size > 0;
    const isStated = isFinite(statement) || isPredicated(statement);
    const telling = interrogative.test(statement) ? [] : tellingIn(statement);
    if (!isDetailed && !isStated && telling.length === 0) return false;
    const { verdict, isVetoed, unsupportedWords } = judge(statement);
    const isUnheld = telling.some(({ start, end }) => unsupportedWords.some(([from, to]) => from < end && start < to));
    return ((isDetailed || telling.length > 0) && isVetoed) || isUnheld || (isStated && verdict !== "supported");
  };
  return (sentence) => {
    filler ??= new Set(
      Object.values(analyzer.functionWords ?? functionWords)
        .join(" ")
        .split(/\s+/u)
        .map(foldWord),
    );
    return readRole(sentence, filler, language, claimsAnything);
  };
}

function readRole(
  { kind, words, pieces }: CutSentence,
  filler: ReadonlySet<string>,
  language: string,
  claimsAnything: (words: string) => boolean,
): SentenceRole {
  if (kind === "heading" || isBoldLine.test(words)) return claimsAnything(words) ? "claim" : "frame";
  const all = [...segmentWords(words)].map(({ text }) => foldWord(text));
  if (all.length === 0) return "courtesy";
  if (pieces.some((piece) => piece.type === "marker" && piece.numbers.length > 0)) return "claim";
  if (/[?？]["”»)*_\s]*$/u.test(words)) return claimsAnything(words) ? "claim" : "frame";
  if (kind === "markup") return "courtesy";
  if (digitsOf(words).size > 0) return "claim";
  if (leadIn.test(words) && all.length <= mostLeadInWords && !denies(words)) return "frame";
  if (namesIn(words, language).some((name) => !courtesies.has(foldWord(name)))) return "claim";
  if (announcement.test(words) || offer.test(words)) return "courtesy";
  return all.every((word) => courtesies.has(word) || filler.has(word)) && !denies(words) ? "courtesy" : "claim";
}

/** A line in bold type without a full stop is a heading. */
const isBoldLine = /^\*\*[^*\n]*[^*\n.!。][:：]?\*\*[:：]?$/u;

/** Signs of a heading and its number: `## 2.`, `**Step 3:`. */
const headingLead =
  /^[\s#*_>]*(?:(?:step|part|option|phase|section|chapter|example|method|way|question|answer|schritt|teil|abschnitt|kapitel|beispiel|frage|antwort)\s+\d{1,3}|\d{1,3}(?:\.\d{1,3})*(?=[.):]))[.):\s–-]*/iu;
/** A question that takes for granted what follows. */
const presupposing =
  /^\W*(?:(?:did|do) you (?:already )?know(?: that)?|have you heard(?: that)?|is it true that|isn['’]t it (?:true |great |nice )?that|why|how come|(?:wussten sie|weißt du|wusstest du),? dass|warum|wieso|weshalb)(?![\p{L}\p{Nd}])/iu;
/** Behind a statement these ask whether it is so. */
const tag =
  /,\s*(?:right|correct|yes|no|ok(?:ay)?|oder|nicht wahr|stimmt['’]?s|richtig|(?:is|are|was|were|do|does|did|has|have|can|will|must)n['’]t (?:it|they|he|she|we|you)|(?:is|are|was|were|do|does|did|has|have|can|will) (?:it|they|he|she|we|you))\W*$/iu;
/** An offer names what it is about, and states nothing of it. */
const offering =
  /^\W*(?:do|would|shall|should|can|could|may|möchten|möchtest|soll|kann|darf) (?:you|i|we|sie|du|ich|wir)(?![\p{L}\p{Nd}])/iu;
/** With these a question asks, and states nothing. */
const interrogative =
  /^\W*(?:who|whom|whose|what|which|when|where|how|is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|any|anything|need|want|ready|wer|wen|wem|was|welche[rsnm]?|wann|wo|wohin|woher|wie|ist|sind|war|waren|hat|haben|kann|können|könnte|soll|sollen|muss|müssen|darf|dürfen|möchten|möchtest|wollen|willst|gibt|noch)(?![\p{L}\p{Nd}])/iu;

/** The words of a heading or a question that may state something. */
function statementIn(words: string): string {
  const plain = words.replace(headingLead, "").replaceAll(/^[\s#*_]+|[\s#*_:：]+$/gu, "");
  return plain
    .replace(presupposing, "")
    .replace(tag, "")
    .replace(/[?？\s]+$/u, "")
    .trim();
}

const finite =
  "is are was were am has have had can could may might must shall should will would does did isn't aren't wasn't weren't hasn't haven't hadn't can't cannot couldn't mustn't shouldn't won't wouldn't doesn't don't didn't never always " +
  "ist sind war waren hat haben hatte hatten kann können konnte muss müssen darf dürfen soll sollen wird werden wurde wurden gibt nie niemals immer";
const finiteWords = new Set(finite.split(" "));
const subjects = new Set(
  "the a an this that these those our your their its all every each no some it they he she we you der die das ein eine unser unsere alle jeder jede jedes kein keine es er sie wir".split(
    " ",
  ),
);
const leastStated = 3;
/** Behind these stands no finite verb: "Steps to rotate keys", "Courses and fees". */
const joined = new Set(["to", "and", "or", "of", "for", "by", "with", "und", "oder"]);

/**
 * Whether words state something.
 *
 * A finite auxiliary, "never" or "always" stands behind the first word. Or a subject with an article is followed by a verb in the third person or the past.
 *
 * **Source** our own choice, for English and German.
 */
function isFinite(statement: string): boolean {
  const all = [...segmentWords(statement.replaceAll("’", "'"))].map(({ text }) => text);
  if (all.length < leastStated || interrogative.test(statement)) return false;
  const folded = all.map((word) => word.toLowerCase());
  if (folded.slice(1).some((word) => finiteWords.has(word))) return true;
  const isSubject = subjects.has(folded[0]!) || /(?:s|en)$/u.test(folded[0]!);
  return (
    isSubject &&
    all
      .slice(2, -1)
      .concat(all.length === leastStated ? all.slice(-1) : [])
      .some((word, at) => isVerb(word) && !joined.has(folded[at + 1]!))
  );
}

/** A word in small letters that ends like a verb and not like an abstract noun. */
function isVerb(word: string): boolean {
  return /^\p{Ll}{2,}(?:[^sui]s|ed|te)$/u.test(word) && !/(?:ness|ings|ions|ments|ies|ers|ors)$/u.test(word);
}

const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/u));
/** Verbs that stand behind a plural without an ending. **Source** our own choice, here and below, for English and German. */
const bareVerbs = list(`
  accept affect allow apply approve arrive become begin belong block book break bring buy cancel carry change choose close come connect contain continue cost count cover
  cross crash decrease delete depart depend die differ disappear drink drive earn eat end enter exist expire fail fall fly forbid freeze get give go grow happen have hire hold
  include increase inherit keep lapse last lead leave live lose matter move need offer open owe park pass pay permit protect receive refresh refuse reject remain remove renew
  replace require reset restart rest retire return rise rotate run save sell send share ship shrink sign sit sleep spoil stand start stay stop succeed support survive switch take travel
  update upgrade use vanish vote wait wear win work`);
/** States that are said of a subject: "Dogs allowed". */
const states = list(`
  closed open free allowed required forbidden prohibited permitted optional mandatory compulsory unlimited limited banned guaranteed invalid void safe unsafe obligatory
  erlaubt verboten freiwillig offen geschlossen kostenlos kostenfrei gratis frei ungültig gültig möglich unmöglich nötig unnötig verpflichtend optional zulässig unzulässig pflicht`);
/** Participles with which a heading says what it does, and nothing of its subject. */
const announced = list(
  "explained compared involved revisited described defined needed used recommended related based illustrated",
);
/** Words of how often and whether something is so. */
const tellings = list(`
  daily weekly monthly hourly yearly annually quarterly nightly never always without no not cannot mandatory optional required forbidden prohibited compulsory
  täglich wöchentlich monatlich jährlich stündlich nie niemals immer ohne kein keine keinen nicht freiwillig verboten erlaubt pflicht`);
const plural = /^\p{L}{2,}[^sui\P{L}]s$/u;
/** Before these a participle ends its predicate. */
const behindPredicate = list(
  "at by during every each for from in on per since to twice until with within without after before only once daily weekly monthly hourly nightly am bei bis für im in mit nach ohne um vor",
);

/** Words of how often something happens, of denial and of duty. */
function tellingIn(statement: string): readonly { readonly start: number; readonly end: number }[] {
  return [...segmentWords(statement)].filter(({ text }) => tellings.has(text.toLowerCase()));
}

/**
 * Whether words say something of a subject without an auxiliary: "Keys rotate daily", "Help desk closed on weekdays", "Hunde erlaubt".
 *
 * A plural is followed by a verb without an ending, or a noun by a participle or a state. Titles such as "Role based access" are none, because a noun follows.
 */
function isPredicated(statement: string): boolean {
  const all = [...segmentWords(statement)].map(({ text }) => text.toLowerCase());
  if (all.length < 2 || interrogative.test(statement)) return false;
  return all.some((word, at) => {
    const [before, next] = [all[at - 1], all[at + 1]];
    if (before === undefined || behindPredicate.has(before) || subjects.has(before) || announced.has(word))
      return false;
    const isEnded = next === undefined || behindPredicate.has(next);
    const isState = states.has(word) || (/\p{L}{2,}ed$/u.test(word) && !word.endsWith("eed"));
    if (isState) return isEnded || plural.test(before);
    if (bareVerbs.has(word)) return plural.test(before) && next !== undefined;
    // A German verb behind its noun, with more behind it: "Schlüssel wechseln täglich".
    return (
      at === 1 &&
      next !== undefined &&
      /^\p{Ll}{3,}(?:eln|ern|en)$/u.test(word) &&
      isGermanNoun(statement) &&
      !bareFunction.has(word)
    );
  });
}

/** A noun that begins a German heading has a small word behind it that is a verb unless it joins or relates. */
const isGermanNoun = (statement: string): boolean => /^\p{Lu}\p{Ll}+ \p{Ll}/u.test(statement);
const bareFunction = list(
  "gegen neben zwischen wegen seinen ihren unseren meinen deinen einen keinen diesen jeden allen",
);

const referring =
  "it its they them their theirs this that these those he him his she her hers such both neither either another latter former " +
  "er ihn ihm ihr ihre sie dies diese dieser dieses diesem diesen il elle ils elles cela ceci celui celle ceux esto eso este esta ese esa ellos ellas";
const connecting =
  "however therefore thus hence also moreover furthermore additionally then otherwise instead so but and or yet still likewise similarly consequently accordingly afterwards meanwhile conversely nevertheless nonetheless too " +
  "jedoch daher außerdem dann aber und sonst cependant donc aussi ensuite mais sino además pero entonces";
const phrases =
  "(?:yes|no|ja|nein|oui|non|sí),|the (?:same|other|latter|former|first|second|third|last|reason|exception)|for (?:example|instance)|as a result|in (?:addition|contrast|that case|this case)|on the other hand|after (?:that|this)|in other words|that is|sin embargo|por lo tanto";
const subordinating =
  "if|when|while|because|after|before|once|unless|with|for|in|on|by|from|to|of|as|since|until|although|though|where|whether|wenn|bei|mit|si|quand|cuando";
const group = (words: string): string => words.split(" ").join("|");
const leaning = new RegExp(
  `^\\W*(?:(?:${subordinating})\\s+(?:${group(referring)})|${group(referring)}|${group(connecting)}|${phrases})(?![\\p{L}\\p{Nd}])`,
  "iu",
);

/** Whether a sentence is only understood with the one before it: it begins with a pronoun or a connective. */
export function leansOnPrevious(words: string): boolean {
  return leaning.test(words);
}
