import type { Analyzer } from "../../contracts/analyzer.ts";
import { digitsOf } from "../citations/digits-of.ts";
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

/**
 * Makes a reader of sentences that tells whether one claims anything that a source could support.
 *
 * A heading, a question and a courtesy without a number, a name or a marker claim nothing. A marker makes a claim of all words but a heading's.
 */
export function createRoleReader(analyzer: Analyzer, language: string): RoleReader {
  let filler: ReadonlySet<string> | undefined;
  return (sentence) => {
    filler ??= new Set(
      Object.values(analyzer.functionWords ?? functionWords)
        .join(" ")
        .split(/\s+/u)
        .map(foldWord),
    );
    return readRole(sentence, filler, language);
  };
}

function readRole({ kind, words, pieces }: CutSentence, filler: ReadonlySet<string>, language: string): SentenceRole {
  if (kind === "heading" || isBoldLine.test(words)) return "frame";
  const all = [...segmentWords(words)].map(({ text }) => foldWord(text));
  if (all.length === 0) return "courtesy";
  if (pieces.some((piece) => piece.type === "marker" && piece.numbers.length > 0)) return "claim";
  if (/[?？]["”»)\s]*$/u.test(words)) return "frame";
  if (kind === "markup") return "courtesy";
  if (digitsOf(words).size > 0) return "claim";
  if (leadIn.test(words) && all.length <= mostLeadInWords && !denies(words)) return "frame";
  if (namesIn(words, language).some((name) => !courtesies.has(foldWord(name)))) return "claim";
  if (announcement.test(words) || offer.test(words)) return "courtesy";
  return all.every((word) => courtesies.has(word) || filler.has(word)) && !denies(words) ? "courtesy" : "claim";
}

/** A line in bold type without a full stop is a heading. */
const isBoldLine = /^\*\*[^*\n]*[^*\n.!。][:：]?\*\*[:：]?$/u;

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
