import { describe, expect, it } from "vitest";

import { asksNothing } from "../../src/answers/no-question.ts";

const smallTalk = [
  "Thanks a lot.|thank you so much!|ok cool|good morning|danke dir|Thank you very much for your help!|Many thanks|thanks again|ok thanks bye",
  "Cool, thanks a ton!|Got it.|I see|Perfect, that helps.|See you later|have a nice day|Have a great weekend!|good night|thanks for the quick reply",
  "Guten Morgen zusammen|Vielen lieben Dank|Vielen Dank für die Hilfe!|Danke, alles klar|Super, danke dir!|Danke Ihnen vielmals|tschüss und danke",
  "Bis später|Schönen Tag noch!|Mit freundlichen Grüßen|Wie geht's?|okay verstanden|merci beaucoup|merci bien|Muchas gracias por tu ayuda",
  "grazie mille|muito obrigado|dank je wel|hartelijk dank|большое спасибо|谢谢|how are you?|Hi there!|Hello everyone|hey :)|👍|👋 hi|No thanks",
  "no, that's all|sounds good|awesome|wow, nice work|well done|sorry|you're welcome|much appreciated|I appreciate your help|yes please|hmm ok",
  "That was very helpful, thank you.|thx!!!|ok great thanks so much|Thanks — that is all.|Thanks, you too!|how's it going|what's up?|thanks in advance",
].flatMap((line) => line.split("|"));

const questions = [
  "thanks, and how do I renew a certificate?|danke, wie erneuere ich ein Zertifikat?|hallo, was kostet das|Danke für die Datei. Wo ist der Rest?",
  "Is it ok to work today?|is it good?|Is there a day limit?|is that all there is?|how much?|how long|why|who are you|what can you do|can you help me",
  "no answer|no support|no reply|super team|please help|super admin|good practice for keys|night mode|cool down period|great circle distance",
  "perfect forward secrecy|hello world example|morning shift hours|tag|day|lot size|support|answers|time|help|all|job|team|night|very",
  "thank you page|welcome page|no problem matcher|good morning message template|ok status|yes flag|hi, is there a limit?|rest api|see you page",
].flatMap((line) => line.split("|"));

describe("a text that asks nothing", () => {
  it.each(smallTalk)("is small talk: %s [T48]", (text) => {
    expect(asksNothing(text)).toBe(true);
    expect(asksNothing(text.toUpperCase())).toBe(true);
  });

  it.each(questions)("asks something, however polite: %s [T48]", (text) => {
    expect(asksNothing(text)).toBe(false);
  });

  it("asks something where a question stands before or behind small talk [T48]", () => {
    for (const talk of smallTalk) {
      expect(asksNothing(`${talk} And how do I renew a certificate?`)).toBe(false);
      expect(asksNothing(`Renew the certificate. ${talk}`)).toBe(false);
    }
  });
});
