import { foldWord } from "../text/languages/fold-word.ts";
import { segmentWords } from "../text/words.ts";

/** The reply to a text that asks nothing. */
export const noQuestionText = "Ask a question about the documents.";

const list = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.join(" ").split(" ").map(foldWord));

/**
 * Greetings, thanks, praise and farewells.
 *
 * **Source** our own choice, here and below, in the languages whose function words were measured.
 */
const courtesies = list(
  "hello hi hey hiya howdy greetings thanks thank thx thankyou tysm ty cheers bye goodbye appreciate appreciated grateful thankful",
  "cool great nice perfect awesome excellent wonderful fantastic brilliant lovely amazing neat wow lol haha",
  "hallo hallöchen moin servus danke dankeschön dank bedanke tschüss tschüs guten prima toll wunderbar grüße grüßen gruß",
  "bonjour bonsoir salut merci revoir hola gracias buenos buenas adiós grazie buongiorno buonasera arrivederci olá obrigado obrigada tchau",
  "hoi bedankt goedemorgen goedemiddag goedenavond привет спасибо здравствуйте 你好 谢谢 您好 再见 こんにちは ありがとう مرحبا شكرا",
);

/** Assent and the like: small talk alone or beside {@link fillers}, and no more beside {@link objects}, as in "no answer". */
const assents = list(
  "ok okay okey okidoki alright good morning evening afternoon please yes yeah yep yay nope no super sorry welcome understood gotcha hmm",
  "ja nein gute schön bitte bitteschön klasse super top perfekt genau verstanden oui non parfait sí perfecto vale prego ciao perfetto",
  "bom boa perfeito пока да нет отлично 好的",
);

/** Words that ask nothing and are no small talk by themselves. */
const fillers = list(
  "you your u ya a an the lot lots bunch ton million again so very really much many too indeed for to all everyone everybody folks guys there then now in of",
  "and but that this it is was are i i'm we my me be am have has had one day night today tomorrow later soon well just kind kindly quite both ever always",
  "dir dich ihnen euch ich sehr viel viele vielen vielmals recht herzlichen herzlich schöne schönen lieben liebe tag abend nacht morgen allerseits zusammen",
  "auch noch für die das und es war hat mir im voraus mal klar gut mit freundlichen besten",
  "beaucoup bien à au tous toutes pour votre ton mille infiniment muchas muchísimas mucho mil días tardes noches por tu su la todo todos",
  "mille molte tante per tuo tutto a tutti muito muita dia tarde noite sua por au je u jullie wel hartelijk heel erg zeer veel voor dag большое вам тебе за",
);

/** Things that people give thanks for, praise or greet. */
const objects = list(
  "advance help helping helped helpful useful assistance support answer answers answering explanation explaining reply quick job work time week weekend rest team",
  "friend friends mate sir madam bot assistant ibid hilfe antwort geholfen aide journée soirée ayuda aiuto ajuda hulp помощь",
);

/** Small talk in whole sentences, whose words apart may ask something. */
const phrases =
  /(?<![\p{L}\p{N}])(?:how (?:are|r) (?:you|u|things)(?: doing)?|how(?:['’]s| is) it going|how do you do|what['’]?s up|see (?:you|ya|u)|take care|got it|got that|i see|never ?mind|no (?:worries|problem|thanks|more questions|further questions)|not at all|my pleasure|you['’]?re welcome|nice to meet you|pleased to meet you|sounds good|makes sense|fair enough|of course|that helps|that is all|that['’]s all|that will be all|that works|it works|works for me|(?:that|this|it) (?:was|is) (?:very |really |so )?(?:helpful|useful|all)|i have no (?:more |further )?questions|don['’]t worry|wie geht(?:['’]?s| es)(?: dir| ihnen| euch)?|bis (?:bald|später|dann|morgen)|auf wieder(?:sehen|hören)|alles klar|alles gut|kein problem|keine ursache|gern geschehen|sehr gern(?:e)?|mach['’]?s gut|passt(?: so)?|schon gut|schönen (?:tag|abend|nachmittag|feierabend|gruß)|well done|das (?:war|ist) (?:alles|gut|sehr hilfreich|hilfreich)|comment (?:ça va|allez[- ]vous)|ça va|de rien|à bientôt|de nada|hasta (?:luego|pronto)|qué tal|cómo estás|come stai|va bene|de nada|graag gedaan|tot ziens)(?![\p{L}\p{N}])/giu;

/** The first words of a question that has no question word. */
const inverted = /^\W*(?:is|are|was|am|has|had|have(?! an?\b))(?![\p{L}'’])/iu;

/** A longer text is more than small talk. */
const mostWords = 24;

/**
 * Whether a text asks nothing: it is blank, punctuation, a greeting, thanks or assent.
 *
 * A single word beyond these makes it a question: "thanks, and how do I renew it?".
 */
export function asksNothing(text: string): boolean {
  const rest = text.replaceAll(phrases, " ");
  const words = [...segmentWords(rest)].map((word) => foldWord(word.text));
  if (words.length === 0) return true;
  if (words.length > mostWords || inverted.test(rest)) return false;
  const has = (list: ReadonlySet<string>): boolean => words.some((word) => list.has(word));
  if (!words.every((word) => [courtesies, assents, fillers, objects].some((list) => list.has(word)))) return false;
  return has(courtesies) || (!has(objects) && (has(assents) || rest !== text));
}
