import { foldWord } from "../text/languages/fold-word.ts";
import { segmentWords } from "../text/words.ts";

/** The reply to a text that asks nothing. */
export const noQuestionText = "Ask a question about the documents.";

/**
 * Greetings, thanks and assent.
 *
 * **Source** our own choice, in the languages whose function words were measured.
 */
const courtesies = new Set(
  [
    "hello hi hey hiya howdy thanks thank thx you cheers ok okay bye goodbye good morning evening afternoon night great cool nice perfect please so much very yes no there all",
    "hallo danke dankeschön schön bitte tschüss guten morgen tag abend vielen dank ja nein",
    "bonjour bonsoir salut merci beaucoup oui non au revoir",
    "hola gracias muchas buenos buenas días tardes noches adiós sí",
    "ciao grazie mille buongiorno buonasera prego",
    "olá obrigado obrigada bom dia boa tarde noite tchau",
    "hoi dank je wel bedankt dag goedemorgen",
    "привет спасибо здравствуйте пока да нет",
    "你好 谢谢 您好 再见 こんにちは ありがとう مرحبا شكرا",
  ]
    .join(" ")
    .split(" ")
    .map(foldWord),
);

/** Longer texts are questions, however polite. */
const mostWords = 5;

/** Whether a text asks nothing: it is blank, punctuation, a greeting or thanks. */
export function asksNothing(text: string): boolean {
  const words = [...segmentWords(text)].map((word) => foldWord(word.text));
  return words.length === 0 || (words.length <= mostWords && words.every((word) => courtesies.has(word)));
}
